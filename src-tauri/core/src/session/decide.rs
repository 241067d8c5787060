//! A decision that is answered from outside the terminal.
//!
//! The engine shows it in its terminal and at the same time waits for word from its hook; whichever comes first counts,
//! and the engine passes over the other (seen with Claude Code 2.1.332, also for a word that comes late). So nothing is
//! typed into a dialog. A decision is offered only while the engine shows it.

use std::time::Duration;

use super::{Activity, Effect, Session};
use crate::decision::Decision;
use crate::ids::{ConversationId, DecisionId};
use crate::time::{Awake, Now};

/// An engine that doesn't show a decision within this waits for its hook before it shows it: the hook is let go, and the
/// terminal alone decides. Claude Code 2.1.332 shows it some 50 ms before or after its hook is heard.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pending {
    decision: Decision,
    /// The engine's level has said that it waits.
    shown: bool,
    since: Awake,
}

impl Session {
    /// The decision that can be answered now.
    pub(super) fn decision(&self) -> Option<&Decision> {
        self.pending.as_ref().filter(|pending| pending.shown).map(|pending| &pending.decision)
    }

    /// A hook waits to be told what was decided.
    pub(super) fn decides(&mut self, decision: Decision, now: Now, effects: &mut Vec<Effect>) {
        let of: Option<&ConversationId> = self.conversation.as_ref();
        if !self.open_for_input() || of != Some(&decision.question.conversation) {
            effects.push(Effect::LeaveToTerminal(decision.id));
            return;
        }
        // Of two at a time nobody can tell which one the terminal shows.
        if let Some(pending) = self.pending.take() {
            effects.push(Effect::LeaveToTerminal(pending.decision.id));
            effects.push(Effect::LeaveToTerminal(decision.id));
            return;
        }
        self.waits(decision.question.wait.clone(), now);
        self.pending = Some(Pending { decision, shown: self.asks, since: now.awake });
    }

    /// Its hook waits no longer.
    pub(super) fn decision_gone(&mut self, id: &DecisionId) {
        self.pending.take_if(|pending| pending.decision.id == *id);
    }

    /// Somebody decided.
    pub(super) fn decide(&mut self, id: &DecisionId, choice: &str, now: Now, effects: &mut Vec<Effect>) {
        let stands = self.decision().is_some_and(|decision| {
            decision.id == *id && decision.question.choices.iter().any(|known| known.id == choice)
        });
        if !stands || !self.open_for_input() {
            effects.push(Effect::Undecided);
            return;
        }
        self.pending = None;
        self.interaction = now;
        effects.push(Effect::Decide { decision: id.clone(), choice: choice.to_owned() });
    }

    /// What the engine's level said last, as far as decisions go.
    pub(super) fn asks(&mut self, asks: bool) {
        self.asks = asks;
        if let Some(pending) = &mut self.pending {
            pending.shown |= asks;
        }
    }

    /// A decision that was shown and is waited for no more was made in the terminal.
    pub(super) fn decision_time(&mut self, now: Now, effects: &mut Vec<Effect>) {
        let waits = matches!(self.activity, Activity::Waiting { .. });
        let over = |pending: &mut Pending| match pending.shown {
            true => !waits,
            false => now.awake >= pending.since.after(SHOWN_WITHIN),
        };
        if let Some(pending) = self.pending.take_if(over) {
            effects.push(Effect::LeaveToTerminal(pending.decision.id));
        }
    }

    pub(super) fn decision_wake(&self) -> Option<Awake> {
        let pending = self.pending.as_ref().filter(|pending| !pending.shown)?;
        Some(pending.since.after(SHOWN_WITHIN))
    }
}
