//! Notifications that are held back for a moment, because a replacement may follow at once. Pure.

use std::collections::BTreeMap;

use super::news::{Note, Told};

/// The notifications that are held back, by key.
#[derive(Debug, Default)]
pub(crate) struct Held(BTreeMap<String, Note>);

impl Held {
    /// What is to be done now. Nothing: it is held back until [`Held::due`].
    pub(crate) fn now(&mut self, told: Told) -> Option<Told> {
        let (Told::Note(Note { key, .. }) | Told::Instead(Note { key, .. }) | Told::Over(key)) = &told;
        let told = match (self.0.remove(key), told) {
            (Some(_), Told::Instead(note)) => Told::Note(note), // nobody has seen that one
            (_, told) => told,
        };
        match told {
            Told::Note(note) if note.may_follow => {
                self.0.insert(note.key.clone(), note);
                None
            }
            told @ (Told::Note(_) | Told::Instead(_) | Told::Over(_)) => Some(told),
        }
    }

    /// The time of a held notification is over: returns whether it is to be shown now. One that was replaced
    /// isn't.
    pub(crate) fn due(&mut self, note: &Note) -> bool {
        let due = self.0.get(&note.key) == Some(note);
        if due {
            self.0.remove(&note.key);
        }
        due
    }

    /// Keys of those that nobody has seen yet.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::Held;
    use crate::notify::news::{Note, Told};
    use crate::notify::own::of_app;

    #[test]
    fn one_that_is_followed_at_once_is_not_shown() {
        let first = Note { may_follow: true, ..of_app("waits id-shop", "shop needs you", "") };
        let (second, over) = (Note { may_follow: false, ..first.clone() }, Told::Over(first.key.clone()));
        let mut held = Held::default();
        assert_eq!(held.now(Told::Note(first.clone())), None);
        assert_eq!(held.keys().collect::<Vec<_>>(), [&first.key]);
        assert_eq!(held.now(Told::Note(second.clone())), Some(Told::Note(second)));
        assert!(!held.due(&first), "another has its place");

        assert_eq!(held.now(Told::Note(first.clone())), None);
        assert!(held.due(&first) && !held.due(&first), "it is shown once");
        assert_eq!(held.now(Told::Note(first.clone())), None);
        assert_eq!(held.now(over.clone()), Some(over));
        assert!(!held.due(&first), "it is over");

        let next = Note { body: "The next question.".into(), ..first.clone() };
        assert_eq!(held.now(Told::Instead(next.clone())), Some(Told::Instead(next.clone())), "it was shown");
        assert_eq!(held.now(Told::Note(first.clone())), None);
        assert_eq!(held.now(Told::Instead(next.clone())), None);
        assert!(!held.due(&first) && held.due(&next), "the one that is shown is the later one");
    }
}
