//! Folders that were moved. A folder keeps its mark when it is moved or renamed within its file system, so a
//! folder with the mark of a repo whose own folder is gone is that folder. This is used to offer
//! conversations; nothing is resumed automatically.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use repose_engine::Env;
use repose_engine::transcript::{MOVED_MAX, Moved};

use crate::check::Facts;
use crate::shared::Shared;

/// What identifies a folder: its number in its file system and the time of its creation, since numbers are
/// reused. `None`: the folder doesn't exist, or its file system doesn't record that time.
pub(crate) fn mark(folder: &Path) -> Option<String> {
    let meta = fs::metadata(folder).ok()?;
    let made = meta.created().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {}", meta.ino(), made.as_nanos()))
}

/// Conversations that may have been this repo's under another path: those of its folder's earlier places, and
/// those of folders that are gone and had the same name.
///
/// # Errors
/// If the engine's records exist and can't be read.
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
    // This is only an offer, so without the store there is none.
    let marked = shared.store.marked(&mark).unwrap_or_default();
    marked.into_iter().filter(|place| place != folder && place.symlink_metadata().is_err()).collect()
}
