//! What users order: pause, resume, fresh, stop, remove, interrupt.

use super::{
    Answer, Before, Change, Effect, Effects, Freed, INTERRUPT_WAITS, Intent, Open, Order, PAUSE_WAITS,
    Process, Purpose, ReplyTo, Repo, Waiting, Wants,
};
use crate::continuity::{Asked, Continuity};
use crate::conversation::{Conversation, Engine};
use crate::ids::ConversationId;
use crate::session::Activity;
use crate::time::Now;
use crate::trouble::{Code, Trouble};
use crate::words;
use crate::work::{self, OnWork, Work};

/// What a repo had with the engine that another one replaced: none of it is true of the other one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Switched {
    pub(super) engine: Engine,
    pub(super) conversation: Option<Conversation>,
    pub(super) continuity: Option<Continuity>,
    pub(super) freed: Option<Freed>,
}

impl Repo {
    pub(super) fn pause(&mut self, reply: ReplyTo, on_work: OnWork, now: Now, out: &mut Effects) {
        let refused = |trouble| Effect::Reply(reply, Answer::Refused(trouble));
        match &self.process {
            Process::None if matches!(self.intent, Intent::Paused { .. }) => {
                out.push(refused(self.nothing_to_pause("it is paused already")));
            }
            Process::None if self.next_ask().is_none() => {
                out.push(refused(self.nothing_to_pause("no engine is running")));
            }
            Process::None => {
                self.pause_queue(Order { reply: Some(reply), purpose: Purpose::Pause, on_work }, out)
            }
            Process::Reaping { .. } => out.push(refused(self.nothing_to_pause("its engine is being let go"))),
            Process::Ending { .. } => out.push(refused(in_transition())),
            Process::Live { .. } => {
                self.order(Order { reply: Some(reply), purpose: Purpose::Pause, on_work }, out)
            }
            // An engine that shows a dialog confirms nothing until somebody answers, and a holder of another
            // version reports nothing: judge the session as it is.
            Process::Opening { view: Some(view), .. }
                if matches!(view.activity, Activity::Waiting { .. }) || self.unreachable().is_some() =>
            {
                self.order(Order { reply: Some(reply), purpose: Purpose::Pause, on_work }, out);
            }
            Process::Checking { .. } | Process::Opening { .. } => {
                let until = Some(now.awake.after(PAUSE_WAITS));
                self.waiting.push(Waiting { reply, until, wants: Wants::Pause(on_work) });
            }
        }
    }

    /// Without an engine, what a pause keeps from going on is what is queued.
    fn pause_queue(&mut self, order: Order, out: &mut Effects) {
        let lost = self.lost_by(&order.purpose, &[]);
        if !order.on_work.allows(&lost) {
            let trouble = self.work_trouble(&order.purpose, &lost);
            out.extend(order.reply.map(|reply| Effect::Reply(reply, Answer::Refused(trouble))));
            return;
        }
        self.commit(&order, &Work::default(), Some(self.at.wall), out);
        self.finish(order, None, out);
    }

    pub(super) fn pause_that_waited(&mut self, out: &mut Effects) {
        let mut waiting = self.take_waiting(|wants| matches!(wants, Wants::Pause(_))).into_iter();
        if let Some(Waiting { reply, wants: Wants::Pause(on_work), .. }) = waiting.next() {
            self.order(Order { reply: Some(reply), purpose: Purpose::Pause, on_work }, out);
        }
        out.refuse_all(waiting, &in_transition());
    }

    pub(super) fn resume(&mut self, reply: ReplyTo, conversation: Option<ConversationId>, out: &mut Effects) {
        let current = self.conversation.as_ref().map(|current| &current.id);
        let other = conversation.filter(|wanted| Some(wanted) != current);
        let open = Open::of(other.clone());
        let refused = Effect::Reply(reply, Answer::Refused(in_transition()));
        match (&mut self.process, other) {
            (Process::Live { .. }, None) => out.done(reply),
            (Process::Live { .. } | Process::Opening { .. }, Some(wanted)) => {
                let purpose = Purpose::Switch(wanted);
                self.look_ahead(Order { reply: Some(reply), purpose, on_work: OnWork::Refuse }, open, out);
            }
            (Process::Checking { open: on_its_way, .. }, None)
                if on_its_way.asked != Asked::Fresh && on_its_way.conversation.is_none() =>
            {
                on_its_way.asked = Asked::Resume;
                on_its_way.deliberate = true;
                self.not_fresh(out);
                self.wait_for_open(reply, open);
            }
            (Process::Checking { .. }, _) => out.push(refused),
            (Process::Ending { order, .. }, _) => match order.purpose {
                Purpose::Pause | Purpose::Stop => self.wait_for_open(reply, open),
                Purpose::Fresh
                | Purpose::FreshAsk(_)
                | Purpose::Switch(_)
                | Purpose::Fork(_)
                | Purpose::Remove => {
                    out.push(refused);
                }
            },
            (Process::Opening { .. } | Process::Reaping { .. }, _) => self.wait_for_open(reply, open),
            (Process::None, _) => {
                self.wait_for_open(reply, open.clone());
                self.begin(open, out);
            }
        }
    }

    pub(super) fn lift(&mut self, reply: ReplyTo, out: &mut Effects) {
        match (&self.process, &self.intent) {
            // The pause is being carried out. It can't be known whether it would be lifted before or after
            // that.
            (Process::Ending { order, .. }, _) if order.purpose == Purpose::Pause => {
                out.refuse(reply, in_transition());
                return;
            }
            (_, Intent::Paused { .. }) => self.set_intent(Intent::Open, out),
            (_, Intent::Open | Intent::Ending { .. }) => {}
        }
        out.done(reply);
        self.open_for_asks(out);
    }

    pub(super) fn fresh(&mut self, reply: ReplyTo, on_work: OnWork, out: &mut Effects) {
        match &mut self.process {
            Process::Live { .. } | Process::Opening { .. } => {
                self.order(Order { reply: Some(reply), purpose: Purpose::Fresh, on_work }, out);
            }
            Process::Checking { open, .. } => {
                *open = Open::ordered(Asked::Fresh);
                self.wait_for_open(reply, Open::ordered(Asked::Fresh));
            }
            Process::Ending { .. } => out.refuse(reply, in_transition()),
            Process::Reaping { .. } => self.wait_for_open(reply, Open::ordered(Asked::Fresh)),
            Process::None => {
                self.wait_for_open(reply, Open::ordered(Asked::Fresh));
                self.begin(Open::ordered(Asked::Fresh), out);
            }
        }
    }

    pub(super) fn fork(&mut self, reply: ReplyTo, conversation: Option<ConversationId>, out: &mut Effects) {
        if let Some(mut trouble) = self.shut() {
            if self.is_paused() {
                trouble.hints.push(self.fork_after_pause(conversation.as_ref()));
            }
            out.refuse(reply, trouble);
            return;
        }
        let current = self.conversation.as_ref().map(|current| &current.id);
        let other = conversation.filter(|wanted| Some(wanted) != current);
        let open = Open::fork(other.clone());
        match &self.process {
            Process::Live { .. } | Process::Opening { .. } => {
                let purpose = Purpose::Fork(other);
                self.look_ahead(Order { reply: Some(reply), purpose, on_work: OnWork::Refuse }, open, out);
            }
            Process::Checking { .. } | Process::Ending { .. } => {
                out.refuse(reply, in_transition());
            }
            Process::Reaping { .. } => self.wait_for_open(reply, open),
            Process::None => {
                self.wait_for_open(reply, open.clone());
                self.begin(open, out);
            }
        }
    }

    /// Stop and Remove, which end the session alike and differ in what follows.
    pub(super) fn stop(&mut self, reply: ReplyTo, purpose: Purpose, on_work: OnWork, out: &mut Effects) {
        if let (Intent::Paused { since }, Purpose::Stop) = (&self.intent, &purpose)
            && !on_work.lifts(*since)
        {
            out.refuse(reply, self.paused_since_named());
            return;
        }
        let lost = match &self.process {
            Process::None | Process::Checking { .. } | Process::Reaping { .. } => self.lost_by(&purpose, &[]),
            // Judged as a whole once the holder has reported its part.
            Process::Opening { .. } | Process::Live { .. } | Process::Ending { .. } => Work::default(),
        };
        if !on_work.allows(&lost) {
            out.refuse(reply, self.work_trouble(&purpose, &lost));
            return;
        }
        let order = Order { reply: Some(reply), purpose, on_work };
        self.when_free = false;
        match &self.process {
            Process::Ending { .. } => out.refuse(reply, in_transition()),
            Process::Live { .. } | Process::Opening { .. } => self.order(order, out),
            Process::Checking { .. } | Process::None => {
                self.process = Process::None;
                self.commit(&order, &Work::default(), None, out);
                self.finish(order, None, out);
            }
            Process::Reaping { session, .. } => {
                // The session ends as it is, and nobody who was waiting for it reopens it.
                let (session, before) = (session.clone(), Before::Live { view: None });
                self.set_intent(order.intent(&session), out);
                let stage = self.commit(&order, &Work::default(), None, out);
                self.process = Process::Ending { session, order, stage, before };
            }
        }
    }

    pub(super) fn interrupt(&mut self, reply: ReplyTo, now: Now, out: &mut Effects) {
        match &self.process {
            Process::Live { session, view: Some(view) } => match view.activity {
                Activity::Working { .. } | Activity::Waiting { .. } => {
                    out.push(Effect::Interrupt(session.clone()));
                    self.called_off = true;
                    let until = Some(now.awake.after(INTERRUPT_WAITS));
                    self.waiting.push(Waiting { reply, until, wants: Wants::TurnOver });
                }
                Activity::Opening { .. } | Activity::Idle { .. } => {
                    out.refuse(reply, self.nothing_to_interrupt());
                }
            },
            Process::Live { view: None, .. }
            | Process::None
            | Process::Checking { .. }
            | Process::Opening { .. }
            | Process::Ending { .. }
            | Process::Reaping { .. } => {
                out.refuse(reply, self.nothing_to_interrupt());
            }
        }
    }

    /// Answers everybody whose time to wait has run out.
    pub(super) fn run_out(&mut self, now: Now, out: &mut Effects) {
        let over = |waiting: &Waiting| waiting.until.is_some_and(|until| until <= now.awake);
        let (late, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting).into_iter().partition(over);
        self.waiting = kept;
        for waiting in late {
            let trouble = match waiting.wants {
                Wants::Pause(_) => Trouble::new(
                    Code::StillOpening,
                    format!(
                        "The engine has not confirmed its conversation for {}; it goes on opening.",
                        words::span(PAUSE_WAITS)
                    ),
                    [
                        format!("Look at its terminal: {}.", self.command("open")),
                        format!("Or end it: {}.", self.command("stop")),
                    ],
                ),
                Wants::Decided(made) => {
                    self.unheard.push(made);
                    Trouble::new(
                        Code::TimedOut,
                        "The process that keeps the agent gave no word whether the decision arrived.",
                        [format!("Look at its terminal: {}.", self.command("open"))],
                    )
                }
                Wants::TurnOver | Wants::Open(_) | Wants::Answer(_) => Trouble::new(
                    Code::TimedOut,
                    format!("The turn has not ended within {}.", words::span(INTERRUPT_WAITS)),
                    [
                        format!("Look at its terminal: {}.", self.command("open")),
                        format!("Or end it: {}.", self.command("stop --interrupt")),
                    ],
                ),
            };
            out.refuse(waiting.reply, trouble);
        }
    }

    /// Changes the engine of a repo that has no engine process; the previous engine was ended first.
    pub(super) fn switch(
        &mut self,
        reply: ReplyTo,
        engine: Engine,
        conversation: Option<Conversation>,
        out: &mut Effects,
    ) {
        let answer = match (&self.process, &self.intent) {
            (_, Intent::Paused { .. }) => Answer::Refused(self.stays_paused()),
            (Process::None, Intent::Open | Intent::Ending { .. }) => {
                self.switched = Some(Switched {
                    engine: std::mem::replace(&mut self.engine, engine),
                    conversation: std::mem::replace(&mut self.conversation, conversation),
                    continuity: self.continuity.take(),
                    freed: self.freed.take(),
                });
                self.offline = None;
                self.in_vain.clear();
                self.loss = None;
                out.write(Change::Engine(self.engine.name.clone()));
                Answer::Done
            }
            (
                Process::Checking { .. }
                | Process::Opening { .. }
                | Process::Live { .. }
                | Process::Ending { .. }
                | Process::Reaping { .. },
                Intent::Open | Intent::Ending { .. },
            ) => Answer::Refused(in_transition()),
        };
        out.push(Effect::Reply(reply, answer));
    }

    /// A pause keeps the engine too: what is queued was asked of that one.
    fn stays_paused(&self) -> Trouble {
        let (resume, stop) = (self.command("resume"), self.command("stop"));
        Trouble::new(
            Code::Paused,
            "This repo is paused, and a pause keeps its engine. Nothing was changed.",
            [format!("End the pause first: {resume}, or {stop}, which opens nothing. Then change it.")],
        )
    }

    /// The repo's engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn paused_trouble(&self) -> Trouble {
        Trouble::new(
            Code::Paused,
            "This repo is paused, and only Resume or a fresh start opens it.",
            [
                format!("Bring its conversation back: {}.", self.command("resume")),
                format!("Or leave an ask for later: `repose ask --queue {} \"…\"`.", self.called),
            ],
        )
    }

    /// The refusal of a Stop by whoever was told what it would end, and not of the pause that it would lift.
    fn paused_since_named(&self) -> Trouble {
        Trouble::new(
            Code::Paused,
            "This repo was paused in the meantime. It stays paused, and nothing was ended.",
            [
                format!("Bring its conversation back: {}.", self.command("resume")),
                format!("Or lift the pause, and open nothing: {}.", self.command("stop")),
            ],
        )
    }

    pub(super) fn removed_trouble() -> Trouble {
        Trouble::new(
            Code::NoSuchRepo,
            "This repo was removed.",
            ["Add it again: `repose add`. Its conversations are still there."],
        )
    }

    pub(super) fn gate_trouble(&self) -> Trouble {
        Trouble::new(
            Code::Paused,
            format!("Everything is paused. {}.", words::gate_closed("Resume all")),
            [
                "Lift it: `repose resume --all`.".into(),
                format!("Or resume this repo alone: {}.", self.command("resume")),
            ],
        )
    }

    /// The refusal of an end that would lose work.
    pub(super) fn work_trouble(&self, purpose: &Purpose, work: &Work) -> Trouble {
        let (verb, all_the_same) = match purpose {
            Purpose::Pause => ("Pausing", "pause --interrupt"),
            Purpose::Stop => ("Stopping", "stop --interrupt"),
            Purpose::Fresh | Purpose::FreshAsk(_) => ("Starting fresh", "fresh --interrupt"),
            Purpose::Switch(_) => ("Going over to another conversation", "stop --interrupt"),
            Purpose::Fork(_) => ("Going over to a copy", "stop --interrupt"),
            Purpose::Remove => ("Removing", "rm --interrupt"),
        };
        let command = self.command(all_the_same);
        let trouble = Trouble::new(
            Code::WorkWouldBeLost,
            work::would_be_lost(verb, work),
            [
                if work.is_the_users() {
                    format!("See to it in its terminal: {}.", self.command("open"))
                } else if work.goes_on() {
                    "Wait until it is done.".into()
                } else if self.is_paused() {
                    format!("Have it sent: {}.", self.command("resume"))
                } else {
                    format!("See what it waits for: {}.", self.command("asks"))
                },
                match purpose {
                    Purpose::Switch(_) | Purpose::Fork(_) => {
                        format!("Or end it first, all the same: {command}.")
                    }
                    Purpose::Pause
                    | Purpose::Stop
                    | Purpose::Fresh
                    | Purpose::FreshAsk(_)
                    | Purpose::Remove => format!("Or do it all the same: {command}."),
                },
            ],
        );
        let named = match self.intent {
            Intent::Paused { since } => work.named().with_pause(since),
            Intent::Open | Intent::Ending { .. } => work.named(),
        };
        Trouble { named, ..trouble }
    }

    pub(super) fn nothing_to_pause(&self, why: &str) -> Trouble {
        Trouble::new(
            Code::NothingToPause,
            format!("Nothing to pause: {why}."),
            [
                format!("See how it is: {}.", self.command("status")),
                format!("If you won't come back to it now: {}.", self.command("stop")),
            ],
        )
    }

    fn nothing_to_interrupt(&self) -> Trouble {
        if self.is_paused() {
            return Trouble::new(
                Code::Paused,
                "Nothing to interrupt: this repo is paused.",
                [format!("Bring its conversation back: {}.", self.command("resume"))],
            );
        }
        Trouble::new(
            Code::NothingToInterrupt,
            "Nothing to interrupt: no turn is in progress.",
            [format!("See what it does: {}.", self.command("status"))],
        )
    }
}

pub(super) fn in_transition() -> Trouble {
    Trouble::new(
        Code::InTransition,
        "Another order is being carried out on this repo; this one was not.",
        ["Try again in a moment."],
    )
}
