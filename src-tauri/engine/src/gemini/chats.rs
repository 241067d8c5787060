//! The conversations for a folder, and the files of each.
//!
//! A file is named `session-<minute>-<start of the id>.jsonl`; its first line has the full id. A conversation
//! that was resumed has several files with its id: each process that resumes it writes one in which nothing
//! is said.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use repose_core::ids::ConversationId;
use repose_core::time::Wall;

use super::line::{self, Line, Read, Said};
use super::{files, transcript};
use crate::env::Env;
use crate::lines;
use crate::transcript::{LastTurn, Listed, listable};

/// The beginning of a transcript's name.
const PREFIX: &str = "session-";

/// How many characters of the id a name contains.
const SHORT: usize = 8;

/// The first line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) id: ConversationId,
    /// When the process that wrote the file began to write.
    pub(super) began: Option<Wall>,
    pub(super) of_user: bool,
}

/// All transcripts in this folder of transcripts.
pub(super) fn all(chats: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = lines::listed(chats)?;
    files.retain(|path| short(path).is_some());
    Ok(files)
}

/// The files of this conversation.
pub(super) fn files_of(chats: &Path, id: &ConversationId) -> Vec<PathBuf> {
    let mut files = all(chats).unwrap_or_default();
    let wanted = id.as_str().get(..SHORT);
    files.retain(|path| short(path) == wanted && head(path).is_some_and(|head| head.id == *id));
    files
}

/// The transcript of this conversation: the one of its files in which something is said.
pub(super) fn path_of(chats: &Path, id: &ConversationId) -> Option<PathBuf> {
    largest(files_of(chats, id))
}

/// Conversations beside which there is a file with the same short id in which nothing is said: when the
/// program tidies up, it takes that for a broken one and deletes all files with that short id.
pub(super) fn with_an_empty_twin(chats: &Path) -> Vec<ConversationId> {
    let mut by_short: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for file in all(chats).unwrap_or_default() {
        if let Some(short) = short(&file).map(str::to_owned) {
            by_short.entry(short).or_default().push(file);
        }
    }
    let several = by_short.into_values().filter(|files| files.len() > 1);
    let mut lost: Vec<ConversationId> = several
        .flat_map(|files| {
            let (said, empty): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| something_said(file));
            if empty.is_empty() { Vec::new() } else { said }
        })
        .filter_map(|file| head(&file).map(|head| head.id))
        .collect();
    lost.sort();
    lost.dedup();
    lost
}

/// A file that can't be read counts as one in which something was said, since that may be lost.
fn something_said(file: &Path) -> bool {
    transcript::tail(file).map_or(true, |tail| tail.last_turn != LastTurn::None)
}

/// The first line of a file. `None`: it isn't a transcript.
pub(super) fn head(path: &Path) -> Option<Head> {
    let mut found = None;
    lines::forward(path, |first| {
        if let Some(Read::Said(Line { at, said: Said::Began { id, of_user } })) = first.bytes.map(line::read)
        {
            found = Some(Head { id: ConversationId::new(id), began: at, of_user });
        }
        false
    })
    .ok()?;
    found
}

pub(super) fn conversations(env: &Env, folder: &Path) -> io::Result<Vec<Listed>> {
    let mut found = Vec::new();
    for (_, path) in transcripts(env, folder)? {
        found.extend(listable(transcript::summary(&path, None))?);
    }
    found.sort_by_key(|listed| std::cmp::Reverse(listed.conversation.last_turn));
    Ok(found)
}

pub(super) fn newest(env: &Env, folder: &Path) -> io::Result<Option<Listed>> {
    for (_, path) in transcripts(env, folder)? {
        let summary = listable(transcript::summary(&path, None))?;
        if summary.as_ref().is_some_and(|listed| listed.conversation.resumable()) {
            return Ok(summary);
        }
    }
    Ok(None)
}

pub(super) fn recent_folders(env: &Env, limit: usize) -> Vec<PathBuf> {
    let used = |(folder, chats): (PathBuf, PathBuf)| {
        let newest = all(&chats).ok()?.iter().filter_map(|path| changed(path)).max()?;
        folder.is_dir().then_some((newest, folder))
    };
    let mut folders: Vec<_> = files::projects(env).into_iter().filter_map(used).collect();
    folders.sort_by(|(a_used, a), (b_used, b)| b_used.cmp(a_used).then_with(|| a.cmp(b)));
    folders.into_iter().map(|(_, folder)| folder).take(limit).collect()
}

/// The transcript of each conversation for this folder, most recently written first.
fn transcripts(env: &Env, folder: &Path) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let Some(chats) = files::chats(env, folder) else { return Ok(Vec::new()) };
    let mut files: HashMap<ConversationId, Vec<PathBuf>> = HashMap::new();
    for path in all(&chats)? {
        if let Some(head) = head(&path).filter(|head| head.of_user) {
            files.entry(head.id).or_default().push(path);
        }
    }
    let of_each = files.into_values().filter_map(largest);
    let mut found: Vec<_> = of_each.filter_map(|path| Some((changed(&path)?, path))).collect();
    found.sort_by(|(a, _), (b, _)| b.cmp(a));
    Ok(found)
}

fn largest(files: Vec<PathBuf>) -> Option<PathBuf> {
    files.into_iter().max_by_key(|path| fs::metadata(path).map_or(0, |meta| meta.len()))
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

fn short(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(".jsonl")?;
    name.rsplit_once('-').map(|(_, short)| short)
}
