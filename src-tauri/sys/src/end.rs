//! Ending processes: exactly those that are meant, and all of them.
//!
//! Every signal goes to a process whose start time was compared after a handle on it was opened, so
//! that a pid which came back is never hit. Nothing here judges whether an end is allowed.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions};

use crate::platform::{self, Row};
use crate::process::{ProcessId, State};
use crate::tree;

/// How long to wait for stopped processes to come to rest before they are killed anyway: a process that waits
/// for a device doesn't stop and would delay the others. What was started in the meantime is found by the
/// next scan.
const REST_LIMIT: Duration = Duration::from_millis(250);

/// The pause between two checks whether all have come to rest, about as long as one check.
const REST_PAUSE: Duration = Duration::from_millis(1);

/// Why a signal did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum SignalError {
    /// There is nothing to end: it has ended already, or its pid belongs to another process now.
    #[error("process {pid} had already ended; nothing was signalled")]
    Gone {
        /// The pid that was meant.
        pid: u32,
    },
    /// It runs as another user.
    #[error("process {pid} belongs to another user, so Repose left it alone; end it as that user")]
    Refused {
        /// The pid that was meant.
        pid: u32,
    },
    /// Something else went wrong.
    #[error("process {pid} could not be signalled and was left alone: {source}")]
    Other {
        /// The pid that was meant.
        pid: u32,
        /// What the system said.
        source: io::Error,
    },
}

/// The result of ending a set of processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Those that were found and are verified to be gone.
    pub killed: Vec<ProcessId>,
    /// Those that were still alive at the end: another user's, or stuck in the kernel.
    pub left: Vec<ProcessId>,
    /// How long it took.
    pub took: Duration,
}

/// Makes the calling process the one that orphans below it fall to, so that [`kill_below`] misses none, not
/// even after a double fork. Holds until the process ends; children don't inherit it. From then on call
/// [`reap_adopted`] regularly.
///
/// # Errors
/// `Unsupported` on macOS, which has nothing like it: there, orphans fall to launchd, and [`kill_below`]
/// doesn't see them.
pub fn become_subreaper() -> io::Result<()> {
    platform::become_subreaper()
}

/// Asks the process to end (SIGTERM).
///
/// # Errors
/// If the signal could not be delivered to this very process.
pub fn terminate(id: ProcessId) -> Result<(), SignalError> {
    platform::signal(id, Signal::TERM)
}

/// Ends only this process (SIGKILL). [`wait`] tells when it is gone.
///
/// # Errors
/// If the signal could not be delivered to this very process.
pub fn kill_exact(id: ProcessId) -> Result<(), SignalError> {
    platform::signal(id, Signal::KILL)
}

/// Blocks until the process has ended, for at most `bound`. Returns whether it has; a zombie has.
#[must_use]
pub fn wait(id: ProcessId, bound: Duration) -> bool {
    platform::wait_gone(id, bound)
}

/// Ends everything below `root`, and not `root` itself: stops all members, looks again until no new one
/// turns up, kills them all, and verifies that none is left; whatever was started in
/// between is met by the next round. Complete if `root` is a subreaper.
///
/// If `root` is the caller, its ended orphans are reaped too. `waited_for` names the children
/// whose exit status somebody else in this process will ask for (a `Child` of std or of
/// portable-pty): they are killed and left for that. Any other ended child of the caller may be reaped.
///
/// Blocks for at most about `bound` (each member is signalled at least once, also with none),
/// typically 5 ms.
#[must_use]
pub fn kill_below(root: ProcessId, waited_for: &[u32], bound: Duration) -> Ended {
    let ended = sweep(|| tree::rows_below(root), bound);
    if root.pid == std::process::id() {
        reap_adopted(waited_for);
    }
    ended
}

/// Ends exactly these processes, as far as they are still the same, and nothing that they started: for what a
/// dead holder left behind. Zombies among them are left to their parents.
#[must_use]
pub fn these(ids: &[ProcessId], bound: Duration) -> Ended {
    let find = || ids.iter().filter_map(|id| platform::row(id.pid).filter(|row| row.id == *id)).collect();
    sweep(find, bound)
}

/// Reaps all ended children of the caller that aren't in `waited_for`, and returns them. In a subreaper,
/// orphans that fell to it stay zombies until this is called.
pub fn reap_adopted(waited_for: &[u32]) -> Vec<ProcessId> {
    let own = std::process::id();
    platform::table()
        .into_iter()
        .filter(|row| row.parent == own && row.state == State::Zombie && !waited_for.contains(&row.id.pid))
        .filter(|row| reap(row.id.pid))
        .map(|row| row.id)
        .collect()
}

/// Stops, kills and verifies whatever `find` finds, round by round. `find` may return zombies.
pub(crate) fn sweep(find: impl Fn() -> Vec<Row>, bound: Duration) -> Ended {
    let begun = Instant::now();
    let deadline = begun + bound;
    let find = || {
        let own = std::process::id();
        find().into_iter().filter(|row| row.state.lives() && row.id.pid != own && row.id.pid != 1).collect()
    };
    let mut met = BTreeSet::new();
    let mut untouchable = BTreeSet::new();
    let mut living: Vec<Row> = find();
    while living.iter().any(|row| !untouchable.contains(&row.id)) {
        let members = bring_to_rest(&find, deadline);
        for row in &members {
            met.insert(row.id);
            if matches!(kill_exact(row.id), Err(SignalError::Refused { .. })) {
                untouchable.insert(row.id);
            }
        }
        for row in members.iter().filter(|row| !untouchable.contains(&row.id)) {
            platform::wait_gone(row.id, deadline.saturating_duration_since(Instant::now()));
        }
        living = find();
        if Instant::now() >= deadline {
            break;
        }
    }
    let left: Vec<ProcessId> = living.iter().map(|row| row.id).collect();
    let killed = met.into_iter().filter(|id| !left.contains(id)).collect();
    Ended { killed, left, took: begun.elapsed() }
}

/// Stops everything that `find` finds, until a look shows nothing new and nothing that moves. Returns all
/// processes in the last look.
fn bring_to_rest(find: &impl Fn() -> Vec<Row>, deadline: Instant) -> Vec<Row> {
    let limit = deadline.min(Instant::now() + REST_LIMIT);
    let mut stopped = BTreeSet::new();
    let mut refused = BTreeSet::new();
    loop {
        let rows = find();
        let mut new = false;
        for row in &rows {
            if !stopped.insert(row.id) {
                continue;
            }
            new = true;
            if platform::signal(row.id, Signal::STOP).is_err() {
                refused.insert(row.id);
            }
        }
        let resting = rows.iter().all(|row| row.state.still() || refused.contains(&row.id));
        if (resting && !new) || Instant::now() >= limit {
            return rows;
        }
        if !new {
            std::thread::sleep(REST_PAUSE);
        }
    }
}

fn reap(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    matches!(rustix::process::waitpid(Some(pid), WaitOptions::NOHANG), Ok(Some(_)))
}
