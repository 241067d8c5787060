//! macOS, in part: the process table and memory by sysinfo, signals by pid.
//!
//! What differs from Linux: there is no subreaper (an orphan falls to launchd and is found only by its mark),
//! memory is the resident size, signals go by pid a moment after its start time was compared, process
//! sessions are unknown, and listening sockets can't be found.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal};
use sysinfo::{Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

use super::Row;
use crate::end::SignalError;
use crate::memory::Measured;
use crate::process::{ProcessId, State};

/// What [`memory`] says of every process.
pub(crate) const BEST_MEASURE: Measured = Measured::Rss;

/// How often to check a process that is waited for: one request to the kernel each.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The process with this pid, zombies included.
pub(crate) fn row(pid: u32) -> Option<Row> {
    of_one(pid, ProcessRefreshKind::nothing().with_cpu(), row_of)
}

/// Whether the process is on its way out. Not to be seen here.
pub(crate) fn ending(_pid: u32) -> bool {
    false
}

/// Whether the process does anything but sleep. Not to be seen here: all that live count as running.
pub(crate) fn at_work(_pid: u32) -> bool {
    false
}

/// Every process of the machine, zombies included. Not a snapshot.
pub(crate) fn table() -> Vec<Row> {
    let Ok(mut system) = System::new() else { return Vec::new() };
    let kind = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
    system.processes().values().map(row_of).collect()
}

pub(crate) fn command(pid: u32) -> Vec<String> {
    let kind = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    let words =
        |process: &Process| process.cmd().iter().map(|word| word.to_string_lossy().into_owned()).collect();
    of_one(pid, kind, words).unwrap_or_default()
}

/// The wall-clock time of a start time.
pub(crate) fn started(start: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(start)
}

/// Whether the process was started with exactly this `NAME=value` in its environment. `false` if
/// the environment can't be read.
pub(crate) fn started_with(pid: u32, entry: &OsString) -> bool {
    let kind = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
    of_one(pid, kind, |process| process.environ().contains(entry)).unwrap_or(false)
}

/// Resident size in bytes. `None` if the process is gone.
pub(crate) fn memory(id: ProcessId) -> Option<(u64, Measured)> {
    let kind = ProcessRefreshKind::nothing().with_memory();
    let (start, bytes) = of_one(id.pid, kind, |process| (process.start_time(), process.memory()))?;
    (start == id.start).then_some((bytes, Measured::Rss))
}

pub(crate) fn machine_memory() -> u64 {
    let Ok(mut system) = System::new() else { return 0 };
    system.refresh_memory();
    system.total_memory()
}

pub(crate) fn memory_pressure() -> Option<f32> {
    None
}

/// Sends the signal after comparing the start time. In between, the process may end and its pid be reused:
/// macOS has no handle on a process that would prevent that.
pub(crate) fn signal(id: ProcessId, signal: Signal) -> Result<(), SignalError> {
    let gone = SignalError::Gone { pid: id.pid };
    let Some(pid) = i32::try_from(id.pid).ok().and_then(Pid::from_raw) else { return Err(gone) };
    if !id.alive() {
        return Err(gone);
    }
    match rustix::process::kill_process(pid, signal) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::SRCH) => Err(gone),
        Err(rustix::io::Errno::PERM) => Err(SignalError::Refused { pid: id.pid }),
        Err(other) => Err(SignalError::Other { pid: id.pid, source: other.into() }),
    }
}

/// Waits until the process has ended (a zombie has), for at most `bound`. Returns whether it has.
pub(crate) fn wait_gone(id: ProcessId, bound: Duration) -> bool {
    let deadline = Instant::now() + bound;
    while id.alive() {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    true
}

pub(crate) fn become_subreaper() -> io::Result<()> {
    Err(unsupported("macOS gives orphans to launchd; Repose can't keep those of an agent below it"))
}

pub(crate) fn listening(_ids: &[ProcessId]) -> io::Result<Vec<(ProcessId, SocketAddr)>> {
    Err(unsupported("Repose can't ask macOS yet which sockets a process listens on"))
}

/// CLOCK_UPTIME_RAW: does not run while the machine sleeps (clock_gettime(3)).
pub(crate) fn awake() -> Duration {
    super::since_boot(libc::CLOCK_UPTIME_RAW)
}

/// CLOCK_MONOTONIC_RAW: on macOS it runs on while the machine sleeps (clock_gettime(3)).
pub(crate) fn since_boot_with_sleep() -> Duration {
    super::since_boot(libc::CLOCK_MONOTONIC_RAW)
}

/// `kern.bootsessionuuid` (sysctl(3)).
#[expect(unsafe_code, reason = "no safe wrapper for sysctlbyname")]
pub(crate) fn boot() -> Option<String> {
    let mut text = [0_u8; 64];
    let mut size = text.len();
    let name = c"kern.bootsessionuuid".as_ptr();
    // SAFETY: the name ends in NUL, the buffer is as long as `size` says, and nothing is set.
    let answer =
        unsafe { libc::sysctlbyname(name, text.as_mut_ptr().cast(), &raw mut size, std::ptr::null_mut(), 0) };
    let id = std::ffi::CStr::from_bytes_until_nul(&text).ok()?.to_str().ok()?;
    (answer == 0 && !id.is_empty()).then(|| id.to_owned())
}

#[expect(unsafe_code, reason = "no safe wrapper for getpeereid")]
pub(crate) fn peer_uid(socket: impl AsFd) -> io::Result<u32> {
    let (mut uid, mut gid) = (0, 0);
    // SAFETY: the descriptor is borrowed for the call, and both pointers are to live locals.
    let answer = unsafe { libc::getpeereid(socket.as_fd().as_raw_fd(), &raw mut uid, &raw mut gid) };
    if answer == 0 { Ok(uid) } else { Err(io::Error::last_os_error()) }
}

fn of_one<T>(pid: u32, kind: ProcessRefreshKind, read: impl FnOnce(&Process) -> T) -> Option<T> {
    let pid = sysinfo::Pid::from_u32(pid);
    let mut system = System::new().ok()?;
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, kind);
    system.process(pid).map(read)
}

fn row_of(process: &Process) -> Row {
    let pid = process.pid().as_u32();
    let group =
        i32::try_from(pid).ok().and_then(Pid::from_raw).map(|pid| rustix::process::getpgid(Some(pid)));
    Row {
        id: ProcessId { pid, start: process.start_time() },
        parent: process.parent().map_or(0, sysinfo::Pid::as_u32),
        group: group.and_then(Result::ok).map_or(0, |group| group.as_raw_nonzero().get().unsigned_abs()),
        session: 0,
        name: process.name().to_string_lossy().into_owned(),
        state: state_of(process.status()),
        cpu: Duration::from_millis(process.accumulated_cpu_time()),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum that names the states of every platform")]
fn state_of(status: ProcessStatus) -> State {
    match status {
        ProcessStatus::Run => State::Running,
        ProcessStatus::Sleep => State::Sleeping,
        ProcessStatus::Stop => State::Stopped,
        ProcessStatus::Zombie | ProcessStatus::Dead => State::Zombie,
        _ => State::Other,
    }
}

fn unsupported(sentence: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, sentence)
}
