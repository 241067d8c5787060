//! Notifications that can still be seen, as text that outlives the app. Pure: it knows no bus.
//!
//! A number is valid only with the service that assigned it, and that service's name only on its bus: another
//! one assigns the same numbers to other programs' notifications.

/// A notification that can still be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stood {
    /// The service's own name on the bus.
    pub(crate) service: String,
    pub(crate) id: u32,
    /// [`Note::key`](super::news::Note::key).
    pub(crate) key: String,
}

/// The notifications on this bus as text: the bus on the first line, then one per line.
pub(crate) fn text(bus: &str, stood: &[Stood]) -> String {
    let line = |one: &Stood| format!("{} {} {}\n", one.service, one.id, one.key);
    format!("{bus}\n{}", stood.iter().map(line).collect::<String>())
}

/// The bus and the notifications in such a text. An invalid line is ignored.
pub(crate) fn read(text: &str) -> (&str, Vec<Stood>) {
    let (bus, lines) = text.split_once('\n').unwrap_or((text, ""));
    let one = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (service, id, key) = (words.next()?, words.next()?, words.next()?);
        Some(Stood { service: service.to_owned(), id: id.parse().ok()?, key: key.to_owned() })
    };
    (bus, lines.lines().filter_map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::{Stood, read, text};

    #[test]
    fn what_is_written_is_read_again() {
        let stood = |id, key: &str| Stood { service: ":1.7".into(), id, key: key.into() };
        let two = [stood(3, "waits id-shop"), stood(9, "closed")];
        assert_eq!(read(&text("c0ffee", &two)), ("c0ffee", two.to_vec()));
        assert_eq!(read(&text("c0ffee", &[])), ("c0ffee", vec![]));
        assert_eq!(read(""), ("", vec![]));
        assert_eq!(
            read("c0ffee\n\n:1.7\n:1.7 x waits\n:1.7 4 waits a\n"),
            ("c0ffee", vec![stood(4, "waits a")])
        );
    }
}
