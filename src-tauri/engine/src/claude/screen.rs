//! The few words on its screen that are read: last words after an end, and a dialog before it has spoken.
//!
//! Every other word on the screen changes with each release and is left alone.

use repose_core::signal::Wait;

use crate::told::ExitCause;

/// What the dialog about trust says in every version seen, spaces left out: a screen breaks lines where it
/// likes.
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
    // As 2.1.332 ends each refusal to open in place what it opens as a copy.
    if words.contains("forksessiontobranchoffacopy") {
        return ExitCause::OnlyAsCopy;
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

/// Letters and digits only: wrapping, borders and colour of a screen don't change them.
fn squeezed(screen: &str) -> String {
    screen.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests;
