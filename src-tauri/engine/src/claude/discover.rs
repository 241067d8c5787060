//! The conversations for a folder, and the folders that have conversations.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{files, line, transcript};
use crate::env::Env;
use crate::lines;
use crate::setup;
use crate::transcript::{Listed, MOVED_MAX, Moved, listable};

/// How many bytes of a transcript to search for its folder. A transcript that doesn't name it
/// there belongs to no folder.
const HEAD_MAX: u64 = 4 * 1024 * 1024;

/// How many of the newest transcripts in each folder of transcripts to ask for their folder. Several folders
/// share one only if their paths differ in punctuation alone.
const ASKED_MAX: usize = 20;

/// Where it keeps how much the last run in a folder sent to the model (2.1.332). A folder that is only trusted has no
/// such record.
const SENT: &str = "lastTotalInputTokens";

pub(super) fn conversations(env: &Env, folder: &Path) -> io::Result<Vec<Listed>> {
    let mut all = Vec::new();
    for path in transcripts(env, folder)? {
        if belongs(&path, folder)
            && let Some(listed) = listable(transcript::summary(&path))?
        {
            all.push(listed);
        }
    }
    all.sort_by_key(|listed| std::cmp::Reverse(listed.conversation.last_turn));
    Ok(all)
}

pub(super) fn newest(env: &Env, folder: &Path) -> io::Result<Option<Listed>> {
    for path in transcripts(env, folder)? {
        if !belongs(&path, folder) {
            continue;
        }
        let summary = listable(transcript::summary(&path))?;
        if summary.as_ref().is_some_and(|listed| listed.conversation.resumable()) {
            return Ok(summary);
        }
    }
    Ok(None)
}

/// The conversations of folders that are gone and had this one's name.
pub(super) fn moved(env: &Env, folder: &Path) -> io::Result<Vec<Moved>> {
    let folder = files::real(folder);
    let Some(name) = folder.file_name() else { return Ok(Vec::new()) };
    let kept = files::projects(env).map(|projects| lines::listed(&projects)).transpose()?.unwrap_or_default();
    let mut transcripts: Vec<(SystemTime, PathBuf)> = Vec::new();
    for project in kept.into_iter().filter(|project| files::may_be_of_one_named(project, name)) {
        transcripts.extend(by_age(&project).unwrap_or_default().into_iter().take(ASKED_MAX));
    }
    transcripts.sort_by(|(a, _), (b, _)| b.cmp(a));
    let mut moved = Vec::new();
    for (_, path) in transcripts {
        let Some(from) = folder_of(&path) else { continue };
        if from.file_name() != Some(name) || from == folder || from.symlink_metadata().is_ok() {
            continue;
        }
        // A transcript that can't be read can't be copied either.
        let summary = transcript::summary(&path).ok().flatten();
        moved.extend(
            summary.filter(|listed| listed.conversation.resumable()).map(|listed| Moved { from, listed }),
        );
        if moved.len() == MOVED_MAX {
            break;
        }
    }
    Ok(moved)
}

/// The folders in which it was used: those with transcripts, ordered by the newest one, then those of which only
/// its settings say so.
pub(super) fn recent_folders(env: &Env, limit: usize) -> Vec<PathBuf> {
    let mut used: HashMap<PathBuf, SystemTime> = HashMap::new();
    let kept = files::projects(env).and_then(|folder| lines::listed(&folder).ok()).unwrap_or_default();
    for project in kept {
        for (changed, transcript) in by_age(&project).unwrap_or_default().into_iter().take(ASKED_MAX) {
            if let Some(folder) = folder_of(&transcript) {
                let newest = used.entry(folder).or_insert(changed);
                *newest = changed.max(*newest);
            }
        }
    }
    let state = files::state(env).and_then(|path| setup::json(&path)).unwrap_or_default();
    for (folder, known) in state["projects"].as_object().into_iter().flatten() {
        if known[SENT].as_u64().is_some_and(|sent| sent > 0) {
            used.entry(PathBuf::from(folder)).or_insert(SystemTime::UNIX_EPOCH);
        }
    }
    let mut folders: Vec<(PathBuf, SystemTime)> =
        used.into_iter().filter(|(folder, _)| folder.is_dir()).collect();
    folders.sort_by(|(a, a_used), (b, b_used)| b_used.cmp(a_used).then_with(|| a.cmp(b)));
    folders.into_iter().map(|(folder, _)| folder).take(limit).collect()
}

/// The transcripts in the folder for those of `folder`, newest first.
fn transcripts(env: &Env, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(kept) = files::transcripts(env, folder) else { return Ok(Vec::new()) };
    Ok(by_age(&kept)?.into_iter().map(|(_, path)| path).collect())
}

fn by_age(folder: &Path) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let mut all = Vec::new();
    for path in lines::listed(folder)?.into_iter().filter(|path| transcript::id(path).is_some()) {
        // A transcript may have been deleted since the folder was read.
        if let Ok(changed) = fs::metadata(&path).and_then(|meta| meta.modified()) {
            all.push((changed, path));
        }
    }
    all.sort_by(|(a, _), (b, _)| b.cmp(a));
    Ok(all)
}

/// The name of its folder doesn't show which folder a transcript is of: paths that differ only in punctuation
/// share it.
fn belongs(transcript: &Path, folder: &Path) -> bool {
    folder_of(transcript).is_some_and(|of| of == files::real(folder))
}

fn folder_of(transcript: &Path) -> Option<PathBuf> {
    let mut folder = None;
    lines::forward(transcript, |line| {
        folder = line.bytes.and_then(line::folder);
        folder.is_none() && line.offset < HEAD_MAX
    })
    .ok()?;
    folder.map(PathBuf::from)
}

#[cfg(test)]
mod tests;
