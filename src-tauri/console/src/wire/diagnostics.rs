//! What runs for the repos. The only place that shows sessions.

use repose_core::hold;
use repose_core::session::Activity;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Hold, Memory, Time};

/// What runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Diagnostics {
    /// All live sessions.
    pub sessions: Vec<Session>,
    /// The memory of repos over time, since the runner started.
    pub memory: Vec<MemoryOf>,
}

/// The memory of a repo's engine and its processes over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MemoryOf {
    /// The repo's id.
    pub repo: String,
    /// The repo's name.
    pub name: String,
    /// Its measurements, oldest first: taken when its engine starts and ends, and every 15 s in between if
    /// the memory has changed.
    pub points: Vec<Point>,
}

/// Memory at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Point {
    /// The moment.
    pub at: Time,
    /// Memory in bytes; 0 while no engine is live.
    pub bytes: u64,
}

/// The end of the runner's own log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunnerLog {
    /// The file's path.
    pub file: String,
    /// Its last lines, oldest first.
    pub lines: Vec<String>,
}

/// One life of one engine process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Session {
    /// The session's id.
    pub id: String,
    /// The repo's id.
    pub repo: String,
    /// The repo's name.
    pub name: String,
    /// The holder's process id.
    pub holder: u32,
    /// The holder's build.
    pub build: String,
    /// Whether that is this runner's build.
    pub same_build: bool,
    /// The engine's process id. `null`: it has ended, or couldn't be started.
    pub engine_pid: Option<u32>,
    /// What the engine is doing: `opening`, `idle`, `working`, `waiting`.
    pub activity: String,
    /// Since when it has been doing that.
    pub activity_since: Time,
    /// What it waits for.
    pub waits_for: Option<String>,
    /// What it runs in the background, in its own words.
    pub background_tasks: Vec<String>,
    /// What holds the engine.
    pub holds: Vec<Hold>,
    /// When the engine was started.
    pub since: Time,
    /// The memory of its tree.
    pub memory: Option<Memory>,
    /// The process ids of its tree.
    pub tree: Vec<u32>,
    /// Whether its status file is watched. `false`: it is read at intervals.
    pub watching: bool,
    /// The number of attached terminals.
    pub terminals: u64,
    /// What prevents its journal from being written.
    pub journal_trouble: Option<String>,
}

impl From<&repose_runner::Live> for Session {
    fn from(live: &repose_runner::Live) -> Self {
        let (activity, since, waits_for) = match &live.activity {
            Activity::Opening { since } => ("opening", since, None),
            Activity::Idle { since } => ("idle", since, None),
            Activity::Working { since, .. } => ("working", since, None),
            Activity::Waiting { since, what } => ("waiting", since, Some(what.what())),
        };
        Self {
            id: live.session.as_str().into(),
            repo: live.repo.as_str().into(),
            name: live.name.clone(),
            holder: live.holder_pid,
            build: live.build.clone(),
            same_build: live.same_build,
            engine_pid: live.engine_pid,
            activity: activity.into(),
            activity_since: since.wall.into(),
            waits_for,
            background_tasks: background_tasks(&live.holds),
            holds: live.holds.iter().map(Into::into).collect(),
            since: live.since.into(),
            memory: live.memory.as_ref().map(Memory::from),
            tree: live.tree.clone(),
            watching: live.watching,
            terminals: live.terminals as u64,
            journal_trouble: live.journal_trouble.clone(),
        }
    }
}

fn background_tasks(holds: &[hold::Hold]) -> Vec<String> {
    let tasks = holds.iter().filter_map(|hold| {
        let hold::Kind::Background(task) = &hold.kind else { return None };
        Some(task.what.clone())
    });
    tasks.collect()
}

impl From<&repose_runner::Measured> for MemoryOf {
    fn from(measured: &repose_runner::Measured) -> Self {
        let points = measured.measures.iter();
        Self {
            repo: measured.repo.as_str().into(),
            name: measured.name.clone(),
            points: points.map(|measure| Point { at: measure.at.into(), bytes: measure.bytes }).collect(),
        }
    }
}

impl From<&repose_runner::Memory> for Memory {
    fn from(memory: &repose_runner::Memory) -> Self {
        Self { bytes: memory.bytes, processes: memory.processes.into(), measured: memory.measured.into() }
    }
}
