//! The log of a repo.

use repose_core::{budget, words};
use repose_runner::LogWhat;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Time;

/// A part of a repo's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Log {
    /// The entries, oldest first.
    pub entries: Vec<LogEntry>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogEntry {
    /// Its number; later entries have higher ones.
    pub id: i64,
    /// When it happened.
    pub at: Time,
    /// Its stable name: `asked`, `answered`, `failed`, `taken_back`, `opened`, `reaped`, `paused`, `stopped`,
    /// `resumed`, `interrupted`, `waited`, `decided`, `moved`, `ended`, `trouble`, `order_dropped`, `engine`; for all repos at once
    /// `paused_all`, `resumed_all`.
    pub kind: String,
    /// The question, the answer, or what happened in words.
    pub text: String,
    /// The ask that it is about.
    pub ask: Option<String>,
    /// The reason's or the trouble's stable name.
    pub code: Option<String>,
    /// Memory that was given back.
    pub freed_bytes: Option<u64>,
}

/// What happened last in all repos.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Recent {
    /// The entries, latest first. Long texts are cut.
    pub entries: Vec<RecentEntry>,
    /// Whether something happened before them.
    pub earlier: bool,
}

/// One entry, with its repo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RecentEntry {
    /// The repo's id. `null`: it was ordered for all.
    pub repo: Option<String>,
    /// What happened there.
    pub entry: LogEntry,
}

/// The most characters of a text among what happened last: the first lines, by which it is recognised. A longer
/// one is cut, and ends with `…`.
const RECENT_CHARS: usize = 300;

impl From<&repose_runner::LogEntryOf> for RecentEntry {
    fn from(of: &repose_runner::LogEntryOf) -> Self {
        let mut entry = LogEntry::from(&of.row);
        if let Some((end, _)) = entry.text.char_indices().nth(RECENT_CHARS) {
            entry.text.truncate(end);
            entry.text.push('…');
        }
        Self { repo: of.repo.as_ref().map(|id| id.as_str().into()), entry }
    }
}

impl From<&repose_runner::LogEntry> for LogEntry {
    fn from(row: &repose_runner::LogEntry) -> Self {
        let bare = |kind: &str, text: String| Self {
            id: row.id,
            at: row.at.into(),
            kind: kind.into(),
            text,
            ask: None,
            code: None,
            freed_bytes: None,
        };
        match &row.what {
            LogWhat::Asked { ask, text } => {
                Self { ask: Some(ask.as_str().into()), ..bare("asked", text.clone()) }
            }
            LogWhat::Answered { ask, text } => {
                Self { ask: Some(ask.as_str().into()), ..bare("answered", text.clone()) }
            }
            LogWhat::Failed { ask, code, sentence } => Self {
                ask: Some(ask.as_str().into()),
                code: Some(code.clone()),
                ..bare("failed", sentence.clone())
            },
            LogWhat::TakenBack { ask, asked } => {
                let text = format!("Taken back before the agent had it{}", quoted(Some(asked)));
                Self { ask: Some(ask.as_str().into()), ..bare("taken_back", text) }
            }
            LogWhat::Opened { continuity, conversation: _ } => {
                Self { code: Some(continuity.code().into()), ..bare("opened", continuity.sentence()) }
            }
            LogWhat::Reaped { idle, over, freed } => {
                let text = budget::let_go(*idle, *over);
                Self { freed_bytes: freed.map(|freed| freed.bytes), ..bare("reaped", text) }
            }
            LogWhat::Paused(freed) => {
                Self { freed_bytes: freed.map(|freed| freed.bytes), ..bare("paused", "Paused.".into()) }
            }
            LogWhat::Moved(conversation) => {
                bare("moved", format!("The agent went over to conversation {conversation}."))
            }
            LogWhat::Ended { words } => bare("ended", super::shown::ended(words)),
            LogWhat::Trouble { code, sentence } => {
                Self { code: Some(code.clone()), ..bare("trouble", sentence.clone()) }
            }
            LogWhat::OrderDropped { purpose, work } => {
                let work = words::list(work);
                let text = format!(
                    "The order to {purpose} from before the restart was dropped: it would have lost {work}."
                );
                bare("order_dropped", text)
            }
            LogWhat::Stopped(freed) => {
                Self { freed_bytes: freed.map(|freed| freed.bytes), ..bare("stopped", "Stopped.".into()) }
            }
            LogWhat::Resumed => bare("resumed", "Resumed.".into()),
            LogWhat::Interrupted { asked } => {
                bare("interrupted", format!("The turn was interrupted{}", quoted(asked.as_ref())))
            }
            LogWhat::Waited { words } => bare("waited", format!("Waited for {words}.")),
            LogWhat::Decided { choice } => bare("decided", format!("Decided: {choice}.")),
            LogWhat::Engine { name } => bare("engine", format!("Changed to the engine {name}.")),
            LogWhat::Gate { closed: true } => bare(
                "paused_all",
                "Everything was paused: no repo that sleeps opens until it is resumed.".into(),
            ),
            LogWhat::Gate { closed: false } => bare("resumed_all", "Everything was resumed.".into()),
        }
    }
}

/// The end of a sentence about what was asked, with its beginning if that is known.
fn quoted(asked: Option<&String>) -> String {
    asked.filter(|asked| !asked.is_empty()).map_or_else(|| ".".into(), |asked| format!(": “{asked}”."))
}
