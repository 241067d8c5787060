//! The conversations for a folder, the folders that have conversations, and who has one open.

use std::io;
use std::path::{Path, PathBuf};

use repose_core::conversation::Owner;
use repose_core::ids::ConversationId;
use repose_core::time::Wall;
use repose_sys::ProcessId;

use super::database::Database;
use super::{files, transcript};
use crate::env::Env;
use crate::owner::owner;
use crate::transcript::{Listed, Place};

/// How many of the newest conversations of a folder to list. Older ones can be found by their id.
const LISTED_MAX: u32 = 2_000;

/// The user's conversations in a folder, newest first; a subagent's have a parent.
const OF_FOLDER: &str = "
    SELECT id FROM session WHERE directory IN (?1, ?2) AND parent_id IS NULL AND time_archived IS NULL
    ORDER BY time_updated DESC LIMIT ?3";

const FOLDERS: &str = "SELECT directory FROM session WHERE parent_id IS NULL GROUP BY directory ORDER BY max(time_updated) DESC";

/// A copy has its original's title and a number. Its original isn't recorded anywhere.
const NEWEST_COPY: &str = "
    SELECT id FROM session WHERE directory IN (?1, ?2) AND parent_id IS NULL AND title LIKE '%(fork #%)'
        AND time_created >= ?3
    ORDER BY time_created DESC LIMIT 1";

pub(super) fn conversations(env: &Env, folder: &Path) -> io::Result<Vec<Listed>> {
    listed(env, folder, |_| true)
}

pub(super) fn newest(env: &Env, folder: &Path) -> io::Result<Option<Listed>> {
    let found = listed(env, folder, |listed| !listed.conversation.resumable())?;
    Ok(found.into_iter().find(|listed| listed.conversation.resumable()))
}

/// The conversations of this folder, for as long as the caller wants more.
fn listed(env: &Env, folder: &Path, more: impl Fn(&Listed) -> bool) -> io::Result<Vec<Listed>> {
    let Some((path, database)) = open(env)? else { return Ok(Vec::new()) };
    let (folder, real) = names(folder);
    let ids: Vec<String> = database.column(OF_FOLDER, rusqlite::params![folder, real, LISTED_MAX])?;
    let mut found = Vec::new();
    for id in ids.into_iter().map(ConversationId::new) {
        let Some(listed) = transcript::summary_of(&database, Place { path: &path, id: &id })? else {
            continue;
        };
        let more = more(&listed);
        found.push(listed);
        if !more {
            break;
        }
    }
    Ok(found)
}

pub(super) fn recent_folders(env: &Env, limit: usize) -> Vec<PathBuf> {
    let Ok(Some((_, database))) = open(env) else { return Vec::new() };
    let folders: Vec<String> = database.column(FOLDERS, []).unwrap_or_default();
    folders.into_iter().map(PathBuf::from).filter(|folder| folder.is_dir()).take(limit).collect()
}

/// The conversation that a process began as a copy in this folder since it was started.
pub(super) fn copy(env: &Env, folder: &Path, since: Wall) -> io::Result<Option<ConversationId>> {
    let Some((_, database)) = open(env)? else { return Ok(None) };
    let (folder, real) = names(folder);
    let since = i64::try_from(since.0).unwrap_or(i64::MAX);
    let id =
        database.one(NEWEST_COPY, rusqlite::params![folder, real, since], |row| row.get::<_, String>(0))?;
    Ok(id.map(ConversationId::new))
}

/// Whether it is a user's conversation. A subagent's has a parent.
pub(super) fn is_users(env: &Env, id: &str) -> io::Result<bool> {
    Ok(root(env, id)?.as_deref() == Some(id))
}

/// The user's conversation that this one works for: itself, or the one to which its subagent belongs.
pub(super) fn root(env: &Env, id: &str) -> io::Result<Option<String>> {
    const ROOT: &str = "
        WITH RECURSIVE line(id, parent) AS (
            SELECT id, parent_id FROM session WHERE id = ?1
            UNION SELECT session.id, session.parent_id FROM session JOIN line ON session.id = line.parent
        )
        SELECT id FROM line WHERE parent IS NULL";
    let Some((_, database)) = open(env)? else { return Ok(None) };
    database.one(ROOT, [id], |row| row.get(0))
}

/// All conversations that live processes were told to open. Which one was chosen inside the program isn't
/// recorded anywhere.
pub(super) fn opened(env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
    let Some(path) = files::database(env).filter(|path| path.exists()) else { return Ok(Vec::new()) };
    let path = path.canonicalize().unwrap_or(path);
    let mut opened = Vec::new();
    for (pid, files) in repose_sys::files::all()? {
        if ours.contains(&pid) || !files.contains(&path) {
            continue;
        }
        let command = ProcessId::of(pid).and_then(ProcessId::command).unwrap_or_default();
        opened.extend(told(&command).map(|id| (ConversationId::new(id), owner(pid))));
    }
    Ok(opened)
}

/// The conversation named in a command line. Making a copy leaves that conversation alone.
pub(super) fn told(command: &[String]) -> Option<&str> {
    if command.iter().any(|word| word == "--fork") {
        return None;
    }
    let named = command.iter().find_map(|word| word.strip_prefix("--session=").or(word.strip_prefix("-s=")));
    let at = command.iter().position(|word| word == "--session" || word == "-s");
    named.or_else(|| command.get(at? + 1).map(String::as_str))
}

fn open(env: &Env) -> io::Result<Option<(PathBuf, Database)>> {
    let Some(path) = files::database(env) else { return Ok(None) };
    match Database::open(&path) {
        Ok(database) => Ok(Some((path, database))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A folder as it was given, and in its canonical form.
fn names(folder: &Path) -> (String, String) {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    (folder.to_string_lossy().into_owned(), real.to_string_lossy().into_owned())
}
