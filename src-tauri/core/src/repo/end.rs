//! The end of a session: ordered, judged, committed to disk, carried out.

use super::{
    Answer, Change, Effect, Event, Freed, How, Intent, Notice, OPENS_MAX, Open, Order, Process, Purpose,
    Repo, Report, Stage, Waiting, Wants, Was,
};
use crate::ask;
use crate::continuity::{Asked, Plan, Reason};
use crate::hold;
use crate::ids::SessionId;
use crate::session::{Fact, Freeze, Verdict, View};
use crate::time::{Now, Wall};
use crate::trouble::{Code, Trouble};
use crate::words;

impl Repo {
    /// First step: the order is on disk, then the holder freezes and judges.
    pub(super) fn order(&mut self, order: Order, out: &mut Vec<Effect>) {
        let (session, was) = match std::mem::replace(&mut self.process, Process::None) {
            Process::Opening { session, plan, view } => (session, Was::Opening { plan, view }),
            Process::Live { session, view } => (session, Was::Live { view }),
            other @ (Process::None
            | Process::Checking { .. }
            | Process::Leaving { .. }
            | Process::Going { .. }) => {
                self.process = other;
                return;
            }
        };
        let Order { purpose, interrupt, .. } = order.clone();
        self.set_intent(Intent::Leaving { session: session.clone(), purpose, interrupt }, out);
        out.push(Effect::Freeze(session.clone(), freeze(&order)));
        self.process = Process::Leaving { session, order, stage: Stage::Judging, was };
    }

    /// Second step: the verdict is on disk, then the tree is ended.
    pub(super) fn judged(&mut self, verdict: Verdict, now: Now, out: &mut Vec<Effect>) {
        let Process::Leaving { session, order, stage: stage @ Stage::Judging, .. } = &mut self.process else {
            return;
        };
        let (session, order) = (session.clone(), order.clone());
        match verdict {
            Verdict::Frozen(work) => {
                *stage = Stage::Ending;
                self.commit(&order, &hold::work(&work), Some(now.wall), out);
                out.push(Effect::End(session));
            }
            Verdict::Held(holds) => {
                let work = hold::work(&holds);
                let trouble = Self::work_trouble(&order.purpose, &work);
                self.drop_order(&order, &trouble, work, out);
            }
            Verdict::NotResumable => {
                let trouble = self.not_resumable();
                self.drop_order(
                    &order,
                    &trouble,
                    vec!["a conversation that couldn't be resumed".into()],
                    out,
                );
            }
        }
    }

    /// What an order means for the state on disk. `paused_at` is there for a pause.
    pub(super) fn commit(
        &mut self,
        order: &Order,
        work: &[String],
        paused_at: Option<Wall>,
        out: &mut Vec<Effect>,
    ) {
        if !work.is_empty() {
            self.interrupted = work.to_vec();
            out.push(Effect::Persist(Change::Interrupted(work.to_vec())));
        }
        match &order.purpose {
            Purpose::Pause => {
                self.set_intent(Intent::Paused { since: paused_at.unwrap_or_default() }, out);
                self.fail_waiting_asks(&Self::paused_trouble(), out);
            }
            Purpose::Stop | Purpose::Remove => {
                if order.purpose == Purpose::Stop {
                    self.set_intent(Intent::Open, out);
                }
                let stopped = Trouble::new(
                    Code::Stopped,
                    "The repo was stopped before this was asked.",
                    ["Ask again when you come back to it."],
                );
                self.fail_asks(&stopped, out, |ask| ask.stage == ask::Stage::Waiting);
                let opens = self.take_waiting(|wants| matches!(wants, Wants::Open(_) | Wants::Pause { .. }));
                out.extend(
                    opens.into_iter().map(|w| Effect::Reply(w.reply, Answer::Refused(stopped.clone()))),
                );
            }
            Purpose::Fresh | Purpose::FreshAsk(_) => {
                self.fresh_next = true;
                out.push(Effect::Persist(Change::FreshNext(true)));
                self.set_intent(Intent::Open, out);
            }
            Purpose::Switch(_) => self.set_intent(Intent::Open, out),
        }
    }

    /// What follows once no process is left.
    pub(super) fn finish(&mut self, order: Order, freed: Option<Freed>, out: &mut Vec<Effect>) {
        let Order { reply, purpose, .. } = order;
        let mut answer = |answer: Answer| out.extend(reply.map(|reply| Effect::Reply(reply, answer)));
        match purpose {
            Purpose::Pause => {
                let freed = freed.unwrap_or_default();
                answer(Answer::Paused(freed));
                out.push(Effect::Notice(Notice::Paused(freed)));
            }
            Purpose::Stop => answer(Answer::Done),
            Purpose::Remove => {
                out.push(Effect::Persist(Change::Removed));
                out.extend(reply.map(|reply| Effect::Reply(reply, Answer::Done)));
            }
            Purpose::Fresh => self.open_after(reply, Open::asked(Asked::Fresh), out),
            Purpose::FreshAsk(_) => self.begin(Open::asked(Asked::Fresh), out),
            Purpose::Switch(conversation) => {
                let open = Open { asked: Asked::Resume, conversation: Some(conversation), instead: None };
                self.open_after(reply, open, out);
            }
        }
    }

    fn open_after(&mut self, reply: Option<super::ReplyTo>, open: Open, out: &mut Vec<Effect>) {
        if let Some(reply) = reply {
            self.wait_for_open(reply, open.clone());
        }
        self.begin(open, out);
    }

    /// A session is over, for whatever reason.
    pub(super) fn ended(&mut self, report: Report, now: Now, out: &mut Vec<Effect>) {
        let process = std::mem::replace(&mut self.process, Process::None);
        let session = match &process {
            Process::None | Process::Checking { .. } => {
                self.process = process;
                return;
            }
            Process::Opening { session, .. }
            | Process::Live { session, .. }
            | Process::Leaving { session, .. }
            | Process::Going { session, .. } => session.clone(),
        };
        self.freed = report.freed.or(self.freed);
        out.push(Effect::Persist(Change::SessionOver { session, report: report.clone() }));
        self.fail_submitted_asks(out);
        if !report.left.is_empty() {
            out.push(Effect::Notice(Notice::Trouble(left_behind(&report.left))));
        }
        match process {
            Process::None | Process::Checking { .. } => {}
            Process::Opening { plan, .. } => self.ended_opening(&plan, &report.how, out),
            Process::Live { view, .. } => self.ended_by_itself(view.as_ref(), &report.how, out),
            Process::Going { idle, .. } => {
                out.push(Effect::Notice(Notice::Reaped { idle, freed: report.freed }));
            }
            Process::Leaving { order, stage, was, .. } => {
                if stage == Stage::Judging {
                    let view = match &was {
                        Was::Opening { view, .. } | Was::Live { view } => view.as_ref(),
                    };
                    let work = view.map(|view| hold::work(&view.holds)).unwrap_or_default();
                    self.commit(&order, &work, Some(now.wall), out);
                }
                self.finish(order, report.freed, out);
            }
        }
        self.after_end(out);
    }

    /// Those who came while it ended.
    fn after_end(&mut self, out: &mut Vec<Effect>) {
        let over = self.take_waiting(|wants| matches!(wants, Wants::TurnOver));
        out.extend(over.into_iter().map(|waiting| Effect::Reply(waiting.reply, Answer::Done)));
        if let Some(trouble) = self.shut() {
            let refused =
                self.take_waiting(|wants| matches!(wants, Wants::Open(open) if open.asked == Asked::Nothing));
            out.extend(
                refused
                    .into_iter()
                    .map(|waiting| Effect::Reply(waiting.reply, Answer::Refused(trouble.clone()))),
            );
        }
        let next = self.waiting.iter().find_map(|Waiting { wants, .. }| match wants {
            Wants::Open(open) => Some(open.clone()),
            Wants::Pause { .. } | Wants::TurnOver | Wants::Answer(_) => None,
        });
        if let Some(open) = next {
            self.begin(open, out);
        }
        self.open_for_asks(out);
    }

    fn ended_opening(&mut self, plan: &Plan, how: &How, out: &mut Vec<Effect>) {
        let resumed = matches!(plan, Plan::Resume { .. });
        match how {
            How::Exited { conversation_unknown: true, .. } if resumed => {
                let open =
                    Open { asked: Asked::Nothing, conversation: None, instead: Some(Reason::EngineLostIt) };
                self.begin(open, out);
            }
            How::Exited { words, .. } => {
                let trouble = Trouble::new(
                    Code::EngineFailedToStart,
                    format!("{} ended before it was ready. It said: {}", self.engine.title, said(words)),
                    ["Start it by hand in that folder to see what it needs.", "Check it: `repose doctor`."],
                );
                self.offline = Some(trouble.clone());
                self.fail_open(&trouble, out);
                out.push(Effect::Notice(Notice::Trouble(trouble)));
            }
            How::HolderDied | How::Ended => {
                let trouble = Trouble::new(
                    Code::EngineFailedToStart,
                    format!("The process that keeps {} ended before it was ready.", self.engine.title),
                    ["Ask again.", "Check what is left: `repose doctor`."],
                );
                self.fail_open(&trouble, out);
            }
        }
    }

    fn ended_by_itself(&mut self, view: Option<&View>, how: &How, out: &mut Vec<Effect>) {
        let work = view.map(|view| hold::work(&view.holds)).unwrap_or_default();
        if !work.is_empty() {
            self.interrupted.clone_from(&work);
            out.push(Effect::Persist(Change::Interrupted(work)));
        }
        let words = match how {
            How::Exited { words, .. } => said(words),
            How::HolderDied => "the process that keeps it died".into(),
            How::Ended => return,
        };
        out.push(Effect::Notice(Notice::EndedByItself(words.clone())));
        if self.opens >= OPENS_MAX {
            self.opens = 0;
            let trouble = Trouble::new(
                Code::EngineFailedToStart,
                format!(
                    "{} ended {OPENS_MAX} times in a row before it took a prompt. It said: {words}",
                    self.engine.title
                ),
                ["Start it by hand in that folder to see what it needs."],
            );
            self.fail_waiting_asks(&trouble, out);
        }
    }

    fn drop_order(&mut self, order: &Order, trouble: &Trouble, work: Vec<String>, out: &mut Vec<Effect>) {
        self.go_back();
        self.set_intent(Intent::Open, out);
        match (&order.purpose, order.reply) {
            (Purpose::FreshAsk(ask), _) => self.over(ask, Err(trouble.clone()), out),
            (_, Some(reply)) => out.push(Effect::Reply(reply, Answer::Refused(trouble.clone()))),
            (purpose, None) => {
                out.push(Effect::Notice(Notice::OrderDropped { purpose: purpose.clone(), work }));
            }
        }
    }

    fn go_back(&mut self) {
        self.process = match std::mem::replace(&mut self.process, Process::None) {
            Process::Leaving { session, was: Was::Opening { plan, view }, .. } => {
                Process::Opening { session, plan, view }
            }
            Process::Leaving { session, was: Was::Live { view }, .. } => Process::Live { session, view },
            other @ (Process::None
            | Process::Checking { .. }
            | Process::Opening { .. }
            | Process::Live { .. }
            | Process::Going { .. }) => other,
        };
    }

    pub(super) fn fact(&mut self, fact: Fact, now: Now, out: &mut Vec<Effect>) {
        match fact {
            Fact::Confirmed { conversation, source, transcript } => {
                self.confirmed(conversation, &source, transcript, now, out);
            }
            Fact::Moved { conversation, source: _, transcript } => self.moved(conversation, transcript, out),
            Fact::Taken { ask, prompt } => self.taken(&ask, prompt, out),
            Fact::NotTaken { ask } => self.not_taken(&ask, out),
            Fact::TurnOver { ask, outcome, at: _ } => {
                let answered = matches!(outcome, crate::session::TurnOutcome::Answered(_));
                self.turn_over(ask.as_ref(), &outcome, out);
                out.push(Effect::Notice(Notice::TurnOver { answered }));
            }
            Fact::LettingGo { idle } => match &self.process {
                Process::Opening { session, .. } | Process::Live { session, .. } => {
                    let session = session.clone();
                    let pausing = self.take_waiting(|wants| matches!(wants, Wants::Pause { .. }));
                    out.extend(pausing.into_iter().map(|waiting| {
                        Effect::Reply(waiting.reply, Answer::Refused(super::orders::in_transition()))
                    }));
                    self.process = Process::Going { session, idle };
                }
                Process::None
                | Process::Checking { .. }
                | Process::Leaving { .. }
                | Process::Going { .. } => {}
            },
        }
    }

    pub(super) fn viewed(&mut self, new: View, out: &mut Vec<Effect>) {
        let idle = matches!(new.activity, crate::session::Activity::Idle { .. });
        match &mut self.process {
            Process::Opening { view, .. } | Process::Live { view, .. } => *view = Some(new),
            Process::Leaving { was: Was::Opening { view, .. } | Was::Live { view }, .. } => *view = Some(new),
            Process::None | Process::Checking { .. } | Process::Going { .. } => {}
        }
        if idle {
            let over = self.take_waiting(|wants| matches!(wants, Wants::TurnOver));
            out.extend(over.into_iter().map(|waiting| Effect::Reply(waiting.reply, Answer::Done)));
        }
        if let Process::Opening { view: Some(view), .. } = &self.process
            && matches!(view.activity, crate::session::Activity::Waiting { .. })
        {
            self.pause_that_waited(out);
        }
    }

    /// At the runner's start: a holder lives. What was ordered before is judged again.
    pub(super) fn adopted(&mut self, adopted: Adopted, out: &mut Vec<Effect>) {
        let Adopted { session, plan, view, confirmed } = adopted;
        self.process = if confirmed {
            Process::Live { session: session.clone(), view: Some(view) }
        } else {
            Process::Opening { session: session.clone(), plan, view: Some(view) }
        };
        match self.intent.clone() {
            Intent::Open => {}
            Intent::Leaving { purpose, interrupt, .. } => {
                self.order(Order { reply: None, purpose, interrupt }, out);
            }
            Intent::Paused { .. } => {
                // The word was on disk, and the runner died before it could carry it out.
                let order = Order { reply: None, purpose: Purpose::Pause, interrupt: true };
                out.push(Effect::End(session.clone()));
                let was = Was::Live { view: None };
                self.process = Process::Leaving { session, order, stage: Stage::Ending, was };
            }
        }
    }

    /// At the runner's start, after everything of before was told.
    pub(super) fn begun(&mut self, now: Now, out: &mut Vec<Effect>) {
        if self.session().is_none() {
            if let Intent::Leaving { purpose, interrupt, .. } = self.intent.clone() {
                let order = Order { reply: None, purpose, interrupt };
                self.commit(&order, &[], Some(now.wall), out);
                self.finish(order, None, out);
            }
            self.fail_submitted_asks(out);
        }
        self.fail_stale_asks(now, out);
        self.submit_again(out);
        self.open_for_asks(out);
    }

    /// The store refused: nothing that stood after its refusal was done, so nothing of it may be believed.
    pub(super) fn store_failed(&mut self, trouble: &Trouble, undone: Vec<Effect>, out: &mut Vec<Effect>) {
        let mut spawn = false;
        let mut end = false;
        for effect in undone {
            match effect {
                Effect::Reply(reply, _) => out.push(Effect::Reply(reply, Answer::Refused(trouble.clone()))),
                Effect::Spawn { .. } => spawn = true,
                Effect::Freeze(..) | Effect::End(_) => end = true,
                Effect::Submit { ask, .. } => self.forget_ask(&ask, trouble, out),
                Effect::Check { .. } => {
                    self.process = Process::None;
                    self.fail_unwritten(trouble, out);
                }
                Effect::Persist(Change::Ask(ask)) => self.forget_ask(&ask.id, trouble, out),
                Effect::Persist(_) | Effect::Interrupt(_) | Effect::Thaw(_) | Effect::Notice(_) => {}
            }
        }
        if spawn {
            self.process = Process::None;
            self.fail_unwritten(trouble, out);
        }
        if end && let Process::Leaving { session, order, .. } = &self.process {
            let (session, reply) = (session.clone(), order.reply);
            out.push(Effect::Thaw(session));
            out.extend(reply.map(|reply| Effect::Reply(reply, Answer::Refused(trouble.clone()))));
            self.go_back();
            self.intent = Intent::Open;
        }
        out.push(Effect::Notice(Notice::Trouble(trouble.clone())));
    }

    fn fail_unwritten(&mut self, trouble: &Trouble, out: &mut Vec<Effect>) {
        let waiting = self.take_waiting(|wants| matches!(wants, Wants::Open(_) | Wants::Pause { .. }));
        out.extend(waiting.into_iter().map(|w| Effect::Reply(w.reply, Answer::Refused(trouble.clone()))));
        let ids: Vec<_> = self.asks.iter().filter(|ask| !ask.queued).map(|ask| ask.id.clone()).collect();
        for id in ids {
            self.forget_ask(&id, trouble, out);
        }
    }

    fn not_resumable(&self) -> Trouble {
        let why = if self.engine.keeps_conversations {
            "nothing was asked in this conversation yet, so there is nothing that could be resumed".to_owned()
        } else {
            format!("{} keeps no conversation, so it couldn't be resumed", self.engine.title)
        };
        Trouble::new(
            Code::NotResumable,
            format!("A pause would be a one-way trip: {why}. The process was left alone."),
            ["End it for good: `repose stop`."],
        )
    }
}

/// A holder that lives at the runner's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// Its session.
    pub session: SessionId,
    /// What was asked of its engine.
    pub plan: Plan,
    /// How it looks.
    pub view: View,
    /// The store has what its open came to. Otherwise its journal tells.
    pub confirmed: bool,
}

impl From<Adopted> for Event {
    fn from(adopted: Adopted) -> Self {
        Self::Adopted(adopted)
    }
}

fn freeze(order: &Order) -> Freeze {
    let must_resume = match order.purpose {
        Purpose::Pause => true,
        Purpose::Stop | Purpose::Fresh | Purpose::FreshAsk(_) | Purpose::Switch(_) | Purpose::Remove => false,
    };
    Freeze { interrupt: order.interrupt, must_resume }
}

fn said(text: &str) -> String {
    match words::line(text) {
        line if line.is_empty() => "nothing.".into(),
        line => line,
    }
}

fn left_behind(left: &[String]) -> Trouble {
    Trouble::new(
        Code::LeftBehind,
        format!("After the end of the engine these processes are still there: {}.", words::list(left)),
        ["Look at them, and end them by hand.", "Check again: `repose doctor`."],
    )
}
