//! One ask and where it stands.

use crate::continuity::Continuity;
use crate::ids::{AskId, PromptId, SessionId};
use crate::time::Wall;
use crate::trouble::Trouble;

/// Asks that may wait in one repo. More than a person or a script plausibly means; the next one is refused
/// with `queue_full`, and nothing that waits is dropped.
pub const WAITING_MAX: usize = 1_000;

/// One ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Which.
    pub id: AskId,
    /// What was asked, as it was asked.
    pub text: String,
    /// It may wait for Resume.
    pub queued: bool,
    /// It wants a new conversation.
    pub fresh: bool,
    /// When it was asked.
    pub at: Wall,
    /// Where it stands.
    pub stage: Stage,
    /// What the open before it came to, if nobody had been told that before its answer.
    pub told: Option<Continuity>,
}

/// Where an ask stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// It waits for its turn.
    Waiting,
    /// The holder of this session was told to type it.
    Submitted(SessionId),
    /// The engine took it.
    Taken {
        /// In which session.
        session: SessionId,
        /// The engine's id for the prompt.
        prompt: Option<PromptId>,
    },
    /// It is over.
    Over(Result<String, Trouble>),
}
