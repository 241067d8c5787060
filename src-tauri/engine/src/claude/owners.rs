//! Who else has a conversation open.

use std::fs;
use std::io;
use std::path::Path;

use repose_core::conversation::Owner;
use repose_core::ids::ConversationId;
use repose_sys::ProcessId;

use super::{files, status};
use crate::env::Env;
use crate::transcript::one_line;

/// A status file that was read while it was written is read again, so often. Each writing takes far less than one
/// reading; one that is still broken then was left so by a process that was killed in the middle.
const READS: usize = 5;

/// A command line is cut to so many characters: it stands in one line.
const COMMAND_MAX: usize = 200;

/// Its status files name process and conversation. A file whose process is gone, or whose pid has come to another
/// process, was left behind by a kill and owns nothing.
pub(super) fn opened(env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
    let Some(folder) = files::sessions(env) else { return Ok(Vec::new()) };
    let mut opened = Vec::new();
    for path in
        files::listed(&folder)?.iter().filter(|path| path.extension().is_some_and(|end| end == "json"))
    {
        let Some(status) = read(path) else { continue };
        if !ours.contains(&status.pid) && lives(&status) {
            let owner =
                Owner { pid: status.pid, terminal: terminal(status.pid), command: command(status.pid) };
            opened.push((ConversationId::new(status.session_id), owner));
        }
    }
    opened.sort_by_key(|(_, owner)| owner.pid);
    Ok(opened)
}

fn read(path: &Path) -> Option<status::Status> {
    (0..READS).find_map(|_| status::parsed(&fs::read(path).ok()?))
}

fn lives(status: &status::Status) -> bool {
    let Some(now) = ProcessId::of(status.pid) else { return false };
    // Only Linux's form of the start time is known; without it a living pid must count as the owner.
    let started = status
        .proc_start
        .as_deref()
        .filter(|_| cfg!(target_os = "linux"))
        .and_then(|start| start.parse().ok());
    started.is_none_or(|start: u64| start == now.start)
}

fn command(pid: u32) -> Option<String> {
    let words = ProcessId::of(pid)?.command()?.join(" ");
    Some(one_line(&words, COMMAND_MAX)).filter(|command| !command.is_empty())
}

/// The terminal that a process reads from, where the system shows it.
fn terminal(pid: u32) -> Option<String> {
    let input = fs::read_link(format!("/proc/{pid}/fd/0")).ok()?;
    let name = input.to_str()?;
    (name.starts_with("/dev/pts/") || name.starts_with("/dev/tty")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
