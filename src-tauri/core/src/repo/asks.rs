//! The asks of a repo: one turn at a time, in order.

use super::{
    Answer, Change, Effect, Effects, Event, How, Intent, Order, Process, Purpose, RETRY_ASK, ReplyTo, Repo,
    Waiting, Wants,
};
use crate::ask::{Ask, Stage, WAITING_MAX};
use crate::conversation::Owner;
use crate::hold::{self, Hold, Kind};
use crate::ids::AskId;
use crate::session::{Activity, NotNow, TurnOutcome, View};
use crate::time::Now;
use crate::trouble::{Code, Trouble};
use crate::words;
use crate::work::{OnWork, Work};

impl Repo {
    pub(super) fn ask(&mut self, reply: ReplyTo, ask: Ask, wait: bool, out: &mut Effects) {
        let refused = |trouble| Effect::Reply(reply, Answer::Refused(trouble));
        let shut = self.shut_to(&ask);
        if let Some(trouble) = &shut
            && !ask.queued
        {
            out.push(refused(trouble.clone()));
            return;
        }
        if let Some(trouble) = self.second_writer.as_ref().or(self.unreachable())
            && !ask.queued
            && !ask.fresh
        {
            out.push(refused(trouble.clone()));
            return;
        }
        if let Some(trouble) = self.folder_lost()
            && !ask.queued
        {
            out.push(refused(trouble.clone()));
            return;
        }
        if self.asks.len() >= WAITING_MAX {
            out.push(refused(self.queue_full()));
            return;
        }
        if ask.fresh && !self.asks.is_empty() && shut.is_none() {
            let holds = self.view().map(|view| view.holds.as_slice()).unwrap_or_default();
            let mut work = Work::new(holds, Vec::new(), Vec::new());
            if work.is_empty() {
                // The holder hasn't heard of the asks before this one.
                work = Work::new(&[], Vec::new(), self.asks.iter().map(|ask| ask.id.clone()).collect());
            }
            out.push(refused(self.work_trouble(&Purpose::Fresh, &work)));
            return;
        }
        out.write(Change::Ask(ask.clone()));
        if wait && shut.is_none() {
            let wants = Wants::Answer(ask.id.clone());
            self.waiting.push(Waiting { reply, until: None, wants });
        } else {
            let accepted = Answer::Accepted { ask: ask.id.clone(), waits_for_resume: shut.is_some() };
            out.push(Effect::Reply(reply, accepted));
        }
        self.new_ask = Some(ask.id.clone());
        self.asks.push_back(ask);
        self.open_for_asks(out);
    }

    pub(super) fn await_answer(&mut self, reply: ReplyTo, id: &AskId, out: &mut Effects) {
        if self.asks.iter().any(|ask| ask.id == *id) {
            self.waiting.push(Waiting { reply, until: None, wants: Wants::Answer(id.clone()) });
        } else {
            out.refuse(reply, self.no_such_ask(id));
        }
    }

    pub(super) fn withdraw(&mut self, reply: ReplyTo, id: &AskId, out: &mut Effects) {
        let Some(at) = self.asks.iter().position(|ask| ask.id == *id) else {
            out.refuse(reply, self.no_such_ask(id));
            return;
        };
        if self.asks[at].stage != Stage::Waiting {
            out.refuse(reply, self.ask_taken());
            return;
        }
        self.withdrawn = self.asks.remove(at).map(|ask| (at, ask));
        out.write(Change::AskGone(id.clone()));
        out.done(reply);
        let trouble = Trouble::new(
            Code::TakenBack,
            "Somebody took this ask back before the agent had it.",
            ["Ask again, if it is to be answered."],
        );
        self.answer_waiting(id, &Answer::Refused(trouble), out);
    }

    /// What prevents this ask from being sent until a person says so. Behind a closed gate an engine that lives is asked,
    /// but not ended for the sake of a new one that couldn't be opened.
    pub(super) fn shut_to(&self, ask: &Ask) -> Option<Trouble> {
        self.shut().or_else(|| (ask.fresh && self.gate_closed).then(|| self.gate_trouble()))
    }

    /// Opens an engine for the waiting asks, if one of them may open it.
    pub(super) fn open_for_asks(&mut self, out: &mut Effects) {
        if !self.caught_up || self.shut().is_some() || self.intent != Intent::Open {
            return;
        }
        if self.next_ask().is_some() {
            self.begin(super::Open::needed(), out);
        }
    }

    pub(super) fn next_ask(&self) -> Option<&Ask> {
        self.asks.iter().find(|ask| ask.stage == Stage::Waiting)
    }

    /// Whether the next ask wants a new conversation.
    pub(super) fn next_is_fresh(&self) -> bool {
        self.next_ask().is_some_and(|ask| ask.fresh)
    }

    /// Has the next ask typed, if the engine is ready for it.
    pub(super) fn pump(&mut self, now: Now, out: &mut Effects) {
        if !self.caught_up || !self.ask_waits_for_engine() || self.retry_at.is_some_and(|at| at > now.awake) {
            return;
        }
        self.retry_at = None;
        let Process::Live { session, view: Some(view) } = &self.process else { return };
        let session = session.clone();
        let kept_from = self.second_writer.as_ref().or(self.folder_lost()).or(self.unreachable());
        let ready = view.ready_for_ask.is_ok() && kept_from.is_none();
        if let Some(next) = self.next_ask()
            && let Some(trouble) = self.shut_to(next)
        {
            if !next.queued {
                let id = next.id.clone();
                self.over(&id, Err(trouble), out);
                self.pump(now, out);
            }
            return;
        }
        let Some(ask) = self.asks.iter_mut().find(|ask| ask.stage == Stage::Waiting) else { return };
        if ask.fresh {
            if ask.queued && !hold::work(&view.holds).is_empty() {
                return; // it may wait until nothing would be lost
            }
            let reply = None;
            let purpose = Purpose::FreshAsk(ask.id.clone());
            self.order(Order { reply, purpose, on_work: OnWork::Refuse }, out);
            return;
        }
        if !ready {
            return;
        }
        ask.stage = Stage::Submitted(session.clone());
        let ask = ask.clone();
        out.write(Change::Ask(ask.clone()));
        out.push(Effect::Submit { session, ask: ask.id, text: ask.text });
    }

    /// Whether an ask waits and a live engine isn't busy with another ask.
    pub(super) fn ask_waits_for_engine(&self) -> bool {
        let mut waits = false;
        for ask in &self.asks {
            match ask.stage {
                Stage::Waiting => waits = true,
                Stage::Submitted(_) | Stage::Taken { .. } => return false,
                Stage::Over(_) => {}
            }
        }
        waits && self.intent == Intent::Open && matches!(self.process, Process::Live { .. })
    }

    /// The holder didn't type the ask, because its engine wasn't ready after all. The next view, or a tick,
    /// tries again.
    pub(super) fn not_now(&mut self, id: &AskId, now: Now, out: &mut Effects) {
        self.retry_at = Some(now.awake.after(RETRY_ASK));
        self.wait_again(out, |ask| ask.id == *id);
        if let Intent::Paused { .. } = self.intent {
            let trouble = self.paused_trouble();
            self.fail_waiting_asks(&trouble, out);
        }
    }

    /// Puts asks that were never typed back to waiting.
    pub(super) fn wait_again(&mut self, out: &mut Effects, which: impl Fn(&Ask) -> bool) {
        for ask in &mut self.asks {
            if matches!(ask.stage, Stage::Submitted(_)) && which(ask) {
                ask.stage = Stage::Waiting;
                out.write(Change::Ask(ask.clone()));
            }
        }
    }

    pub(super) fn taken(&mut self, id: &AskId, prompt: Option<crate::ids::PromptId>, out: &mut Effects) {
        let Some(session) = self.session().cloned() else { return };
        self.early_ends = 0;
        self.called_off = false;
        let Some(ask) = self.asks.iter_mut().find(|ask| ask.id == *id) else { return };
        ask.stage = Stage::Taken { session, prompt };
        out.write(Change::Ask(ask.clone()));
    }

    pub(super) fn not_taken(&mut self, id: &AskId, out: &mut Effects) {
        let trouble = Trouble::new(
            Code::NotTaken,
            format!("{} gave no sign that it took the prompt.", self.engine.title),
            [format!("Look at its terminal: {}.", self.command("open")), "Then ask again.".into()],
        );
        self.over(id, Err(trouble), out);
    }

    /// Ends the ask that the turn was about. Returns whether somebody waited for its answer and has it now.
    pub(super) fn turn_over(
        &mut self,
        ask: Option<&AskId>,
        outcome: &TurnOutcome,
        out: &mut Effects,
    ) -> bool {
        let result = match outcome {
            TurnOutcome::Answered(text) => Some(Ok(text.clone())),
            TurnOutcome::Failed(error) => Some(Err(self.turn_failed(error))),
            TurnOutcome::Interrupted if super::end::is_removed(&self.process) => {
                Some(Err(super::refusals::ask_of_removed()))
            }
            TurnOutcome::Interrupted => Some(Err(turn_interrupted())),
            // The report of the engine's end comes next and gives the reason.
            TurnOutcome::EngineEnded => None,
        };
        let waits = |waiting: &Waiting| matches!(&waiting.wants, Wants::Answer(of) if Some(of) == ask);
        let heard = result.is_some() && self.waiting.iter().any(waits);
        if let (Some(id), Some(result)) = (ask, result) {
            self.over(id, result, out);
        }
        let waiting = self.take_waiting(|wants| matches!(wants, Wants::TurnOver));
        out.done_all(waiting);
        heard
    }

    /// Ends an ask: tells its asker, with the statement of the open if nobody has received that yet.
    pub(super) fn over(&mut self, id: &AskId, result: Result<String, Trouble>, out: &mut Effects) {
        let Some(at) = self.asks.iter().position(|ask| ask.id == *id) else { return };
        let Some(mut ask) = self.asks.remove(at) else { return };
        let began = matches!(ask.stage, Stage::Taken { .. });
        let continuity = self.continuity.clone().filter(|_| began && self.untold);
        if continuity.is_some() {
            self.untold = false;
            out.write(Change::Untold(false));
        }
        ask.stage = Stage::Over(result.clone());
        ask.told.clone_from(&continuity);
        ask.over = Some(self.at.wall);
        out.write(Change::Ask(ask.clone()));
        let answer = match result {
            Ok(text) => Answer::Answered { ask: ask.id, text, continuity },
            Err(trouble) if began => Answer::Unanswered { ask: ask.id, trouble, continuity },
            Err(trouble) => Answer::Refused(trouble),
        };
        self.answer_waiting(id, &answer, out);
    }

    pub(super) fn is_queued(&self, id: &AskId) -> bool {
        self.asks.iter().any(|ask| ask.id == *id && ask.queued)
    }

    /// Fails the waiting asks that aren't queued.
    pub(super) fn fail_waiting_asks(&mut self, trouble: &Trouble, out: &mut Effects) {
        self.fail_asks(trouble, out, |ask| ask.stage == Stage::Waiting && !ask.queued);
    }

    /// The holder is of another version: what its engine does is unknown, and asks can't reach it.
    pub(super) fn foreign(&mut self, build: &str, now: Now, out: &mut Effects) {
        let trouble = Trouble::new(
            Code::OtherVersion,
            format!(
                "This repo's agent is kept by another version of Repose ({}), which this one can only pause or end.",
                words::line(build)
            ),
            [
                format!("Pause it, and resume it with this version: {}.", self.command("pause")),
                "Or leave it: it goes by itself once nobody needs it.".into(),
            ],
        );
        let kind = hold::Kind::Unseen("only the version of Repose that keeps it can say".into());
        let view = View {
            activity: Activity::Working { since: now, sign: now },
            conversation: self.conversation.as_ref().map(|conversation| conversation.id.clone()),
            holds: vec![hold::Hold::new(now.wall, kind)],
            reap_at: None,
            ready_for_ask: Err(NotNow::LettingGo),
            interaction: now.wall,
            used: Some(now.awake),
            frozen: false,
            decision: None,
            trouble: Some(trouble.clone()),
        };
        self.viewed(view, out);
        self.fail_asks(&trouble, out, |ask| ask.stage == Stage::Waiting && !ask.queued && !ask.fresh);
        self.pause_that_waited(out);
    }

    /// Why the live engine can't be asked anything.
    pub(super) fn unreachable(&self) -> Option<&Trouble> {
        let unreachable =
            |trouble: &&Trouble| matches!(trouble.code, Code::OtherVersion | Code::NotAnswering);
        self.view()?.trouble.as_ref().filter(unreachable)
    }

    /// The trouble of a live engine whose folder is gone: what it is asked would be done in the wrong place,
    /// or not at all.
    fn folder_lost(&self) -> Option<&Trouble> {
        let folder = |trouble: &&Trouble| matches!(trouble.code, Code::FolderGone | Code::FolderUnreadable);
        self.session().and(self.offline.as_ref()).filter(folder)
    }

    /// Another program started or stopped writing the conversation beside the live engine. While it writes,
    /// queued asks wait and the others fail.
    pub(super) fn elsewhere(&mut self, owner: Option<Owner>, out: &mut Effects) {
        let writer = owner.as_ref().filter(|_| self.session().is_some());
        self.second_writer = writer.map(|owner| self.second_writer_trouble(owner));
        self.owner = owner;
        if let Some(trouble) = self.second_writer.clone() {
            self.fail_asks(&trouble, out, |ask| ask.stage == Stage::Waiting && !ask.queued && !ask.fresh);
        }
        self.open_if_free(out);
    }

    /// Fails the asks that the engine had received before it ended in this way.
    pub(super) fn fail_submitted_asks(&mut self, how: &How, out: &mut Effects) {
        let trouble = self.engine_ended(Some(how));
        self.fail_asks(&trouble, out, |ask| match ask.stage {
            Stage::Submitted(_) | Stage::Taken { .. } => true,
            Stage::Waiting | Stage::Over(_) => false,
        });
    }

    pub(super) fn fail_asks(&mut self, trouble: &Trouble, out: &mut Effects, which: impl Fn(&Ask) -> bool) {
        let ids: Vec<AskId> = self.asks.iter().filter(|ask| which(ask)).map(|ask| ask.id.clone()).collect();
        for id in ids {
            self.over(&id, Err(trouble.clone()), out);
        }
    }

    /// A new conversation has begun and nothing has been asked in it: the next ask doesn't need another one.
    pub(super) fn fresh_ask_has_its_open(&mut self, out: &mut Effects) {
        if let Some(ask) = self.asks.iter_mut().find(|ask| ask.stage == Stage::Waiting)
            && ask.fresh
        {
            ask.fresh = false;
            out.write(Change::Ask(ask.clone()));
        }
    }

    /// The work that an end would lose: what the holder judged, and every ask that it hasn't heard of.
    pub(super) fn lost_by(&self, purpose: &Purpose, holds: &[Hold]) -> Work {
        let in_flight = holds.iter().any(|hold| hold.kind == Kind::Ask);
        let ids = |cut: &dyn Fn(&Ask) -> bool| {
            self.asks.iter().filter(|ask| cut(ask)).map(|ask| ask.id.clone()).collect()
        };
        let begun = |ask: &Ask| match ask.stage {
            Stage::Submitted(_) | Stage::Taken { .. } => in_flight,
            Stage::Waiting | Stage::Over(_) => false,
        };
        Work::new(holds, ids(&begun), ids(&|ask| waits_in_vain(ask, purpose)))
    }

    /// The store couldn't take a new ask. An ask that it had already stays.
    pub(super) fn not_written(&mut self, id: &AskId, trouble: &Trouble, out: &mut Effects) {
        if self.new_ask.as_ref() == Some(id) {
            self.forget_ask(id, trouble, out);
        }
    }

    /// The store couldn't record that an ask is being typed, so it wasn't typed. It waits until the store
    /// can.
    pub(super) fn not_submitted(&mut self, id: &AskId, now: Now) {
        self.retry_at = Some(now.awake.after(RETRY_ASK));
        if let Some(ask) = self.asks.iter_mut().find(|ask| ask.id == *id) {
            ask.stage = Stage::Waiting;
        }
    }

    /// Drops an ask that the store couldn't take.
    fn forget_ask(&mut self, id: &AskId, trouble: &Trouble, out: &mut Effects) {
        self.asks.retain(|ask| ask.id != *id);
        self.answer_waiting(id, &Answer::Refused(trouble.clone()), out);
    }

    /// Refuses a request that reaches the actor of a removed repo.
    pub(super) fn refuse_removed(&mut self, event: Event, now: Now, out: &mut Effects) {
        let reply = match event {
            Event::Ensure(reply)
            | Event::EnsureWhenFree(reply)
            | Event::Fork(reply, _)
            | Event::Ask { reply, .. }
            | Event::Await(reply, _)
            | Event::Withdraw(reply, _)
            | Event::Pause(reply, _)
            | Event::Resume(reply, _)
            | Event::Lift(reply)
            | Event::Fresh(reply, _)
            | Event::Stop(reply, _)
            | Event::Remove(reply, _)
            | Event::Interrupt(reply)
            | Event::Decide { reply, .. }
            | Event::Switch { reply, .. }
            | Event::Pin(reply, _) => reply,
            Event::Checked { .. } => match self.ahead.take().and_then(|ahead| ahead.order.reply) {
                Some(reply) => reply,
                None => return,
            },
            Event::StoreFailed { trouble, undone } => {
                self.removed = false;
                self.store_failed(&trouble, undone, now, out);
                return;
            }
            Event::Gone(_)
            | Event::Described(_)
            | Event::Gate(_)
            | Event::Policy(_)
            | Event::Health(_)
            | Event::Loses(_)
            | Event::PlaceFree
            | Event::NoPlace(_)
            | Event::SpawnFailed { .. }
            | Event::Fact { .. }
            | Event::View { .. }
            | Event::Foreign { .. }
            | Event::Elsewhere { .. }
            | Event::NotNow { .. }
            | Event::Decided { .. }
            | Event::Judged { .. }
            | Event::Thawed { .. }
            | Event::Ended { .. }
            | Event::Read(_)
            | Event::Adopted(_)
            | Event::CaughtUp(_)
            | Event::Tick => return,
        };
        out.refuse(reply, Self::removed_trouble());
    }

    fn answer_waiting(&mut self, id: &AskId, answer: &Answer, out: &mut Effects) {
        let waiting = self.take_waiting(|wants| matches!(wants, Wants::Answer(ask) if ask == id));
        out.extend(waiting.into_iter().map(|waiting| Effect::Reply(waiting.reply, answer.clone())));
    }

    fn queue_full(&self) -> Trouble {
        Trouble::new(
            Code::QueueFull,
            format!("{WAITING_MAX} asks wait in this repo already. This one was not taken."),
            [
                "Wait until some are answered.".into(),
                format!("Or drop them: {}.", self.command("stop --interrupt")),
            ],
        )
    }

    fn ask_taken(&self) -> Trouble {
        Trouble::new(
            Code::AskTaken,
            "The agent has this ask, so it can't be taken back.",
            [format!("End its turn: {}.", self.command("interrupt"))],
        )
    }

    fn no_such_ask(&self, id: &AskId) -> Trouble {
        Trouble::new(
            Code::NoSuchAsk,
            format!("No ask {id} waits in this repo."),
            [format!("What was answered stands in {}.", self.command("log"))],
        )
    }
}

fn turn_interrupted() -> Trouble {
    Trouble::new(Code::TurnInterrupted, "The turn was interrupted before it answered.", ["Ask again."])
}

/// Whether the holder hasn't heard of the ask and an end for this purpose would leave it unanswered.
pub(super) fn waits_in_vain(ask: &Ask, purpose: &Purpose) -> bool {
    let lost = match purpose {
        Purpose::Pause => !ask.queued,
        Purpose::Stop | Purpose::Remove => true,
        Purpose::Fresh | Purpose::FreshAsk(_) | Purpose::Switch(_) | Purpose::Fork(_) => false,
    };
    lost && ask.stage == Stage::Waiting
}
