//! Phrases for notifications.

use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::continuity::{Outcome, Reason};
use repose_core::repo::Purpose;
use repose_core::words;

use super::Around;

/// The shortest work whose duration is given: "0 s" says nothing.
const TOLD_FROM: Duration = Duration::from_secs(1);

/// How long a turn that answered took. Neither its question nor its answer: notifications show on locked screens.
pub(super) fn worked(worked: Option<Duration>) -> String {
    match worked {
        Some(worked) if worked >= TOLD_FROM => format!("It worked for {}.", words::span(worked)),
        Some(_) => "It worked for less than a second.".into(),
        None => "For how long it worked isn't known.".into(),
    }
}

/// Why a turn ended without an answer, in the engine's words, and how long it took.
pub(super) fn cut(why: &str, worked: Option<Duration>) -> String {
    let said = Some(words::last(why)).filter(|said| !said.is_empty());
    let worked = worked.filter(|worked| *worked >= TOLD_FROM);
    let worked = worked.map(|worked| format!("It had worked for {}.", words::span(worked)));
    let said = said.map_or_else(|| "It gave no reason.".into(), sentence);
    sentences(&[&said, &worked.unwrap_or_default()])
}

/// Somebody's words, as a sentence.
fn sentence(words: String) -> String {
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
