//! Which live processes have which conversations open. There is no lock: their command lines show it, and
//! what was begun in their folders since they started.
//!
//! A process that changes to another conversation on its own (`/clear`, `/resume`) still counts as the owner
//! of the one with which it was started, and not of the new one.

use std::path::Path;
use std::time::UNIX_EPOCH;

use repose_core::conversation::Owner;
use repose_core::ids::ConversationId;
use repose_core::time::Wall;
use repose_sys::tree::{self, Member};

use super::{chats, files};
use crate::env::Env;
use crate::owner::owner;

/// The program's file, or the link to it.
const PROGRAMS: [&str; 2] = ["gemini", "gemini.js"];

/// The program that runs it.
const RUNNING: [&str; 3] = ["node", "nodejs", "bun"];

/// Arguments that are followed by a conversation's id.
const NAMING: [&str; 3] = ["--session-id", "--resume", "-r"];

pub(super) fn opened(env: &Env, ours: &[u32]) -> Vec<(ConversationId, Owner)> {
    let all: Vec<Member> = tree::all().into_iter().filter(|process| is_one(&process.command)).collect();
    let named: Vec<ConversationId> = all.iter().filter_map(|process| named(&process.command)).collect();
    // Each may have started itself a second time.
    let first = all.iter().filter(|process| !all.iter().any(|other| other.id.pid == process.parent));
    let theirs = first.filter(|process| !ours.contains(&process.id.pid));
    theirs
        .filter_map(|process| {
            let id = self::named(&process.command).or_else(|| first_begun(env, process, &named))?;
            Some((id, owner(process.id.pid)))
        })
        .collect()
}

/// Whether node, or a program with that name itself, runs Gemini CLI.
pub(super) fn is_one(command: &[String]) -> bool {
    let named = |word: &String, names: &[&str]| {
        let name = Path::new(word).file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| names.contains(&name))
    };
    let Some((program, args)) = command.split_first() else { return false };
    let script = args.iter().find(|word| !word.starts_with('-'));
    named(program, &PROGRAMS)
        || (named(program, &RUNNING) && script.is_some_and(|word| named(word, &PROGRAMS)))
}

/// The id in a command line.
pub(super) fn named(command: &[String]) -> Option<ConversationId> {
    let (at, word) = command.iter().enumerate().find(|(_, word)| {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        NAMING.contains(&name)
    })?;
    let id = word.split_once('=').map(|(_, value)| value).or(command.get(at + 1).map(String::as_str))?;
    uuid::Uuid::try_parse(id).ok().map(|id| ConversationId::new(id.to_string()))
}

/// The first conversation that was begun in its folder after it started, unless another process names it.
fn first_begun(env: &Env, process: &Member, named: &[ConversationId]) -> Option<ConversationId> {
    let chats = files::chats(env, &repose_sys::files::folder(process.id.pid)?)?;
    let started = process.id.started().duration_since(UNIX_EPOCH).ok()?.as_millis();
    let started = Wall(u64::try_from(started).ok()?);
    let heads = chats::all(&chats).ok()?.into_iter().filter_map(|file| chats::head(&file));
    let after = heads.filter(|head| head.began >= Some(started) && !named.contains(&head.id));
    after.min_by_key(|head| head.began).map(|head| head.id)
}
