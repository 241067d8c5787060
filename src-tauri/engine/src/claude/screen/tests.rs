use repose_core::signal::Wait;

use super::{exit_cause, opening_dialog};
use crate::told::ExitCause;

const TRUST_2_1_332: &str = "────────\n Accessing workspace:\n\n /home/me/repo\n\n Quick safety check: Is this a project you \
     created or one you trust?\n\n ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel\n";

#[test]
fn last_words_name_the_cause_however_the_screen_breaks_them() {
    let words = "No conversation found with session ID: 5d19a637-ec22-4963-93ed-bf856ef42e98";
    assert_eq!(exit_cause(words), ExitCause::NoSuchConversation);
    assert_eq!(exit_cause("No conversation found wi\nth session ID: 5d19"), ExitCause::NoSuchConversation);
    let copies = "x is running in the background (ab). Add --fork-session to branch\n off a copy instead.";
    assert_eq!(exit_cause(copies), ExitCause::OnlyAsFork);
    assert_eq!(exit_cause("Error: Session ID 34b5e3fe is already in use.\n"), ExitCause::IdTaken);
    assert_eq!(exit_cause(TRUST_2_1_332), ExitCause::TrustDeclined);
    assert_eq!(exit_cause(""), ExitCause::Unknown);
    assert_eq!(exit_cause("the session ID is mentioned"), ExitCause::Unknown);
}

#[test]
fn a_dialog_before_it_has_spoken_is_seen() {
    assert_eq!(opening_dialog(TRUST_2_1_332), Some(Wait::Trust));
    assert!(matches!(opening_dialog("│ Select login method: │"), Some(Wait::Choice(_))));
    assert_eq!(opening_dialog("❯ \n ⏸ manual mode on · ? for shortcuts"), None);
}
