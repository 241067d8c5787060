//! Requests that change a repo, and their results.

use repose_core::work::{Named, OnWork};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Measured, Repo, Trouble};

/// A repo to add.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct New {
    /// Its folder: an absolute path, or one below the home folder with `~`.
    pub path: String,
    /// Its engine. Absent: the one last used in the folder, or else the first that is installed.
    #[serde(default)]
    pub engine: Option<String>,
    /// Its name. Absent: the folder's.
    #[serde(default)]
    pub name: Option<String>,
    /// Whether to take over the newest conversation that the engine has for this folder.
    #[serde(default = "yes")]
    pub adopt: bool,
}

fn yes() -> bool {
    true
}

/// Whether an end may lose work. Without a word it may not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// End it even if that loses work; the next statement names the work.
    #[serde(default)]
    pub interrupt: bool,
    /// End it even if that loses the work which a refusal named: its `work`. If there is other work by then it is refused,
    /// and names all of it; so is a stop that would lift a pause which came after that refusal. Empty: nothing may be lost.
    /// Goes before `interrupt`.
    #[serde(default)]
    pub at_most: Option<String>,
}

impl From<Interrupt> for OnWork {
    fn from(Interrupt { interrupt, at_most }: Interrupt) -> Self {
        match at_most {
            Some(text) => Self::InterruptAtMost(Named::from_text(&text)),
            None => interrupt.into(),
        }
    }
}

/// How to make sure that a repo has a live engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ensure {
    /// If another program has the conversation open, open it here as soon as that lets go of it.
    #[serde(default)]
    pub when_free: bool,
}

/// The engine to change to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// The engine's name.
    pub engine: String,
    /// End the live one even if that loses work; the next statement names the work.
    #[serde(default)]
    pub interrupt: bool,
    /// As with the other orders that end one.
    #[serde(default)]
    pub at_most: Option<String>,
}

/// The conversation to continue with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// The conversation's id. Absent: the current one.
    #[serde(default)]
    pub conversation: Option<String>,
}

/// A repo after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    /// The repo.
    pub repo: Repo,
    /// The order opened its engine: the repo's `continuity` says what came of that.
    #[serde(default)]
    pub opened: bool,
}

/// A repo that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Added {
    /// The repo.
    pub repo: Repo,
    /// The newest conversation that it may have had in an earlier place of its folder. Only `fork` continues
    /// it.
    pub moved: Option<super::Listed>,
}

/// The result of a pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Paused {
    /// The memory given back, measured right before the end; the processes are gone. `null`: they ended
    /// before it could be measured.
    pub freed_bytes: Option<u64>,
    /// How it was measured.
    pub measured: Option<Measured>,
    /// The time from the order until the processes were gone.
    pub took_ms: Option<u64>,
    /// The repo.
    pub repo: Repo,
}

/// The result of an order to all repos.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Outcomes {
    /// One result for each repo concerned.
    pub results: Vec<Outcome>,
    /// The memory given back by all of them.
    pub freed_bytes: u64,
}

/// The result of an order to all repos for one repo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Outcome {
    /// The repo.
    pub repo: Repo,
    /// The memory given back.
    pub freed_bytes: Option<u64>,
    /// Why it was refused. `null`: it was carried out.
    pub error: Option<Trouble>,
}

/// Whether a person uses the repo through a page in view.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Used {
    /// The page's own random id, of up to 64 characters.
    pub client: String,
    /// Whether they did something just now. `false`: they no longer see the page.
    pub in_use: bool,
}
