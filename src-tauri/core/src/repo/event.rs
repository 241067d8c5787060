//! What can happen to a repo, and what people and the store are told about it.

use std::time::Duration;

use super::{Adopted, Effects};
use crate::ask::Ask;
use crate::budget::Excess;
use crate::continuity::{Continuity, Plan};
use crate::conversation::{Conversation, Copied, Engine, Loss, Owner};
use crate::ids::{AskId, ConversationId, DecisionId, EngineName, SessionId};
use crate::policy::Policy;
use crate::session::{Fact, NotNow, Verdict, View};
use crate::time::Wall;
use crate::trouble::Trouble;

/// Where an answer goes. The actor gives the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplyTo(pub u64);

/// What the user wants of the repo. It is on disk, and a restart reads it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Open it when something needs it.
    Open,
    /// An end was ordered and is not yet carried out.
    Ending {
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
    /// To go on with a copy of the conversation, or of this other one.
    Fork(Option<ConversationId>),
    /// The repo goes.
    Remove,
}

impl Purpose {
    /// The purpose's name on every surface.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Stop => "stop",
            Self::Fresh | Self::FreshAsk(_) => "fresh",
            Self::Switch(_) => "switch",
            Self::Fork(_) => "fork",
            Self::Remove => "remove",
        }
    }
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
    /// How people call that one's engine. Without a conversation: the repo's own.
    pub with: String,
    /// A program outside Repose that has it open.
    pub owner: Option<Owner>,
    /// The engine, as it is set now, would lose it by taking it up.
    pub loss: Option<Loss>,
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

/// Why an engine doesn't take a conversation up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTakenUp {
    /// It doesn't know it.
    Unknown,
    /// It opens it as a copy alone.
    OnlyAsCopy,
}

/// By whom or by what a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It was let go, or its end was ordered.
    Ended,
    /// It was never started, and this is why.
    NotStarted(Trouble),
    /// The engine ended by itself.
    Exited {
        /// Its exit status or signal, and what it said last, in sentences.
        words: String,
        /// What it said of the conversation that it was told to open, if that is why it ended.
        not_taken_up: Option<NotTakenUp>,
    },
    /// The holder died. The tree was ended after it.
    HolderDied,
}

/// What can happen to a repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Somebody needs a live engine.
    Ensure(ReplyTo),
    /// The same, also if it has to wait until another program lets go of the conversation. Then the answer comes at once.
    EnsureWhenFree(ReplyTo),
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
    /// Who was to get this reply waits for it no more. Only the answer of an ask is given up with it.
    Gone(ReplyTo),
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
    /// Go on with a copy of the current conversation, which stays as it is.
    Fork(ReplyTo, Option<ConversationId>),
    /// End it, and forget pause and queue. The flag: work may be lost.
    Stop(ReplyTo, bool),
    /// Remove the repo. The flag: work may be lost.
    Remove(ReplyTo, bool),
    /// End the turn.
    Interrupt(ReplyTo),
    /// Decide what the engine waits for.
    Decide {
        /// Where the answer goes.
        reply: ReplyTo,
        /// Which decision.
        decision: DecisionId,
        /// By which of its choices.
        choice: String,
    },
    /// Pin or unpin it.
    Pin(ReplyTo, bool),
    /// Go over to another engine, with the conversation that the repo has with it, or else the latest with another.
    Switch {
        /// Where the answer goes.
        reply: ReplyTo,
        /// The engine.
        engine: Engine,
        /// The conversation.
        conversation: Option<Conversation>,
    },
    /// The settings describe its engine anew.
    Described(Engine),
    /// Everything was paused (`true`) or resumed.
    Gate(bool),
    /// The settings changed.
    Policy(Policy),
    /// What keeps it from opening, looked at without being asked. `None`: nothing.
    Health(Option<Trouble>),
    /// What the engine, as it is set now, would do to a conversation that it takes up, looked at without being asked.
    Loses(Option<Loss>),
    /// One more engine may be live now: an open that was refused for too many is worth another try.
    PlaceFree,
    /// What [`Effect::Check`] or [`Effect::LookAhead`] found.
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
    /// The session's holder is of another version of Repose: it can be ended, and nothing else.
    Foreign {
        /// Which session.
        session: SessionId,
        /// The build that its holder is of.
        build: String,
    },
    /// Who else has the current conversation open, looked at now and then.
    Elsewhere {
        /// Beside which session. `None`: the repo has no engine of its own.
        session: Option<SessionId>,
        /// Who. `None`: nobody.
        owner: Option<Owner>,
    },
    /// The holder doesn't type the ask now.
    NotNow {
        /// Which ask.
        ask: AskId,
        /// Why.
        why: NotNow,
    },
    /// The holder took a decision to the engine.
    Decided {
        /// Which.
        decision: DecisionId,
        /// It stood. Otherwise it was over.
        stood: bool,
    },
    /// The holder judged an order to freeze.
    Judged {
        /// Which session.
        session: SessionId,
        /// Its verdict.
        verdict: Verdict,
    },
    /// The holder goes on: its freeze had lapsed when the word to end it came.
    Thawed {
        /// Which session.
        session: SessionId,
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
    CaughtUp,
    /// The store refused to write.
    StoreFailed {
        /// Why.
        trouble: Trouble,
        /// What it refused, and the effects that would have followed.
        undone: Effects,
    },
    /// Time passed.
    Tick,
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
    /// A copy was begun.
    Copied(Copied),
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
        /// What the repo's last end gave back, if that was measured.
        freed: Option<Freed>,
    },
    /// The user pinned or unpinned it.
    Pinned(bool),
    /// Its engine.
    Engine(EngineName),
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
    /// It is paused, and what that gave back. `None`: not measured.
    Paused(Option<Freed>),
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
        /// Why before its time.
        over: Option<Excess>,
        /// What that gave back.
        freed: Option<Freed>,
    },
    /// The repo was paused, and what that gave back. `None`: not measured.
    Paused(Option<Freed>),
    /// An open resumed or began fresh.
    Opened(Continuity),
    /// The engine went over to another conversation.
    Moved(ConversationId),
    /// A turn is over.
    TurnOver(TurnEnd),
    /// The engine ended, and nobody had ordered it. How, in sentences.
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

/// How a turn ended, for those who didn't ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// It answered.
    Answered,
    /// It didn't, and nobody had said that it should end. Why, in the engine's words; empty if it said nothing.
    Unanswered(String),
    /// It was interrupted, by no order of Repose's: in its terminal, or its engine doesn't say how.
    Interrupted,
    /// Somebody ordered it, or its engine's end cut it off, which is told by itself.
    CutOff,
}
