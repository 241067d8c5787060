//! The end of a session: ordered, judged, committed to disk, carried out.

use super::{
    Answer, Before, Change, Effect, Effects, Freed, Intent, Notice, Open, Order, OrderStage, Process,
    Purpose, RETRY_ASK, Repo, VERDICT_WITHIN, Wants, refusals,
};
use crate::ask;
use crate::continuity::Asked;
use crate::ids::SessionId;
use crate::session::{EndIf, Freeze, FreezeId, Verdict, View};
use crate::time::{Now, Wall};
use crate::trouble::{Code, Trouble};
use crate::work::Work;

impl Before {
    /// The process as it was.
    pub(super) fn of(self, session: SessionId) -> Process {
        match self {
            Self::Opening { plan, view } => Process::Opening { session, plan, view },
            Self::Live { view } => Process::Live { session, view },
        }
    }
}

impl Order {
    pub(super) fn intent(&self, session: &SessionId) -> Intent {
        let Self { reply: _, purpose, on_work } = self.clone();
        Intent::Ending { session: session.clone(), purpose, on_work }
    }
}

impl Repo {
    /// First step: write the order to disk, then have the holder freeze and judge the session.
    pub(super) fn order(&mut self, order: Order, out: &mut Effects) {
        let (session, before) = match std::mem::replace(&mut self.process, Process::None) {
            Process::Opening { session, plan, view } => (session, Before::Opening { plan, view }),
            Process::Live { session, view } => (session, Before::Live { view }),
            other @ (Process::None
            | Process::Checking { .. }
            | Process::Ending { .. }
            | Process::Reaping { .. }) => {
                self.process = other;
                return;
            }
        };
        self.set_intent(order.intent(&session), out);
        let stage = self.freeze(&session, &order, out);
        self.process = Process::Ending { session, order, stage, before };
    }

    /// Has the session frozen and judged for this order.
    pub(super) fn freeze(&self, session: &SessionId, order: &Order, out: &mut Effects) -> OrderStage {
        let must_resume = match order.purpose {
            // A pause that was already decided isn't dropped because nothing could be resumed.
            Purpose::Pause => !(order.on_work.is_any() && self.is_paused()),
            Purpose::Stop
            | Purpose::Fresh
            | Purpose::FreshAsk(_)
            | Purpose::Switch(_)
            | Purpose::Fork(_)
            | Purpose::Remove => false,
        };
        let freeze =
            Freeze { interrupt: order.on_work.freezes_work(), must_resume, id: FreezeId(self.at.awake.0) };
        out.push(Effect::Freeze(session.clone(), freeze));
        OrderStage::Judging { since: self.at.awake, uncut: None }
    }

    /// The order to end reached the holder too late: its freeze had lapsed, and somebody may have begun
    /// something.
    pub(super) fn thawed(&mut self, out: &mut Effects) {
        let Process::Ending { session, order, stage: OrderStage::Committed { uncut }, .. } = &self.process
        else {
            return;
        };
        let again = (!self.is_paused()).then(|| order.intent(session)).filter(|again| *again != self.intent);
        let (uncut, judging) = (uncut.clone(), self.freeze(session, order, out));
        self.not_cut_off(uncut, out);
        if let Some(intent) = again {
            self.set_intent(intent, out);
        }
        if let Process::Ending { stage, .. } = &mut self.process {
            *stage = judging;
        }
    }

    /// Nothing was cut off yet, and what was to be may have run to its end.
    fn not_cut_off(&mut self, uncut: Vec<String>, out: &mut Effects) {
        if self.interrupted != uncut {
            out.write(Change::Interrupted(uncut.clone()));
            self.interrupted = uncut;
        }
    }

    /// Second step: write the verdict to disk, then have the tree ended.
    pub(super) fn judged(&mut self, verdict: Verdict, now: Now, out: &mut Effects) {
        let Process::Ending { session, order, stage: OrderStage::Judging { since, uncut }, .. } =
            &mut self.process
        else {
            return;
        };
        let ordered = *since;
        if matches!(verdict, Verdict::Frozen(_)) && now.awake.since(ordered) >= VERDICT_WITHIN {
            *since = self.at.awake;
            let (session, order) = (session.clone(), order.clone());
            self.freeze(&session, &order, out);
            return;
        }
        let uncut = uncut.take().filter(|_| verdict.is_seen());
        let (session, order) = (session.clone(), order.clone());
        if let Some(uncut) = uncut {
            self.not_cut_off(uncut, out);
        }
        match verdict {
            Verdict::Frozen(holds) => {
                // The holder couldn't know what was asked in the meantime, nor which work was named.
                let work = self.lost_by(&order.purpose, &holds);
                if !order.on_work.allows(&work) {
                    out.push(Effect::Thaw(session));
                    self.drop_for_work(&order, &work, out);
                    return;
                }
                let committed = self.commit(&order, &work, Some(now.wall), out);
                if let Process::Ending { stage, .. } = &mut self.process {
                    *stage = committed;
                }
                out.push(Effect::End(session, EndIf::StillFrozen(FreezeId(ordered.0))));
            }
            Verdict::Held(holds) => {
                let work = self.lost_by(&order.purpose, &holds);
                self.drop_for_work(&order, &work, out);
            }
            Verdict::NotResumable => self.drop_pause(&order, &self.not_resumable(), out),
            Verdict::WouldBeLost(loss) => self.drop_pause(&order, &self.would_be_lost_paused(&loss), out),
        }
    }

    /// Writes what an order means for the stored state, before the process is touched. `paused_at` is given
    /// for a pause; every other order stays on disk until it is carried out.
    pub(super) fn commit(
        &mut self,
        order: &Order,
        work: &Work,
        paused_at: Option<Wall>,
        out: &mut Effects,
    ) -> OrderStage {
        let uncut = self.interrupted.clone();
        self.cut_off(&work.words_of_what_was_seen(), out);
        match &order.purpose {
            Purpose::Pause => {
                let since = match self.intent {
                    Intent::Paused { since } => since,
                    Intent::Open | Intent::Ending { .. } => paused_at.unwrap_or_default(),
                };
                self.set_intent(Intent::Paused { since }, out);
                let trouble = self.paused_trouble();
                self.fail_waiting_asks(&trouble, out);
            }
            Purpose::Stop => self.waits_no_longer(&refusals::stopped(), out),
            Purpose::Remove => self.waits_no_longer(&refusals::ask_of_removed(), out),
            // The order itself stays on disk until the process is gone.
            Purpose::Fresh | Purpose::FreshAsk(_) | Purpose::Switch(_) | Purpose::Fork(_) => {}
        }
        if let Intent::Ending { session, purpose, on_work } = &self.intent {
            // An order that is half carried out isn't dropped for just this work.
            let ending = Intent::Ending {
                session: session.clone(),
                purpose: purpose.clone(),
                on_work: on_work.clone().narrowed_to(work),
            };
            if ending != self.intent {
                self.set_intent(ending, out);
            }
        }
        OrderStage::Committed { uncut }
    }

    /// Nothing is asked or opened any more, for this reason.
    fn waits_no_longer(&mut self, trouble: &Trouble, out: &mut Effects) {
        self.fail_asks(trouble, out, |ask| ask.stage == ask::Stage::Waiting);
        let opens = self.take_waiting(|wants| matches!(wants, Wants::Open(_) | Wants::Pause(_)));
        out.refuse_all(opens, trouble);
    }

    /// Records work that an end cut off. The next open names it, along with what wasn't named yet.
    pub(super) fn cut_off(&mut self, work: &[String], out: &mut Effects) {
        if work.is_empty() {
            return;
        }
        self.named_before = Some(self.interrupted.clone());
        for work in work {
            if !self.interrupted.contains(work) {
                self.interrupted.push(work.clone());
            }
        }
        out.write(Change::Interrupted(self.interrupted.clone()));
    }

    /// Carries out what follows an order once no process is left.
    pub(super) fn finish(&mut self, order: Order, freed: Option<Freed>, out: &mut Effects) {
        let Order { reply, purpose, .. } = order;
        match purpose {
            Purpose::Pause | Purpose::Remove => {}
            // For as long as such an ask waits, it says itself that it wants a new conversation.
            Purpose::Stop | Purpose::FreshAsk(_) | Purpose::Switch(_) | Purpose::Fork(_) => {
                self.set_intent(Intent::Open, out);
            }
            Purpose::Fresh => {
                self.set_intent(Intent::Open, out);
                self.fresh_next = true;
                out.write(Change::FreshNext(true));
            }
        }
        let mut answer = |answer: Answer| out.extend(reply.map(|reply| Effect::Reply(reply, answer)));
        match purpose {
            Purpose::Pause => {
                answer(Answer::Paused(freed));
                out.push(Effect::Notice(Notice::Paused(freed)));
            }
            Purpose::Stop => {
                answer(Answer::Done);
                out.push(Effect::Notice(Notice::Stopped(freed)));
            }
            Purpose::Remove => {
                self.fail_asks(&refusals::ask_of_removed(), out, |_| true);
                out.write(Change::Removed); // nothing of the repo can be written after it
                out.extend(reply.map(|reply| Effect::Reply(reply, Answer::Done)));
                let waiting = self.take_waiting(|_| true);
                out.refuse_all(waiting, &Self::removed_trouble());
                self.removed = true;
            }
            Purpose::Fresh => self.open_after(reply, Open::ordered(Asked::Fresh), out),
            Purpose::FreshAsk(_) => self.begin(Open::needed(), out),
            Purpose::Fork(conversation) => self.open_after(reply, Open::fork(conversation), out),
            Purpose::Switch(conversation) => self.open_after(reply, Open::of(Some(conversation)), out),
        }
    }

    fn open_after(&mut self, reply: Option<super::ReplyTo>, open: Open, out: &mut Effects) {
        if let Some(reply) = reply {
            self.wait_for_open(reply, open.clone());
        }
        self.begin(open, out);
    }

    pub(super) fn drop_order(
        &mut self,
        order: &Order,
        trouble: &Trouble,
        work: Vec<String>,
        out: &mut Effects,
    ) {
        self.go_back();
        self.set_intent(Intent::Open, out);
        if let Process::Live { .. } = self.process {
            // Everybody who arrived in the meantime has an engine, except whoever wanted another
            // conversation.
            let others =
                self.take_waiting(|wants| matches!(wants, Wants::Open(open) if open.conversation.is_some()));
            out.refuse_all(others, &super::orders::in_transition());
            self.opened(out);
        }
        match (&order.purpose, order.reply) {
            (Purpose::FreshAsk(_), _) if trouble.code == Code::StoreFailed => {} // it waits, if it may
            (Purpose::FreshAsk(ask), _) if self.is_queued(ask) => {
                self.retry_at = Some(self.at.awake.after(RETRY_ASK));
            }
            (Purpose::FreshAsk(ask), _) => self.over(ask, Err(trouble.clone()), out),
            (_, Some(reply)) => out.refuse(reply, trouble.clone()),
            (purpose, None) => {
                out.push(Effect::Notice(Notice::OrderDropped { purpose: purpose.clone(), work }));
            }
        }
    }

    fn go_back(&mut self) {
        self.process = match std::mem::replace(&mut self.process, Process::None) {
            Process::Ending { session, before, .. } => before.of(session),
            other @ (Process::None
            | Process::Checking { .. }
            | Process::Opening { .. }
            | Process::Live { .. }
            | Process::Reaping { .. }) => other,
        };
    }

    fn drop_for_work(&mut self, order: &Order, work: &Work, out: &mut Effects) {
        let trouble = self.work_trouble(&order.purpose, work);
        self.drop_order(order, &trouble, work.words(), out);
    }

    fn drop_pause(&mut self, order: &Order, trouble: &Trouble, out: &mut Effects) {
        self.drop_order(order, trouble, vec!["a conversation that couldn't be resumed".into()], out);
    }
}

/// The work that was last seen.
pub(super) fn seen_in(view: Option<&View>) -> Work {
    Work::new(view.map(|view| view.holds.as_slice()).unwrap_or_default(), Vec::new(), Vec::new())
}

/// Whether it ends because the repo is removed, which is then what its askers are told.
pub(super) fn is_removed(process: &Process) -> bool {
    match process {
        Process::Ending { order, .. } => order.purpose == Purpose::Remove,
        Process::None
        | Process::Checking { .. }
        | Process::Opening { .. }
        | Process::Live { .. }
        | Process::Reaping { .. } => false,
    }
}
