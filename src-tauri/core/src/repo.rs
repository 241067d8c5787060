//! One repo as its runner sees it: what the user wants of it, what process it has, what is asked of it.
//!
//! The repo's actor feeds [`Repo::handle`] everything that happens, writes the changes that come back, all or none, and
//! then does the effects, in order. What the disk refuses is followed by none: no process is touched before what must be
//! on disk is there. Nothing else opens, ends or asks.

mod ahead;
mod asks;
mod decide;
mod effect;
mod end;
mod event;
mod open;
mod orders;
mod restart;
mod shown;
mod store;
mod told;
mod unfit;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use crate::ask::Ask;
use crate::budget::Excess;
use crate::continuity::{Asked, Continuity, Plan, Reason};
use crate::conversation::{Conversation, Copied, Engine, Loss, Owner};
use crate::ids::{AskId, ConversationId, DecisionId, SessionId};
use crate::policy::Policy;
use crate::session::{FREEZE_LASTS, View};
use crate::time::{Awake, Now, Wall};
use crate::trouble::{Code, Trouble};
use crate::words;

pub use effect::{Effect, Effects};
pub use event::{
    Answer, Change, Checked, Event, Freed, How, Intent, NotTakenUp, Notice, Purpose, ReplyTo, Report, TurnEnd,
};
pub use restart::Adopted;
pub use shown::{Presence, State};

/// A pause that comes while the engine opens waits this long for the confirmation. Engines confirm within seconds;
/// a large conversation can take minutes, and then the answer says that it is still opening.
pub const PAUSE_WAITS: Duration = Duration::from_secs(60);

/// How long an interrupt waits for the turn to end.
pub const INTERRUPT_WAITS: Duration = Duration::from_secs(10);

/// How long word of a decision's arrival is waited for. A holder that lives has it within milliseconds.
pub const DECISION_WAITS: Duration = Duration::from_secs(10);

/// At a runner's start an ask that isn't queued is dropped if it is older than this: its asker has given up.
pub const ASK_OUTLIVES_RUNNER: Duration = Duration::from_secs(60);

/// An ask that the holder didn't type is tried again after this, should the news of the engine's readiness be lost.
pub const RETRY_ASK: Duration = Duration::from_secs(1);

/// A verdict that takes longer than this is asked for again: the freeze it speaks of may have lapsed.
pub const VERDICT_WITHIN: Duration = Duration::from_secs(FREEZE_LASTS.as_secs() / 2);

/// What the store refused is written again after this, and again, until it is taken.
pub const REWRITE_AFTER: Duration = Duration::from_secs(5);

/// An engine that ends by itself this often in a row, before it took a prompt, isn't opened again for the asks that
/// wait.
pub const EARLY_ENDS_MAX: u32 = 3;

/// What the store knows of a repo, to begin from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// What the user wants.
    pub intent: Intent,
    /// The current conversation.
    pub conversation: Option<Conversation>,
    /// What the last open came to.
    pub continuity: Option<Continuity>,
    /// That hasn't come with an answer yet.
    pub untold: bool,
    /// Interrupted work that wasn't named yet.
    pub interrupted: Vec<String>,
    /// The next open must be fresh.
    pub fresh_next: bool,
    /// The last copy that was begun.
    pub copied: Option<Copied>,
    /// Asks that aren't over.
    pub asks: Vec<Ask>,
    /// The user pinned it.
    pub pinned: bool,
    /// What the last end gave back.
    pub freed: Option<Freed>,
}

/// One repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    /// What it is called, as a command names it.
    called: String,
    engine: Engine,
    policy: Policy,
    intent: Intent,
    process: Process,
    conversation: Option<Conversation>,
    continuity: Option<Continuity>,
    /// The last open's statement hasn't come with an answer yet.
    untold: bool,
    interrupted: Vec<String>,
    fresh_next: bool,
    /// The last copy that was begun.
    copied: Option<Copied>,
    asks: VecDeque<Ask>,
    waiting: Vec<Waiting>,
    pinned: bool,
    freed: Option<Freed>,
    offline: Option<Trouble>,
    /// What kept it from opening when somebody needed it, which was told. Until it can open.
    in_vain: Option<Code>,
    /// What the engine, as it is set now, would do to a conversation that it takes up.
    loss: Option<Loss>,
    /// Another program has the current conversation open.
    owner: Option<Owner>,
    /// The same, beside a live engine.
    second_writer: Option<Trouble>,
    /// It is to be opened as soon as that program lets go of it.
    when_free: bool,
    gate_closed: bool,
    /// An order that would end the engine for another conversation, until it is known that this can be opened.
    ahead: Option<ahead::Ahead>,
    /// Checks are numbered, so that a late answer isn't taken for a later check's.
    checks: u64,
    /// Ends by itself since a prompt was taken.
    early_ends: u32,
    /// The turn that goes on was to end, on somebody's word.
    called_off: bool,
    /// An ask that the holder didn't type is tried again then.
    retry_at: Option<Awake>,
    /// A conversation that is being taken up and isn't the current one yet.
    other: Option<Conversation>,
    /// The user removed it, and no process is left.
    removed: bool,
    /// Everything of before this runner was told. Nothing is opened or typed for an ask before that: it may be too old.
    caught_up: bool,
    /// What [`Repo::interrupted`] was before this event.
    uncut: Option<Vec<String>>,
    /// The ask that this event took back, and where it stood.
    withdrawn: Option<(usize, Ask)>,
    /// What this event's switch of the engine replaced.
    switched: Option<(Engine, Option<Conversation>)>,
    /// What the store refused. It is few: asks and sessions begin only with a store that takes them.
    unwritten: Vec<Change>,
    /// When that is written again.
    rewrite_at: Option<Awake>,
    /// When this event came.
    at: Awake,
    /// The state as it was after the last event, and since when it is that; `None`: since before this runner.
    seen: (State, Option<Wall>),
    /// The ask that this event brought.
    new_ask: Option<AskId>,
    /// What this event's changes of the intent replaced, to go back to should the store refuse them.
    replaced: Vec<Intent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Process {
    None,
    /// Before an open.
    Checking {
        check: u64,
        open: Open,
    },
    /// A holder was started; its engine has confirmed nothing yet.
    Opening {
        session: SessionId,
        plan: Plan,
        view: Option<View>,
    },
    /// The engine has confirmed a conversation.
    Live {
        session: SessionId,
        view: Option<View>,
    },
    /// It is being ended on somebody's word.
    Ending {
        session: SessionId,
        order: Order,
        stage: EndStage,
        before: Before,
    },
    /// It lets itself go, or its end is being finished.
    Reaping {
        session: SessionId,
        idle: Duration,
        /// Why before its time.
        over: Option<Excess>,
    },
}

/// What an open is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    asked: Asked,
    /// On a person's word: neither a pause nor a closed gate keeps it from opening.
    deliberate: bool,
    /// Another conversation than the current one.
    conversation: Option<ConversationId>,
    /// What was tried before didn't come about, so this is next.
    fallback: Option<Fallback>,
    /// If another program has the conversation open, wait until it hasn't.
    when_free: bool,
}

/// The next step down where a conversation wasn't taken up: resumed, else a copy, else a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fallback {
    Copy,
    /// The copy that is current was never written: another copy of the same conversation.
    CopyAgain(ConversationId),
    Fresh(Reason),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Order {
    /// `None`: it comes from before a restart.
    reply: Option<ReplyTo>,
    purpose: Purpose,
    interrupt: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndStage {
    /// The holder judges, since then.
    Judging(Awake),
    /// The word is on disk, and the tree is being ended.
    Committed,
}

/// What a process was before its end was ordered, to go back to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Before {
    Opening { plan: Plan, view: Option<View> },
    Live { view: Option<View> },
}

/// Somebody who waits for something other than an answer to an ask of this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waiting {
    reply: ReplyTo,
    until: Option<Awake>,
    wants: Wants,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Wants {
    /// An engine that has confirmed its conversation.
    Open(Open),
    /// A pause, once it has.
    Pause { interrupt: bool },
    /// The end of the turn.
    TurnOver,
    /// Word that a decision has reached the engine.
    Decided(DecisionId),
    /// The answer of this ask.
    Answer(AskId),
}

impl Repo {
    /// A repo, as the store knows it. At a runner's start [`Event::Adopted`] follows if a holder lives, and then
    /// [`Event::CaughtUp`]. Commands in hints call it by `name`.
    #[must_use]
    pub fn new(name: &str, engine: Engine, policy: Policy, stored: Stored) -> Self {
        let paused = matches!(stored.intent, Intent::Paused { .. });
        Self {
            called: words::shell_word(name),
            engine,
            policy,
            intent: stored.intent,
            process: Process::None,
            conversation: stored.conversation,
            continuity: stored.continuity,
            untold: stored.untold,
            interrupted: stored.interrupted,
            fresh_next: stored.fresh_next,
            copied: stored.copied,
            asks: stored.asks.into(),
            waiting: Vec::new(),
            pinned: stored.pinned,
            freed: stored.freed,
            offline: None,
            in_vain: None,
            loss: None,
            owner: None,
            second_writer: None,
            when_free: false,
            gate_closed: false,
            ahead: None,
            checks: 0,
            early_ends: 0,
            called_off: false,
            retry_at: None,
            other: None,
            removed: false,
            caught_up: false,
            uncut: None,
            withdrawn: None,
            switched: None,
            unwritten: Vec::new(),
            rewrite_at: None,
            at: Awake(0),
            seen: (if paused { State::Paused } else { State::Asleep }, None),
            new_ask: None,
            replaced: Vec::new(),
        }
    }

    /// Takes in what happened; says what follows.
    pub fn handle(&mut self, event: Event, now: Now) -> Effects {
        let mut out = Effects::default();
        if self.removed {
            self.refuse_removed(event, now, &mut out);
            return out;
        }
        if !matches!(event, Event::StoreFailed { .. }) {
            self.replaced.clear();
            self.new_ask = None;
            self.uncut = None;
            self.withdrawn = None;
            self.switched = None;
        }
        self.at = now.awake;
        self.run_out(now, &mut out);
        match event {
            Event::Ensure(reply) => self.ensure(reply, Open::needed(), &mut out),
            Event::EnsureWhenFree(reply) => self.ensure(reply, Open::when_free(), &mut out),
            Event::Ask { reply, ask, wait } => self.ask(reply, ask, wait, &mut out),
            Event::Await(reply, ask) => self.await_answer(reply, &ask, &mut out),
            Event::Gone(reply) => self.gone(reply),
            Event::Withdraw(reply, ask) => self.withdraw(reply, &ask, &mut out),
            Event::Pause(reply, interrupt) => self.pause(reply, interrupt, now, &mut out),
            Event::Resume(reply, conversation) => self.resume(reply, conversation, &mut out),
            Event::Lift(reply) => self.lift(reply, &mut out),
            Event::Fresh(reply, interrupt) => self.fresh(reply, interrupt, &mut out),
            Event::Fork(reply, conversation) => self.fork(reply, conversation, &mut out),
            Event::Stop(reply, interrupt) => self.stop(reply, Purpose::Stop, interrupt, &mut out),
            Event::Remove(reply, interrupt) => self.stop(reply, Purpose::Remove, interrupt, &mut out),
            Event::Interrupt(reply) => self.interrupt(reply, now, &mut out),
            Event::Decide { reply, decision, choice } => {
                self.decide(reply, decision, choice, now, &mut out);
            }
            Event::Pin(reply, pinned) => {
                if self.pinned != pinned {
                    self.pinned = pinned;
                    out.write(Change::Pinned(pinned));
                }
                out.push(Effect::Reply(reply, Answer::Done));
            }
            Event::Switch { reply, engine, conversation } => {
                self.switch(reply, engine, conversation, &mut out);
            }
            Event::Described(engine) => self.engine = engine,
            Event::Gate(closed) => {
                self.gate_closed = closed;
                self.open_if_free(&mut out);
                self.open_for_asks(&mut out);
            }
            Event::Policy(policy) => self.policy = policy,
            Event::Health(trouble) => self.health(trouble, &mut out),
            Event::Loses(loss) => self.loss = loss,
            Event::PlaceFree => self.place_free(&mut out),
            Event::Checked { check, result } => self.checked(check, result, now, &mut out),
            Event::SpawnFailed { session, trouble } => self.spawn_failed(&session, trouble, now, &mut out),
            Event::Fact { session, fact } => {
                if self.session() == Some(&session) {
                    self.fact(fact, now, &mut out);
                }
            }
            Event::View { session, view } => {
                if self.session() == Some(&session) {
                    self.viewed(view, &mut out);
                }
            }
            Event::Foreign { session, build } => {
                if self.session() == Some(&session) {
                    self.foreign(&build, now, &mut out);
                }
            }
            Event::Elsewhere { session, owner } => {
                if self.session() == session.as_ref() {
                    self.elsewhere(owner, &mut out);
                }
            }
            Event::NotNow { ask, why: _ } => self.not_now(&ask, now, &mut out),
            Event::Decided { decision, stood } => self.decided(&decision, stood, &mut out),
            Event::Judged { session, verdict } => {
                if self.session() == Some(&session) {
                    self.judged(verdict, now, &mut out);
                }
            }
            Event::Thawed { session } => {
                if self.session() == Some(&session) {
                    self.thawed(&mut out);
                }
            }
            Event::Ended { session, report } => {
                if self.session() == Some(&session) {
                    self.write_behind(&mut out);
                    self.ended(report, now, &mut out);
                }
            }
            Event::Read(conversation) => self.read(conversation, &mut out),
            Event::Adopted(adopted) => self.adopted(adopted, &mut out),
            Event::CaughtUp => self.caught_up(now, &mut out),
            Event::StoreFailed { trouble, undone } => self.store_failed(&trouble, undone, now, &mut out),
            Event::Tick => self.rewrite(now, &mut out),
        }
        self.pump(now, &mut out);
        self.note_state_change(now);
        out
    }

    /// When [`Event::Tick`] should come at the latest.
    #[must_use]
    pub fn next_wake(&self, now: Now) -> Option<Awake> {
        let retry = self.retry_at.filter(|at| *at > now.awake && self.ask_waits_for_engine());
        self.waiting.iter().filter_map(|waiting| waiting.until).chain(retry).chain(self.rewrite_at).min()
    }

    /// A command on this repo, to be copied: `repose stop work`.
    fn command(&self, verb: &str) -> String {
        format!("`repose {verb} {}`", self.called)
    }

    /// The same on this conversation, where one was named.
    fn command_on(&self, verb: &str, conversation: Option<&ConversationId>) -> String {
        match conversation {
            Some(id) => format!("`repose {verb} {} --conversation {id}`", self.called),
            None => self.command(verb),
        }
    }

    /// The session of its process, if it has one.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        match &self.process {
            Process::None | Process::Checking { .. } => None,
            Process::Opening { session, .. }
            | Process::Live { session, .. }
            | Process::Ending { session, .. }
            | Process::Reaping { session, .. } => Some(session),
        }
    }
}
