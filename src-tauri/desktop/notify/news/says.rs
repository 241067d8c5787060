//! Phrases for notifications.

use repose_core::budget::Excess;
use repose_core::continuity::{Outcome, Reason};
use repose_core::repo::Purpose;
use repose_core::words;

use super::Around;

/// Somebody's words, as a sentence.
pub(super) fn sentence(words: String) -> String {
    if words.is_empty() || words.ends_with(['.', '!', '?', '…']) { words } else { format!("{words}.") }
}

/// A hint, without the command that attaches a terminal: the window has one.
pub(super) fn in_the_app(hint: &str) -> String {
    let Some((before, rest)) = hint.split_once(": `repose open ") else { return hint.to_owned() };
    let after = rest.split_once('`').map_or("", |(_, after)| after);
    format!("{before}, in the window{after}")
}

pub(super) fn sentences(said: &[&str]) -> String {
    said.iter().filter(|said| !said.is_empty()).copied().collect::<Vec<_>>().join(" ")
}

/// How to bring back a conversation that was too old.
pub(super) fn way_back(name: &str, outcome: &Outcome, around: Around) -> String {
    let Outcome::Fresh(Reason::TooOld { .. }) = outcome else { return String::new() };
    format!(
        "One older than {} comes back only on your word: it is among the earlier ones (`repose conversations {}`).",
        words::span(around.window),
        words::shell_word(name)
    )
}

pub(super) fn why_early(over: &Excess) -> String {
    match over {
        Excess::Memory { budget } => {
            format!("live agents held more than the memory budget of {}", words::bytes(*budget))
        }
        Excess::Live { max } => format!("more than {max} agents were live, or wanted to be"),
        Excess::Pressure => "the machine runs short of memory".into(),
    }
}

pub(super) fn ended(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Pause => "paused",
        Purpose::Stop => "stopped",
        Purpose::Fresh | Purpose::FreshAsk(_) => "started fresh",
        Purpose::Switch(_) => "taken to the other conversation",
        Purpose::Fork(_) => "forked",
        Purpose::Remove => "removed",
    }
}
