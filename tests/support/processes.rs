//! What `/proc` shows of the processes of one world, which are found by the home folder in their environment.

use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

use super::patience::closely;

/// A process as it was when looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its pid.
    pub(crate) pid: i32,
    /// Its parent's pid.
    pub(crate) parent: i32,
    /// Its start in clock ticks since boot, which together with the pid identifies it for good.
    pub(crate) start: u64,
    /// Its command line, with spaces between the arguments.
    pub(crate) command: String,
    /// Its working folder.
    pub(crate) folder: PathBuf,
    /// Its program file.
    pub(crate) program: PathBuf,
}

impl Process {
    /// Whether this very process still exists and isn't a zombie.
    pub(crate) fn alive(&self) -> bool {
        stat(self.pid).is_some_and(|(_, start, state)| start == self.start && state != "Z")
    }

    /// PSS + SwapPss in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let rollup = self.rollup();
        rollup("Pss:") + rollup("SwapPss:")
    }

    /// Memory in bytes that no other process shares, so that other processes of the same program don't affect
    /// it.
    pub(crate) fn own_memory(&self) -> u64 {
        let rollup = self.rollup();
        rollup("Anonymous:") + rollup("SwapPss:")
    }

    /// The lines of `smaps_rollup` by name, in bytes. Zero for a process that is gone.
    fn rollup(&self) -> impl Fn(&str) -> u64 {
        let lines = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)).unwrap_or_default();
        move |name| {
            let line = lines.lines().find(|line| line.starts_with(name));
            let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
            kilobytes.unwrap_or(0) * 1024
        }
    }

    /// Kills this very process. Once this returns it is dead: until then it looks as if it lived.
    #[track_caller]
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
        closely("the process to die", || (!self.alive()).then_some(()));
    }

    /// Sends this very process a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.alive()
            && let Some(pid) = Pid::from_raw(self.pid)
        {
            // It may end in between, which has the same result.
            let _gone = kill_process(pid, signal);
        }
    }
}

/// All processes that were started with `HOME=home`.
pub(crate) fn of_home(home: &Path) -> Vec<Process> {
    let mark = format!("HOME={}", home.display());
    let numbers = std::fs::read_dir("/proc").expect("a mounted /proc");
    numbers
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
        })
        .filter_map(read)
        .collect()
}

fn read(pid: i32) -> Option<Process> {
    let (parent, start, state) = stat(pid)?;
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    (state != "Z").then_some(())?;
    Some(Process {
        pid,
        parent,
        start,
        command: String::from_utf8_lossy(&command).replace('\0', " ").trim_end().to_owned(),
        folder: std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default(),
        program: std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default(),
    })
}

/// Parent, start and state.
fn stat(pid: i32) -> Option<(i32, u64, String)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may contain spaces and parentheses itself.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<_> = fields.split(' ').collect();
    Some((fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?, (*fields.first()?).to_owned()))
}
