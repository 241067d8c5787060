//! The events stream: the whole state, then changes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Repo, Totals};

/// The whole state. The first event, and again whenever the reader was too slow for the changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Snapshot {
    /// The number before that of the next change.
    pub seq: u64,
    /// All repos.
    pub repos: Vec<Repo>,
    /// Totals over all repos.
    pub totals: Totals,
}

/// One change. Numbers have no gaps: if one is missing, connect again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Delta {
    /// A repo is new or has changed.
    Repo {
        /// The change's number.
        seq: u64,
        /// The whole repo.
        repo: Box<Repo>,
    },
    /// A repo was removed.
    Removed {
        /// The change's number.
        seq: u64,
        /// The repo's id.
        id: String,
    },
    /// The totals changed.
    Totals {
        /// The change's number.
        seq: u64,
        /// The totals.
        totals: Totals,
    },
    /// The settings changed: read them again.
    Settings {
        /// The change's number.
        seq: u64,
    },
    /// A live repo's conversation has grown on disk; at most five times a second for each.
    Grew {
        /// The change's number.
        seq: u64,
        /// The repo's id.
        id: String,
        /// The conversation's id.
        conversation: String,
    },
    /// News for people.
    Notice {
        /// The change's number.
        seq: u64,
        /// The repo's id.
        id: String,
        /// Its stable name.
        code: String,
        /// The news in words.
        sentence: String,
    },
}
