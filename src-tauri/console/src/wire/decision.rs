//! What an engine waits for, and the answer.

use repose_core::{decision, signal};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A decision that the engine waits for and that can be made without its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Decision {
    /// Its id, needed to answer it.
    pub id: String,
    /// The kind of decision.
    pub kind: DecisionKind,
    /// Its subject, on one line.
    pub title: String,
    /// Its full subject: a whole command, or a tool's whole input.
    pub detail: Option<String>,
    /// The options.
    pub choices: Vec<Choice>,
}

/// The kind of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// Whether the engine may do something.
    Permission,
    /// One of several options.
    Choice,
    /// Whether the folder is trusted.
    Trust,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Choice {
    /// Its id, unique within the decision.
    pub id: String,
    /// Its text.
    pub label: String,
    /// What it means.
    pub kind: ChoiceKind,
}

/// What an option means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ChoiceKind {
    /// The engine may go ahead.
    Allow,
    /// The engine may not.
    Deny,
    /// Neither of the two: one of several options.
    Other,
}

/// The answer to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// The decision's `id`.
    pub decision: String,
    /// The chosen option's `id`.
    pub choice: String,
}

impl From<&decision::Decision> for Decision {
    fn from(decision: &decision::Decision) -> Self {
        let question = &decision.question;
        let (kind, title) = match &question.wait {
            signal::Wait::Permission(what) if what.is_empty() => {
                (DecisionKind::Permission, "May it do this?".into())
            }
            signal::Wait::Permission(what) => (DecisionKind::Permission, format!("May it {what}?")),
            signal::Wait::Choice(what) => (DecisionKind::Choice, what.clone()),
            signal::Wait::Trust => (DecisionKind::Trust, "Is this folder trusted?".into()),
        };
        Self {
            id: decision.id.as_str().into(),
            kind,
            title,
            detail: question.detail.clone(),
            choices: question.choices.iter().map(Into::into).collect(),
        }
    }
}

impl From<&decision::Choice> for Choice {
    fn from(choice: &decision::Choice) -> Self {
        Self {
            id: choice.id.clone(),
            label: choice.label.clone(),
            kind: match choice.kind {
                decision::ChoiceKind::Allow => ChoiceKind::Allow,
                decision::ChoiceKind::Deny => ChoiceKind::Deny,
                decision::ChoiceKind::Other => ChoiceKind::Other,
            },
        }
    }
}
