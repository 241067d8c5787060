//! The runner, all repos, and links to the console.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Repo, Time};

/// All repos.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Repos {
    /// The repos.
    pub repos: Vec<Repo>,
    /// Totals over all repos.
    pub totals: Totals,
}

/// Totals over all repos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Totals {
    /// The number of repos with a live engine.
    pub live: u64,
    /// The number of paused repos.
    pub paused: u64,
    /// The memory of all live engines and what they started.
    pub live_bytes: u64,
    /// The memory that the last end of each repo without a live engine gave back.
    pub freed_bytes: u64,
    /// Whether everything is paused, so that no sleeping repo opens.
    pub gate: bool,
}

/// The runner and the totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Status {
    /// The runner.
    pub runner: Runner,
    /// Totals over all repos.
    pub totals: Totals,
}

/// The runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Runner {
    /// Its process id.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// Whether it is the desktop app; otherwise it is `repose serve`. An older one doesn't say.
    #[serde(default)]
    pub app: bool,
    /// When it started.
    pub started: Time,
    /// The console's address. `null`: nothing listens.
    pub console: Option<String>,
}

/// A link that opens the console once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Link {
    /// The link, valid for one login and a few minutes.
    pub link: String,
    /// Until when it is valid.
    pub until: Time,
}

/// What the app's window is to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ShowApp {
    /// The repo's id. Absent: what it showed before.
    #[serde(default)]
    pub repo: Option<String>,
}
