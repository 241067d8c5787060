//! What an engine reports about itself, in terms that are the same for every engine.

use crate::hold::Task;
use crate::ids::{ConversationId, PromptId};
use crate::time::Wall;

/// One report of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// The conversation that it is about. `None`: the engine keeps none. A signal of another conversation
    /// than the session's comes from a nested run, and [`crate::session`] ignores it.
    pub conversation: Option<ConversationId>,
    /// When the engine reported it.
    pub at: Wall,
    /// What the engine reported.
    pub said: Said,
}

/// The content of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A conversation is open: the engine confirms what it did.
    Started {
        /// How the conversation came to be open.
        source: Source,
        /// The path of its transcript, which may not exist yet.
        transcript: Option<String>,
    },
    /// A prompt was taken: a turn begins or goes on.
    PromptTaken {
        /// The engine's id for the prompt.
        prompt: Option<PromptId>,
        /// The full text of the prompt.
        text: String,
        /// Who wrote the prompt.
        author: Author,
    },
    /// The engine uses or has used a tool: a sign of life.
    ToolUsed,
    /// The engine waits for somebody's decision.
    NeedsDecision(Wait),
    /// The engine finished answering. The turn is over once it is idle after that.
    Stopped {
        /// The prompt that it answered last.
        prompt: Option<PromptId>,
        /// The full text of its last message.
        text: String,
        /// All work that outlives the turn, as a complete list. `None`: the engine didn't say, and what is
        /// known remains.
        background: Option<Vec<Task>>,
        /// All wakeups that it has planned, as a complete list. `None`: the engine didn't say, and what is
        /// known remains.
        wakeups: Option<Vec<Task>>,
    },
    /// The turn failed: the model answered with an error.
    Failed {
        /// The error in the engine's words.
        error: String,
    },
    /// Somebody interrupted the turn.
    Interrupted,
    /// Somebody interrupted the turn before its first word, and its prompt is in the engine's input line
    /// again.
    TakenBack,
    /// What the engine is doing now, read from a status that it keeps up to date.
    Level(Level),
    /// The engine closed the conversation. Its process may go on with another.
    Closed {
        /// The engine's word for the reason.
        reason: String,
    },
}

/// How a conversation came to be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The process began a new one.
    New,
    /// An earlier one was resumed.
    Resumed,
    /// The user cleared it, and a new one began.
    Cleared,
    /// It was compacted and goes on.
    Compacted,
    /// A copy of an earlier one was begun.
    Forked,
    /// The engine didn't say how; its level names the conversation.
    Unsaid,
}

/// Who wrote a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// A person, or Repose on a person's behalf.
    Person,
    /// The engine itself: news of a background task.
    Engine,
}

/// What an engine is doing, according to its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Level {
    /// It is idle and waits for a prompt.
    Idle,
    /// It works on a turn.
    Busy,
    /// It waits for somebody's decision.
    Waiting(Wait),
    /// It is idle except for a background shell.
    Shell,
    /// It reports a status that this version of Repose doesn't know. Counts as busy.
    Unknown(String),
}

/// What somebody must decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// Whether the engine may do what the text says.
    Permission(String),
    /// Which of several options to choose, or the answer to a question.
    Choice(String),
    /// Whether the folder is trusted. The engine asks before it starts.
    Trust,
}
