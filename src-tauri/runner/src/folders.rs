//! Folders to add: those in which an engine was used before, and those that begin as somebody types.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use repose_core::conversation::{Conversation, Owner};
use repose_core::ids::{ConversationId, EngineName};
use repose_engine::{Engine, Env};

/// So many folders are offered, of each engine. Who looks for an older one types its path.
const FOLDERS_MAX: usize = 40;

/// Their newest conversations are read for so long; folders after that come without. Reading goes at some 500
/// MB a second.
const READ_WITHIN: Duration = Duration::from_secs(2);

/// So many completions of a path. More are narrowed down by typing on.
const MATCHES_MAX: usize = 50;

/// Of a folder so many entries are looked at for completions: one with more is no place for repos.
const ENTRIES_MAX: usize = 20_000;

/// A folder in which an engine was used before, and that still exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Where.
    pub path: PathBuf,
    /// Whose.
    pub engine: EngineName,
    /// Its newest conversation that could be resumed, as far as that could be read soon enough.
    pub conversation: Option<Conversation>,
    /// That one's first prompt, on one line.
    pub title: Option<String>,
    /// Its transcript's size in bytes; 0 without one.
    pub size: u64,
    /// It is a repo already.
    pub added: bool,
    /// Another program has that conversation open.
    pub owner: Option<Owner>,
}

/// What an engine's own files tell, newest first. Blocks.
pub(crate) fn used(engine: &dyn Engine, env: &Env, ours: &[u32], added: &[PathBuf]) -> Vec<Folder> {
    let until = Instant::now() + READ_WITHIN;
    // Records that can't be read name no owners; an open looks again, and says so.
    let opened = engine.opened(env, ours).unwrap_or_default();
    let folders = engine.recent_folders(env, FOLDERS_MAX).into_iter();
    folders.map(|path| one(engine, env, path, until, &opened, added)).collect()
}

fn one(
    engine: &dyn Engine,
    env: &Env,
    path: PathBuf,
    until: Instant,
    opened: &[(ConversationId, Owner)],
    added: &[PathBuf],
) -> Folder {
    let newest = if Instant::now() < until { engine.newest(env, &path).ok().flatten() } else { None };
    let owner = newest.as_ref().and_then(|newest| {
        opened.iter().find(|(id, _)| *id == newest.conversation.id).map(|(_, owner)| owner.clone())
    });
    let added = added.contains(&path) || fs::canonicalize(&path).is_ok_and(|real| added.contains(&real));
    Folder {
        path,
        engine: EngineName::new(engine.name()),
        title: newest.as_ref().and_then(|newest| newest.title.clone()),
        size: newest.as_ref().map_or(0, |newest| newest.size),
        conversation: newest.map(|newest| newest.conversation),
        added,
        owner,
    }
}

/// The folders that begin so, as they would be typed: `~` stays what it is. Blocks.
pub(crate) fn complete(typed: &str, home: Option<&Path>) -> Vec<String> {
    let Some((before, begin)) = typed.rsplit_once('/') else { return Vec::new() };
    let Some(folder) = expanded(&format!("{before}/"), home) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let lower = begin.to_lowercase();
    let mut matches: Vec<String> = entries
        .take(ENTRIES_MAX)
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.to_lowercase().starts_with(&lower))
        .filter(|name| begin.starts_with('.') || !name.starts_with('.'))
        .map(|name| format!("{before}/{name}"))
        .collect();
    matches.sort_by_key(|path| path.to_lowercase());
    matches.truncate(MATCHES_MAX);
    matches
}

/// A path as a person types it: from the root, or from the home folder by `~`. `None`: from anywhere else.
pub(crate) fn expanded(typed: &str, home: Option<&Path>) -> Option<PathBuf> {
    let typed = typed.trim();
    let path = match typed.strip_prefix('~') {
        Some("") => home?.to_owned(),
        Some(rest) => home?.join(rest.strip_prefix('/')?),
        None => PathBuf::from(typed),
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests;
