//! Finding the conversation of a turn. A process may change to another one on its own: `/clear` begins one,
//! and `/resume` resumes one. It reports neither; the next prompt is in the other's transcript.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use repose_core::ids::ConversationId;
use repose_core::signal::Source;
use repose_core::time::Wall;

use super::line::{self, Line, Read, Said};
use super::{chats, files, owners};
use crate::engine::{Opened, Turned};
use crate::lines::Backward;

/// How far back to look through the end of a transcript for its last prompt, in bytes. A transcript with a
/// longer turn counts as having none.
const TAIL_MAX: u64 = 64 * 1024 * 1024;

/// The one other conversation in which something was asked in that turn, if nothing was in its own: a prompt
/// is in only one of them, so another's belongs to another process. If there are two, it is unknown which.
pub(super) fn to(seen: &Turned<'_>) -> Option<Opened> {
    let chats = files::chats(seen.env, seen.folder)?;
    if asked_in(&chats::path_of(&chats, seen.conversation)?, seen) {
        return None;
    }
    let began = seen.since();
    let asked = |file: &Path| {
        let changed = file.metadata().and_then(|meta| meta.modified()).ok()?;
        if changed < UNIX_EPOCH + Duration::from_millis(began.0) {
            return None;
        }
        last_prompt(file).filter(|at| *at >= began)
    };
    let mut others = chats::all(&chats).ok()?.into_iter().filter(|file| asked(file).is_some()).peekable();
    others.peek()?;
    let theirs: Vec<ConversationId> =
        owners::opened(seen.env, seen.tree).into_iter().map(|(id, _)| id).collect();
    let heads = others.filter_map(|file| Some((chats::head(&file).filter(|head| head.of_user)?.id, file)));
    let mut others = heads.filter(|(id, _)| id != seen.conversation && !theirs.contains(id));
    let (id, file) = others.next()?;
    let opened = Opened { conversation: Some(id), source: Source::Cleared, transcript: Some(file) };
    others.next().is_none().then_some(opened)
}

/// Whether something was asked there in that turn.
pub(super) fn asked_in(file: &Path, seen: &Turned<'_>) -> bool {
    last_prompt(file).is_some_and(|at| at >= seen.since())
}

fn last_prompt(file: &Path) -> Option<Wall> {
    let mut lines = Backward::open(file, None).ok()?;
    while lines.bytes_read() <= TAIL_MAX {
        let line = lines.line().ok()??;
        if let Some(Read::Said(Line { at, said: Said::Prompt { .. } })) =
            line.bytes.as_deref().map(line::read)
        {
            return at;
        }
    }
    None
}
