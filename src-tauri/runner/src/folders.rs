//! Folders to offer for adding: those in which an engine was used before, and completions of a typed path.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use repose_core::conversation::{Conversation, Owner};
use repose_core::ids::{ConversationId, EngineName};
use repose_engine::{Engine, Env};

/// The most folders to offer for each engine. Whoever wants an older one types its path.
const FOLDERS_MAX: usize = 40;

/// How long to read newest conversations; folders after that are offered without one. Reading takes some 2 s
/// per GB.
const READ_WITHIN: Duration = Duration::from_secs(2);

/// The most completions of a path. Further ones are narrowed down by typing on.
const MATCHES_MAX: usize = 50;

/// The most entries of a folder to look at for completions: a folder with more is no place for repos.
const ENTRIES_MAX: usize = 20_000;

/// A folder in which an engine was used before, and that still exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The folder's path.
    pub path: PathBuf,
    /// The engine that was used in it.
    pub engine: EngineName,
    /// Its newest conversation that could be resumed, if it could be read in time.
    pub conversation: Option<Conversation>,
    /// The first prompt of that conversation, on one line.
    pub title: Option<String>,
    /// The size of its transcript in bytes; 0 without a conversation.
    pub size: u64,
    /// Whether the folder is a repo already.
    pub added: bool,
    /// Another program that has that conversation open.
    pub owner: Option<Owner>,
}

/// The folders that an engine's own files name, newest first. Blocks.
pub(crate) fn used(engine: &dyn Engine, env: &Env, ours: &[u32], added: &[PathBuf]) -> Vec<Folder> {
    let until = Instant::now() + READ_WITHIN;
    // Records that can't be read name no owners; an open looks again and reports it.
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

/// The folders whose paths begin with `typed`, in the form in which they would be typed, with `~` kept.
/// Blocks.
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

/// The path that a person typed: absolute, or below the home folder with `~`. `None`: a relative path.
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
