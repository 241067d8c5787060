//! The conversations for a folder, and the folders that have conversations.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use repose_core::ids::ConversationId;

use super::line::{self, Line, Read, Said};
use super::{files, transcript};
use crate::env::Env;
use crate::lines;
use crate::transcript::{Listed, MOVED_MAX, Moved, listable};

/// How many of the newest transcripts to look at: they are sorted by day, not by folder. Older ones can be
/// found by their id.
const LOOKED_AT_MAX: usize = 2_000;

/// The beginning of a transcript's name, followed by its time and its id.
const PREFIX: &str = "rollout-";

/// Seconds.
const A_DAY: u64 = 86_400;

/// The number of characters of an id.
const ID_LENGTH: usize = 36;

/// The id in a transcript's name.
pub(super) fn id(path: &Path) -> Option<ConversationId> {
    let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(".jsonl")?;
    let id = name.get(name.len().checked_sub(ID_LENGTH)?..)?;
    uuid::Uuid::try_parse(id).ok().map(|_| ConversationId::new(id))
}

/// The transcript of this conversation. It is in the folder of the day on which it began, in local time; its
/// id contains that moment.
pub(super) fn path_of(env: &Env, wanted: &ConversationId) -> Option<PathBuf> {
    let sessions = files::sessions(env)?;
    let began = uuid::Uuid::try_parse(wanted.as_str()).ok()?.get_timestamp()?.to_unix().0;
    let days = [began, began.saturating_sub(A_DAY), began.saturating_add(A_DAY)].map(day);
    let folders = days.iter().map(|day| sessions.join(day));
    let mut paths = folders.flat_map(|folder| lines::listed(&folder).unwrap_or_default());
    paths.find(|path| id(path).as_ref() == Some(wanted))
}

/// The folder of the day of a moment: `2026/11/29`.
fn day(seconds: u64) -> String {
    let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    let text = humantime::format_rfc3339_seconds(time).to_string();
    text[..text.find('T').unwrap_or(text.len())].replace('-', "/")
}

pub(super) fn conversations(env: &Env, folder: &Path) -> io::Result<Vec<Listed>> {
    let mut found = Vec::new();
    for (_, path) in all(env)?.into_iter().take(LOOKED_AT_MAX) {
        if belongs(&path, folder)
            && let Some(listed) = listable(transcript::summary(&path))?
        {
            found.push(listed);
        }
    }
    found.sort_by_key(|listed| std::cmp::Reverse(listed.conversation.last_turn));
    Ok(found)
}

pub(super) fn newest(env: &Env, folder: &Path) -> io::Result<Option<Listed>> {
    for (_, path) in all(env)?.into_iter().take(LOOKED_AT_MAX) {
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
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut moved = Vec::new();
    for (_, path) in all(env)?.into_iter().take(LOOKED_AT_MAX) {
        let Some((from, true)) = of(&path) else { continue };
        if from.file_name() != folder.file_name() || from == folder || from.symlink_metadata().is_ok() {
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

pub(super) fn recent_folders(env: &Env, limit: usize) -> Vec<PathBuf> {
    let mut used: HashMap<PathBuf, SystemTime> = HashMap::new();
    for (changed, path) in all(env).unwrap_or_default().into_iter().take(LOOKED_AT_MAX) {
        if let Some((folder, true)) = of(&path) {
            let newest = used.entry(folder).or_insert(changed);
            *newest = changed.max(*newest);
        }
    }
    let mut folders: Vec<(PathBuf, SystemTime)> =
        used.into_iter().filter(|(folder, _)| folder.is_dir()).collect();
    folders.sort_by(|(a, a_used), (b, b_used)| b_used.cmp(a_used).then_with(|| a.cmp(b)));
    folders.into_iter().map(|(folder, _)| folder).take(limit).collect()
}

/// All transcripts, newest first.
fn all(env: &Env) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let Some(sessions) = files::sessions(env) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for year in lines::listed(&sessions)? {
        for month in lines::listed(&year).unwrap_or_default() {
            for day in lines::listed(&month).unwrap_or_default() {
                for path in lines::listed(&day).unwrap_or_default() {
                    // A transcript may have been archived since the folder was read.
                    if id(&path).is_some()
                        && let Ok(changed) = fs::metadata(&path).and_then(|meta| meta.modified())
                    {
                        found.push((changed, path));
                    }
                }
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| b.cmp(a));
    Ok(found)
}

fn belongs(transcript: &Path, folder: &Path) -> bool {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    of(transcript).is_some_and(|(of, by_user)| by_user && (of == real || of == folder))
}

/// The folder on a transcript's first line, and whether a user began the conversation.
fn of(transcript: &Path) -> Option<(PathBuf, bool)> {
    let mut found = None;
    lines::forward(transcript, |first| {
        if let Some(Read::Said(Line { said: Said::Meta { folder, of_user, .. }, .. })) =
            first.bytes.map(line::read)
        {
            found = folder.map(|folder| (PathBuf::from(folder), of_user));
        }
        false
    })
    .ok()?;
    found
}
