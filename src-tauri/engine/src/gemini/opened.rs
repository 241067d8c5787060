//! What an opening process has opened. Its title says that it is ready too early: a trust dialog may be on
//! the screen, or an earlier conversation not read yet. What it writes shows the truth.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Source};
use repose_core::time::Wall;
use repose_sys::ProcessId;

use super::line::{self, Line, Read, Said};
use super::{chats, files, owners, trust};
use crate::engine::{Opened, Opening};
use crate::lines::{self, Backward};

/// How far back to look through the end of a transcript for the mark of a process that resumed it, in bytes:
/// the whole history may follow that mark once.
const TAIL_MAX: u64 = 32 * 1024 * 1024;

/// The program restarts itself within a second of being told that a folder is trusted; on a busy machine it
/// takes longer.
const STARTS_ANEW_WITHIN: Duration = Duration::from_secs(10);

pub(super) fn confirmed(seen: &Opening<'_>) -> io::Result<Option<Opened>> {
    let trusted = trust::of(seen.env, seen.folder);
    if seen.level != Some(&Level::Idle) || trusted.is_none() || (trusted == Some(true) && starts_anew(seen)) {
        return Ok(None);
    }
    let Some(chats) = files::chats(seen.env, seen.folder) else { return Ok(None) };
    let begun = |file: &Path| last_begun(file).is_some_and(|at| at >= seen.since);
    if seen.forks {
        let mut copies = chats::all(&chats)?.into_iter().filter(|file| begun(file));
        return Ok(copies.find_map(|file| copy(&file)));
    }
    let Some(id) = seen.asked else { return Ok(None) };
    if !seen.resumes {
        let file = chats::path_of(&chats, id).filter(|file| begun(file));
        return Ok(file.map(|file| opened(id.clone(), Source::New, file)));
    }
    let Some(file) = chats::path_of(&chats, id) else { return Ok(None) };
    let Some(beside) = taken_up(&file)? else { return Ok(None) };
    let here = beside.is_some_and(|at| at >= seen.since)
        || chats::files_of(&chats, id).iter().any(|other| *other != file && begun(other));
    Ok(here.then(|| opened(id.clone(), Source::Resumed, file)))
}

fn opened(id: ConversationId, source: Source, file: PathBuf) -> Opened {
    Opened { conversation: Some(id), source, transcript: Some(file) }
}

/// Whether the program is about to end and be restarted by its launcher, as it is after being told that the
/// folder is trusted. It has no launcher if it knew that at its start, and stays if it was told twice.
fn starts_anew(seen: &Opening<'_>) -> bool {
    let processes = seen.tree.iter().filter_map(|pid| ProcessId::of(*pid));
    let programs = processes.filter(|process| process.command().is_some_and(|words| owners::is_one(&words)));
    let mut started: Vec<SystemTime> = programs.map(ProcessId::started).collect();
    started.sort();
    let [_launcher, .., last] = started.as_slice() else { return false };
    let told = trust::file(seen.env).and_then(|file| file.metadata().ok()?.modified().ok());
    let lately = UNIX_EPOCH + Duration::from_millis(seen.now.0).saturating_sub(STARTS_ANEW_WITHIN);
    told.is_some_and(|told| told >= *last && told > lately)
}

/// When a process last began to write this file: one that resumes the conversation in the same minute as the
/// previous one shares its file.
fn last_begun(file: &Path) -> Option<Wall> {
    let mut lines = Backward::open(file, None).ok()?;
    while lines.bytes_read() <= TAIL_MAX {
        let line = lines.line().ok()??;
        if let Some(Read::Said(Line { at, said: Said::Began { .. } })) = line.bytes.as_deref().map(line::read)
        {
            return at;
        }
    }
    None
}

/// Whether a process has resumed it and nothing was said since. Includes when that process began to write, if
/// it did so in this file, as one does that resumes it in the minute in which the conversation began.
fn taken_up(file: &Path) -> io::Result<Option<Option<Wall>>> {
    let mut lines = Backward::open(file, None)?;
    let mut taken = false;
    while lines.bytes_read() <= TAIL_MAX {
        let Some(line) = lines.line()? else { break };
        let Some(Read::Said(Line { at, said })) = line.bytes.as_deref().map(line::read) else { continue };
        match said {
            Said::TakenUp => taken = true,
            Said::Began { .. } if taken => return Ok(Some(at)),
            Said::Began { .. }
            | Said::CopyOf(_)
            | Said::Prompt { .. }
            | Said::Agent { .. }
            | Said::Tools { .. }
            | Said::Again
            | Said::Failed { .. }
            | Said::Interrupted => break,
        }
    }
    Ok(taken.then_some(None))
}

/// A copy has its source on its second line, and is resumed once it is complete.
fn copy(file: &Path) -> Option<Opened> {
    let mut source = None;
    lines::forward(file, |line| match line.bytes.map(line::read) {
        Some(Read::Said(Line { said: Said::CopyOf(file), .. })) => {
            source = Some(file);
            false
        }
        Some(Read::Said(Line { said: Said::Began { .. }, .. }) | Read::Other) => true,
        Some(Read::Said(_) | Read::Broken) | None => false,
    })
    .ok()?;
    source?;
    let id = chats::head(file)?.id;
    taken_up(file).ok()??;
    Some(opened(id, Source::Forked, file.to_owned()))
}
