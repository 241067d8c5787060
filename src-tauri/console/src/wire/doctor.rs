//! The doctor's results.

use repose_runner::{EngineFound, Health, Login};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Trouble;

/// All checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Report {
    /// The checks.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Check {
    /// What was checked.
    pub name: String,
    /// The result.
    pub level: Level,
    /// The stable name of what is wrong.
    pub code: Option<String>,
    /// What was found, in a sentence.
    pub sentence: String,
    /// What can be done.
    pub hints: Vec<String>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "CheckLevel"))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Everything is in order.
    Ok,
    /// Somebody should look.
    Warning,
    /// Something doesn't work.
    Error,
}

/// All engines that a repo can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Engines {
    /// The built-in engines, then the user's own.
    pub engines: Vec<Engine>,
}

/// An engine as installed on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Engine {
    /// Its name, as in a repo's `engine`.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// Whether its conversations can be resumed.
    pub keeps_conversations: bool,
    /// The path of its program. `null`: it can't be started.
    pub program: Option<String>,
    /// The version that the program reports.
    pub version: Option<String>,
    /// Whether somebody is logged in. `null`: unknown, or not needed.
    pub logged_in: Option<bool>,
    /// What it can't do, in sentences.
    pub cannot: Vec<String>,
    /// What prevents its use, and what to do.
    pub trouble: Option<Trouble>,
}

impl From<&EngineFound> for Engine {
    fn from(found: &EngineFound) -> Self {
        Self {
            name: found.name.clone(),
            title: found.title.clone(),
            keeps_conversations: found.keeps_conversations,
            program: found.program.as_ref().map(|program| program.to_string_lossy().into_owned()),
            version: found.version.told().map(str::to_owned),
            logged_in: match found.login {
                Login::Known(known) => Some(known),
                Login::NotNeeded | Login::Unknown => None,
            },
            cannot: found.cannot.iter().map(|sentence| (*sentence).into()).collect(),
            trouble: found.trouble.as_ref().map(Into::into),
        }
    }
}

impl From<&repose_runner::Report> for Report {
    fn from(report: &repose_runner::Report) -> Self {
        Self { checks: report.checks.iter().map(Check::from).collect() }
    }
}

impl From<&repose_runner::Check> for Check {
    fn from(check: &repose_runner::Check) -> Self {
        Self {
            name: check.name.clone(),
            level: match check.health {
                Health::Ok => Level::Ok,
                Health::Warning => Level::Warning,
                Health::Error => Level::Error,
            },
            code: check.code.map(|code| code.as_str().into()),
            sentence: check.sentence.clone(),
            hints: check.hints.clone(),
        }
    }
}
