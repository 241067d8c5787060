//! Troubles, with their HTTP status and exit code.

use repose_core::trouble::{self, Code, Kind, Severity};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A trouble: in a repo's `trouble`, and as the `error` of an answer that is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Trouble {
    /// The stable name: `paused`, `folder_gone`, …
    pub code: String,
    /// A short title.
    pub title: String,
    /// What happened, and what Repose did about it: one or two sentences.
    pub message: String,
    /// What can be done, most likely first.
    pub hints: Vec<String>,
    /// `notice`, `warning` or `error`.
    #[cfg_attr(test, ts(type = r#""notice" | "warning" | "error""#))]
    pub severity: String,
    /// The work that the message names, where an end is refused for that: an order with this as its `at_most` cuts off that
    /// work and no other. It is to be given back as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub work: Option<String>,
    /// What it is about, where more can be done with that than read it.
    pub about: Option<About>,
}

/// What a trouble is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum About {
    /// Another repo: the one that has the folder already.
    Repo {
        /// Its id.
        id: String,
        /// Its name.
        name: String,
    },
    /// A character of the text that was sent.
    Character {
        /// Its number in Unicode.
        code_point: u32,
        /// Where it stands in the text: so many bytes are before it, in UTF-8 and with line ends of one byte.
        byte: u64,
    },
}

/// An answer that is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Failure {
    /// What is wrong.
    pub error: Trouble,
}

impl From<&repose_core::trouble::Trouble> for Trouble {
    fn from(trouble: &repose_core::trouble::Trouble) -> Self {
        Self {
            code: trouble.code.as_str().into(),
            title: trouble.code.title().into(),
            message: trouble.sentence.clone(),
            hints: trouble.hints.clone(),
            severity: severity(trouble.code.severity()).into(),
            work: trouble.named.text(),
            about: trouble.about.as_deref().map(Into::into),
        }
    }
}

impl From<&trouble::About> for About {
    fn from(about: &trouble::About) -> Self {
        match about {
            trouble::About::Repo { id, name } => Self::Repo { id: id.as_str().into(), name: name.clone() },
            trouble::About::Character { character, at } => {
                Self::Character { code_point: u32::from(*character), byte: *at as u64 }
            }
        }
    }
}

impl From<repose_core::trouble::Trouble> for Failure {
    fn from(trouble: repose_core::trouble::Trouble) -> Self {
        Self { error: (&trouble).into() }
    }
}

/// The exit code of a program that ends with this trouble: 1 a fault of Repose, 2 usage, 3 refused, 4
/// offline, 5 timed out, 6 the turn failed or was interrupted. A code that this version doesn't know counts
/// as a fault.
#[must_use]
pub fn exit_code(code: &str) -> u8 {
    match Code::from_name(code).map(Code::kind) {
        None | Some(Kind::Fault) => 1,
        Some(Kind::Usage) => 2,
        Some(Kind::Refused) => 3,
        Some(Kind::Offline) => 4,
        Some(Kind::TimedOut) => 5,
        Some(Kind::TurnFailed) => 6,
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Notice => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
