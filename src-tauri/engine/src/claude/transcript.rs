//! Reading a whole transcript, or its end.

use std::fs;
use std::io;
use std::path::Path;

use repose_core::conversation::{Conversation, OnDisk, Turns};
use repose_core::ids::{ConversationId, EngineName};
use repose_core::signal::Author;
use repose_core::time::Wall;

use super::NAME;
use super::line::{self, Line, Read, Said};
use crate::lines::{self, Backward};
use crate::transcript::{LastTurn, Listed, TITLE_MAX, Tail, one_line, unreadable};

/// How far back to look through the end of a transcript, in bytes. A turn's last lines are among the last few
/// hundred kilobytes; if 8 MB hold none, the state is unknown.
const TAIL_MAX: u64 = 8 * 1024 * 1024;

/// A conversation from its whole transcript. `None`: the file isn't named like a transcript.
pub(super) fn summary(path: &Path) -> io::Result<Option<Listed>> {
    let Some(id) = id(path) else { return Ok(None) };
    let size = fs::metadata(path)?.len();
    let mut conversation = Conversation {
        on_disk: OnDisk::There,
        ..Conversation::begun(id, EngineName::new(NAME), Some(path.to_string_lossy().into_owned()))
    };
    let (mut turns, mut title) = (0_u32, None);
    lines::forward(path, |line| {
        if let Some(bytes) = line.bytes.filter(|bytes| line::may_be_prompt(bytes))
            && let Read::Said(line) = line::read(bytes)
            && let Said::Prompt { text, author: Author::Person, .. } = line.said
        {
            turns = turns.saturating_add(1);
            conversation.last_turn = conversation.last_turn.max(line.at);
            title.get_or_insert_with(|| one_line(&text, TITLE_MAX));
        }
        true
    })?;
    if turns == 0 && damaged(path)? {
        return Err(unreadable());
    }
    conversation.turns = Turns::Counted(turns);
    let tail = tail(path)?;
    conversation.last_turn = conversation.last_turn.max(tail.last_activity);
    conversation.context_tokens = tail.context_tokens;
    Ok(Some(Listed { conversation, title, size }))
}

/// Whether it contains an invalid line. The last one may be incomplete.
fn damaged(path: &Path) -> io::Result<bool> {
    let mut damaged = false;
    lines::forward(path, |line| {
        let half_written = |bytes: &[u8]| !line.ended && bytes.starts_with(b"{");
        let read = |bytes| half_written(bytes) || bytes.trim_ascii().is_empty() || whole(bytes);
        damaged = !line.bytes.is_some_and(read);
        !damaged
    })?;
    Ok(damaged)
}

/// The id in a transcript's name. Other files lie beside transcripts.
pub(super) fn id(path: &Path) -> Option<ConversationId> {
    let name = path.file_stem()?.to_str()?;
    let is_id = path.extension().is_some_and(|end| end == "jsonl") && uuid::Uuid::try_parse(name).is_ok();
    is_id.then(|| ConversationId::new(name))
}

pub(super) fn tail(path: &Path) -> io::Result<Tail> {
    let mut lines = Backward::open(path, None)?;
    let mut tail = Tail {
        last_activity: None,
        last_turn: LastTurn::Unknown,
        context_tokens: None,
        whole: true,
        skipped: 0,
        bytes_read: 0,
    };
    let mut turn = None;
    let mut first = true;
    loop {
        if lines.bytes_read() > TAIL_MAX {
            break;
        }
        let Some(line) = lines.line()? else {
            turn = turn.or(Some(LastTurn::None));
            break;
        };
        let read = line.bytes.as_deref().map_or(Read::Other, line::read);
        if std::mem::take(&mut first) {
            tail.whole = line.ended || line.bytes.as_deref().is_some_and(whole);
        }
        match read {
            Read::Other => {}
            Read::Broken => tail.skipped += 1,
            Read::Said(said) => {
                tail.last_activity = tail.last_activity.or_else(|| activity(&said));
                turn = turn.or_else(|| standing(&said.said));
                if let Said::Agent(agent) = &said.said {
                    tail.context_tokens = tail.context_tokens.or(agent.context_tokens);
                }
            }
        }
        if turn.is_some() && tail.context_tokens.is_some() && tail.last_activity.is_some() {
            break;
        }
    }
    tail.last_turn = turn.unwrap_or(LastTurn::Unknown);
    tail.bytes_read = lines.bytes_read();
    Ok(tail)
}

fn whole(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// When a line was part of a turn. The program's own commands don't count: `/clear` writes one into a
/// conversation in which nobody has said anything.
fn activity(line: &Line<'_>) -> Option<Wall> {
    match line.said {
        Said::Prompt { .. } | Said::Results(_) | Said::Agent(_) | Said::Failed { .. } | Said::Interrupted => {
            line.at
        }
        Said::Command { .. } | Said::Compacted => None,
    }
}

/// The state of the last turn, if this is the last line that shows it.
fn standing(said: &Said<'_>) -> Option<LastTurn> {
    match said {
        Said::Prompt { .. } | Said::Results(_) => Some(LastTurn::Open),
        Said::Agent(agent) if agent.goes_on => Some(LastTurn::Open),
        Said::Agent(_) => Some(LastTurn::Answered),
        Said::Failed { .. } => Some(LastTurn::Failed),
        Said::Interrupted => Some(LastTurn::Interrupted),
        Said::Command { .. } | Said::Compacted => None,
    }
}

#[cfg(test)]
mod tests;
