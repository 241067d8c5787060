//! Folders that were moved. A folder keeps its mark when it is moved or renamed within its file system: one
//! with the mark of a repo whose own folder is gone was that one before. What it is used for is an offer;
//! nothing is taken up by itself.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use repose_engine::Env;
use repose_engine::transcript::{MOVED_MAX, Moved};

use crate::check::Facts;
use crate::shared::Shared;

/// What a folder is known by: its number in its file system, and the moment when it was made, for numbers are
/// used again. `None`: it isn't there, or its file system keeps no such moment.
pub(crate) fn mark(folder: &Path) -> Option<String> {
    let meta = fs::metadata(folder).ok()?;
    let made = meta.created().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {}", meta.ino(), made.as_nanos()))
}

/// Conversations that may have been this repo's under another path: those of its folder's earlier places, and
/// those of folders that are gone and had its name.
///
/// # Errors
/// If the engine's records are there and can't be read.
pub(crate) fn conversations(facts: &Facts, shared: &Shared, env: &Env) -> io::Result<Vec<Moved>> {
    let mut found = Vec::new();
    for from in earlier_places(&facts.path, shared) {
        let listed = facts.engine.conversations(env, &from)?.into_iter();
        let resumable = listed.filter(|listed| listed.conversation.resumable()).take(MOVED_MAX);
        found.extend(resumable.map(|listed| Moved { from: from.clone(), listed }));
    }
    for moved in facts.engine.moved(env, &facts.path)? {
        let known = |found: &Moved| found.listed.conversation.id == moved.listed.conversation.id;
        if !found.iter().any(known) {
            found.push(moved);
        }
    }
    Ok(found)
}

fn earlier_places(folder: &Path, shared: &Shared) -> Vec<PathBuf> {
    let Some(mark) = mark(folder) else { return Vec::new() };
    // It is an offer: without the store there is none.
    let marked = shared.store.marked(&mark).unwrap_or_default();
    marked.into_iter().filter(|place| place != folder && place.symlink_metadata().is_err()).collect()
}
