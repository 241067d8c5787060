//! A repo on the wire.

use repose_core::continuity::Outcome;
use repose_core::hold;
use repose_core::memory;
use repose_core::repo;
use repose_core::signal::Wait;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decision, DecisionKind, HappenedKind, HoldKind, Time, Trouble};

/// One repo as every surface shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Repo {
    /// Its id, which never changes.
    pub id: String,
    /// Its unique name.
    pub name: String,
    /// The path of its folder.
    pub path: String,
    /// Its engine: `claude`, `shell`, …
    pub engine: String,
    /// Its state.
    pub state: State,
    /// The state is one with an engine process: `opening`, `ready`, `working` or `waiting`.
    pub live: bool,
    /// The statement of the last open. `null`: it was never opened.
    pub continuity: Option<Continuity>,
    /// Its current conversation.
    pub conversation: Option<Conversation>,
    /// The memory of the live engine and everything that it started. `null`: none is live, or it hasn't been
    /// measured yet.
    pub memory: Option<Memory>,
    /// The memory that the last end of its engine gave back, while none is live.
    pub freed_bytes: Option<u64>,
    /// What holds its engine.
    pub holds: Vec<Hold>,
    /// When its engine will be let go if nothing happens.
    pub reap_at: Option<Time>,
    /// Whether the user pinned it.
    pub pinned: bool,
    /// How many asks wait.
    pub queued: u64,
    /// What is wrong with it now.
    pub trouble: Option<Trouble>,
    /// The branch that is checked out, if the folder is a git repository.
    pub branch: Option<String>,
    /// Since when it has been in this state. `null`: since before this runner started.
    pub since: Option<Time>,
    /// What happened last.
    pub last: Option<Happened>,
    /// Asks that aren't over, oldest first; `queued` may count more.
    pub asks: Vec<AskShown>,
    /// What the last end of its engine cut off, until the next open has named it.
    #[serde(default)]
    pub interrupted: Vec<Interrupted>,
    /// The decision that its engine waits for, if it can be made here. `null` in the state `waiting`: only in
    /// its terminal.
    pub decision: Option<Decision>,
    /// The program outside Repose that has its current conversation open.
    pub owner: Option<Owner>,
    /// Whether it opens as soon as `owner` lets go of the conversation.
    pub opens_when_free: bool,
    /// What happens to its conversation once its process has ended.
    pub keeps: Keeps,
    /// Until when the next open resumes its conversation without being told to. `null`: it won't.
    pub picked_up_until: Option<Time>,
    /// The shell command that continues its conversation outside Repose. `null`: there is none.
    pub resume_command: Option<String>,
}

/// What happens to a repo's conversation once its process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Keeps {
    /// The next open can resume it.
    PickedUp,
    /// It stays on disk but isn't resumed, because the engine as configured would lose it that way.
    Listed,
    /// Nothing stays: the engine keeps no conversations.
    Nothing,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Happened {
    /// The kind of event.
    pub kind: HappenedKind,
    /// Its stable name: the kind's, or the trouble's code.
    pub code: String,
    /// What happened, in words.
    pub sentence: String,
    /// Why an idle engine was let go before it was due, as a part of a sentence. `null`: it was due, or something
    /// else happened.
    #[serde(default)]
    pub early: Option<String>,
    /// When it happened.
    pub at: Time,
}

/// An ask that isn't over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AskShown {
    /// Its id.
    pub id: String,
    /// The text; a long one is cut, and ends in `…`.
    pub text: String,
    /// When it was asked.
    pub at: Time,
    /// Its stage.
    pub stage: AskStage,
    /// Why it waits, in a sentence.
    pub reason: Option<String>,
}

/// The stage of an ask that isn't over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AskStage {
    /// It waits, and can be withdrawn.
    Waiting,
    /// It is being typed.
    Typed,
    /// The engine took it.
    Taken,
}

/// A program outside Repose that has a conversation open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Owner {
    /// Its process id.
    pub pid: u32,
    /// The terminal that it runs in, such as `/dev/pts/3`.
    pub terminal: Option<String>,
    /// Its command line.
    pub command: Option<String>,
}

/// The state of a repo, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "RepoState"))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It has no engine; the next request that needs one opens it.
    Asleep,
    /// An engine is being started.
    Opening,
    /// An engine waits for a prompt.
    Ready,
    /// The engine works.
    Working,
    /// The engine waits for somebody's decision.
    Waiting,
    /// The user paused it or all repos, which prevents it from opening.
    Paused,
    /// Something that it needs is missing.
    Offline,
}

/// The statement of an open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Continuity {
    /// Whether it resumed a conversation or began a new one.
    pub kind: ContinuityKind,
    /// The reason's stable name: `resumed`, `forked`, `first`, `asked_for`, `too_old`, `went_over`, …
    pub code: String,
    /// The sentence, the same on every surface.
    pub sentence: String,
    /// When the engine confirmed the conversation.
    pub at: Time,
    /// What the end before it cut off, as the sentence names it.
    #[serde(default)]
    pub interrupted: Vec<Interrupted>,
}

/// A piece of work that the end of an engine cut off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Interrupted {
    /// The piece in words.
    pub words: String,
    /// It is a permission that the engine waited for: what that was for was never run.
    pub permission: bool,
}

/// How an open began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ContinuityKind {
    /// The previous conversation goes on.
    Resumed,
    /// A new one began.
    Fresh,
}

/// A conversation that an engine keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Conversation {
    /// The id that the engine gave it.
    pub id: String,
    /// When its last turn was. `null`: unknown.
    pub last_activity: Option<Time>,
    /// How many turns a user took in it. `null`: there are some, and its engine doesn't show how many.
    pub turns: Option<u32>,
    /// The tokens in its context at the last answer.
    pub context_tokens: Option<u64>,
    /// The path of its transcript.
    pub transcript: Option<String>,
}

/// Measured memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Memory {
    /// Memory in bytes.
    pub bytes: u64,
    /// How many processes were measured.
    pub processes: u64,
    /// How it was measured.
    pub measured: Measured,
}

/// How memory was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// As proportional set size including swap, which counts shared pages once.
    Pss,
    /// As resident set size, if the system has nothing better.
    Rss,
}

/// One reason why a live engine must not be let go now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hold {
    /// The kind of reason.
    pub kind: HoldKind,
    /// Since when it has applied.
    pub since: Time,
    /// The reason in words that follow "kept because of".
    pub detail: String,
    /// Its subject, in one line of the engine's or a program's own words: a command, a description, a question.
    /// `null`: there is none, or it isn't known.
    pub subject: Option<String>,
    /// The kind of decision that is awaited, with the kind `waiting`.
    pub waits_for: Option<DecisionKind>,
    /// It is work that an end of the process would lose.
    pub work: bool,
}

/// Why a repo's engine is kept, and when it will be let go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Why {
    /// What holds it. Empty: nothing.
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
    /// The state's name.
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
            Outcome::Resumed { .. } | Outcome::Forked { .. } | Outcome::WentOver { picked_up: true } => {
                ContinuityKind::Resumed
            }
            Outcome::Fresh(_) | Outcome::WentOver { picked_up: false } => ContinuityKind::Fresh,
        };
        Self {
            kind,
            code: continuity.code().into(),
            sentence: continuity.sentence(),
            at: continuity.at.into(),
            interrupted: interrupted(&continuity.interrupted),
        }
    }
}

pub(super) fn interrupted(words: &[String]) -> Vec<Interrupted> {
    let one = |words: &String| Interrupted { words: words.clone(), permission: Wait::is_permission(words) };
    words.iter().map(one).collect()
}

impl From<&repose_core::conversation::Conversation> for Conversation {
    fn from(conversation: &repose_core::conversation::Conversation) -> Self {
        Self {
            id: conversation.id.as_str().into(),
            last_activity: conversation.last_turn.map(Time),
            turns: conversation.turns.counted(),
            context_tokens: conversation.context_tokens,
            transcript: conversation.transcript.as_ref().map(|file| file.shown().to_owned()),
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
        Self {
            kind: (&hold.kind).into(),
            since: hold.since.into(),
            detail: hold.kind.detail(),
            subject: hold.kind.subject(),
            waits_for: match &hold.kind {
                hold::Kind::Waiting(wait) => Some(wait.into()),
                hold::Kind::Turn
                | hold::Kind::Background(_)
                | hold::Kind::Wakeup(_)
                | hold::Kind::Ask
                | hold::Kind::Typing
                | hold::Kind::Client
                | hold::Kind::Process(_)
                | hold::Kind::Pinned
                | hold::Kind::Unknown(_)
                | hold::Kind::Unseen(_) => None,
            },
            work: hold.kind.is_work(),
        }
    }
}

impl From<memory::Measured> for Measured {
    fn from(measured: memory::Measured) -> Self {
        match measured {
            memory::Measured::Pss => Self::Pss,
            memory::Measured::Rss => Self::Rss,
        }
    }
}
