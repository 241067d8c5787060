//! Process trees: descendants by parent links, and strays by the mark in their environment.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::time::Duration;

use crate::platform::{self, Row};
use crate::process::{ProcessId, State};

/// The environment variable that identifies a session's processes even after their parents have gone. Its
/// value is the session's mark.
pub const MARK: &str = "REPOSE_SESSION";

/// One live process of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The process's identity.
    pub id: ProcessId,
    /// The pid of its parent when it was looked at.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its process session (0 where the platform does not say: macOS).
    pub session: u32,
    /// The kernel's short name for it (15 bytes on Linux).
    pub name: String,
    /// Its command line; empty if it can't be read.
    pub command: Vec<String>,
    /// What it is doing.
    pub state: State,
    /// CPU time it has used itself, in the kernel's steps (10 ms on Linux).
    pub cpu: Duration,
}

impl Member {
    /// Whether it has ended, or begun to, since it was looked at. Its command line is read last, and a process that
    /// ends loses that first. Only one without a command line costs another look.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.command.is_empty() && (!self.id.alive() || self.id.ending())
    }
}

/// The processes of a tree without its root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// All live descendants.
    pub members: Vec<Member>,
    /// Those that have ended and aren't reaped yet. They hold no memory.
    pub zombies: Vec<ProcessId>,
}

impl Tree {
    /// The identities of the live processes.
    #[must_use]
    pub fn ids(&self) -> Vec<ProcessId> {
        self.members.iter().map(|member| member.id).collect()
    }
}

/// Everything below `root`, without `root` itself. Empty if `root` is gone: its children have
/// other parents by then. Where `root` is a subreaper ([`crate::end::become_subreaper`]) nothing
/// gets out of this, whatever session or group it moved to.
///
/// Costs one pass over the process table: about 1 ms for 86 processes on the machine.
#[must_use]
pub fn below(root: ProcessId) -> Tree {
    let (living, zombies) = rows_below(root).into_iter().partition::<Vec<_>, _>(|row| row.state.lives());
    Tree {
        members: living.into_iter().map(member).collect(),
        zombies: zombies.into_iter().map(|row| row.id).collect(),
    }
}

/// All live processes except the caller that were started with `REPOSE_SESSION=<mark>`: the leftovers of a
/// session whose holder died. A process that was started with an empty environment, or that overwrote its
/// own, isn't found, and neither is another user's. While a process executes another program it shows no
/// environment and is missed: whoever must be certain looks again.
///
/// Reads the environment of every process on the machine, so it costs more than [`below`].
#[must_use]
pub fn marked(mark: &str) -> Vec<Member> {
    rows_marked(mark).into_iter().map(member).collect()
}

/// All live processes on the machine that this user may see.
///
/// Costs as much as [`below`], plus reading each command line.
#[must_use]
pub fn all() -> Vec<Member> {
    platform::table().into_iter().filter(|row| row.state.lives()).map(member).collect()
}

/// The CPU time that the processes of `after` have used since `before` was taken, for those that used any.
/// One that didn't exist before counts with all it has used.
#[must_use]
pub fn busy(before: &[Member], after: &[Member]) -> Vec<(ProcessId, Duration)> {
    let earlier: HashMap<ProcessId, Duration> = before.iter().map(|member| (member.id, member.cpu)).collect();
    after
        .iter()
        .map(|member| {
            let then = earlier.get(&member.id).copied().unwrap_or_default();
            (member.id, member.cpu.saturating_sub(then))
        })
        .filter(|(_, used)| !used.is_zero())
        .collect()
}

pub(crate) fn rows_below(root: ProcessId) -> Vec<Row> {
    let rows = table_with_true_parents();
    if !rows.iter().any(|row| row.id == root && row.state.lives()) {
        return Vec::new();
    }
    let mut children: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        children.entry(row.parent).or_default().push(index);
    }
    // A pid that was reused while the table was read can form a cycle of parents, so each pid is visited
    // once.
    let mut seen = HashSet::from([root.pid]);
    let mut below = BTreeSet::new();
    let mut open = vec![root.pid];
    while let Some(parent) = open.pop() {
        for &index in children.get(&parent).into_iter().flatten() {
            if seen.insert(rows[index].id.pid) {
                below.insert(index);
                open.push(rows[index].id.pid);
            }
        }
    }
    below.into_iter().map(|index| rows[index].clone()).collect()
}

pub(crate) fn rows_marked(mark: &str) -> Vec<Row> {
    let entry = OsString::from(format!("{MARK}={mark}"));
    let own = std::process::id();
    platform::table()
        .into_iter()
        .filter(|row| row.state.lives() && row.id.pid != own && platform::started_with(row.id.pid, &entry))
        .collect()
}

/// The table is not read at one instant: a parent may end after its child's line was read and
/// before its own. Such a child has a new parent by now, and its line is read again.
fn table_with_true_parents() -> Vec<Row> {
    let mut rows = platform::table();
    let parents: HashSet<u32> = rows.iter().filter(|row| row.state.lives()).map(|row| row.id.pid).collect();
    for row in &mut rows {
        if row.parent != 0
            && !parents.contains(&row.parent)
            && let Some(again) = platform::row(row.id.pid)
        {
            *row = again;
        }
    }
    rows
}

fn member(row: Row) -> Member {
    Member {
        command: platform::command(row.id.pid),
        id: row.id,
        parent: row.parent,
        group: row.group,
        session: row.session,
        name: row.name,
        state: row.state,
        cpu: row.cpu,
    }
}
