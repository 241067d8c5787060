//! What somebody must decide for an engine, with the answers that the engine accepts from outside its
//! terminal.

use crate::ids::{ConversationId, DecisionId};
use crate::signal::Wait;

/// A decision that an engine waits for and that can be made without its terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The decision's id, never used for another one.
    pub id: DecisionId,
    /// What is to be decided, and the options.
    pub question: Question,
}

/// What is to be decided, and the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The conversation in which the engine asks.
    pub conversation: ConversationId,
    /// What kind of decision it is.
    pub wait: Wait,
    /// The full subject: a whole command, the text of a file. `None`: there is no more to show.
    pub detail: Option<String>,
    /// The options.
    pub choices: Vec<Choice>,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its id, unique within the decision.
    pub id: String,
    /// Its text.
    pub label: String,
    /// What it means.
    pub kind: ChoiceKind,
}

/// What an option means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceKind {
    /// The engine may go ahead.
    Allow,
    /// The engine may not.
    Deny,
    /// Neither of the two: one of several options.
    Other,
}
