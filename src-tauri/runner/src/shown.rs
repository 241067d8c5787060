//! What surfaces see of repos, asks and sessions.

use std::path::PathBuf;
use std::sync::Arc;

use repose_core::continuity::Continuity;
use repose_core::conversation::{Conversation, Keeps, Owner};
use repose_core::decision::Decision;
use repose_core::hold::Hold;
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId, SessionId};
use repose_core::memory;
use repose_core::repo::{Freed, Notice, State};
use repose_core::session::Activity;
use repose_core::time::Wall;
use repose_core::trouble::Trouble;

use crate::measures::Measure;

pub use crate::store::{LogRow as LogEntry, LogRowOf as LogEntryOf, LogWhat};

/// One repo as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The repo's id.
    pub id: RepoId,
    /// The repo's name, unique.
    pub name: String,
    /// The path of the repo's folder.
    pub path: PathBuf,
    /// The name of the repo's engine.
    pub engine: EngineName,
    /// The repo's state.
    pub state: State,
    /// The statement of the last open.
    pub continuity: Option<Continuity>,
    /// The repo's current conversation.
    pub conversation: Option<Conversation>,
    /// The memory of its live engine's tree.
    pub memory: Option<Memory>,
    /// The memory that the last end gave back, while no engine is live.
    pub freed: Option<Freed>,
    /// What holds its engine.
    pub holds: Vec<Hold>,
    /// When its engine will be let go, if nothing happens.
    pub reap_at: Option<Wall>,
    /// Whether the user pinned the repo.
    pub pinned: bool,
    /// How many asks wait.
    pub queued: usize,
    /// What is wrong with it.
    pub trouble: Option<Trouble>,
    /// That kept it from opening when somebody needed it, and it couldn't have been opened since.
    pub needed_in_vain: bool,
    /// The branch that is checked out, in a git repository.
    pub branch: Option<String>,
    /// Since when the repo has been in this state. `None`: since before this runner started.
    pub since: Option<Wall>,
    /// What happened last.
    pub last: Option<Happened>,
    /// The first [`ASKS_SHOWN`] of the asks that aren't over.
    pub asks: Vec<AskShown>,
    /// The ids of the further ones, oldest first. All of them wait.
    pub further_asks: Arc<[AskId]>,
    /// What the last end of its engine cut off, in words, until the next open has named it.
    pub interrupted: Vec<String>,
    /// The decision that its engine waits for, if that can be made without its terminal.
    pub decision: Option<Box<Decision>>,
    /// The program outside Repose that has the current conversation open.
    pub owner: Option<Owner>,
    /// Whether the repo opens as soon as `owner` lets go of the conversation.
    pub opens_when_free: bool,
    /// What happens to its conversation once its process has ended.
    pub keeps: Keeps,
    /// Until when the next open resumes its conversation without being told to. `None`: it won't.
    pub picked_up_until: Option<Wall>,
    /// The shell command with which somebody could continue its conversation outside Repose.
    pub resume_command: Option<String>,
}

/// The most asks to show with their texts; [`Shown::queued`] counts all. Each change of a repo is sent whole
/// to every page.
pub const ASKS_SHOWN: usize = 20;

/// The most characters of an ask's text to show, for the same reason. A longer one ends in `…`.
pub const ASK_TEXT_SHOWN: usize = 2_000;

/// Something that happened in a repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// When it happened.
    pub at: Wall,
    /// What happened.
    pub what: Notice,
}

/// An ask that isn't over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskShown {
    /// The ask's id.
    pub id: AskId,
    /// The text of the ask, cut after [`ASK_TEXT_SHOWN`] characters; then it ends in `…`.
    pub text: String,
    /// When it was asked.
    pub at: Wall,
    /// Its stage.
    pub stage: AskStage,
    /// Why it waits, in a sentence.
    pub reason: Option<String>,
}

/// The stage of an ask that isn't over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskStage {
    /// It waits, and can be withdrawn.
    Waiting,
    /// It is being typed.
    Typed,
    /// The engine took it.
    Taken,
}

/// The memory of a live engine's tree, as measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Memory in bytes.
    pub bytes: u64,
    /// How many processes the tree has.
    pub processes: u32,
    /// How `bytes` was measured.
    pub measured: memory::Measured,
    /// When it was measured.
    pub at: Wall,
}

/// Totals over all repos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// The number of live engines.
    pub live: usize,
    /// The number of paused repos.
    pub paused: usize,
    /// The memory of the live engines, in bytes.
    pub live_bytes: u64,
    /// The memory that the last end of each repo without a live engine gave back, in bytes.
    pub freed_bytes: u64,
    /// Whether everything is paused, so that no sleeping repo opens.
    pub gate: bool,
}

/// Something changed.
#[derive(Debug, Clone)]
pub enum Change {
    /// A repo is new or has changed.
    Repo(Box<Shown>),
    /// A repo was removed.
    Removed(RepoId),
    /// The totals changed.
    Totals(Totals),
    /// The settings changed.
    Settings,
    /// A live repo's conversation has grown on disk.
    Grew(RepoId, ConversationId),
    /// News that people may want.
    Notice(RepoId, Notice),
}

/// An ask as it is handed in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewAsk {
    /// The text to ask.
    pub text: String,
    /// Whether to ask in a new conversation.
    pub fresh: bool,
    /// Whether it may wait until a pause is lifted.
    pub queue: bool,
    /// Whether to answer when the turn is over rather than when the ask is accepted.
    pub wait: bool,
}

/// The outcome of handing in an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    /// The ask is stored, and its answer comes later.
    Accepted {
        /// The ask's id.
        ask: AskId,
        /// Whether it waits for a pause to be lifted.
        waits_for_resume: bool,
        /// The ask's repo.
        shown: Box<Shown>,
    },
    /// The ask was answered.
    Answered {
        /// The ask's id.
        ask: AskId,
        /// The engine's full answer.
        text: String,
        /// The statement of the open before it, if this is the first answer after that open.
        continuity: Option<Continuity>,
        /// The ask's repo.
        shown: Box<Shown>,
    },
}

/// Why an ask has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskTrouble {
    /// The reason.
    pub trouble: Trouble,
    /// The ask's id, if it was stored.
    pub ask: Option<AskId>,
    /// The statement of the open before it, if nobody had received it.
    pub continuity: Option<Continuity>,
    /// The ask's repo, if there is one.
    pub shown: Option<Box<Shown>>,
}

/// The memory of a repo over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The repo's id.
    pub repo: RepoId,
    /// The repo's name.
    pub name: String,
    /// Its measurements, oldest first.
    pub measures: Vec<Measure>,
}

/// The result of a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paused {
    /// The memory given back. `None`: not measured.
    pub freed: Option<Freed>,
    /// The repo after the pause.
    pub shown: Shown,
}

/// One of a repo's conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationShown {
    /// What is known of it.
    pub conversation: Conversation,
    /// The conversation's first prompt, on one line.
    pub title: Option<String>,
    /// The size of its transcript in bytes; 0 if there is none.
    pub size: u64,
    /// Whether it is the repo's current conversation.
    pub current: bool,
    /// The conversation's own folder, if that is gone and may have become the repo's. It can only be
    /// continued as a copy.
    pub moved_from: Option<PathBuf>,
}

/// Facts about the runner itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// Its process id.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// When it started.
    pub started: Wall,
}

/// The details of a live session, for Diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// The repo's id.
    pub repo: RepoId,
    /// The repo's name.
    pub name: String,
    /// The session's id.
    pub session: SessionId,
    /// The holder's process id.
    pub holder_pid: u32,
    /// The holder's build.
    pub build: String,
    /// Whether that is this runner's build.
    pub same_build: bool,
    /// The engine's process id.
    pub engine_pid: Option<u32>,
    /// What the engine is doing.
    pub activity: Activity,
    /// What holds it.
    pub holds: Vec<Hold>,
    /// When the engine was started.
    pub since: Wall,
    /// The memory of the engine's tree.
    pub memory: Option<Memory>,
    /// The process ids of the engine's tree.
    pub tree: Vec<u32>,
    /// Whether the engine's level is watched, rather than only read at intervals. An engine without a level
    /// has nothing to watch.
    pub watching: bool,
    /// The number of attached terminals.
    pub terminals: usize,
    /// What prevents its journal from being written.
    pub journal_trouble: Option<String>,
}
