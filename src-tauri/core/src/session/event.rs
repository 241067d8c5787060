//! What can happen to a session, what it wants done in response, and what it looks like.

use std::time::Duration;

use crate::budget::Excess;
use crate::conversation::Loss;
use crate::decision::{Decision, Pick};
use crate::hold::{Hold, Resident};
use crate::ids::{AskId, ConversationId, DecisionId, PromptId};
use crate::policy::Policy;
use crate::signal::{Signal, Source, Wait};
use crate::time::{Awake, Now, Wall};
use crate::trouble::Trouble;
use crate::typing::Habits;

/// The parameters that the runner sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// The times and windows in force.
    pub policy: Policy,
    /// Whether the user pinned the repo.
    pub pinned: bool,
}

/// What the engine of a session is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// It is starting, or has confirmed a conversation and hasn't said yet what it does.
    Opening {
        /// When the process started, or when it confirmed.
        since: Now,
    },
    /// It waits for a prompt.
    Idle {
        /// When it became idle.
        since: Now,
    },
    /// It works.
    Working {
        /// When it began to work.
        since: Now,
        /// When it last gave a sign of life.
        sign: Now,
    },
    /// It waits for somebody's decision.
    Waiting {
        /// When it began to wait.
        since: Now,
        /// What it waits for.
        what: Wait,
    },
}

impl Activity {
    /// Whether the engine waits for nothing but a prompt.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        match self {
            Self::Idle { .. } => true,
            Self::Opening { .. } | Self::Working { .. } | Self::Waiting { .. } => false,
        }
    }
}

/// What can happen to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The engine said something.
    Signal(Signal),
    /// What the screen shows while the engine has no signals of its own yet. `None`: no dialog.
    Dialog(Option<Wait>),
    /// An attached terminal sent bytes.
    Input(Vec<u8>),
    /// An attached terminal sent bytes to what covers the input line, before the text of an ask could be
    /// pasted. They aren't typed into the line.
    Aside(Vec<u8>),
    /// The Enter of the ask that is being typed went out.
    Sent,
    /// The width of the engine's terminal, in columns.
    Columns(u16),
    /// The row of the cursor in the engine's terminal, counted from 1.
    CursorRow(u16),
    /// How the engine's input line is edited now, after [`Effect::ReadHabits`].
    Habits(Habits),
    /// An attached terminal sent bytes on its own, without a person: a reply or a report.
    Report(Vec<u8>),
    /// The engine waits for a decision, and its hook waits to be told.
    Decides(Decision),
    /// The hook no longer waits for this decision.
    DecisionGone(DecisionId),
    /// Somebody made a decision.
    Decide {
        /// The decision's id.
        decision: DecisionId,
        /// What was picked.
        pick: Pick,
    },
    /// The runner takes or renews (`true`) or gives up a lease.
    Lease(Lease, bool),
    /// The runner sets parameters.
    Params(Params),
    /// The runner wants an ask typed.
    Submit {
        /// The ask's id.
        ask: AskId,
        /// The text.
        text: String,
        /// How long its engine needs between a paste and Enter; an earlier Enter is taken for part of the
        /// paste.
        gap: Duration,
    },
    /// Somebody wants the turn to end.
    Interrupt,
    /// Somebody wants the session to end: freeze and judge. The verdict waits while it is unknown what became of a line
    /// that was just sent.
    Freeze(Freeze),
    /// The order to end was withdrawn: go on.
    Thaw,
    /// The runner has written the intent: end the session.
    End(EndIf),
    /// The user logs out or the machine shuts down, which ends the session: end it properly.
    Terminated,
    /// [`Effect::LetGo`] wasn't carried out: the record couldn't be written and no runner heard it. The
    /// session goes on.
    Unrecorded,
    /// The result of a look at the engine, in answer to [`Effect::Look`].
    Looked(Look),
    /// The processes of the tree that count as work, from a regular scan.
    Residents(Vec<Resident>),
    /// Too many engines are live, or they hold too much memory, and this one is the least recently used.
    Evict(Excess),
    /// The engine's process ended on its own.
    Exited,
    /// Time passed.
    Tick,
}

/// A reason to hold the engine that the runner knows and the holder doesn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// An ask waits or is being answered.
    Ask,
    /// Somebody has the repo in view and used it in the last few minutes.
    Client,
}

/// An order to freeze.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freeze {
    /// The user accepted that work may be lost.
    pub interrupt: bool,
    /// Refuse if the conversation couldn't be resumed afterwards.
    pub must_resume: bool,
    /// Named by the order to end, so that it can't apply to a freeze that has lapsed.
    pub id: FreezeId,
}

/// Tells the orders to freeze one session apart: the moment of the order, in milliseconds of
/// [`crate::time::Awake`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreezeId(pub u64);

/// When an order to end a session is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndIf {
    /// If the session is still frozen by this order; otherwise the answer is [`Effect::Thawed`].
    StillFrozen(FreezeId),
    /// In any case.
    Always,
}

/// The result of a look at the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The engine's level, freshly read. `None`: it has none.
    pub level: Option<Signal>,
    /// The processes of its tree that count as work.
    pub residents: Vec<Resident>,
    /// Whether its conversation could be resumed.
    pub resumable: bool,
    /// How the engine would lose the conversation by resuming it. `None`: it wouldn't.
    pub loss: Option<Loss>,
}

/// What a session wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Type nothing more of an ask: a dialog has the keyboard, and Enter would answer it.
    StopTyping,
    /// Read again how the engine's input line is edited, for [`Event::Habits`].
    ReadHabits,
    /// Write this fact to the journal for the runner.
    Tell(Fact),
    /// Send these keys to the engine.
    Type(Keys),
    /// Send an attached terminal's bytes to the engine.
    Write(Vec<u8>),
    /// Tell the hook that waits for this decision what was decided.
    Decide {
        /// The decision's id.
        decision: DecisionId,
        /// What was picked.
        pick: Pick,
    },
    /// Take back what was picked last for what that hook waits for, and ask it again.
    TakeBack(DecisionId),
    /// Release the hook that waits for this decision: the terminal decides.
    LeaveToTerminal(DecisionId),
    /// Answer whoever decided: the engine has already been told so. A runner repeats an order that its holder
    /// didn't answer.
    DecidedBefore,
    /// Answer whoever decided: that decision is over, or never existed.
    Undecided,
    /// Look at the engine and report [`Event::Looked`].
    Look,
    /// Answer whoever ordered the freeze.
    Judged(Verdict),
    /// Tell whoever submitted an ask that it isn't typed now.
    NotNow {
        /// The ask's id.
        ask: AskId,
        /// What prevents it.
        why: NotNow,
    },
    /// End the tree, if the record that was told just before could be written; otherwise report
    /// [`Event::Unrecorded`].
    LetGo {
        /// How long the engine was idle.
        idle: Duration,
    },
    /// End the tree.
    End(EndReason),
    /// Answer whoever ordered the end: the freeze has lapsed, and the session must be judged again.
    Thawed,
}

/// Why a session ends that doesn't let itself go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Somebody ordered it: through the runner, or by logging out.
    Ordered,
    /// The engine's process ended on its own.
    Exited,
}

/// Keys for the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    /// Text as a paste.
    Paste(String),
    /// Text as a paste, in place of whatever may stand in the input line.
    Replace(String),
    /// The key that sends the input line.
    Enter,
    /// The key that interrupts a turn.
    Interrupt,
    /// The key that removes the last prompt from the input line.
    Clear,
}

/// The outcome of an order to freeze.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The session is frozen. The holds are the work that an end will interrupt.
    Frozen(Vec<Hold>),
    /// Refused, because this work would be lost. The session goes on.
    Held(Vec<Hold>),
    /// Refused, because the conversation couldn't be resumed. The session goes on.
    NotResumable,
    /// Refused, because resuming would lose the conversation. The session goes on.
    WouldBeLost(Loss),
}

impl Verdict {
    /// Whether the session itself gave it. Otherwise it is only what can be said without hearing it.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        match self {
            Self::Frozen(holds) | Self::Held(holds) => !holds.iter().any(|hold| hold.kind.is_unseen()),
            Self::NotResumable | Self::WouldBeLost(_) => true,
        }
    }
}

/// Why an ask isn't typed now. It keeps waiting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotNow {
    /// The engine isn't ready yet.
    Opening,
    /// A turn is in progress.
    Working,
    /// A person just sent a line, and the engine hasn't said yet what becomes of it.
    JustSent,
    /// The engine waits for somebody's decision.
    Waiting(Wait),
    /// Somebody has typed something and not sent it.
    HalfTyped,
    /// Another ask is being typed.
    AnotherAsk,
    /// The engine is being let go.
    LettingGo,
}

impl NotNow {
    /// When the ask will be typed, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Opening => "It is sent once the agent is open.".into(),
            Self::Working => "It is sent once the turn in progress is over.".into(),
            Self::JustSent => {
                "It is sent after what was just sent in the terminal; within seconds, if that begins no turn."
                    .into()
            }
            Self::Waiting(wait) => format!("The agent waits for {}; it is sent after that.", wait.what()),
            Self::HalfTyped => {
                "It is sent once the half-typed line in the terminal is sent or cleared.".into()
            }
            Self::AnotherAsk => "It is sent after the one that is being typed.".into(),
            Self::LettingGo => "The agent is being let go; it is sent to the next one.".into(),
        }
    }
}

/// What a session reports to its runner, in order and each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The engine confirmed a conversation: the session is open.
    Confirmed {
        /// The conversation's id. `None`: the engine keeps none, or names it with its first prompt.
        conversation: Option<ConversationId>,
        /// How the conversation came to be open.
        source: Source,
        /// The path of its transcript, if known.
        transcript: Option<String>,
    },
    /// The engine changed to another conversation, or named its first one.
    Moved {
        /// The conversation's id.
        conversation: ConversationId,
        /// How it came to be open.
        source: Source,
        /// The path of its transcript, if known.
        transcript: Option<String>,
    },
    /// The engine took an ask's prompt.
    Taken {
        /// The ask's id.
        ask: AskId,
        /// The engine's id for the prompt.
        prompt: Option<PromptId>,
    },
    /// The engine gave no sign that it took an ask's prompt.
    NotTaken {
        /// The ask's id.
        ask: AskId,
    },
    /// A dialog received what was typed of an ask, or somebody typed before it could be sent: it has to be
    /// typed again.
    GivenBack {
        /// The ask's id.
        ask: AskId,
    },
    /// A turn is over.
    TurnOver {
        /// The ask that the turn answers, if any.
        ask: Option<AskId>,
        /// How it ended.
        outcome: TurnOutcome,
        /// When it ended.
        at: Wall,
        /// How long the engine worked on it: neither asleep with the machine, nor waiting for somebody's
        /// decision. `None`: nobody knows, or an older holder doesn't say.
        worked: Option<Duration>,
    },
    /// The engine is being let go because nobody needs it.
    LettingGo {
        /// How long the engine was idle.
        idle: Duration,
        /// Why it is let go early. `None`: it was due.
        over: Option<Excess>,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnOutcome {
    /// It ended with this answer.
    Answered(String),
    /// It ended with this error of the model.
    Failed(String),
    /// Somebody interrupted it.
    Interrupted,
    /// The engine's process ended.
    EngineEnded,
}

/// What a session looks like from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// What the engine is doing.
    pub activity: Activity,
    /// The engine's conversation.
    pub conversation: Option<ConversationId>,
    /// The decision it waits for, if that can be made without its terminal.
    pub decision: Option<Box<Decision>>,
    /// What holds the engine.
    pub holds: Vec<Hold>,
    /// When the engine will be let go, if nothing happens. `None`: something holds it.
    pub reap_at: Option<Wall>,
    /// Whether an ask could be typed now, or what prevents it.
    pub ready_for_ask: Result<(), NotNow>,
    /// The last prompt, keystroke or end of a turn.
    pub interaction: Wall,
    /// The same moment as `interaction`, on the clock that can't be set. `None`: an older holder doesn't say.
    pub used: Option<Awake>,
    /// Whether the session is frozen or ending.
    pub frozen: bool,
    /// What is wrong with the session.
    pub trouble: Option<Trouble>,
}
