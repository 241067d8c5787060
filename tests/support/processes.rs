//! What `/proc` says about the processes of one world: found by the home folder in their environment.

use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

/// A process at the moment of the look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its number.
    pub(crate) pid: i32,
    /// Its parent's number.
    pub(crate) parent: i32,
    /// Start in clock ticks after boot: with the pid it names one process for good.
    pub(crate) start: u64,
    /// The command line, blanks between the words.
    pub(crate) command: String,
    /// Its working folder.
    pub(crate) folder: PathBuf,
    /// Its program file.
    pub(crate) program: PathBuf,
}

impl Process {
    /// Whether this very process is still there, not a zombie.
    pub(crate) fn alive(&self) -> bool {
        stat(self.pid).is_some_and(|(_, start, state)| start == self.start && state != "Z")
    }

    /// PSS + SwapPss in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let rollup = self.rollup();
        rollup("Pss:") + rollup("SwapPss:")
    }

    /// The bytes that no other process can share: what others run from the same program doesn't change it.
    pub(crate) fn own_memory(&self) -> u64 {
        let rollup = self.rollup();
        rollup("Anonymous:") + rollup("SwapPss:")
    }

    /// The lines of `smaps_rollup` by their names, in bytes. Those of a process that is gone are 0.
    fn rollup(&self) -> impl Fn(&str) -> u64 {
        let lines = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)).unwrap_or_default();
        move |name| {
            let line = lines.lines().find(|line| line.starts_with(name));
            let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
            kilobytes.unwrap_or(0) * 1024
        }
    }

    /// Ends this very process at once.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Sends this very process a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.alive()
            && let Some(pid) = Pid::from_raw(self.pid)
        {
            // It may end by itself in between: the same outcome.
            let _gone = kill_process(pid, signal);
        }
    }
}

/// Every process that was started with `HOME=home`.
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
    // The name stands in parentheses and may hold blanks and parentheses itself.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<_> = fields.split(' ').collect();
    Some((fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?, (*fields.first()?).to_owned()))
}
