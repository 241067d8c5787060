//! The locks with which Codex processes hold conversations: `thread-writer-locks/<id>.lock`, open for as long
//! as the conversation is.

use std::io;
use std::path::{Path, PathBuf};

use repose_core::conversation::Owner;
use repose_core::ids::ConversationId;
use repose_core::signal::Source;

use super::{discover, files};
use crate::engine::{Opened, Opening};
use crate::env::Env;
use crate::lines;
use crate::owner::owner;

/// The conversation that the process has opened. A resumed one has its transcript open as well, before
/// anything is asked in it; a new one gets its transcript with the first prompt.
pub(super) fn confirmed(seen: &Opening<'_>) -> io::Result<Option<Opened>> {
    let Some(locks) = files::locks(seen.env) else { return Ok(None) };
    let open: Vec<PathBuf> =
        seen.tree.iter().flat_map(|pid| repose_sys::files::open(*pid).unwrap_or_default()).collect();
    let held: Vec<ConversationId> = open.iter().filter_map(|path| id_of(&locks, path)).collect();
    let resumed = seen.asked.filter(|asked| seen.resumes && held.contains(asked));
    if let Some(id) = resumed {
        let transcript = open.into_iter().find(|path| discover::id(path).as_ref() == Some(id));
        // The transcript is being read.
        let Some(transcript) = transcript else { return Ok(None) };
        let (conversation, source) = (Some(id.clone()), Source::Resumed);
        return Ok(Some(Opened { conversation, source, transcript: Some(transcript) }));
    }
    let opened = held.into_iter().next();
    let source = if seen.forks { Source::Forked } else { Source::New };
    Ok(opened.map(|id| Opened { conversation: Some(id), source, transcript: None }))
}

/// All conversations whose lock a live process has open. A clean end removes a lock; a kill leaves it behind,
/// held by nobody.
pub(super) fn opened(env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
    let Some(locks) = files::locks(env) else { return Ok(Vec::new()) };
    if lines::listed(&locks)?.is_empty() {
        return Ok(Vec::new());
    }
    let mut opened = Vec::new();
    for (pid, paths) in repose_sys::files::all()? {
        if !ours.contains(&pid) {
            let held = paths.iter().filter_map(|path| id_of(&locks, path));
            opened.extend(held.map(|id| (id, owner(pid))));
        }
    }
    Ok(opened)
}

fn id_of(locks: &Path, path: &Path) -> Option<ConversationId> {
    let locks = locks.canonicalize().unwrap_or_else(|_| locks.to_owned());
    let name = path.strip_prefix(locks).ok()?.to_str()?.strip_suffix(".lock")?;
    uuid::Uuid::try_parse(name).ok().map(|_| ConversationId::new(name))
}
