//! How Claude Code is asked, and how it reports what it was asked.

use std::time::Duration;

use crate::ask::{Keys, UnfitText, bracketed, composed, finished, seen, turns, typeable};

/// The pause between paste and submit. A submit that is read together with a paste counts as part of it.
const GAP: Duration = Duration::from_millis(120);

/// Words that exit the program if they are the whole prompt, apart from spaces around them.
const ENDING: [&str; 6] = ["exit", "quit", ":q", ":q!", ":wq", ":wq!"];

/// A text is typed so that it stays a text. A leading `!` would make it a command line, and after `/` it
/// looks for a command; a space in front prevents that and isn't sent. The program's own commands are carried
/// out even with a space in front (seen with 2.1.332: `/clear`, `/compact`, `/cost`, `/help`, `/model`), and
/// a user has more, so whatever could be a command's name is refused. A backslash at the end would turn the
/// submit into a line break; a space after it prevents that and isn't sent either. `#`, `&` and `?` need nothing.
pub(super) fn keys(text: &str) -> Result<Keys, UnfitText> {
    let mut text = typeable(text)?;
    if let Some(word) = ENDING.iter().find(|word| text.trim() == **word) {
        return Err(UnfitText::Ends { word });
    }
    // It stops before it sends a text that has one, and waits for another Enter (seen with 2.1.332).
    if let Some((at, character)) = text.char_indices().find(|(_, c)| turns(*c)) {
        return Err(UnfitText::Turning { character, at });
    }
    if let Some(word) = command(&text) {
        return Err(UnfitText::Command { word: word.to_owned() });
    }
    if text.starts_with(['/', '!']) {
        text.insert(0, ' ');
    }
    if text.ends_with('\\') {
        text.push(' ');
    }
    let text = finished(text);
    Ok(Keys { paste: bracketed(&text), gap: GAP, submit: b"\r".to_vec() })
}

/// The first word, if it could be the name of a command. A path can't.
fn command(text: &str) -> Option<&str> {
    let word = text.split_whitespace().next()?;
    let name = word.strip_prefix('/')?;
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
    (!name.is_empty() && name.chars().all(fits)).then_some(word)
}

/// Whether `reported` is `asked`. The program trims a prompt, replaces a tab with four spaces, leaves out
/// invisible characters, composes accents, wraps a long paste in `<pasted_content id="…">`, and puts `[Image #1]` in place of a
/// picture's path.
pub(super) fn same(asked: &str, reported: &str) -> bool {
    let reported = unwrapped(reported);
    let (asked, reported) = (plain(asked), plain(&reported));
    let (asked, reported) = (asked.trim(), reported.trim());
    if asked == reported {
        return true;
    }
    let parts = without_pictures(reported);
    parts.len() > 1 && in_order(asked, &parts)
}

fn plain(text: &str) -> String {
    composed(&seen(text)).replace('\t', "    ")
}

/// The text without the marks that the program puts around a paste.
pub(super) fn unwrapped(prompt: &str) -> String {
    let mut out = String::with_capacity(prompt.len());
    let mut inside = false;
    for line in prompt.split_inclusive('\n') {
        let mark = line.trim_end();
        let is_mark = |start: &str| mark.starts_with(start) && mark.ends_with("\">");
        match inside {
            false if is_mark("<pasted_content id=\"") => inside = true,
            true if is_mark("</pasted_content id=\"") || mark == "</pasted_content>" => inside = false,
            false | true => out.push_str(line),
        }
    }
    out
}

/// The parts between `[Image #n]` marks.
fn without_pictures(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find("[Image #").map(|at| at + from) {
        let number = &rest[at + "[Image #".len()..];
        match number.find(']') {
            Some(end) if end > 0 && number[..end].bytes().all(|byte| byte.is_ascii_digit()) => {
                parts.push(rest[..at].trim());
                rest = &number[end + 1..];
                from = 0;
            }
            _ => from = at + 1,
        }
    }
    parts.push(rest.trim());
    parts
}

fn in_order(text: &str, parts: &[&str]) -> bool {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if !text.starts_with(first) || !text.ends_with(last) {
        return false;
    }
    let mut rest = text;
    parts.iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests;
