//! Linux: /proc, pidfds, the child subreaper.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use procfs::process::{FDTarget, Process, Stat, StatFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal};

use super::Row;
use crate::end::SignalError;
use crate::memory::Measured;
use crate::process::{ProcessId, State};

/// What [`memory`] says of a process that hides nothing.
pub(crate) const BEST_MEASURE: Measured = Measured::Pss;

/// The process with this pid, zombies included.
pub(crate) fn row(pid: u32) -> Option<Row> {
    let process = Process::new(i32::try_from(pid).ok()?).ok()?;
    process.stat().ok().map(row_of)
}

/// Every process of the machine, zombies included. Not a snapshot: it is read one by one, about
/// 1 ms for 86 of them.
pub(crate) fn table() -> Vec<Row> {
    let Ok(all) = procfs::process::all_processes() else { return Vec::new() };
    all.flatten().filter_map(|process| process.stat().ok().map(row_of)).collect()
}

/// Whether the process is being ended: its main thread has begun to exit, or a SIGKILL is pending. It keeps
/// its files, and the locks on them, until its last thread has ended.
pub(crate) fn ending(pid: u32) -> bool {
    const SIGKILL: u64 = 1 << (Signal::KILL.as_raw() - 1);
    let Some(process) = i32::try_from(pid).ok().and_then(|pid| Process::new(pid).ok()) else { return false };
    let exits = process.stat().is_ok_and(|stat| stat.flags & StatFlags::PF_EXITING.bits() != 0);
    exits || process.status().is_ok_and(|status| (status.sigpnd | status.shdpnd) & SIGKILL != 0)
}

/// Whether the process's main thread does anything but sleep.
pub(crate) fn at_work(pid: u32) -> bool {
    row(pid).is_some_and(|row| row.state.lives() && row.state != State::Sleeping)
}

pub(crate) fn command(pid: u32) -> Vec<String> {
    let mut bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    if bytes.is_empty() {
        return Vec::new();
    }
    bytes.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// The wall-clock time of a start time.
pub(crate) fn started(start: u64) -> SystemTime {
    let after_boot = Duration::from_millis(start.saturating_mul(1000) / procfs::ticks_per_second());
    let ago = since_boot_with_sleep().saturating_sub(after_boot);
    SystemTime::now().checked_sub(ago).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Whether the process was started with exactly this `NAME=value` in its environment. `false` if
/// the environment can't be read.
pub(crate) fn started_with(pid: u32, entry: &OsString) -> bool {
    let bytes = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    bytes.split(|byte| *byte == 0).any(|part| part == entry.as_bytes())
}

/// PSS + SwapPss in bytes, or the resident size where the rollup can't be read. `None` if the
/// process is gone.
pub(crate) fn memory(id: ProcessId) -> Option<(u64, Measured)> {
    let process = Process::new(i32::try_from(id.pid).ok()?).ok()?;
    let stat = process.stat().ok()?;
    if stat.starttime != id.start {
        return None;
    }
    if let Some(bytes) = rollup(&process) {
        return Some((bytes, Measured::Pss));
    }
    let resident = process.stat().ok()?.rss * procfs::page_size();
    id.alive().then_some((resident, Measured::Rss))
}

pub(crate) fn machine_memory() -> u64 {
    let info = rustix::system::sysinfo();
    u64::from(info.mem_unit).saturating_mul(info.totalram)
}

pub(crate) fn memory_pressure() -> Option<f32> {
    <procfs::MemoryPressure as procfs::Current>::current().ok().map(|pressure| pressure.some.avg10)
}

/// Sends the signal to this very process. The pidfd is opened first and the start time compared
/// after: from then on the descriptor stands for that process, whatever becomes of its pid.
pub(crate) fn signal(id: ProcessId, signal: Signal) -> Result<(), SignalError> {
    let pidfd = open(id)?;
    match rustix::process::pidfd_send_signal(&pidfd, signal) {
        Ok(()) => Ok(()),
        Err(error) => Err(signal_error(id, error)),
    }
}

/// Waits until the process has ended (a zombie has), for at most `bound`. Returns whether it has.
pub(crate) fn wait_gone(id: ProcessId, bound: Duration) -> bool {
    let deadline = Instant::now() + bound;
    let pidfd = match open(id) {
        Ok(pidfd) => pidfd,
        Err(SignalError::Gone { .. }) => return true,
        Err(SignalError::Refused { .. } | SignalError::Other { .. }) => return !id.alive(),
    };
    loop {
        let rest = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(rest).ok();
        let mut fds = [PollFd::from_borrowed_fd(pidfd.as_fd(), PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return !id.alive(),
        }
    }
}

pub(crate) fn become_subreaper() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// Addresses of the listening TCP sockets that each process has open. A process whose descriptors
/// can't be read (another user's) has none here.
pub(crate) fn listening(ids: &[ProcessId]) -> io::Result<Vec<(ProcessId, SocketAddr)>> {
    let mut by_namespace: HashMap<PathBuf, HashMap<u64, SocketAddr>> = HashMap::new();
    let mut found = Vec::new();
    for id in ids {
        let Some(process) = i32::try_from(id.pid).ok().and_then(|pid| Process::new(pid).ok()) else {
            continue;
        };
        let sockets = sockets_of(&process);
        if sockets.is_empty() || !id.alive() {
            continue;
        }
        let namespace = std::fs::read_link(format!("/proc/{}/ns/net", id.pid)).unwrap_or_default();
        let listeners = by_namespace.entry(namespace).or_insert_with(|| listeners_seen_by(&process));
        found.extend(sockets.iter().filter_map(|inode| listeners.get(inode)).map(|address| (*id, *address)));
    }
    Ok(found)
}

/// CLOCK_MONOTONIC: does not run while the machine sleeps.
pub(crate) fn awake() -> Duration {
    super::since_boot(libc::CLOCK_MONOTONIC)
}

/// CLOCK_BOOTTIME: runs on while the machine sleeps.
pub(crate) fn since_boot_with_sleep() -> Duration {
    super::since_boot(libc::CLOCK_BOOTTIME)
}

/// `random(4)`, "boot_id".
pub(crate) fn boot() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

pub(crate) fn peer_uid(socket: impl AsFd) -> io::Result<u32> {
    Ok(rustix::net::sockopt::socket_peercred(socket)?.uid.as_raw())
}

fn row_of(stat: Stat) -> Row {
    let ticks = stat.utime + stat.stime;
    Row {
        id: ProcessId { pid: stat.pid.unsigned_abs(), start: stat.starttime },
        parent: stat.ppid.unsigned_abs(),
        group: stat.pgrp.unsigned_abs(),
        session: stat.session.unsigned_abs(),
        state: state_of(&stat),
        cpu: Duration::from_millis(ticks.saturating_mul(1000) / procfs::ticks_per_second()),
        name: stat.comm,
    }
}

fn state_of(stat: &Stat) -> State {
    match stat.state {
        'R' => State::Running,
        'S' => State::Sleeping,
        'D' => State::Uninterruptible,
        'T' | 't' => State::Stopped,
        // The main thread has ended and others continue: the process is alive and can start more.
        'Z' if stat.num_threads > 1 => State::Other,
        'Z' | 'X' | 'x' => State::Zombie,
        _ => State::Other,
    }
}

fn rollup(process: &Process) -> Option<u64> {
    let maps = process.smaps_rollup().ok()?.memory_map_rollup;
    let sizes = &maps.0.first()?.extension.map;
    Some(sizes.get("Pss")? + sizes.get("SwapPss").copied().unwrap_or(0))
}

fn open(id: ProcessId) -> Result<OwnedFd, SignalError> {
    let gone = SignalError::Gone { pid: id.pid };
    let Some(pid) = i32::try_from(id.pid).ok().and_then(Pid::from_raw) else { return Err(gone) };
    let pidfd =
        rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(|error| signal_error(id, error))?;
    if !id.alive() {
        return Err(gone);
    }
    Ok(pidfd)
}

fn signal_error(id: ProcessId, error: rustix::io::Errno) -> SignalError {
    match error {
        rustix::io::Errno::SRCH => SignalError::Gone { pid: id.pid },
        rustix::io::Errno::PERM => SignalError::Refused { pid: id.pid },
        other => SignalError::Other { pid: id.pid, source: other.into() },
    }
}

fn sockets_of(process: &Process) -> Vec<u64> {
    let Ok(descriptors) = process.fd() else { return Vec::new() };
    let mut inodes: Vec<u64> = descriptors
        .flatten()
        .filter_map(
            |descriptor| if let FDTarget::Socket(inode) = descriptor.target { Some(inode) } else { None },
        )
        .collect();
    inodes.sort_unstable();
    inodes.dedup();
    inodes
}

fn listeners_seen_by(process: &Process) -> HashMap<u64, SocketAddr> {
    let v4 = process.tcp().unwrap_or_default();
    let v6 = process.tcp6().unwrap_or_default();
    v4.into_iter()
        .chain(v6)
        .filter(|entry| entry.state == procfs::net::TcpState::Listen)
        .map(|entry| (entry.inode, entry.local_address))
        .collect()
}
