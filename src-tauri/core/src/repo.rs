//! One repo as its runner sees it: what the user wants of it, which process it has, and what it has been
//! asked.
//!
//! The repo's actor feeds [`Repo::handle`] everything that happens, writes the returned changes in one
//! transaction, and then carries out the effects in order. If the store refuses the changes, no effect is
//! carried out: no process is touched before what must be on disk is there. Nothing else opens, ends or asks
//! an engine.

mod ahead;
mod asks;
mod decide;
mod effect;
mod end;
mod ended;
mod event;
mod open;
mod orders;
mod refusals;
mod restart;
mod shown;
mod store;
mod told;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use crate::ask::Ask;
use crate::budget::Excess;
use crate::continuity::{Asked, Continuity, Plan, Reason};
use crate::conversation::{Conversation, Engine, Fork, Loss, Owner};
use crate::decision::Pick;
use crate::ids::{AskId, ConversationId, DecisionId, SessionId};
use crate::policy::Policy;
use crate::session::{FREEZE_LASTS, View};
use crate::time::{Awake, Now, Wall};
use crate::trouble::{Code, Trouble};
use crate::words;
use crate::work::OnWork;

pub use effect::{Effect, Effects};
pub use event::{
    Answer, Change, Checked, Event, Freed, How, Intent, Logged, NotTakenUp, Notice, Purpose, ReplyTo, Report,
    TurnEnd,
};
pub use refusals::no_such_conversation;
pub use restart::Adopted;
pub use shown::{Presence, State};

/// How long a pause waits for an opening engine to confirm its conversation. Engines confirm within seconds.
/// A large conversation can take minutes; the pause is then answered with "still opening".
pub const PAUSE_WAITS: Duration = Duration::from_secs(60);

/// How long an interrupt waits for the turn to end.
pub const INTERRUPT_WAITS: Duration = Duration::from_secs(10);

/// How long to wait for word that a decision has reached the engine. A live holder reports it within
/// milliseconds.
pub const DECISION_WAITS: Duration = Duration::from_secs(10);

/// If there was no runner for longer than this, the next one drops the asks that waited and weren't queued: whoever asked
/// has given up.
pub const ASK_OUTLIVES_RUNNER: Duration = Duration::from_secs(60);

/// After this, an ask that the holder didn't type is tried again, in case the news that the engine is ready
/// was lost.
pub const RETRY_ASK: Duration = Duration::from_secs(1);

/// After this, a missing verdict is requested again: the freeze that it belongs to may have lapsed.
pub const VERDICT_WITHIN: Duration = Duration::from_secs(FREEZE_LASTS.as_secs() / 2);

/// How long to wait before writing again what the store refused; repeated until the store takes it.
pub const REWRITE_AFTER: Duration = Duration::from_secs(5);

/// An engine that ends on its own this many times in a row, before it took a prompt, isn't opened again for
/// waiting asks.
pub const EARLY_ENDS_MAX: u32 = 3;

/// A repo's state as read from the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// What the user wants.
    pub intent: Intent,
    /// The current conversation.
    pub conversation: Option<Conversation>,
    /// The statement of the last open.
    pub continuity: Option<Continuity>,
    /// The statement of the last open hasn't been delivered with an answer yet.
    pub untold: bool,
    /// Interrupted work that no statement has named yet.
    pub interrupted: Vec<String>,
    /// The next open must be fresh.
    pub fresh_next: bool,
    /// The last copy of a conversation that was begun.
    pub last_fork: Option<Fork>,
    /// Asks that aren't over.
    pub asks: Vec<Ask>,
    /// Whether the user pinned the repo.
    pub pinned: bool,
    /// The memory that the last end gave back.
    pub freed: Option<Freed>,
}

/// One repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    /// The repo's name, as commands take it.
    called: String,
    engine: Engine,
    policy: Policy,
    intent: Intent,
    process: Process,
    conversation: Option<Conversation>,
    continuity: Option<Continuity>,
    /// The statement of the last open hasn't been delivered with an answer yet.
    untold: bool,
    interrupted: Vec<String>,
    fresh_next: bool,
    /// The last copy of a conversation that was begun.
    last_fork: Option<Fork>,
    asks: VecDeque<Ask>,
    waiting: Vec<Waiting>,
    /// Decisions whose makers were told that no word came, and of which there is none yet.
    unheard: Vec<Made>,
    pinned: bool,
    freed: Option<Freed>,
    offline: Option<Trouble>,
    /// What kept it from opening when somebody needed it, and was told. Kept until it could open: what comes and
    /// goes, as a drive that is away or unreadable in turn, is told once.
    in_vain: Vec<Code>,
    /// What the engine, as configured now, would do to a conversation that it resumes.
    loss: Option<Loss>,
    /// Another program that has the current conversation open.
    owner: Option<Owner>,
    /// Another program has the current conversation open beside the live engine.
    second_writer: Option<Trouble>,
    /// Open the repo as soon as `owner` lets go of the conversation.
    when_free: bool,
    gate_closed: bool,
    /// An order that ends the engine in favour of another conversation, held until that one is known to be
    /// openable.
    ahead: Option<ahead::Ahead>,
    /// The number of the last check. It tells a late result from that of a newer check.
    checks: u64,
    /// How many times in a row the engine ended on its own since it last took a prompt.
    early_ends: u32,
    /// Somebody ordered the end of the running turn.
    called_off: bool,
    /// When to try again an ask that the holder didn't type.
    retry_at: Option<Awake>,
    /// A conversation that is being opened and isn't the current one yet.
    other: Option<Conversation>,
    /// When the open that isn't confirmed yet was decided.
    begun: Option<Wall>,
    /// The user removed the repo, and no process is left.
    removed: bool,
    /// Everything from before this runner's start has been reported. Until then nothing is opened or typed
    /// for an ask, since it may be too old.
    caught_up: bool,
    /// The value of [`Repo::interrupted`] before this event.
    named_before: Option<Vec<String>>,
    /// The ask that this event withdrew, with its position.
    withdrawn: Option<(usize, Ask)>,
    /// What this event's switch of engines replaced.
    switched: Option<orders::Switched>,
    /// Changes that the store refused. There are few: asks and sessions begin only if the store takes them.
    unwritten: Vec<Change>,
    /// When to write `unwritten` again.
    rewrite_at: Option<Awake>,
    /// When the current event arrived.
    at: Now,
    /// The state after the last event, and since when; `None`: since before this runner started.
    seen: (State, Option<Wall>),
    /// The ask that this event brought.
    new_ask: Option<AskId>,
    /// The intents that this event replaced, to return to if the store refuses the change.
    replaced: Vec<Intent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Process {
    None,
    /// The checks before an open are running.
    Checking {
        check: u64,
        open: Open,
    },
    /// A holder was started; its engine hasn't confirmed a conversation yet.
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
    /// The session is being ended on somebody's order.
    Ending {
        session: SessionId,
        order: Order,
        stage: OrderStage,
        before: Before,
    },
    /// The holder is letting the idle engine go, or an end that was already under way is being finished.
    Reaping {
        session: SessionId,
        idle: Duration,
        /// Why it was let go early. `None`: it was due.
        over: Option<Excess>,
    },
}

/// What an open is to achieve.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    asked: Asked,
    /// Whether a person ordered it: then neither a pause nor a closed gate prevents it.
    deliberate: bool,
    /// The conversation to open. `None`: the current one.
    conversation: Option<ConversationId>,
    /// What to try instead, because an earlier attempt of the same open failed.
    fallback: Option<Fallback>,
    /// If another program has the conversation open, wait until it lets go.
    when_free: bool,
}

/// The next attempt when a conversation wasn't resumed: a copy, then a new conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fallback {
    Fork,
    /// The current conversation is a copy that was never written: copy the same original again.
    ForkAgain(ConversationId),
    Fresh(Reason),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Order {
    /// Whom to answer. `None`: the order is from before a restart.
    reply: Option<ReplyTo>,
    purpose: Purpose,
    on_work: OnWork,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OrderStage {
    /// The holder judges.
    Judging {
        /// Since when.
        since: Awake,
        /// The value of [`Repo::interrupted`] before an earlier runner had this end carried out. It applies again once
        /// the holder says what the end cuts off. `None`: nothing was committed, or that value isn't known.
        uncut: Option<Vec<String>>,
    },
    /// The order to end is on disk, and the tree is being ended.
    Committed {
        /// The value of [`Repo::interrupted`] before that. It applies again if the session goes on after all.
        uncut: Vec<String>,
    },
}

/// What a process was before its end was ordered, to return to if the end is dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Before {
    Opening { plan: Plan, view: Option<View> },
    Live { view: Option<View> },
}

/// Somebody who waits for something other than the answer to an ask in this event.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waiting {
    reply: ReplyTo,
    until: Option<Awake>,
    wants: Wants,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Wants {
    /// Wants an engine that has confirmed its conversation.
    Open(Open),
    /// Wants a pause once the engine has confirmed its conversation.
    Pause(OnWork),
    /// Wants the turn to end.
    TurnOver,
    /// Wants to know that this decision has reached the engine.
    Decided(Made),
    /// Wants the answer to this ask.
    Answer(AskId),
}

/// A decision that was sent to the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Made {
    decision: DecisionId,
    pick: Pick,
    /// How the log tells of it once it has arrived. `None`: it doesn't.
    told: Option<String>,
}

impl Repo {
    /// A repo as read from the store. At a runner's start, [`Event::Adopted`] follows if a holder lives, and
    /// then [`Event::CaughtUp`]. `name` is how commands in hints call the repo.
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
            last_fork: stored.last_fork,
            asks: stored.asks.into(),
            waiting: Vec::new(),
            unheard: Vec::new(),
            pinned: stored.pinned,
            freed: stored.freed,
            offline: None,
            in_vain: Vec::new(),
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
            begun: None,
            removed: false,
            caught_up: false,
            named_before: None,
            withdrawn: None,
            switched: None,
            unwritten: Vec::new(),
            rewrite_at: None,
            at: Now::default(),
            seen: (if paused { State::Paused } else { State::Asleep }, None),
            new_ask: None,
            replaced: Vec::new(),
        }
    }

    /// Takes in an event; returns what to write and do.
    pub fn handle(&mut self, event: Event, now: Now) -> Effects {
        let mut out = Effects::default();
        if self.removed {
            self.refuse_removed(event, now, &mut out);
            return out;
        }
        if !matches!(event, Event::StoreFailed { .. }) {
            self.replaced.clear();
            self.new_ask = None;
            self.named_before = None;
            self.withdrawn = None;
            self.switched = None;
        }
        self.at = now;
        self.run_out(now, &mut out);
        match event {
            Event::Ensure(reply) => self.ensure(reply, Open::needed(), &mut out),
            Event::EnsureWhenFree(reply) => self.ensure(reply, Open::when_free(), &mut out),
            Event::Ask { reply, ask, wait } => self.ask(reply, ask, wait, &mut out),
            Event::Await(reply, ask) => self.await_answer(reply, &ask, &mut out),
            Event::Gone(reply) => self.gone(reply),
            Event::Withdraw(reply, ask) => self.withdraw(reply, &ask, &mut out),
            Event::Pause(reply, on_work) => self.pause(reply, on_work, now, &mut out),
            Event::Resume(reply, conversation) => self.resume(reply, conversation, &mut out),
            Event::Lift(reply) => self.lift(reply, &mut out),
            Event::Fresh(reply, on_work) => self.fresh(reply, on_work, &mut out),
            Event::Fork(reply, conversation) => self.fork(reply, conversation, &mut out),
            Event::Stop(reply, on_work) => self.stop(reply, Purpose::Stop, on_work, &mut out),
            Event::Remove(reply, on_work) => self.stop(reply, Purpose::Remove, on_work, &mut out),
            Event::Interrupt(reply) => self.interrupt(reply, now, &mut out),
            Event::Decide { reply, decision, pick } => self.decide(reply, decision, pick, now, &mut out),
            Event::Pin(reply, pinned) => {
                if self.pinned != pinned {
                    self.pinned = pinned;
                    out.write(Change::Pinned(pinned));
                }
                out.done(reply);
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
            Event::NoPlace(why) => self.no_place(why),
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
            Event::Decided { decision, pick, stood } => self.decided(&decision, &pick, stood, &mut out),
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
            Event::CaughtUp(absence) => self.caught_up(absence, now, &mut out),
            Event::StoreFailed { trouble, undone } => self.store_failed(&trouble, undone, now, &mut out),
            Event::Tick => self.rewrite(now, &mut out),
        }
        self.pump(now, &mut out);
        self.note_state_change(now);
        out
    }

    /// The latest moment at which [`Event::Tick`] should arrive.
    #[must_use]
    pub fn next_wake(&self, now: Now) -> Option<Awake> {
        let retry = self.retry_at.filter(|at| *at > now.awake && self.ask_waits_for_engine());
        self.waiting.iter().filter_map(|waiting| waiting.until).chain(retry).chain(self.rewrite_at).min()
    }

    /// A command on this repo that can be copied, such as `repose stop work`.
    fn command(&self, verb: &str) -> String {
        format!("`repose {verb} {}`", self.called)
    }

    /// A command on this repo and, if given, on this conversation.
    fn command_on(&self, verb: &str, conversation: Option<&ConversationId>) -> String {
        match conversation {
            Some(id) => format!("`repose {verb} {} --conversation {id}`", self.called),
            None => self.command(verb),
        }
    }

    /// The session of the repo's process, if it has one.
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
