//! What happened in a repo.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Time;

/// A stretch of a repo's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Log {
    /// Oldest first.
    pub entries: Vec<LogEntry>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogEntry {
    /// Its number. What happened later has a higher one.
    pub id: i64,
    /// When.
    pub at: Time,
    /// Its stable name.
    pub kind: String,
    /// What happened, in words.
    pub text: String,
    /// The engine's answer, where it is an ask's.
    pub answer: Option<String>,
}
