//! What the doctor found.

use repose_runner::Health;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Everything that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Report {
    /// Each look.
    pub checks: Vec<Check>,
}

/// One look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// How it is.
    pub level: Level,
    /// The stable name of what is wrong.
    pub code: Option<String>,
    /// What was found.
    pub sentence: String,
    /// What can be done.
    pub hints: Vec<String>,
}

/// How a look came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "CheckLevel"))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Somebody should look.
    Warning,
    /// Something doesn't work.
    Error,
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
