//! Who else has a Claude Code conversation open.

use std::fs;
use std::io;
use std::path::Path;

use repose_core::conversation::Owner;
use repose_core::ids::ConversationId;
use repose_sys::ProcessId;

use super::{files, status};
use crate::env::Env;
use crate::lines;
use crate::owner::owner;

/// How many times to read a status file again that was being written. Writing takes far less time than
/// reading; one that is still broken after that was left so by a process that was killed while writing.
const READS: usize = 5;

/// The live processes that have conversations open. Status files name process and conversation. A file whose
/// process is gone, or whose pid now belongs to another process, was left behind by a kill and is ignored.
pub(super) fn opened(env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
    let Some(folder) = files::sessions(env) else { return Ok(Vec::new()) };
    let mut opened = Vec::new();
    for path in
        lines::listed(&folder)?.iter().filter(|path| path.extension().is_some_and(|end| end == "json"))
    {
        let Some(status) = read(path) else { continue };
        if !ours.contains(&status.pid) && lives(&status) {
            opened.push((ConversationId::new(status.session_id), owner(status.pid)));
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
    // Without its start time, a live pid must count as the owner.
    status.start().is_none_or(|start| start == now.start)
}

#[cfg(test)]
mod tests;
