//! Who else has a conversation open.

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

/// A status file that was read while it was written is read again, so often. Each writing takes far less than
/// one reading; one that is still broken then was left so by a process that was killed in the middle.
const READS: usize = 5;

/// Its status files name process and conversation. A file whose process is gone, or whose pid has come to
/// another process, was left behind by a kill and owns nothing.
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
    // Without its start a living pid must count as the owner.
    status.start().is_none_or(|start| start == now.start)
}

#[cfg(test)]
mod tests;
