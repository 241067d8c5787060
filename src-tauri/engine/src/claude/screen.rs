//! The few words that are read from Claude Code's screen: last words after an end, a dialog before its first
//! signal, and what stands in its input line.
//!
//! All other words on the screen change with each release and are ignored.

use repose_core::signal::Wait;

use crate::ask::Seen;
use crate::ask::standing::{is_part, stands};
use crate::told::ExitCause;

/// With what its input line begins, and the line above and below it.
const BEGINS: char = '\u{276f}';
const RULE: char = '\u{2500}';

/// What the trust dialog says in every version seen, without spaces, since a screen wraps lines anywhere.
const TRUST: [&str; 2] = ["Itrustthisfolder", "Doyoutrustthefilesinthisfolder"];

/// Dialogs in which it waits for a choice before it opens.
const CHOICES: [(&str, &str); 4] = [
    ("Resumefromsummary", "resume from a summary, or in full?"),
    ("Selectloginmethod", "how to log in"),
    ("Detectedacustomapikey", "use the API key from the environment?"),
    ("Choosethetextstyle", "which colours?"),
];

pub(super) fn exit_cause(screen: &str) -> ExitCause {
    let words = squeezed(screen);
    if words.contains("NoconversationfoundwithsessionID") {
        return ExitCause::NoSuchConversation;
    }
    // How 2.1.332 ends each refusal to resume what it opens only as a copy.
    if words.contains("forksessiontobranchoffacopy") {
        return ExitCause::OnlyAsFork;
    }
    if words.contains("ErrorSessionID") && words.contains("isalreadyinuse") {
        return ExitCause::IdTaken;
    }
    if TRUST.iter().any(|mark| words.contains(mark)) {
        return ExitCause::TrustDeclined;
    }
    ExitCause::Unknown
}

pub(super) fn opening_dialog(screen: &str) -> Option<Wait> {
    let words = squeezed(screen);
    if TRUST.iter().any(|mark| words.contains(mark)) {
        return Some(Wait::Trust);
    }
    let lower = words.to_lowercase();
    CHOICES
        .iter()
        .find(|(mark, _)| lower.contains(&mark.to_lowercase()))
        .map(|(_, what)| Wait::Choice((*what).into()))
}

/// Whether a text stands in the input line: before the cursor, or, should a version not put it there, anywhere
/// between the two rules.
pub(super) fn shows(text: &str, seen: &Seen<'_>) -> bool {
    stands(text, seen) || between_rules(seen.screen).is_some_and(|line| is_part(text, &line))
}

fn between_rules(screen: &str) -> Option<String> {
    let lines: Vec<&str> = screen.lines().collect();
    let begins = lines.iter().rposition(|line| line.starts_with(BEGINS))?;
    let rule = |line: &&str| line.starts_with(RULE);
    let ends = lines.iter().skip(begins).position(rule)? + begins;
    begins.checked_sub(1).and_then(|above| lines.get(above)).filter(|line| rule(line))?;
    Some(lines.get(begins..ends)?.concat())
}

/// Keeps letters and digits only, which aren't affected by the screen's wrapping, borders and colours.
fn squeezed(screen: &str) -> String {
    screen.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests;
