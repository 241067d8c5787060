//! What changes a repo, and what comes of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Measured, Repo, Trouble};

/// A repo to add.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct New {
    /// Its folder, from the root or from the home folder by `~`.
    pub path: String,
    /// Its engine. Absent: the first one that is there.
    #[serde(default)]
    pub engine: Option<String>,
    /// Its name. Absent: the folder's.
    #[serde(default)]
    pub name: Option<String>,
    /// Take over the newest conversation that the engine has for this folder.
    #[serde(default = "yes")]
    pub adopt: bool,
}

fn yes() -> bool {
    true
}

/// Whether an end may lose work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// End it even if that loses work; the next continuity sentence names what.
    #[serde(default)]
    pub interrupt: bool,
}

/// How to make sure of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ensure {
    /// If another program has the conversation open, open it here as soon as that lets go of it.
    #[serde(default)]
    pub when_free: bool,
}

/// Which engine to go over to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Its name.
    pub engine: String,
    /// End the one that is live even if that loses work; the next continuity sentence names what.
    #[serde(default)]
    pub interrupt: bool,
}

/// Which conversation to go on with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// Its id. Absent: the current one.
    #[serde(default)]
    pub conversation: Option<String>,
}

/// A repo that was changed, as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    /// The repo.
    pub repo: Repo,
}

/// A repo that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Added {
    /// The repo.
    pub repo: Repo,
    /// The newest conversation that it may have had where its folder stood before. Nothing takes it up but
    /// `fork`.
    pub moved: Option<super::Listed>,
}

/// A pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Paused {
    /// What it gave back, measured just before; the processes are gone. `null`: they ended before it could be
    /// measured.
    pub freed_bytes: Option<u64>,
    /// What was measured.
    pub measured: Option<Measured>,
    /// From the order to the processes gone.
    pub took_ms: Option<u64>,
    /// The repo.
    pub repo: Repo,
}

/// What an order to all repos came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Outcomes {
    /// One for each repo that it concerned.
    pub results: Vec<Outcome>,
    /// What all of it gave back.
    pub freed_bytes: u64,
}

/// What an order to all came to in one repo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Outcome {
    /// The repo.
    pub repo: Repo,
    /// What it gave back.
    pub freed_bytes: Option<u64>,
    /// Why it was refused. `null`: it was done.
    pub error: Option<Trouble>,
}

/// Whether a person uses the repo through a page that they see.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Used {
    /// Which page: a word of its own making, up to 64 characters.
    pub client: String,
    /// They did something just now; or they don't see it any more.
    pub in_use: bool,
}
