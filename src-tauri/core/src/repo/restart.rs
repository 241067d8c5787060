//! What a repo does when its runner starts: it adopts a live holder, and has unfinished orders judged again.

use std::time::Duration;

use super::{
    ASK_OUTLIVES_RUNNER, Before, Effect, Effects, Event, Intent, Order, OrderStage, Process, Purpose, Repo,
};
use crate::ask;
use crate::continuity::Plan;
use crate::ids::SessionId;
use crate::session::{EndIf, View};
use crate::time::{Now, Wall};
use crate::trouble::{Code, Trouble};
use crate::work::{OnWork, Work};

impl Repo {
    /// Takes over a holder that is alive at the runner's start. An unfinished order is judged again.
    pub(super) fn adopted(&mut self, adopted: Adopted, out: &mut Effects) {
        let Adopted { session, plan, begun, view, confirmed } = adopted;
        if self.session().is_some_and(|mine| *mine != session) {
            out.push(Effect::End(session, EndIf::Always)); // one order is enough
            return;
        }
        self.begun = (!confirmed).then_some(begun);
        let before = if confirmed {
            Before::Live { view: Some(view) }
        } else {
            Before::Opening { plan, view: Some(view) }
        };
        self.process = before.clone().of(session.clone());
        match self.intent.clone() {
            Intent::Open => {}
            Intent::Ending { session: of, purpose, on_work } if of == session => {
                self.order(Order { reply: None, purpose, on_work }, out);
                self.may_have_cut_off(confirmed);
            }
            Intent::Ending { .. } => self.set_intent(Intent::Open, out),
            Intent::Paused { .. } => {
                // The pause was on disk, and the runner died before it could carry it out. It remains in
                // force; work that it cuts off by now is named.
                let order = Order { reply: None, purpose: Purpose::Pause, on_work: OnWork::Interrupt };
                let stage = self.freeze(&session, &order, out);
                self.process = Process::Ending { session, order, stage, before };
                self.may_have_cut_off(confirmed);
            }
        }
    }

    /// What the disk says of work that this end cut off may not have been: the engine may live on, or be gone since.
    /// Only its holder can tell. `confirmed`: a statement came before the order, and named all that was cut off earlier.
    fn may_have_cut_off(&mut self, confirmed: bool) {
        if let Process::Ending { stage: OrderStage::Judging { uncut, .. }, .. } = &mut self.process {
            *uncut = (confirmed && !self.interrupted.is_empty()).then(Vec::new);
        }
    }

    /// Begins normal work, once everything from before the runner's start has been reported.
    pub(super) fn caught_up(&mut self, absence: Option<Duration>, now: Now, out: &mut Effects) {
        self.caught_up = true;
        self.fail_stale_asks(absence, now, out);
        self.submit_again(out);
        if let Intent::Paused { .. } = self.intent {
            let trouble = self.paused_trouble();
            self.fail_waiting_asks(&trouble, out);
        }
        if self.session().is_none()
            && let Intent::Ending { purpose, on_work, .. } = self.intent.clone()
        {
            let order = Order { reply: None, purpose, on_work };
            self.commit(&order, &Work::default(), Some(now.wall), out);
            self.finish(order, None, out);
        }
        self.open_for_asks(out);
    }

    /// Fails asks whose askers have given up, since nobody was there to hear them: for as long as there was no runner, or,
    /// if that is unknown, possibly for as long as the ask is old.
    fn fail_stale_asks(&mut self, absence: Option<Duration>, now: Now, out: &mut Effects) {
        let trouble = Trouble::new(
            Code::RunnerNotRunning,
            "Repose was not running for a while, and this ask waited. It was not sent.",
            ["Ask again.", "An ask that may wait is asked with `--queue`."],
        );
        self.fail_asks(&trouble, out, |ask| {
            let gone = absence.or_else(|| now.wall.age_of(ask.at));
            ask.stage == ask::Stage::Waiting
                && !ask.queued
                && gone.is_none_or(|gone| gone > ASK_OUTLIVES_RUNNER)
        });
    }

    /// Submits asks again that the holder may not have heard of; a holder that has heard of one ignores the
    /// repetition. Asks of a session that is gone can no longer be answered, and fail.
    fn submit_again(&mut self, out: &mut Effects) {
        let trouble = self.engine_ended(None);
        let mine = self.session().cloned();
        self.fail_asks(&trouble, out, |ask| match &ask.stage {
            ask::Stage::Submitted(session) | ask::Stage::Taken { session, .. } => {
                Some(session) != mine.as_ref()
            }
            ask::Stage::Waiting | ask::Stage::Over(_) => false,
        });
        let Some(session) = &mine else { return };
        if self.is_paused() {
            return; // the end that follows fails it and says why
        }
        out.extend(self.asks.iter().filter_map(|ask| match &ask.stage {
            ask::Stage::Submitted(to) if to == session => {
                Some(Effect::Submit { session: session.clone(), ask: ask.id.clone(), text: ask.text.clone() })
            }
            ask::Stage::Submitted(_)
            | ask::Stage::Waiting
            | ask::Stage::Taken { .. }
            | ask::Stage::Over(_) => None,
        }));
    }
}

/// A live holder found at the runner's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// The id of its session.
    pub session: SessionId,
    /// What was asked of its engine.
    pub plan: Plan,
    /// When that was decided.
    pub begun: Wall,
    /// Its session's view.
    pub view: View,
    /// Whether the store has the statement of its open. Otherwise its journal has it.
    pub confirmed: bool,
}

impl From<Adopted> for Event {
    fn from(adopted: Adopted) -> Self {
        Self::Adopted(adopted)
    }
}
