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
    /// `detail` is only the beginning: the terminal has all of it.
    pub detail_cut: bool,
    /// The title already has all of `detail`.
    pub title_says_all: bool,
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
    /// What the engine says about it, on one line.
    pub description: Option<String>,
    /// What would come of it, as the engine shows it: lines of fixed width.
    pub preview: Option<String>,
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
    /// The user's own words: it is answered with `words`.
    Words,
    /// No answer: it takes back the one before, and what was asked there is asked again.
    Back,
}

/// The answer to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// The decision's `id`.
    pub decision: String,
    /// The chosen option's `id`.
    pub choice: String,
    /// The user's own words, for an option of the kind `words`; at most 16 KiB.
    #[serde(default)]
    pub words: Option<String>,
}

impl From<&decision::Decision> for Decision {
    fn from(decision: &decision::Decision) -> Self {
        let question = &decision.question;
        let title = match &question.wait {
            signal::Wait::Permission(what) if what.is_empty() => "May it do this?".into(),
            signal::Wait::Permission(what) => format!("May it {what}?"),
            signal::Wait::Choice(what) => what.clone(),
            signal::Wait::Trust => "Is this folder trusted?".into(),
        };
        let title_says_all = question.detail.is_some() && question.is_told_whole();
        Self {
            id: decision.id.as_str().into(),
            kind: (&question.wait).into(),
            title,
            detail: question.detail.clone(),
            detail_cut: question.detail_cut,
            title_says_all,
            choices: question.choices.iter().map(Into::into).collect(),
        }
    }
}

impl From<&signal::Wait> for DecisionKind {
    fn from(wait: &signal::Wait) -> Self {
        match wait {
            signal::Wait::Permission(_) => Self::Permission,
            signal::Wait::Choice(_) => Self::Choice,
            signal::Wait::Trust => Self::Trust,
        }
    }
}

impl From<&decision::Choice> for Choice {
    fn from(choice: &decision::Choice) -> Self {
        Self {
            id: choice.id.clone(),
            label: choice.label.clone(),
            description: choice.description.clone(),
            preview: choice.preview.clone(),
            kind: match choice.kind {
                decision::ChoiceKind::Allow => ChoiceKind::Allow,
                decision::ChoiceKind::Deny => ChoiceKind::Deny,
                decision::ChoiceKind::Other => ChoiceKind::Other,
                decision::ChoiceKind::Words => ChoiceKind::Words,
                decision::ChoiceKind::Back => ChoiceKind::Back,
            },
        }
    }
}
