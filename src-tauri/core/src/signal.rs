//! What an engine says about itself, in words that are the same for every engine.

use crate::hold::Task;
use crate::ids::{ConversationId, PromptId};
use crate::time::Wall;

/// One thing that an engine said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// The conversation it speaks of. `None`: the engine keeps none. A signal of another conversation than
    /// the session's own is a nested run's, and [`crate::session`] passes it over.
    pub conversation: Option<ConversationId>,
    /// When the engine said it.
    pub at: Wall,
    /// What it said.
    pub said: Said,
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A conversation is open: the engine's confirmation of what it did.
    Started {
        /// How it came about.
        source: Source,
        /// Where its transcript is or will be.
        transcript: Option<String>,
    },
    /// A prompt was taken: a turn begins or goes on.
    PromptTaken {
        /// The engine's id for it.
        prompt: Option<PromptId>,
        /// Its whole text.
        text: String,
        /// Who wrote it.
        author: Author,
    },
    /// It uses a tool, or has used one: a sign of life.
    ToolUsed,
    /// It waits for somebody's decision.
    NeedsDecision(Wait),
    /// It finished answering. The turn is over once it is idle after that.
    Stopped {
        /// The prompt that it answered last.
        prompt: Option<PromptId>,
        /// Its whole last message.
        text: String,
        /// All work that outlives the turn, whole each time. `None`: it said nothing of that, and what is
        /// known stands.
        background: Option<Vec<Task>>,
        /// All times at which it will wake itself, likewise.
        wakeups: Option<Vec<Task>>,
    },
    /// The turn failed: the model answered with an error.
    Failed {
        /// The engine's words.
        error: String,
    },
    /// Somebody interrupted the turn.
    Interrupted,
    /// Somebody interrupted the turn before its first word, and its prompt stands in the engine's input line
    /// again.
    TakenBack,
    /// What it is doing, read off a level that it keeps: the truth about now.
    Level(Level),
    /// The conversation was closed by the engine. The process may go on with another.
    Closed {
        /// The engine's word for why.
        reason: String,
    },
}

/// How a conversation came to be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The process began with a new one.
    New,
    /// An earlier one was taken up.
    Resumed,
    /// The user cleared it, and a new one began.
    Cleared,
    /// It was compacted and goes on.
    Compacted,
    /// A copy of an earlier one was begun.
    Forked,
    /// The engine didn't say; its level names the conversation.
    Unsaid,
}

/// Who wrote a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// A person, or Repose for one.
    Person,
    /// The engine itself: news of a background task.
    Engine,
}

/// What an engine is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Level {
    /// Nothing: it waits for a prompt.
    Idle,
    /// A turn.
    Busy,
    /// It waits for somebody's decision.
    Waiting(Wait),
    /// Nothing but a background shell.
    Shell,
    /// A word that this version of Repose doesn't know. Counts as busy.
    Unknown(String),
}

/// What somebody must decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// May it do this? The text says what.
    Permission(String),
    /// One of several choices, or a question.
    Choice(String),
    /// Is this folder trusted? The engine asks before it starts.
    Trust,
}
