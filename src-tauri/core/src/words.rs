//! Numbers and phrases as people read them, the same on every surface.

use std::time::Duration;

/// How much of somebody's text stands in a sentence of ours. Longer text would bury the sentence; it ends in "…".
pub const QUOTED_CHARS: usize = 80;

/// A span, rounded down to its largest unit: "3 s", "5 min", "7 h", "9 days".
#[must_use]
pub fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{} min", seconds / 60),
        3_600..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Bytes in decimal units, as system monitors show them: "266 MB", "1.2 GB".
#[must_use]
pub fn bytes(bytes: u64) -> String {
    const KB: u64 = 1_000;
    const MB: u64 = 1_000 * KB;
    const GB: u64 = 1_000 * MB;
    match bytes {
        GB.. => {
            let tenths = bytes / (GB / 10);
            format!("{}.{} GB", tenths / 10, tenths % 10)
        }
        MB.. => format!("{} MB", bytes / MB),
        KB.. => format!("{} kB", bytes / KB),
        _ => format!("{bytes} bytes"),
    }
}

/// Somebody's text in one bounded line: white space folded, control characters left out.
#[must_use]
pub fn line(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = folded.chars().filter(|c| !c.is_control()).take(QUOTED_CHARS + 1).collect();
    if shown.chars().count() > QUOTED_CHARS {
        shown = shown.chars().take(QUOTED_CHARS).collect();
        shown.push('…');
    }
    shown
}

/// Phrases as a list: "a, b and c".
#[must_use]
pub fn list(phrases: &[String]) -> String {
    match phrases {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
