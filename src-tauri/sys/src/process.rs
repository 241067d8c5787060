//! The identity of a process: its pid together with its start time, because a pid alone comes back.

use std::time::SystemTime;

use crate::platform;

/// A process, identified so that another one with the same pid is a different value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId {
    /// The pid.
    pub pid: u32,
    /// When it started, in the platform's unit: clock ticks since boot on Linux (`starttime`, field
    /// 22 of `/proc/<pid>/stat`), seconds since 1970 on macOS. Compared within one boot of the
    /// machine only.
    pub start: u64,
}

impl ProcessId {
    /// The living process that has this pid now. `None` if there is none, or only a zombie.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let row = platform::row(pid)?;
        row.state.lives().then_some(row.id)
    }

    /// The calling process. `None` only where the process table can't be read.
    #[must_use]
    pub fn own() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// Whether this very process still runs. A zombie is dead, and so is a process whose pid
    /// now belongs to another one.
    #[must_use]
    pub fn alive(self) -> bool {
        Self::of(self.pid) == Some(self)
    }

    /// Whether it is being ended: killed or exiting, and not gone yet. `false` where the system doesn't tell.
    #[must_use]
    pub fn ending(self) -> bool {
        platform::ending(self.pid)
    }

    /// Whether it is doing something, or is stopped, rather than waiting for something to happen. `false` where
    /// the system doesn't tell.
    #[must_use]
    pub fn at_work(self) -> bool {
        platform::at_work(self.pid)
    }

    /// When it started, on the wall clock, accurate to some hundredths of a second.
    #[must_use]
    pub fn started(self) -> SystemTime {
        platform::started(self.start)
    }

    /// Its command line, one item an argument, bytes that are not UTF-8 replaced. `None` if the
    /// process is gone; empty if it has none (kernel threads) or it can't be read.
    #[must_use]
    pub fn command(self) -> Option<Vec<String>> {
        let command = platform::command(self.pid);
        self.alive().then_some(command)
    }
}

/// What a process is doing, as the kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// On a CPU or waiting for one.
    Running,
    /// Waiting for something.
    Sleeping,
    /// Waiting for a device; no signal ends it, not even SIGKILL, until the wait is over.
    Uninterruptible,
    /// Stopped by a signal or a debugger: runs no code.
    Stopped,
    /// Ended, not yet waited for by its parent.
    Zombie,
    /// Any other state that the kernel reports (idle kernel thread, parked, unknown).
    Other,
}

impl State {
    /// Whether a process in this state is alive: every state but [`State::Zombie`].
    #[must_use]
    pub fn lives(self) -> bool {
        match self {
            Self::Running | Self::Sleeping | Self::Uninterruptible | Self::Stopped | Self::Other => true,
            Self::Zombie => false,
        }
    }

    /// Whether it can't start anything now.
    pub(crate) fn still(self) -> bool {
        match self {
            Self::Stopped | Self::Zombie | Self::Uninterruptible => true,
            Self::Running | Self::Sleeping | Self::Other => false,
        }
    }
}
