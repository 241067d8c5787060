//! An ask and its answer.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AskShown, Continuity, Repo, Trouble};

/// The longest wait for an answer: a program that still waits after a day has forgotten, and the log has the
/// answer anyway. A request with a longer wait gets this one; the command line refuses it.
pub const ANSWER_WITHIN_MAX: Duration = Duration::from_secs(86_400);

/// An ask.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The text for the engine.
    pub text: String,
    /// Whether to ask in a new conversation.
    #[serde(default)]
    pub fresh: bool,
    /// Whether it may wait until a pause is lifted.
    #[serde(default)]
    pub queue: bool,
    /// Whether to answer when the turn is over. `false`: when the ask is accepted.
    #[serde(default = "yes")]
    pub wait: bool,
    /// How long to wait for the answer. After that the ask goes on, and its answer goes to the log. Absent:
    /// 30 min; over a day: a day.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

fn yes() -> bool {
    true
}

/// The answer to an ask, or that it was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Answered {
    /// The engine's answer. `null`: the ask was accepted, and its answer goes to the log.
    pub answer: Option<String>,
    /// The statement of the open before it, if this is the first answer after that open.
    pub continuity: Option<Continuity>,
    /// The ask's id.
    pub ask: String,
    /// Whether it waits for a pause to be lifted, as asked with `queue` in a paused repo.
    pub waits_for_resume: bool,
    /// The repo.
    pub repo: Repo,
}

/// The asks of a repo that have no answer yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Asks {
    /// All of them, in order.
    pub asks: Vec<AskShown>,
}

/// An ask that was refused, or taken and not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Unanswered {
    /// The reason.
    pub error: Trouble,
    /// The ask's id. `null`: it was refused, and has none.
    pub ask: Option<String>,
    /// The statement of the open before it, if nobody had received it.
    pub continuity: Option<Continuity>,
    /// The repo.
    pub repo: Option<Repo>,
}
