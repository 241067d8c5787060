//! What somebody must decide for an engine, with the ways to answer that the engine takes from outside its
//! terminal.

use crate::ids::{ConversationId, DecisionId};
use crate::signal::Wait;

/// A decision that an engine waits for, and that can be answered without its terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Its name: no other decision ever has it.
    pub id: DecisionId,
    /// What is to be decided.
    pub question: Question,
}

/// What is to be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// In which conversation.
    pub conversation: ConversationId,
    /// What the engine waits for.
    pub wait: Wait,
    /// All of what it is about: a whole command, the text of a file. `None`: nothing more than that.
    pub detail: Option<String>,
    /// The answers that it takes.
    pub choices: Vec<Choice>,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its name within its decision.
    pub id: String,
    /// In words.
    pub label: String,
    /// What it comes to.
    pub kind: ChoiceKind,
}

/// What an answer comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceKind {
    /// The engine may do it.
    Allow,
    /// It may not.
    Deny,
    /// Neither: one of several.
    Other,
}
