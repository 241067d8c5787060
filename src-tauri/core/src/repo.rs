//! One repo as its runner sees it: what the user wants of it, what process it has, what is asked of it.
//!
//! The repo's actor feeds [`Repo::handle`] everything that happens and does the effects that come back, in order.
//! It stops at an effect that fails: what is to be on disk before a process is touched stands before the touch.
//! Nothing else opens, ends or asks.

mod asks;
mod end;
mod open;
mod orders;
mod shown;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use crate::ask::Ask;
use crate::continuity::{Asked, Continuity, Plan, Reason};
use crate::conversation::{Conversation, Engine, Owner};
use crate::ids::{AskId, ConversationId, SessionId};
use crate::policy::Policy;
use crate::session::{Fact, Freeze, NotNow, Verdict, View};
use crate::time::{Awake, Now, Wall};
use crate::trouble::Trouble;

pub use end::Adopted;
pub use shown::State;

/// A pause that comes while the engine opens waits this long for the confirmation. Engines confirm within seconds;
/// a large conversation can take minutes, and then the answer says that it is still opening.
pub const PAUSE_WAITS: Duration = Duration::from_secs(60);

/// How long an interrupt waits for the turn to end.
pub const INTERRUPT_WAITS: Duration = Duration::from_secs(10);

/// At a runner's start an ask that isn't queued is dropped if it is older than this: its asker has given up.
pub const ASK_OUTLIVES_RUNNER: Duration = Duration::from_secs(60);

/// An ask that found the engine not ready is tried again after this, should the news of its readiness be lost.
pub const RETRY_ASK: Duration = Duration::from_secs(1);

/// An engine that ends this often in a row, before it took a prompt, isn't opened again for the asks that wait.
pub const OPENS_MAX: u32 = 3;

/// Where an answer goes. The actor gives the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplyTo(pub u64);

/// What the user wants of the repo. It is on disk, and a restart reads it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Open it when something needs it.
    Open,
    /// An end was ordered and is not yet carried out.
    Leaving {
        /// Of which session.
        session: SessionId,
        /// What for.
        purpose: Purpose,
        /// The user said that work may be lost.
        interrupt: bool,
    },
    /// Don't open it until the user says so.
    Paused {
        /// Since when.
        since: Wall,
    },
}

/// What a session is ended for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To give its memory back and keep the conversation.
    Pause,
    /// The user doesn't come back to it now.
    Stop,
    /// To begin a new conversation.
    Fresh,
    /// To begin a new conversation with this ask.
    FreshAsk(AskId),
    /// To take up another of the repo's conversations.
    Switch(ConversationId),
    /// The repo goes.
    Remove,
}

/// Memory that an end gave back, as measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Freed {
    /// Bytes.
    pub bytes: u64,
    /// The tree's processes.
    pub processes: u32,
    /// Proportional set size; resident set size where the system has nothing better.
    pub pss: bool,
    /// From the order to the tree verified gone, milliseconds.
    pub took_ms: u64,
}

/// What is known of the machine before an open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The id for the session.
    pub session: SessionId,
    /// The id for a new conversation.
    pub new_conversation: ConversationId,
    /// The conversation that the check was for, read anew.
    pub conversation: Option<Conversation>,
    /// A program outside Repose that has it open.
    pub owner: Option<Owner>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// By whom or by what.
    pub how: How,
    /// What it gave back. `None`: not measured, because the process was gone before.
    pub freed: Option<Freed>,
    /// Processes of its tree that could not be ended: pids and names.
    pub left: Vec<String>,
}

/// By whom or by what a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It was let go, or its end was ordered.
    Ended,
    /// The engine ended by itself.
    Exited {
        /// What it said last, and its exit status, in words.
        words: String,
        /// It said that it doesn't know the conversation.
        conversation_unknown: bool,
    },
    /// The holder died. The tree was ended after it.
    HolderDied,
}

/// What can happen to a repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Somebody needs a live engine.
    Ensure(ReplyTo),
    /// Somebody asks. Without `wait` the answer is only that it was accepted.
    Ask {
        /// Where the answer goes.
        reply: ReplyTo,
        /// What is asked.
        ask: Ask,
        /// Answer when the turn is over.
        wait: bool,
    },
    /// Somebody wants the answer of an ask that was accepted before.
    Await(ReplyTo, AskId),
    /// Somebody takes back an ask that waits.
    Withdraw(ReplyTo, AskId),
    /// Pause. The flag: work may be lost.
    Pause(ReplyTo, bool),
    /// Bring the conversation back: the current one, or this one.
    Resume(ReplyTo, Option<ConversationId>),
    /// Lift a pause and open nothing.
    Lift(ReplyTo),
    /// Begin a new conversation. The flag: work may be lost.
    Fresh(ReplyTo, bool),
    /// End it, and forget pause and queue. The flag: work may be lost.
    Stop(ReplyTo, bool),
    /// Remove the repo. The flag: work may be lost.
    Remove(ReplyTo, bool),
    /// End the turn.
    Interrupt(ReplyTo),
    /// Pin or unpin it.
    Pin(ReplyTo, bool),
    /// Everything was paused (`true`) or resumed.
    Gate(bool),
    /// The settings changed.
    Policy(Policy),
    /// What keeps it from opening, looked at without being asked. `None`: nothing.
    Health(Option<Trouble>),
    /// What [`Effect::Check`] found.
    Checked {
        /// The check's number.
        check: u64,
        /// What is known, or what keeps it from opening.
        result: Result<Checked, Trouble>,
    },
    /// The holder couldn't be started.
    SpawnFailed {
        /// Of which session.
        session: SessionId,
        /// Why.
        trouble: Trouble,
    },
    /// The session told something.
    Fact {
        /// Which session.
        session: SessionId,
        /// What.
        fact: Fact,
    },
    /// The session looks different.
    View {
        /// Which session.
        session: SessionId,
        /// How it looks.
        view: View,
    },
    /// The holder doesn't type the ask now.
    NotNow {
        /// Which ask.
        ask: AskId,
        /// Why.
        why: NotNow,
    },
    /// The holder judged an order to freeze.
    Judged {
        /// Which session.
        session: SessionId,
        /// Its verdict.
        verdict: Verdict,
    },
    /// The session is over.
    Ended {
        /// Which session.
        session: SessionId,
        /// How.
        report: Report,
    },
    /// A conversation was read anew.
    Read(Conversation),
    /// At the runner's start: a holder of this repo lives.
    Adopted(Adopted),
    /// At the runner's start: everything of before is told.
    Begun,
    /// The store refused to write.
    StoreFailed {
        /// Why.
        trouble: Trouble,
        /// The change that it refused, and every effect that stood after it.
        undone: Vec<Effect>,
    },
    /// Time passed.
    Tick,
}

/// What a repo wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Write this to the store. If that fails, do nothing that stands after it and say [`Event::StoreFailed`].
    Persist(Change),
    /// Look at folder, engine, login and disk, read this conversation anew and look for its owner; then say
    /// [`Event::Checked`].
    Check {
        /// The check's number.
        check: u64,
        /// The conversation that could be resumed.
        conversation: Option<ConversationId>,
    },
    /// Start a holder.
    Spawn {
        /// With this session.
        session: SessionId,
        /// What to ask of the engine.
        plan: Plan,
        /// The id of the conversation that begins, if a new one does.
        new_conversation: ConversationId,
    },
    /// Have an ask typed.
    Submit {
        /// By the holder of this session.
        session: SessionId,
        /// Which ask.
        ask: AskId,
        /// Its text.
        text: String,
    },
    /// Have the turn ended.
    Interrupt(SessionId),
    /// Have the session frozen and judged.
    Freeze(SessionId, Freeze),
    /// Let it go on.
    Thaw(SessionId),
    /// Have the session ended.
    End(SessionId),
    /// Answer somebody.
    Reply(ReplyTo, Answer),
    /// Tell people.
    Notice(Notice),
}

/// What is written to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// What the user wants.
    Intent(Intent),
    /// The current conversation. The one before stays listed.
    Current(Conversation),
    /// What is known of a conversation.
    Known(Conversation),
    /// What the last open came to.
    Continuity(Continuity),
    /// Whether that is still to come with an answer.
    Untold(bool),
    /// Work that was interrupted and must be named at the next open.
    Interrupted(Vec<String>),
    /// The next open must be fresh.
    FreshNext(bool),
    /// An ask, as it stands.
    Ask(Ask),
    /// An ask is withdrawn.
    AskGone(AskId),
    /// A session begins.
    SessionBegins {
        /// Which.
        session: SessionId,
        /// What is asked of its engine.
        plan: Plan,
    },
    /// A session is over.
    SessionOver {
        /// Which.
        session: SessionId,
        /// How.
        report: Report,
    },
    /// The user pinned or unpinned it.
    Pinned(bool),
    /// The repo is gone.
    Removed,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is so.
    Done,
    /// The ask waits, and its answer can be had later.
    Accepted(AskId),
    /// The ask is answered.
    Answered {
        /// Which ask.
        ask: AskId,
        /// The engine's own words.
        text: String,
        /// What the open before it came to, with the first answer after an open.
        continuity: Option<Continuity>,
    },
    /// The ask was taken, and its turn ended without an answer.
    Unanswered {
        /// Which ask.
        ask: AskId,
        /// Why.
        trouble: Trouble,
        /// What the open before it came to, with the first answer after an open.
        continuity: Option<Continuity>,
    },
    /// It is paused.
    Paused(Freed),
    /// No: and nothing was changed.
    Refused(Trouble),
}

/// What people may want to be told without having asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// An idle engine was let go.
    Reaped {
        /// How long it was idle.
        idle: Duration,
        /// What that gave back.
        freed: Option<Freed>,
    },
    /// The repo was paused.
    Paused(Freed),
    /// An open resumed or began fresh.
    Opened(Continuity),
    /// The engine went over to another conversation.
    Moved(ConversationId),
    /// A turn is over.
    TurnOver {
        /// It answered.
        answered: bool,
    },
    /// The engine ended, and nobody had ordered it.
    EndedByItself(String),
    /// An order from before a restart was dropped, because work would have been lost.
    OrderDropped {
        /// Which order.
        purpose: Purpose,
        /// The work.
        work: Vec<String>,
    },
    /// Something is wrong.
    Trouble(Trouble),
}

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
    asks: VecDeque<Ask>,
    waiting: Vec<Waiting>,
    pinned: bool,
    freed: Option<Freed>,
    offline: Option<Trouble>,
    gate_closed: bool,
    /// Checks are numbered, so that a late answer isn't taken for a later check's.
    checks: u64,
    /// Opens since a prompt was taken.
    opens: u32,
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
    Leaving {
        session: SessionId,
        order: Order,
        stage: Stage,
        was: Was,
    },
    /// It lets itself go, or its end is being finished.
    Going {
        session: SessionId,
        idle: Duration,
    },
}

/// What an open is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    asked: Asked,
    /// Another conversation than the current one.
    conversation: Option<ConversationId>,
    /// Resuming was tried, and this is why it can't be.
    instead: Option<Reason>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Order {
    /// `None`: it comes from before a restart.
    reply: Option<ReplyTo>,
    purpose: Purpose,
    interrupt: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The holder judges.
    Judging,
    /// The word is on disk, and the tree is being ended.
    Ending,
}

/// What a process was before its end was ordered, to go back to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Was {
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
    /// The answer of this ask.
    Answer(AskId),
}

impl Repo {
    /// A repo, as the store knows it. At a runner's start [`Event::Adopted`] follows if a holder lives, and then
    /// [`Event::Begun`].
    #[must_use]
    pub fn new(engine: Engine, policy: Policy, stored: Stored) -> Self {
        Self {
            engine,
            policy,
            intent: stored.intent,
            process: Process::None,
            conversation: stored.conversation,
            continuity: stored.continuity,
            untold: stored.untold,
            interrupted: stored.interrupted,
            fresh_next: stored.fresh_next,
            asks: stored.asks.into(),
            waiting: Vec::new(),
            pinned: stored.pinned,
            freed: stored.freed,
            offline: None,
            gate_closed: false,
            checks: 0,
            opens: 0,
        }
    }

    /// Takes in what happened; what comes back is to be done in this order.
    pub fn handle(&mut self, event: Event, now: Now) -> Vec<Effect> {
        let mut out = Vec::new();
        self.run_out(now, &mut out);
        match event {
            Event::Ensure(reply) => self.ensure(reply, &mut out),
            Event::Ask { reply, ask, wait } => self.ask(reply, ask, wait, &mut out),
            Event::Await(reply, ask) => self.await_answer(reply, &ask, &mut out),
            Event::Withdraw(reply, ask) => self.withdraw(reply, &ask, &mut out),
            Event::Pause(reply, interrupt) => self.pause(reply, interrupt, now, &mut out),
            Event::Resume(reply, conversation) => self.resume(reply, conversation, &mut out),
            Event::Lift(reply) => self.lift(reply, &mut out),
            Event::Fresh(reply, interrupt) => self.fresh(reply, interrupt, &mut out),
            Event::Stop(reply, interrupt) => self.stop(reply, Purpose::Stop, interrupt, &mut out),
            Event::Remove(reply, interrupt) => self.stop(reply, Purpose::Remove, interrupt, &mut out),
            Event::Interrupt(reply) => self.interrupt(reply, now, &mut out),
            Event::Pin(reply, pinned) => {
                self.pinned = pinned;
                out.push(Effect::Persist(Change::Pinned(pinned)));
                out.push(Effect::Reply(reply, Answer::Done));
            }
            Event::Gate(closed) => {
                self.gate_closed = closed;
                self.open_for_asks(&mut out);
            }
            Event::Policy(policy) => self.policy = policy,
            Event::Health(trouble) => self.offline = trouble,
            Event::Checked { check, result } => self.checked(check, result, now, &mut out),
            Event::SpawnFailed { session, trouble } => self.spawn_failed(&session, trouble, &mut out),
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
            Event::NotNow { ask, why } => self.not_now(&ask, why),
            Event::Judged { session, verdict } => {
                if self.session() == Some(&session) {
                    self.judged(verdict, now, &mut out);
                }
            }
            Event::Ended { session, report } => {
                if self.session() == Some(&session) {
                    self.ended(report, now, &mut out);
                }
            }
            Event::Read(conversation) => self.read(conversation, &mut out),
            Event::Adopted(adopted) => self.adopted(adopted, &mut out),
            Event::Begun => self.begun(now, &mut out),
            Event::StoreFailed { trouble, undone } => self.store_failed(&trouble, undone, &mut out),
            Event::Tick => {}
        }
        self.pump(&mut out);
        out
    }

    /// When [`Event::Tick`] should come at the latest.
    #[must_use]
    pub fn next_wake(&self, now: Now) -> Option<Awake> {
        let retry = self.ask_waits_for_engine().then(|| now.awake.after(RETRY_ASK));
        self.waiting.iter().filter_map(|waiting| waiting.until).chain(retry).min()
    }

    /// The session of its process, if it has one.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        match &self.process {
            Process::None | Process::Checking { .. } => None,
            Process::Opening { session, .. }
            | Process::Live { session, .. }
            | Process::Leaving { session, .. }
            | Process::Going { session, .. } => Some(session),
        }
    }
}
