//! What a repo wants done about what happened.

use super::{Answer, Change, Notice, ReplyTo};
use crate::continuity::Plan;
use crate::ids::{AskId, ConversationId, DecisionId, SessionId};
use crate::session::Freeze;
use crate::time::Awake;

/// What one event comes to: first its changes are on disk, then its effects are done, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Write these to the store, all or none: after a crash the disk knows the whole event or nothing of it.
    /// If that fails, do none of what follows and say [`Event::StoreFailed`].
    pub changes: Vec<Change>,
    /// Then do these.
    pub then: Vec<Effect>,
}

impl Effects {
    pub(super) fn write(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.then.push(effect);
    }

    pub(super) fn extend(&mut self, effects: impl IntoIterator<Item = Effect>) {
        self.then.extend(effects);
    }
}

/// What a repo wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Look at folder, engine, login and disk, read this conversation anew and look for its owner; then say
    /// [`Event::Checked`].
    Check {
        /// The check's number.
        check: u64,
        /// The conversation that could be resumed.
        conversation: Option<ConversationId>,
    },
    /// The same while an engine is live, without taking a place among those that may be.
    LookAhead {
        /// The check's number.
        check: u64,
        /// The conversation that could be resumed.
        conversation: Option<ConversationId>,
    },
    /// Start a holder.
    Spawn {
        /// With this session.
        session: SessionId,
        /// What to ask of the engine.
        plan: Plan,
        /// The id of the conversation that begins, if a new one does.
        new_conversation: ConversationId,
    },
    /// Have an ask typed.
    Submit {
        /// By the holder of this session.
        session: SessionId,
        /// Which ask.
        ask: AskId,
        /// Its text.
        text: String,
    },
    /// Have the turn ended.
    Interrupt(SessionId),
    /// Have a decision taken to the engine.
    Decide {
        /// By the holder of this session.
        session: SessionId,
        /// Which decision.
        decision: DecisionId,
        /// By which of its choices.
        choice: String,
    },
    /// Have the session frozen and judged.
    Freeze(SessionId, Freeze),
    /// Let it go on.
    Thaw(SessionId),
    /// Have the session ended, if it is still frozen by the order of this moment; otherwise say
    /// [`Event::Thawed`]. `None`: in any case.
    End(SessionId, Option<Awake>),
    /// Answer somebody.
    Reply(ReplyTo, Answer),
    /// Tell people.
    Notice(Notice),
}
