//! Events that a repo takes in, and what it tells people and the store.

use std::time::Duration;

use super::{Adopted, Effects};
use crate::ask::Ask;
use crate::budget::Excess;
use crate::continuity::{Continuity, Plan};
use crate::conversation::{Conversation, Engine, Fork, Loss, Owner};
use crate::decision::Pick;
use crate::ids::{AskId, ConversationId, DecisionId, EngineName, SessionId};
use crate::memory::Measured;
use crate::policy::Policy;
use crate::session::{Fact, NotNow, Verdict, View};
use crate::time::Wall;
use crate::trouble::Trouble;
use crate::work::OnWork;

/// A pending request to answer. The actor assigns the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReplyTo(pub u64);

/// What the user wants of a repo. It is on disk and survives a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Open it when something needs it.
    Open,
    /// An end was ordered and is not yet carried out.
    Ending {
        /// The session to end.
        session: SessionId,
        /// What it is ended for.
        purpose: Purpose,
        /// The work that the user accepted to lose: whatever there is, or, once that end is being carried out, what was
        /// judged. By the time that it is read back there may be other work.
        on_work: OnWork,
    },
    /// Don't open it until the user says so.
    Paused {
        /// Since when the repo has been paused.
        since: Wall,
    },
}

/// What a session is ended for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// To give its memory back and keep the conversation.
    Pause,
    /// To close the repo, without an intention to return now.
    Stop,
    /// To begin a new conversation.
    Fresh,
    /// To begin a new conversation with this ask.
    FreshAsk(AskId),
    /// To open another of the repo's conversations.
    Switch(ConversationId),
    /// To continue with a copy of this conversation; `None`: of the current one.
    Fork(Option<ConversationId>),
    /// To remove the repo.
    Remove,
}

impl Purpose {
    /// The purpose's name, the same on every surface.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freed {
    /// Memory in bytes.
    pub bytes: u64,
    /// How many processes the tree had.
    pub processes: u32,
    /// How `bytes` was measured.
    pub measured: Measured,
    /// Milliseconds from the order until the tree was verified gone.
    pub took_ms: u64,
}

/// What a check before an open found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The id to give the session.
    pub session: SessionId,
    /// The id to give a new conversation.
    pub new_conversation: ConversationId,
    /// The conversation that was checked, freshly read.
    pub conversation: Option<Conversation>,
    /// The display name of that conversation's engine; without a conversation, of the repo's engine.
    pub with: String,
    /// A program outside Repose that has the conversation open.
    pub owner: Option<Owner>,
    /// The engine, as configured now, would lose the conversation by resuming it.
    pub loss: Option<Loss>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What ended the session.
    pub how: How,
    /// The memory given back. `None`: not measured, because the process was already gone.
    pub freed: Option<Freed>,
    /// Processes of its tree that couldn't be ended, each as pid and name.
    pub left: Vec<String>,
}

/// Why an engine doesn't open a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTakenUp {
    /// It doesn't know the conversation.
    Unknown,
    /// It opens the conversation only as a copy.
    OnlyAsFork,
}

/// What ended a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// The holder let the engine go, or its end was ordered.
    Ended,
    /// The engine was never started, for this reason.
    NotStarted(Trouble),
    /// The engine ended on its own.
    Exited {
        /// The exit status or signal and the engine's last output, in sentences.
        words: String,
        /// Why the engine wouldn't open the conversation it was given, if that is why it ended.
        not_taken_up: Option<NotTakenUp>,
    },
    /// The holder died, and the tree was ended after it.
    HolderDied,
}

/// An event in the life of a repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Somebody needs a live engine.
    Ensure(ReplyTo),
    /// Somebody needs a live engine and accepts waiting until another program lets go of the conversation. In
    /// that case the answer comes at once.
    EnsureWhenFree(ReplyTo),
    /// Somebody asks something.
    Ask {
        /// Whom to answer.
        reply: ReplyTo,
        /// The ask.
        ask: Ask,
        /// Whether to answer with the turn's result. Otherwise only acceptance is reported.
        wait: bool,
    },
    /// Somebody wants the answer to an ask that was accepted earlier.
    Await(ReplyTo, AskId),
    /// Whoever was to get this reply no longer waits. Only the answer to an ask is affected.
    Gone(ReplyTo),
    /// Somebody withdraws a waiting ask.
    Withdraw(ReplyTo, AskId),
    /// Pause the repo.
    Pause(ReplyTo, OnWork),
    /// Bring back a conversation. `None`: the current one.
    Resume(ReplyTo, Option<ConversationId>),
    /// Lift a pause without opening anything.
    Lift(ReplyTo),
    /// Begin a new conversation.
    Fresh(ReplyTo, OnWork),
    /// Continue with a copy of this conversation, which stays as it is. `None`: of the current one.
    Fork(ReplyTo, Option<ConversationId>),
    /// End the session, and forget the pause and the queue.
    Stop(ReplyTo, OnWork),
    /// Remove the repo.
    Remove(ReplyTo, OnWork),
    /// End the turn.
    Interrupt(ReplyTo),
    /// Make a decision that the engine waits for.
    Decide {
        /// Whom to answer.
        reply: ReplyTo,
        /// The decision's id.
        decision: DecisionId,
        /// What was picked.
        pick: Pick,
    },
    /// Pin or unpin the repo.
    Pin(ReplyTo, bool),
    /// Change to another engine.
    Switch {
        /// Whom to answer.
        reply: ReplyTo,
        /// The new engine.
        engine: Engine,
        /// The conversation that the repo already has with that engine, or else its latest one with another.
        conversation: Option<Conversation>,
    },
    /// The settings describe the repo's engine differently.
    Described(Engine),
    /// The gate for all repos was closed (`true`) or opened.
    Gate(bool),
    /// The settings changed.
    Policy(Policy),
    /// What prevents the repo from opening, as seen by a regular look. `None`: nothing.
    Health(Option<Trouble>),
    /// What the engine, as configured now, would do to a conversation that it resumes, as seen by a regular
    /// look.
    Loses(Option<Loss>),
    /// One more engine may be live: an open that was refused because there were too many is worth another
    /// try.
    PlaceFree,
    /// No more engine may be live yet, now for these reasons ([`Code::MaxLive`](crate::trouble::Code::MaxLive)).
    NoPlace(Trouble),
    /// The result of [`Effect::Check`] or [`Effect::LookAhead`].
    Checked {
        /// The check's number.
        check: u64,
        /// What was found, or what prevents the repo from opening.
        result: Result<Checked, Trouble>,
    },
    /// The holder couldn't be started.
    SpawnFailed {
        /// The session that was to begin.
        session: SessionId,
        /// Why it couldn't be started.
        trouble: Trouble,
    },
    /// A session reported a fact.
    Fact {
        /// The session that reported it.
        session: SessionId,
        /// The fact.
        fact: Fact,
    },
    /// A session's view changed.
    View {
        /// The session.
        session: SessionId,
        /// Its new view.
        view: View,
    },
    /// The session's holder is of another version of Repose: it can be ended, but nothing else.
    Foreign {
        /// The session.
        session: SessionId,
        /// The build of its holder.
        build: String,
    },
    /// Who else has the current conversation open, as seen by a regular look.
    Elsewhere {
        /// The live session beside which it was seen. `None`: the repo has no engine of its own.
        session: Option<SessionId>,
        /// The other program. `None`: there is none.
        owner: Option<Owner>,
    },
    /// The holder doesn't type an ask now.
    NotNow {
        /// The ask's id.
        ask: AskId,
        /// What prevents it.
        why: NotNow,
    },
    /// The holder took a decision to the engine.
    Decided {
        /// The decision's id.
        decision: DecisionId,
        /// What was picked.
        pick: Pick,
        /// Whether the decision was still open. Otherwise it had been made already.
        stood: bool,
    },
    /// The holder judged an order to freeze.
    Judged {
        /// The session that was judged.
        session: SessionId,
        /// The holder's verdict.
        verdict: Verdict,
    },
    /// The session goes on: its freeze had lapsed before the order to end it arrived.
    Thawed {
        /// The session.
        session: SessionId,
    },
    /// The session is over.
    Ended {
        /// The session.
        session: SessionId,
        /// How it ended.
        report: Report,
    },
    /// A conversation was read again.
    Read(Conversation),
    /// At the runner's start: a holder of this repo is alive.
    Adopted(Adopted),
    /// At the runner's start: everything from before has been reported. With it, for how long there was no
    /// runner before this one; `None`: unknown.
    CaughtUp(Option<Duration>),
    /// The store refused to write.
    StoreFailed {
        /// Why it refused.
        trouble: Trouble,
        /// The changes it refused, with the effects that would have followed.
        undone: Effects,
    },
    /// Time passed.
    Tick,
}

/// A change to write to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// What the user wants.
    Intent(Intent),
    /// The conversation that becomes the current one. The previous one stays listed.
    Current(Conversation),
    /// What is known of a conversation that isn't made the current one by this.
    Known(Conversation),
    /// The statement of the last open.
    Continuity(Continuity),
    /// Whether that statement is still to be delivered with an answer.
    Untold(bool),
    /// Interrupted work that the next open must name.
    Interrupted(Vec<String>),
    /// The next open must be fresh.
    FreshNext(bool),
    /// The last copy of a conversation that was begun.
    Forked(Fork),
    /// An ask in its current stage.
    Ask(Ask),
    /// An ask is withdrawn.
    AskGone(AskId),
    /// A session begins.
    SessionBegins {
        /// The new session's id.
        session: SessionId,
        /// What its engine is asked to do.
        plan: Plan,
    },
    /// A session is over.
    SessionOver {
        /// The session's id.
        session: SessionId,
        /// The memory that the repo's last end gave back, if measured.
        freed: Option<Freed>,
    },
    /// Whether the user has pinned the repo.
    Pinned(bool),
    /// The repo's engine.
    Engine(EngineName),
    /// The repo was removed.
    Removed,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The request was carried out.
    Done,
    /// The ask waits; its answer can be fetched later.
    Accepted {
        /// The ask's id.
        ask: AskId,
        /// Nothing is asked before a Resume.
        waits_for_resume: bool,
    },
    /// An ask was answered.
    Answered {
        /// The ask's id.
        ask: AskId,
        /// The engine's own words.
        text: String,
        /// The statement of the open before it, if this is the first answer after that open.
        continuity: Option<Continuity>,
    },
    /// An ask was taken, and its turn ended without an answer.
    Unanswered {
        /// The ask's id.
        ask: AskId,
        /// Why there is no answer.
        trouble: Trouble,
        /// The statement of the open before it, if this is the first answer after that open.
        continuity: Option<Continuity>,
    },
    /// The repo is paused, with the memory given back. `None`: not measured.
    Paused(Option<Freed>),
    /// The request was refused and nothing was changed.
    Refused(Trouble),
}

/// News that people may want without having asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// An idle engine was let go.
    Reaped {
        /// How long it had been idle.
        idle: Duration,
        /// Why it was let go early. `None`: it was due.
        over: Option<Excess>,
        /// The memory given back. `None`: not measured.
        freed: Option<Freed>,
    },
    /// The repo was paused, with the memory given back. `None`: not measured.
    Paused(Option<Freed>),
    /// The repo was stopped, with the memory given back. `None`: not measured.
    Stopped(Option<Freed>),
    /// An open resumed a conversation or began a new one.
    Opened(Continuity),
    /// The engine changed to this conversation.
    Moved(ConversationId),
    /// A turn is over.
    TurnOver {
        /// How it ended.
        end: TurnEnd,
        /// How long the engine worked on it, as in [`Fact::TurnOver`]. `None`: not known.
        worked: Option<Duration>,
        /// Whether somebody waited for this end, and has it now.
        heard: bool,
    },
    /// The engine ended without an order. How, in sentences.
    EndedByItself(String),
    /// An order from before a restart was dropped, because work would have been lost.
    OrderDropped {
        /// What the order was for.
        purpose: Purpose,
        /// The work that it would have lost.
        work: Vec<String>,
    },
    /// Something is wrong.
    Trouble(Trouble),
}

/// What somebody did and only the log tells: whoever did it was answered, and others see the repo's state. An order of
/// which nothing became isn't among it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Logged {
    /// A turn ended because somebody interrupted it through Repose: with the beginning of what had been asked, if that is
    /// an ask.
    Interrupted(Option<String>),
    /// A decision that was made outside the terminal has reached the engine: the label of what was picked, with the
    /// beginning of the user's own words.
    Decided(String),
}

/// How a turn ended, for people who didn't ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// It answered.
    Answered,
    /// The turn ended without an answer, and nobody had ordered that. The reason in the engine's words; empty
    /// if it gave none, or it was before this start of the runner.
    Unanswered(String),
    /// It was interrupted, but not by Repose: in its terminal, or by an engine that doesn't say how.
    Interrupted,
    /// Somebody ordered its end, or the engine's end cut it off, which is reported separately.
    CutOff,
}
