//! An ask and its answer.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Continuity, Repo, Trouble};

/// The longest that an answer is waited for: who still waits after a day is a program that forgot, and the
/// log has the answer all the same. A request that says more gets this; the command line refuses it.
pub const ANSWER_WITHIN_MAX: Duration = Duration::from_secs(86_400);

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The text, as the engine is to get it.
    pub text: String,
    /// In a new conversation.
    #[serde(default)]
    pub fresh: bool,
    /// It may wait for Resume.
    #[serde(default)]
    pub queue: bool,
    /// Answer when the turn is over; `false`: when it is accepted.
    #[serde(default = "yes")]
    pub wait: bool,
    /// How long to wait for the answer. After it the ask goes on, and its answer goes to the log. Absent: 30
    /// min; over a day: a day.
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
    /// The engine's own words. `null`: the ask was accepted, and its answer goes to the log.
    pub answer: Option<String>,
    /// What the open before it came to, with the first answer after an open.
    pub continuity: Option<Continuity>,
    /// The ask's id.
    pub ask: String,
    /// It was asked with `queue` in a repo that is paused: it waits for Resume, however long.
    pub waits_for_resume: bool,
    /// The repo.
    pub repo: Repo,
}

/// An ask that was refused, or taken and not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Unanswered {
    /// Why.
    pub error: Trouble,
    /// The ask's id. `null`: it was refused, and isn't one.
    pub ask: Option<String>,
    /// What the open before it came to, with the first answer after an open.
    pub continuity: Option<Continuity>,
    /// The repo.
    pub repo: Option<Repo>,
}
