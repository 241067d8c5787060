//! The runner, all repos, and the way into the console.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Repo, Time};

/// All repos.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Repos {
    /// Each.
    pub repos: Vec<Repo>,
    /// All together.
    pub totals: Totals,
}

/// Numbers over all repos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Totals {
    /// Repos with a live engine.
    pub live: u64,
    /// Repos that are paused.
    pub paused: u64,
    /// Memory of all live engines and what they started.
    pub live_bytes: u64,
    /// Memory that repos without a live engine gave back when theirs went.
    pub freed_bytes: u64,
    /// Everything was paused: no repo that sleeps opens until all is resumed.
    pub gate: bool,
}

/// The runner and its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Status {
    /// The runner.
    pub runner: Runner,
    /// Numbers over all repos.
    pub totals: Totals,
}

/// The runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Runner {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// Since when it runs.
    pub started: Time,
    /// Where its console is. `null`: nothing listens there.
    pub console: Option<String>,
}

/// A link that opens the console once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Link {
    /// The link. Good for one login, and for a few minutes.
    pub link: String,
    /// Until when.
    pub until: Time,
}

/// What the app's window is to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ShowApp {
    /// This repo's id. Without one: what it showed before.
    #[serde(default)]
    pub repo: Option<String>,
}
