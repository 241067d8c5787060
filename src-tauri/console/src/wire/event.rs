//! The events stream: the whole, then what changes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Repo, Totals};

/// Everything as it is. The first event, and again whenever the reader was too slow for the changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Snapshot {
    /// The number before that of the first change.
    pub seq: u64,
    /// Every repo.
    pub repos: Vec<Repo>,
    /// Numbers over all of them.
    pub totals: Totals,
}

/// One change. Numbers have no gaps: one that is missing calls for a new connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Delta {
    /// A repo is new or looks different.
    Repo {
        /// The change's number.
        seq: u64,
        /// The repo, whole.
        repo: Box<Repo>,
    },
    /// A repo is gone.
    Removed {
        /// The change's number.
        seq: u64,
        /// Its id.
        id: String,
    },
    /// The numbers changed.
    Totals {
        /// The change's number.
        seq: u64,
        /// The numbers.
        totals: Totals,
    },
    /// The settings changed: read them again.
    Settings {
        /// The change's number.
        seq: u64,
    },
    /// A live repo's conversation has grown on disk: at most five times a second for each.
    Grew {
        /// The change's number.
        seq: u64,
        /// The repo's id.
        id: String,
        /// The conversation's id.
        conversation: String,
    },
    /// Something to tell people.
    Notice {
        /// The change's number.
        seq: u64,
        /// The repo's id.
        id: String,
        /// Its stable name.
        code: String,
        /// In words.
        sentence: String,
    },
}
