//! What a repo wants done in response to an event.

use super::{Answer, Change, Logged, Notice, ReplyTo, Waiting};
use crate::continuity::Plan;
use crate::decision::Pick;
use crate::ids::{AskId, ConversationId, DecisionId, SessionId};
use crate::session::{EndIf, Freeze};
use crate::trouble::Trouble;

/// The result of one event: its changes are written to disk first, then its effects are carried out in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Changes to write to the store in one transaction: after a crash the disk has the whole event or
    /// nothing of it. If the write fails, carry out none of the effects and report [`Event::StoreFailed`].
    pub changes: Vec<Change>,
    /// Effects to carry out after that, in order.
    pub then: Vec<Effect>,
}

impl Effects {
    pub(super) fn write(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.then.push(effect);
    }

    pub(super) fn done(&mut self, reply: ReplyTo) {
        self.push(Effect::Reply(reply, Answer::Done));
    }

    pub(super) fn refuse(&mut self, reply: ReplyTo, trouble: Trouble) {
        self.push(Effect::Reply(reply, Answer::Refused(trouble)));
    }

    pub(super) fn done_all(&mut self, waiting: Vec<Waiting>) {
        self.extend(waiting.into_iter().map(|waiting| Effect::Reply(waiting.reply, Answer::Done)));
    }

    pub(super) fn refuse_all(&mut self, waiting: impl IntoIterator<Item = Waiting>, trouble: &Trouble) {
        let refusal = |waiting: Waiting| Effect::Reply(waiting.reply, Answer::Refused(trouble.clone()));
        self.extend(waiting.into_iter().map(refusal));
    }

    pub(super) fn extend(&mut self, effects: impl IntoIterator<Item = Effect>) {
        self.then.extend(effects);
    }
}

/// One thing that a repo wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Check folder, engine, login and disk, read the conversation again and look for its owner; then report
    /// [`Event::Checked`].
    Check {
        /// The check's number.
        check: u64,
        /// The conversation that could be resumed.
        conversation: Option<ConversationId>,
    },
    /// Like [`Effect::Check`], but while an engine is live: takes no place among the engines that may be
    /// live.
    LookAhead {
        /// The check's number.
        check: u64,
        /// The conversation that could be resumed.
        conversation: Option<ConversationId>,
    },
    /// Start a holder.
    Spawn {
        /// The id of the session.
        session: SessionId,
        /// What to ask of the engine.
        plan: Plan,
        /// The id of the conversation that begins, if a new one does.
        new_conversation: ConversationId,
    },
    /// Have a holder type an ask.
    Submit {
        /// The session whose holder types it.
        session: SessionId,
        /// The ask's id.
        ask: AskId,
        /// The text to type.
        text: String,
    },
    /// Have the session's turn interrupted.
    Interrupt(SessionId),
    /// Have a holder take a decision to its engine.
    Decide {
        /// The session whose holder takes it.
        session: SessionId,
        /// The decision's id.
        decision: DecisionId,
        /// What was picked.
        pick: Pick,
    },
    /// Have the session frozen and judged.
    Freeze(SessionId, Freeze),
    /// Let a frozen session go on.
    Thaw(SessionId),
    /// Have the session ended. If it isn't frozen any more by the order that the end follows, report
    /// [`Event::Thawed`].
    End(SessionId, EndIf),
    /// Answer a request.
    Reply(ReplyTo, Answer),
    /// Tell people the news.
    Notice(Notice),
    /// Note what only the log tells.
    Log(Logged),
}
