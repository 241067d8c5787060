//! What kinds there are of what holds an engine and of what happens in a repo.

use repose_core::hold;
use repose_core::repo::{Notice, TurnEnd};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The reasons why a live engine must not be let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HoldKind {
    /// A turn is in progress.
    Turn,
    /// Work that the engine runs beyond its turns.
    Background,
    /// The engine will wake itself.
    Wakeup,
    /// It waits for a decision.
    Waiting,
    /// Somebody asked, and has no answer yet.
    Ask,
    /// Something is typed and not sent.
    Typing,
    /// Somebody has it in front of them and used it in the last minutes.
    Client,
    /// A process of its tree works or listens, and wasn't there when the engine got ready.
    Process,
    /// The user pinned it.
    Pinned,
    /// The engine says something that this version of Repose doesn't know.
    Unknown,
    /// Its keeper doesn't tell what it does now: of another version, or without answer.
    Unseen,
}

/// The kinds of what happens in a repo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HappenedKind {
    /// The agent has answered.
    Answered,
    /// Its turn was interrupted.
    Interrupted,
    /// Its turn ended without an answer.
    TurnOver,
    /// Its engine was opened.
    Opened,
    /// Its idle engine was let go.
    Reaped,
    /// It was paused.
    Paused,
    /// It was stopped.
    Stopped,
    /// Its engine went over to another conversation.
    Moved,
    /// Its engine ended without an order.
    Ended,
    /// An order from before a restart was dropped.
    OrderDropped,
    /// Something is wrong.
    Trouble,
}

impl HappenedKind {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Interrupted => "interrupted",
            Self::TurnOver => "turn_over",
            Self::Opened => "opened",
            Self::Reaped => "reaped",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Moved => "moved",
            Self::Ended => "ended",
            Self::OrderDropped => "order_dropped",
            Self::Trouble => "trouble",
        }
    }
}

impl From<&hold::Kind> for HoldKind {
    fn from(kind: &hold::Kind) -> Self {
        match kind {
            hold::Kind::Turn => Self::Turn,
            hold::Kind::Background(_) => Self::Background,
            hold::Kind::Wakeup(_) => Self::Wakeup,
            hold::Kind::Waiting(_) => Self::Waiting,
            hold::Kind::Ask => Self::Ask,
            hold::Kind::Typing => Self::Typing,
            hold::Kind::Client => Self::Client,
            hold::Kind::Process(_) => Self::Process,
            hold::Kind::Pinned => Self::Pinned,
            hold::Kind::Unknown(_) => Self::Unknown,
            hold::Kind::Unseen(_) => Self::Unseen,
        }
    }
}

impl From<&Notice> for HappenedKind {
    fn from(notice: &Notice) -> Self {
        match notice {
            Notice::TurnOver { end: TurnEnd::Answered, .. } => Self::Answered,
            Notice::TurnOver { end: TurnEnd::Interrupted | TurnEnd::CutOff, .. } => Self::Interrupted,
            Notice::TurnOver { end: TurnEnd::Unanswered(_), .. } => Self::TurnOver,
            Notice::Opened(_) => Self::Opened,
            Notice::Reaped { .. } => Self::Reaped,
            Notice::Paused(_) => Self::Paused,
            Notice::Stopped(_) => Self::Stopped,
            Notice::Moved(_) => Self::Moved,
            Notice::EndedByItself(_) => Self::Ended,
            Notice::OrderDropped { .. } => Self::OrderDropped,
            Notice::Trouble(_) => Self::Trouble,
        }
    }
}
