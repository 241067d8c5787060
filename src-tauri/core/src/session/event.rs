//! What can happen to a session, what it wants done about it, and how it looks.

use std::time::Duration;

use crate::budget::Excess;
use crate::conversation::Loss;
use crate::decision::Decision;
use crate::hold::{Hold, Resident};
use crate::ids::{AskId, ConversationId, DecisionId, PromptId};
use crate::policy::Policy;
use crate::signal::{Signal, Source, Wait};
use crate::time::{Awake, Now, Wall};
use crate::trouble::Trouble;

/// What the runner sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// The clocks.
    pub policy: Policy,
    /// The user pinned the repo.
    pub pinned: bool,
}

/// What the engine of a session is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// Its process runs; it hasn't confirmed a conversation yet.
    Opening {
        /// Since when.
        since: Now,
    },
    /// It waits for a prompt.
    Idle {
        /// Since when.
        since: Now,
    },
    /// It works.
    Working {
        /// Since when.
        since: Now,
        /// Its last sign of life.
        sign: Now,
    },
    /// It waits for somebody's decision.
    Waiting {
        /// Since when.
        since: Now,
        /// For what.
        what: Wait,
    },
}

/// What can happen to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The engine said something.
    Signal(Signal),
    /// What the screen shows while the engine has no signals of its own yet: a dialog, or none.
    Dialog(Option<Wait>),
    /// An attached terminal sent bytes.
    Input(Vec<u8>),
    /// The engine's terminal has so many columns.
    Columns(u16),
    /// An attached terminal sent bytes by itself: nobody did anything.
    Report(Vec<u8>),
    /// The engine waits for a decision, and its hook for word of it.
    Decides(Decision),
    /// The hook waits no longer.
    DecisionGone(DecisionId),
    /// Somebody decided.
    Decide {
        /// Which decision.
        decision: DecisionId,
        /// By which of its choices.
        choice: String,
    },
    /// The runner holds or gives up a lease.
    Lease(Lease, bool),
    /// The runner sets parameters.
    Params(Params),
    /// The runner wants this typed.
    Submit {
        /// For which ask.
        ask: AskId,
        /// The text.
        text: String,
        /// How long its engine needs between a paste and Enter: one that comes sooner is taken for a part of
        /// the paste.
        gap: Duration,
    },
    /// Somebody wants the turn to end.
    Interrupt,
    /// Somebody wants the session to end: freeze and judge.
    Freeze(Freeze),
    /// It was thought better of.
    Thaw,
    /// The runner has put the intent on disk: end it, if it is still frozen by the order of this moment.
    /// `None`: in any case.
    End(Option<Awake>),
    /// The user logs out or the machine shuts down, and takes the session with it: end it.
    Terminated,
    /// In place of [`Effect::LetGo`]: its record is on no disk, and no runner heard it. It goes on.
    Unrecorded,
    /// What a look at the engine showed, asked for by [`Effect::Look`].
    Looked(Look),
    /// The processes of the tree that work, at a regular scan.
    Residents(Vec<Resident>),
    /// There are too many live engines, or they hold too much, and this one is the least recently used.
    Evict(Excess),
    /// The engine's process ended by itself.
    Exited,
    /// Time passed.
    Tick,
}

/// What the runner knows and the holder doesn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// An ask waits or is being answered.
    Ask,
    /// Somebody looks at it and used it in the last minutes.
    Client,
}

/// An order to freeze.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freeze {
    /// The user said that work may be lost.
    pub interrupt: bool,
    /// The end must not be a one-way trip: refuse if the conversation couldn't be resumed.
    pub must_resume: bool,
    /// When it was ordered. The end that follows names it, so that none follows a freeze that has lapsed.
    pub ordered: Awake,
}

/// A look at the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Its level, read anew. `None`: it has none.
    pub level: Option<Signal>,
    /// The processes of its tree that work.
    pub residents: Vec<Resident>,
    /// Its conversation could be resumed.
    pub resumable: bool,
    /// The engine would lose it by that.
    pub loss: Option<Loss>,
}

/// What a session wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Write this to the journal: the runner must get to know it.
    Tell(Fact),
    /// Send these keys to the engine.
    Type(Keys),
    /// Send an attached terminal's bytes to the engine.
    Write(Vec<u8>),
    /// Tell the hook that waits for this decision what was decided.
    Decide {
        /// Which decision.
        decision: DecisionId,
        /// By which of its choices.
        choice: String,
    },
    /// Let the hook that waits for this decision go: the terminal decides.
    LeaveToTerminal(DecisionId),
    /// Answer the one who decided: the engine was told so already. A runner orders again when its holder was
    /// silent.
    DecidedBefore,
    /// Answer the one who decided: that decision is over, or never was.
    Undecided,
    /// Look at the engine and hand in [`Event::Looked`].
    Look,
    /// Answer the one who asked to freeze.
    Judged(Verdict),
    /// Answer the one who asked to submit: not now.
    NotNow {
        /// Which ask.
        ask: AskId,
        /// Why.
        why: NotNow,
    },
    /// The record of a reap was told right before: if it stands, end the tree. Otherwise hand in
    /// [`Event::Unrecorded`].
    LetGo {
        /// How long it was idle.
        idle: Duration,
    },
    /// End the tree.
    End,
    /// Answer the one who wanted it ended: it goes on again by now, and has to be judged anew.
    Thawed,
}

/// Keys for the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    /// Text as a paste.
    Paste(String),
    /// Text as a paste, in place of whatever may stand in the input line.
    Replace(String),
    /// What sends it.
    Enter,
    /// What ends a turn.
    Interrupt,
    /// What takes the last prompt out of the input line.
    Clear,
}

/// What became of an order to freeze.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is frozen. The holds are the work that an end interrupts.
    Frozen(Vec<Hold>),
    /// Work would be lost; it goes on.
    Held(Vec<Hold>),
    /// It couldn't be resumed; it goes on.
    NotResumable,
    /// It would be lost by being resumed; it goes on.
    WouldBeLost(Loss),
}

/// Why an ask can't be typed now. It waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotNow {
    /// The engine isn't ready yet.
    Opening,
    /// A turn is in progress.
    Working,
    /// It waits for somebody's decision.
    Waiting(Wait),
    /// Somebody has typed half a line.
    HalfTyped,
    /// Another ask is being typed.
    AnotherAsk,
    /// It is being let go.
    LettingGo,
}

impl NotNow {
    /// When it will be, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Opening => "It is sent once the agent is open.".into(),
            Self::Working => "It is sent once the turn in progress is over.".into(),
            Self::Waiting(wait) => format!("The agent waits for {}; it is sent after that.", wait.what()),
            Self::HalfTyped => {
                "It is sent once the half-typed line in the terminal is sent or cleared.".into()
            }
            Self::AnotherAsk => "It is sent after the one that is being typed.".into(),
            Self::LettingGo => "The agent is being let go; it is sent to the next one.".into(),
        }
    }
}

/// What a session tells its runner, in order and each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The engine confirmed a conversation: the session is open.
    Confirmed {
        /// Which. `None`: the engine keeps none, or names it with its first prompt.
        conversation: Option<ConversationId>,
        /// How it came about.
        source: Source,
        /// Its transcript.
        transcript: Option<String>,
    },
    /// The engine went over to another conversation, or has named its first one.
    Moved {
        /// Which.
        conversation: ConversationId,
        /// How.
        source: Source,
        /// Its transcript.
        transcript: Option<String>,
    },
    /// The engine took an ask's prompt.
    Taken {
        /// Which ask.
        ask: AskId,
        /// The engine's id for the prompt.
        prompt: Option<PromptId>,
    },
    /// There was no sign that it took an ask's prompt.
    NotTaken {
        /// Which ask.
        ask: AskId,
    },
    /// A dialog got what was typed of an ask: it is still to be asked.
    GivenBack {
        /// Which ask.
        ask: AskId,
    },
    /// A turn is over.
    TurnOver {
        /// The ask that it answers.
        ask: Option<AskId>,
        /// How it ended.
        outcome: TurnOutcome,
        /// When.
        at: Wall,
    },
    /// It is let go because nobody needs it.
    LettingGo {
        /// How long it was idle.
        idle: Duration,
        /// Why before its time. `None`: its time had come.
        over: Option<Excess>,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnOutcome {
    /// With this answer.
    Answered(String),
    /// With the model's error.
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
    /// Its conversation.
    pub conversation: Option<ConversationId>,
    /// What it waits for, where that can be answered without its terminal.
    pub decision: Option<Box<Decision>>,
    /// What holds it.
    pub holds: Vec<Hold>,
    /// When it will be let go, if nothing happens. `None`: something holds it.
    pub reap_at: Option<Wall>,
    /// Whether an ask could be typed now.
    pub ready_for_ask: Result<(), NotNow>,
    /// Its last prompt or keystroke or end of a turn.
    pub interaction: Wall,
    /// The same on the clock that nobody sets.
    pub used: Awake,
    /// It is frozen or ending.
    pub frozen: bool,
    /// What is wrong with it.
    pub trouble: Option<Trouble>,
}
