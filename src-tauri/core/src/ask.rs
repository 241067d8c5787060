//! One ask and its stage.

use crate::continuity::Continuity;
use crate::ids::{AskId, PromptId, SessionId};
use crate::time::Wall;
use crate::trouble::Trouble;

/// The number of asks that may wait in one repo: more than a person or a script plausibly means. The next one
/// is refused with `queue_full`, and nothing that waits is dropped.
pub const WAITING_MAX: usize = 1_000;

/// One ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The ask's id, unique among all repos.
    pub id: AskId,
    /// The text to ask, unchanged.
    pub text: String,
    /// Whether it may wait until a pause is lifted.
    pub queued: bool,
    /// Whether it wants a new conversation.
    pub fresh: bool,
    /// When it was asked.
    pub at: Wall,
    /// Its stage.
    pub stage: Stage,
    /// The statement of the open before it, if nobody had received that before this ask's answer.
    pub told: Option<Continuity>,
    /// When it was over, which may be before that can be written. `None`: it isn't, or it was read back.
    pub over: Option<Wall>,
}

/// The stage of an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// It waits for its turn.
    Waiting,
    /// The holder of this session was told to type it.
    Submitted(SessionId),
    /// The engine took its prompt.
    Taken {
        /// The session that took it.
        session: SessionId,
        /// The engine's id for the prompt.
        prompt: Option<PromptId>,
    },
    /// It is over, with this answer or trouble.
    Over(Result<String, Trouble>),
}
