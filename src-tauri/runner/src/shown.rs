//! What surfaces get to see.

use std::path::PathBuf;

use repose_core::continuity::Continuity;
use repose_core::conversation::{Conversation, Keeps, Owner};
use repose_core::decision::Decision;
use repose_core::hold::Hold;
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId, SessionId};
use repose_core::repo::{Freed, Notice, State};
use repose_core::session::Activity;
use repose_core::time::Wall;
use repose_core::trouble::Trouble;

use crate::measures::Measure;

pub use crate::store::{LogRow as LogEntry, LogWhat};

/// One repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its id.
    pub id: RepoId,
    /// Its name, unique.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// Its engine.
    pub engine: EngineName,
    /// How it is.
    pub state: State,
    /// What the last open came to.
    pub continuity: Option<Continuity>,
    /// Its current conversation.
    pub conversation: Option<Conversation>,
    /// Memory of its live engine's tree.
    pub memory: Option<Memory>,
    /// What the last end gave back, while no engine is live.
    pub freed: Option<Freed>,
    /// What holds its engine.
    pub holds: Vec<Hold>,
    /// When its engine will be let go, if nothing happens.
    pub reap_at: Option<Wall>,
    /// The user pinned it.
    pub pinned: bool,
    /// Asks that wait.
    pub queued: usize,
    /// What is wrong with it.
    pub trouble: Option<Trouble>,
    /// The branch that is checked out, in a git repository.
    pub branch: Option<String>,
    /// Since when it is as it is. `None`: since before this runner began.
    pub since: Option<Wall>,
    /// What happened last.
    pub last: Option<Happened>,
    /// The first [`ASKS_SHOWN`] of the asks that aren't over.
    pub asks: Vec<AskShown>,
    /// What its engine waits for, where that can be decided without its terminal.
    pub decision: Option<Box<Decision>>,
    /// Another program has its current conversation open.
    pub owner: Option<Owner>,
    /// It is opened as soon as that program lets go of it.
    pub opens_when_free: bool,
    /// What becomes of its conversation once its process has ended.
    pub keeps: Keeps,
    /// Until when the next open picks its conversation up without anybody's word. `None`: it won't.
    pub picked_up_until: Option<Wall>,
    /// What somebody would type into a shell to go on with its conversation there.
    pub resume_command: Option<String>,
}

/// So many asks are shown with their texts; how many there are, [`Shown::queued`] says. Each change of a repo
/// is sent whole to every page.
pub const ASKS_SHOWN: usize = 20;

/// Longer texts of asks are cut there, for the same reason.
pub const ASK_TEXT_SHOWN: usize = 2_000;

/// Something that happened in a repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// When.
    pub at: Wall,
    /// What.
    pub what: Notice,
}

/// An ask that isn't over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskShown {
    /// Its id.
    pub id: AskId,
    /// What is asked, cut at [`ASK_TEXT_SHOWN`] characters.
    pub text: String,
    /// When it was asked.
    pub at: Wall,
    /// Where it stands.
    pub stage: AskStage,
    /// Why it waits, in a sentence.
    pub reason: Option<String>,
}

/// Where an ask stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskStage {
    /// It can be taken back.
    Waiting,
    /// It is being typed.
    Typed,
    /// The engine has it.
    Taken,
}

/// Memory of a live engine's tree, as measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Bytes.
    pub bytes: u64,
    /// Processes.
    pub processes: u32,
    /// Proportional set size with swap; resident size where the system has nothing better.
    pub pss: bool,
    /// When.
    pub at: Wall,
}

/// Numbers over all repos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Live engines.
    pub live: usize,
    /// Paused repos.
    pub paused: usize,
    /// Memory of the live ones.
    pub live_bytes: u64,
    /// What the last end of each repo that isn't live gave back.
    pub freed_bytes: u64,
    /// Everything is paused: no repo that sleeps opens.
    pub gate: bool,
}

/// Something changed.
#[derive(Debug, Clone)]
pub enum Change {
    /// A repo is new or looks different.
    Repo(Box<Shown>),
    /// A repo is gone.
    Removed(RepoId),
    /// The numbers changed.
    Totals(Totals),
    /// The settings changed.
    Settings,
    /// A live repo's conversation has grown on disk.
    Grew(RepoId, ConversationId),
    /// People may want to be told.
    Notice(RepoId, Notice),
}

/// An ask, as somebody hands it in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewAsk {
    /// What to ask.
    pub text: String,
    /// With a new conversation.
    pub fresh: bool,
    /// It may wait for Resume.
    pub queue: bool,
    /// Answer when the turn is over, not when it is accepted.
    pub wait: bool,
}

/// What an ask came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    /// It is kept, and its answer comes later.
    Accepted {
        /// Its id.
        ask: AskId,
        /// It waits for somebody's Resume.
        waits_for_resume: bool,
        /// Its repo.
        shown: Box<Shown>,
    },
    /// It is answered.
    Answered {
        /// Its id.
        ask: AskId,
        /// The engine's own words, whole.
        text: String,
        /// What the open before it came to, with the first answer after an open.
        continuity: Option<Continuity>,
        /// Its repo.
        shown: Box<Shown>,
    },
}

/// Why an ask has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskTrouble {
    /// Why.
    pub trouble: Trouble,
    /// The ask, if it was kept.
    pub ask: Option<AskId>,
    /// As with an answer.
    pub continuity: Option<Continuity>,
    /// Its repo, if there is one.
    pub shown: Option<Box<Shown>>,
}

/// What a repo had over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// Which repo.
    pub repo: RepoId,
    /// Its name.
    pub name: String,
    /// Its memory, the oldest first.
    pub measures: Vec<Measure>,
}

/// A pause that was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paused {
    /// What it gave back. `None`: not measured.
    pub freed: Option<Freed>,
    /// The repo.
    pub shown: Shown,
}

/// One of a repo's conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationShown {
    /// What is known of it.
    pub conversation: Conversation,
    /// Its first prompt, on one line.
    pub title: Option<String>,
    /// Its transcript's size in bytes; 0 where it is gone.
    pub size: u64,
    /// It is the repo's current one.
    pub current: bool,
    /// It is of this folder, which is gone and may have become the repo's: it goes on as a copy.
    pub moved_from: Option<PathBuf>,
}

/// The runner itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// When it began.
    pub started: Wall,
}

/// One live session, for diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Its repo.
    pub repo: RepoId,
    /// The repo's name.
    pub name: String,
    /// The session.
    pub session: SessionId,
    /// The holder's process.
    pub holder_pid: u32,
    /// The holder's build, and whether it is this runner's own.
    pub build: String,
    /// It is of this runner's build.
    pub same_build: bool,
    /// The engine's process.
    pub engine_pid: Option<u32>,
    /// What the engine is doing.
    pub activity: Activity,
    /// What holds it.
    pub holds: Vec<Hold>,
    /// When the engine was started.
    pub since: Wall,
    /// Memory of its tree.
    pub memory: Option<Memory>,
    /// Processes of its tree.
    pub tree: Vec<u32>,
    /// Its level is watched, and not only looked at now and then. An engine without a level has nothing to
    /// watch.
    pub watching: bool,
    /// Terminals attached to it.
    pub terminals: usize,
    /// What keeps its journal from being written.
    pub journal_trouble: Option<String>,
}
