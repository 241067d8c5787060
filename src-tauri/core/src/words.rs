//! Numbers and phrases as people read them, the same on every surface.

use std::time::Duration;

/// The most characters of somebody's text to quote in a sentence. Longer text would bury the sentence; it is
/// cut and ends in "…".
pub const QUOTED_CHARS: usize = 80;

/// The most characters of what an engine waits for: each engine's own bound is 200, with some words around it.
const SUBJECT_CHARS: usize = 240;

/// The most characters of a program's last output to quote in a sentence: enough for a cause and the line
/// that it is about. Longer output is cut at the front, since the cause comes last.
pub const LAST_WORDS_CHARS: usize = 300;

/// A span, rounded to its largest unit: "3 s", "5 min", "7 h", "9 days". One second less than six hours is "6
/// h".
#[must_use]
pub fn span(span: Duration) -> String {
    let rounded = |unit: u64| (crate::time::millis(span).saturating_add(unit * 500)) / (unit * 1_000);
    let (seconds, minutes, hours) = (rounded(1), rounded(60), rounded(3_600));
    if seconds < 60 {
        format!("{seconds} s")
    } else if minutes < 60 {
        format!("{minutes} min")
    } else if hours < 48 {
        format!("{hours} h")
    } else {
        format!("{} days", rounded(86_400))
    }
}

/// An amount of memory in decimal units, as system monitors show it, rounded: "266 MB", "1.2 GB".
/// `words/bytes.txt` has examples, to which the page's function is held as well.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    const KB: u64 = 1_000;
    const MB: u64 = 1_000 * KB;
    const GB: u64 = 1_000 * MB;
    // With 128 bits the addition can't overflow.
    let rounded = |unit: u64| (u128::from(bytes) + u128::from(unit / 2)) / u128::from(unit);
    let (tenths, whole) = (rounded(GB / 10), rounded(GB));
    if bytes < KB {
        format!("{bytes} bytes")
    } else if rounded(KB) < 1_000 {
        format!("{} kB", rounded(KB))
    } else if rounded(MB) < 1_000 {
        format!("{} MB", rounded(MB))
    } else if tenths < 1_000 {
        format!("{}.{} GB", tenths / 10, tenths % 10)
    } else {
        format!("{whole} GB")
    }
}

/// What applies while all repos are paused, without its full stop. `until` is what ends it: a label or a
/// command.
#[must_use]
pub fn gate_closed(until: &str) -> String {
    format!("Nothing that sleeps opens until {until}")
}

/// Somebody's text as one bounded line: white space folded, control characters removed.
#[must_use]
pub fn line(text: &str) -> String {
    bounded(text, QUOTED_CHARS)
}

/// The same for what an engine waits for, which is to be told as far as the engine's own bound goes: a command that
/// is cut has its closing backtick, and says so.
#[must_use]
pub fn subject(text: &str) -> String {
    bounded(text, SUBJECT_CHARS)
}

fn bounded(text: &str, most: usize) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = folded.chars().filter(|c| !c.is_control()).take(most + 1).collect();
    if shown.chars().count() > most {
        shown = shown.chars().take(most).collect();
        shown.push('…');
    }
    shown
}

/// A line of Markdown as plain text: without the marks around bold and slanted words and code, and without the targets
/// of links. What only looks like a mark stays: `a_b`, `2 * 3`.
#[must_use]
pub fn unmarked(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('#');
    rest = if rest.len() < text.len() && rest.starts_with(' ') { rest.trim_start() } else { text };
    while let Some(next) = rest.chars().next() {
        let before = plain.chars().next_back();
        if let Some((inside, after)) = code(rest) {
            plain.push_str(inside);
            rest = after;
        } else if let Some((inside, after)) = emphasis(rest, before) {
            plain.push_str(&unmarked(inside));
            rest = after;
        } else if let Some((label, after)) = link(rest) {
            plain.push_str(&unmarked(label));
            rest = after;
        } else {
            plain.push(next);
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
        }
    }
    plain
}

/// What is between as many backticks as it begins with, and what follows it.
fn code(text: &str) -> Option<(&str, &str)> {
    let bare = text.trim_start_matches('`');
    let fence = text.get(..text.len() - bare.len()).filter(|fence| !fence.is_empty())?;
    let (inside, after) = bare.split_once(fence)?;
    Some((inside.trim(), after))
}

/// What is between the marks that it begins with, and what follows it. `before` is the character before it: marks
/// stand at the edges of words.
fn emphasis(text: &str, before: Option<char>) -> Option<(&str, &str)> {
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    ["***", "**", "__", "*", "_"].into_iter().find_map(|mark| {
        let (inside, after) = text.strip_prefix(mark)?.split_once(mark)?;
        let edges = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace() && !mark.contains(c));
        let is_word = edges(inside.chars().next()) && edges(inside.chars().next_back());
        let ends = !after.chars().next().is_some_and(|c| c.is_alphanumeric() || mark.contains(c));
        // `__init__.py` is a name.
        let mut same_word = after.chars().take_while(|c| !c.is_whitespace());
        let is_name = mark.starts_with('_') && same_word.any(char::is_alphanumeric);
        (is_word && ends && !is_name).then_some((inside, after))
    })
}

/// The label of the link that it begins with, and what follows the link.
fn link(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, after) = rest.split_once(')')?;
    (!label.is_empty() && !label.contains('[') && !target.contains(char::is_whitespace))
        .then_some((label, after))
}

/// A command between backticks on one bounded line, where nothing that changes its meaning is out of sight: line
/// ends are `⏎`, and what can't be seen is `�`. A longer one is cut within the backticks, and what is missing is
/// counted: "`make…` (120 more characters)".
#[must_use]
pub fn command(text: &str) -> String {
    let seen = seen(text);
    let length = seen.chars().count();
    if length <= QUOTED_CHARS {
        return format!("`{seen}`");
    }
    let cut: String = seen.chars().take(QUOTED_CHARS).collect();
    let more = length - QUOTED_CHARS;
    format!("`{}…` ({more} more character{})", cut.trim_end(), if more == 1 { "" } else { "s" })
}

/// Whether [`command`] tells all of this.
#[must_use]
pub fn tells_whole(text: &str) -> bool {
    let seen = seen(text);
    seen.chars().count() <= QUOTED_CHARS && !seen.contains(UNSEEN)
}

/// Stands for a character that can't be seen, or that changes the order of others.
const UNSEEN: char = '\u{fffd}';

/// Trimmed, spaces folded, and the rest made visible.
fn seen(text: &str) -> String {
    let lines = text.trim().lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("⏎").chars().map(|c| if is_unseen(c) { UNSEEN } else { c }).collect()
}

/// Control characters, and what Unicode 16.0 calls Default_Ignorable_Code_Point or Bidi_Control.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// The last meaningful lines of a text, as one bounded line: a program gives its reason for ending last.
/// Rules, borders and the places in a stack trace are left out.
#[must_use]
pub fn last(text: &str) -> String {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric) && !line.starts_with("at ");
    let clean = |line: &str| {
        let folded = line.split_whitespace().collect::<Vec<_>>().join(" ");
        folded.chars().filter(|c| !c.is_control()).collect::<String>()
    };
    let mut shown = String::new();
    for line in text.lines().rev().map(str::trim).filter(says).map(clean) {
        let room = LAST_WORDS_CHARS.saturating_sub(shown.chars().count());
        let length = line.chars().count();
        if shown.is_empty() && length > room {
            let cut: String = line.chars().skip(length - room).collect();
            return format!("…{cut}");
        }
        if length + 1 > room {
            break;
        }
        shown = if shown.is_empty() { line } else { format!("{line} {shown}") };
    }
    shown
}

/// A word as a shell takes it for one word, quoted only if necessary, so that commands in hints can be
/// copied.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./@%+,:".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A title in the form used within a sentence: "folder gone".
#[must_use]
pub fn uncapital(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// An error's words as a sentence.
#[must_use]
pub fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let rest = chars.as_str();
    let stop = if rest.ends_with('.') { "" } else { "." };
    format!("{first}{rest}{stop}")
}

/// Phrases joined into a list: "a, b and c".
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
