//! Decisions that are answered from outside the terminal.
//!
//! The engine shows a decision in its terminal and at the same time waits for word from its hook. Whichever
//! comes first counts, and the engine ignores the other, even if it comes late (seen with Claude Code
//! 2.1.332). So nothing is typed into a dialog. A decision is offered only while the engine shows it.

use std::time::Duration;

use super::{Activity, Effect, Session};
use crate::decision::{ChoiceKind, Decision, Pick};
use crate::ids::{ConversationId, DecisionId};
use crate::time::{Awake, Now};

/// An engine that doesn't show a decision within this time waits for its hook before it shows it: the hook is
/// released, and only the terminal decides. Claude Code 2.1.332 shows it within some 50 ms of its hook.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);

/// What the engine's hooks wait to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pending {
    /// One decision that the engine doesn't show yet, waiting since this moment.
    Hidden(Decision, Awake),
    /// The decision that the engine shows.
    Shown(Decision),
    /// Several at once, so that it is unknown which one the terminal shows. Only the terminal decides until
    /// the engine no longer waits.
    Several,
}

impl Pending {
    pub(super) fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Hidden(decision, _) | Self::Shown(decision) => Some(decision),
            Self::Several => None,
        }
    }
}

impl Session {
    /// The decision that can be answered now.
    pub(super) fn decision(&self) -> Option<&Decision> {
        match &self.pending {
            Some(Pending::Shown(decision)) => Some(decision),
            Some(Pending::Hidden(..) | Pending::Several) | None => None,
        }
    }

    /// A hook waits to be told what was decided.
    pub(super) fn decides(&mut self, decision: Decision, now: Now, effects: &mut Vec<Effect>) {
        let of: Option<&ConversationId> = self.conversation.as_ref();
        if !self.open_for_input() || of != Some(&decision.question.conversation) {
            effects.push(Effect::LeaveToTerminal(decision.id));
            return;
        }
        if let Some(before) = self.pending.replace(Pending::Several) {
            effects.extend(before.decision().map(|before| Effect::LeaveToTerminal(before.id.clone())));
            effects.push(Effect::LeaveToTerminal(decision.id));
            return;
        }
        let wait = decision.question.wait.clone();
        self.pending = Some(match self.asks {
            true => Pending::Shown(decision),
            false => Pending::Hidden(decision, now.awake),
        });
        self.waits(wait, now, effects);
    }

    /// The hook of this decision no longer waits.
    pub(super) fn decision_gone(&mut self, id: &DecisionId) {
        self.pending.take_if(|pending| pending.decision().is_some_and(|decision| decision.id == *id));
    }

    /// Somebody made a decision.
    pub(super) fn decide(&mut self, id: &DecisionId, pick: &Pick, now: Now, effects: &mut Vec<Effect>) {
        let stands = self.decision().filter(|decision| decision.id == *id && self.open_for_input());
        let Some(Ok(kind)) = stands.map(|decision| decision.question.takes(pick)) else {
            let before =
                self.last_decided.as_ref().is_some_and(|(last, picked)| last == id && picked == pick);
            effects.push(if before { Effect::DecidedBefore } else { Effect::Undecided });
            return;
        };
        self.pending = None;
        self.interaction = now;
        self.last_decided = Some((id.clone(), pick.clone()));
        effects.push(match kind {
            ChoiceKind::Allow | ChoiceKind::Deny | ChoiceKind::Other | ChoiceKind::Words => {
                Effect::Decide { decision: id.clone(), pick: pick.clone() }
            }
            ChoiceKind::Back => Effect::TakeBack(id.clone()),
        });
    }

    /// Takes in whether the last level said that the engine waits for somebody.
    pub(super) fn asks(&mut self, asks: bool) {
        self.asks = asks;
        if asks && let Some(Pending::Hidden(decision, _)) = &self.pending {
            self.pending = Some(Pending::Shown(decision.clone()));
        }
    }

    /// Ends a decision that was made in the terminal: it was shown, and the engine no longer waits for it.
    pub(super) fn decision_time(&mut self, now: Now, effects: &mut Vec<Effect>) {
        let waits = matches!(self.activity, Activity::Waiting { .. });
        let over = |pending: &mut Pending| match pending {
            Pending::Hidden(_, since) => now.awake >= since.after(SHOWN_WITHIN),
            Pending::Shown(_) | Pending::Several => !waits,
        };
        let pending = self.pending.take_if(over);
        let left = pending.as_ref().and_then(Pending::decision);
        effects.extend(left.map(|decision| Effect::LeaveToTerminal(decision.id.clone())));
    }

    pub(super) fn decision_wake(&self) -> Option<Awake> {
        match &self.pending {
            Some(Pending::Hidden(_, since)) => Some(since.after(SHOWN_WITHIN)),
            Some(Pending::Shown(_) | Pending::Several) | None => None,
        }
    }
}
