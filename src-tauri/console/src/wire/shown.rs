//! Conversions from what the runner shows to the wire.

use repose_core::repo::{Freed, Notice, TurnEnd};
use repose_core::{budget, words};
use repose_runner::{Change, Shown};

use super::repo::interrupted;
use super::{Delta, Happened, HappenedKind, Repo, Totals};

impl From<&Shown> for Repo {
    fn from(shown: &Shown) -> Self {
        Self {
            id: shown.id.as_str().into(),
            name: shown.name.clone(),
            path: shown.path.to_string_lossy().into_owned(),
            engine: shown.engine.as_str().into(),
            state: shown.state.into(),
            live: shown.state.is_live(),
            continuity: shown.continuity.as_ref().map(Into::into),
            conversation: shown.conversation.as_ref().map(Into::into),
            memory: shown.memory.as_ref().map(Into::into),
            freed_bytes: shown.freed.map(|freed| freed.bytes),
            holds: shown.holds.iter().map(Into::into).collect(),
            reap_at: shown.reap_at.map(Into::into),
            pinned: shown.pinned,
            queued: shown.queued as u64,
            trouble: shown.trouble.as_ref().map(Into::into),
            branch: shown.branch.clone(),
            since: shown.since.map(Into::into),
            last: shown.last.as_ref().map(Into::into),
            asks: shown.asks.iter().map(Into::into).collect(),
            interrupted: interrupted(&shown.interrupted),
            decision: shown.decision.as_deref().map(Into::into),
            owner: shown.owner.as_ref().map(Into::into),
            opens_when_free: shown.opens_when_free,
            keeps: (&shown.keeps).into(),
            picked_up_until: shown.picked_up_until.map(Into::into),
            resume_command: shown.resume_command.clone(),
        }
    }
}

impl From<&repose_runner::Happened> for Happened {
    fn from(happened: &repose_runner::Happened) -> Self {
        let what = &happened.what;
        let early = if let Notice::Reaped { over, .. } = what { over.map(budget::early) } else { None };
        let (kind, code) = (what.into(), code(what).into());
        Self { kind, code, sentence: sentence(what), early, at: happened.at.into() }
    }
}

impl From<repose_runner::Totals> for Totals {
    fn from(totals: repose_runner::Totals) -> Self {
        Self {
            live: totals.live as u64,
            paused: totals.paused as u64,
            live_bytes: totals.live_bytes,
            freed_bytes: totals.freed_bytes,
            gate: totals.gate,
        }
    }
}

impl Delta {
    /// Whether readers hear of a change. That a turn was cut off by somebody's order isn't news: they hear of the order.
    #[must_use]
    pub fn tells(change: &Change) -> bool {
        !matches!(change, Change::Notice(_, Notice::TurnOver { end: TurnEnd::CutOff, .. }))
    }

    /// A change with its number.
    #[must_use]
    pub fn new(seq: u64, change: Change) -> Self {
        match change {
            Change::Repo(shown) => Self::Repo { seq, repo: Box::new(shown.as_ref().into()) },
            Change::Removed(id) => Self::Removed { seq, id: id.as_str().into() },
            Change::Totals(totals) => Self::Totals { seq, totals: totals.into() },
            Change::Settings => Self::Settings { seq },
            Change::Grew(repo, conversation) => {
                Self::Grew { seq, id: repo.as_str().into(), conversation: conversation.as_str().into() }
            }
            Change::Notice(repo, notice) => {
                let id = repo.as_str().into();
                Self::Notice { seq, id, code: code(&notice).into(), sentence: sentence(&notice) }
            }
        }
    }
}

/// A notice's stable name.
fn code(notice: &Notice) -> &'static str {
    if let Notice::Trouble(trouble) = notice {
        trouble.code.as_str()
    } else {
        HappenedKind::from(notice).as_str()
    }
}

/// An end that nobody ordered. `words`: how it came.
pub(super) fn ended(words: &str) -> String {
    format!("The agent ended. {words}")
}

fn and_freed(freed: Option<Freed>) -> String {
    freed.map_or_else(String::new, |freed| format!("; freed {}", words::bytes(freed.bytes)))
}

fn sentence(notice: &Notice) -> String {
    match notice {
        Notice::Reaped { idle, over, freed } => {
            let freed =
                freed.map_or_else(String::new, |freed| format!(" That freed {}.", words::bytes(freed.bytes)));
            format!("{}{freed}", budget::let_go(*idle, *over))
        }
        Notice::Paused(freed) => format!("Paused{}.", and_freed(*freed)),
        Notice::Stopped(freed) => format!("Stopped{}.", and_freed(*freed)),
        Notice::Opened(continuity) => continuity.sentence(),
        Notice::Moved(conversation) => format!("Went over to conversation {conversation}."),
        Notice::TurnOver { end: TurnEnd::Answered, .. } => "The agent has answered.".into(),
        Notice::TurnOver { end: TurnEnd::Unanswered(_), .. } => "The turn ended without an answer.".into(),
        Notice::TurnOver { end: TurnEnd::Interrupted | TurnEnd::CutOff, .. } => {
            "The turn was interrupted.".into()
        }
        Notice::EndedByItself(words) => ended(words),
        Notice::OrderDropped { work, .. } => {
            let work = words::list(work);
            format!("An order from before the restart was dropped: it would have lost {work}.")
        }
        Notice::Trouble(trouble) => trouble.sentence.clone(),
    }
}
