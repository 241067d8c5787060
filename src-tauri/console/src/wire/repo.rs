//! One repo.

use repose_core::continuity::Outcome;
use repose_core::hold;
use repose_core::repo;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decision, Time, Trouble};

/// One repo as every surface shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Repo {
    /// Its id, which never changes.
    pub id: String,
    /// Its name, which is unique.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Its engine: `claude`, `shell`, …
    pub engine: String,
    /// How it is.
    pub state: State,
    /// What the last open came to. `null`: it was never opened.
    pub continuity: Option<Continuity>,
    /// Its current conversation.
    pub conversation: Option<Conversation>,
    /// Memory of the live engine and everything that it started. `null`: none is live, or it isn't measured
    /// yet.
    pub memory: Option<Memory>,
    /// What the last end of its engine gave back, while none is live.
    pub freed_bytes: Option<u64>,
    /// Why its engine must not be let go now.
    pub holds: Vec<Hold>,
    /// When its engine will be let go if nothing happens.
    pub reap_at: Option<Time>,
    /// The user pinned it.
    pub pinned: bool,
    /// Asks that wait.
    pub queued: u64,
    /// What is wrong with it now.
    pub trouble: Option<Trouble>,
    /// The branch that is checked out, where the folder is a git repository.
    pub branch: Option<String>,
    /// Since when it is in this state. `null`: since before this runner began.
    pub since: Option<Time>,
    /// What happened last.
    pub last: Option<Happened>,
    /// Asks that aren't over, oldest first; `queued` may count more that wait.
    pub asks: Vec<AskShown>,
    /// What its engine waits for, where that can be answered here. `null` with the state `waiting`: only in
    /// its terminal.
    pub decision: Option<Decision>,
    /// Another program has its current conversation open.
    pub owner: Option<Owner>,
    /// It is opened as soon as that program lets go of it.
    pub opens_when_free: bool,
    /// What becomes of its conversation once its process has ended.
    pub keeps: Keeps,
    /// Until when the next open picks its conversation up without anybody's word. `null`: it won't.
    pub picked_up_until: Option<Time>,
    /// What to type into a shell to go on with its conversation there. `null`: there is none to go on with.
    pub resume_command: Option<String>,
}

/// What becomes of a repo's conversation once its process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Keeps {
    /// Its engine takes it up again.
    PickedUp,
    /// It stays on disk and isn't taken up: as its engine is set now, it would lose it so.
    Listed,
    /// Its engine keeps none.
    Nothing,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Happened {
    /// Its stable name: `answered`, `interrupted`, `turn_over`, `opened`, `reaped`, `paused`, `moved`,
    /// `ended`, or a trouble's.
    pub code: String,
    /// In words.
    pub sentence: String,
    /// When.
    pub at: Time,
}

/// An ask that isn't over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskShown {
    /// Its id.
    pub id: String,
    /// What is asked; a long text is cut.
    pub text: String,
    /// When it was asked.
    pub at: Time,
    /// Where it stands.
    pub stage: AskStage,
    /// Why it waits, and for what.
    pub reason: Option<String>,
}

/// Where an ask stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AskStage {
    /// It can be taken back.
    Waiting,
    /// It is being typed.
    Typed,
    /// The engine has it.
    Taken,
}

/// A program outside Repose that has a conversation open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Owner {
    /// Its process.
    pub pid: u32,
    /// The terminal that it runs in: `/dev/pts/3`.
    pub terminal: Option<String>,
    /// Its command line.
    pub command: Option<String>,
}

/// The one word for how a repo is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "RepoState"))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No engine; the next need opens one.
    Asleep,
    /// An engine is on its way.
    Opening,
    /// An engine waits for a prompt.
    Ready,
    /// It works.
    Working,
    /// It waits for somebody's decision.
    Waiting,
    /// The user's word keeps it from opening.
    Paused,
    /// Something that it needs isn't there.
    Offline,
}

/// Resumed or fresh, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Continuity {
    /// Resumed or fresh.
    pub kind: ContinuityKind,
    /// The reason's stable name: `resumed`, `forked`, `first`, `asked_for`, `too_old`, …
    pub code: String,
    /// The statement, in the words of every surface.
    pub sentence: String,
    /// When the engine confirmed it.
    pub at: Time,
}

/// Resumed or fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ContinuityKind {
    /// The earlier conversation goes on.
    Resumed,
    /// A new one began.
    Fresh,
}

/// A conversation that an engine keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Conversation {
    /// The engine's own id.
    pub id: String,
    /// When its last turn was. `null`: it can't be told.
    pub last_activity: Option<Time>,
    /// How many turns a user took in it.
    pub turns: u32,
    /// Tokens of its context at the last answer.
    pub context_tokens: Option<u64>,
    /// Where its transcript is.
    pub transcript: Option<String>,
}

/// Memory, as measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Memory {
    /// Bytes.
    pub bytes: u64,
    /// The processes that it was measured over.
    pub processes: u64,
    /// What was measured.
    pub measured: Measured,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// Proportional set size, swapped memory included: shared pages are counted once.
    Pss,
    /// Resident set size, where the system has nothing better.
    Rss,
}

/// One reason why a live engine must not be let go now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hold {
    /// Its stable name: `turn`, `background`, `wakeup`, `waiting`, `ask`, `typing`, `client`, `process`,
    /// `pinned`, `unknown`.
    pub kind: String,
    /// Since when it stands.
    pub since: Time,
    /// The reason in words that follow "kept because of".
    pub detail: String,
}

/// Why a repo's engine is kept, or when it will be let go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Why {
    /// Why it is kept. Empty: nothing keeps it.
    pub holds: Vec<Hold>,
    /// When it will be let go if nothing happens.
    pub reap_at: Option<Time>,
    /// The repo.
    pub repo: Repo,
}

impl From<Repo> for Why {
    fn from(repo: Repo) -> Self {
        Self { holds: repo.holds.clone(), reap_at: repo.reap_at, repo }
    }
}

impl State {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asleep => "asleep",
            Self::Opening => "opening",
            Self::Ready => "ready",
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Offline => "offline",
        }
    }
}

impl From<&repose_core::conversation::Keeps> for Keeps {
    fn from(keeps: &repose_core::conversation::Keeps) -> Self {
        match keeps {
            repose_core::conversation::Keeps::PickedUp => Self::PickedUp,
            repose_core::conversation::Keeps::Listed(_) => Self::Listed,
            repose_core::conversation::Keeps::Nothing => Self::Nothing,
        }
    }
}

impl From<repo::State> for State {
    fn from(state: repo::State) -> Self {
        match state {
            repo::State::Asleep => Self::Asleep,
            repo::State::Opening => Self::Opening,
            repo::State::Ready => Self::Ready,
            repo::State::Working => Self::Working,
            repo::State::Waiting => Self::Waiting,
            repo::State::Paused => Self::Paused,
            repo::State::Offline => Self::Offline,
        }
    }
}

impl From<&repose_core::continuity::Continuity> for Continuity {
    fn from(continuity: &repose_core::continuity::Continuity) -> Self {
        let kind = match continuity.outcome {
            Outcome::Resumed { .. } | Outcome::Forked { .. } => ContinuityKind::Resumed,
            Outcome::Fresh(_) => ContinuityKind::Fresh,
        };
        Self {
            kind,
            code: continuity.code().into(),
            sentence: continuity.sentence(),
            at: continuity.at.into(),
        }
    }
}

impl From<&repose_core::conversation::Conversation> for Conversation {
    fn from(conversation: &repose_core::conversation::Conversation) -> Self {
        Self {
            id: conversation.id.as_str().into(),
            last_activity: conversation.last_turn.map(Time),
            turns: conversation.turns,
            context_tokens: conversation.context_tokens,
            transcript: conversation.transcript.clone(),
        }
    }
}

impl From<&repose_core::conversation::Owner> for Owner {
    fn from(owner: &repose_core::conversation::Owner) -> Self {
        let repose_core::conversation::Owner { pid, terminal, command } = owner.clone();
        Self { pid, terminal, command }
    }
}

impl From<&repose_runner::AskShown> for AskShown {
    fn from(ask: &repose_runner::AskShown) -> Self {
        Self {
            id: ask.id.as_str().into(),
            text: ask.text.clone(),
            at: ask.at.into(),
            stage: match ask.stage {
                repose_runner::AskStage::Waiting => AskStage::Waiting,
                repose_runner::AskStage::Typed => AskStage::Typed,
                repose_runner::AskStage::Taken => AskStage::Taken,
            },
            reason: ask.reason.clone(),
        }
    }
}

impl From<&hold::Hold> for Hold {
    fn from(hold: &hold::Hold) -> Self {
        Self { kind: hold.kind.code().into(), since: hold.since.into(), detail: hold.kind.detail() }
    }
}

impl Measured {
    /// The measure behind a [`repose_core::repo::Freed`].
    #[must_use]
    pub fn from_pss(pss: bool) -> Self {
        if pss { Self::Pss } else { Self::Rss }
    }
}
