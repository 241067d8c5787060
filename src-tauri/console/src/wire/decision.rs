//! What an engine waits for, and the answer to it.

use repose_core::{decision, signal};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A decision that the engine waits for, and that can be answered without its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Decision {
    /// Its name, to answer it by.
    pub id: String,
    /// Of what kind it is.
    pub kind: DecisionKind,
    /// What it is about, on one line.
    pub title: String,
    /// All of what it is about: a whole command, what a tool is called with.
    pub detail: Option<String>,
    /// The answers that it takes.
    pub choices: Vec<Choice>,
}

/// Of what kind a decision is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// May it do this?
    Permission,
    /// One of several.
    Choice,
    /// Is this folder trusted?
    Trust,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Choice {
    /// Its name within the decision.
    pub id: String,
    /// In words.
    pub label: String,
    /// What it comes to.
    pub kind: ChoiceKind,
}

/// What an answer comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ChoiceKind {
    /// The engine may do it.
    Allow,
    /// It may not.
    Deny,
    /// Neither: one of several.
    Other,
}

/// Which decision is answered, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// The decision's `id`.
    pub decision: String,
    /// The choice's `id`.
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
