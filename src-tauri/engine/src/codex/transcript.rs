//! Reading a whole transcript, its end, a page of it, or one prompt in it.

use std::fs;
use std::io;
use std::path::Path;

use repose_core::conversation::{Conversation, OnDisk, Turns};
use repose_core::ids::EngineName;
use repose_core::signal::Author;

use super::line::{self, Line, Read, Said};
use super::{NAME, discover};
use crate::ask::same;
use crate::lines::{self, Backward};
use crate::pages::{self, Gives};
use crate::transcript::{
    Answer, Asked, Kind, LastTurn, Listed, Page, TITLE_MAX, Tail, Text, one_line, unreadable,
};

/// How far back to look through the end of a transcript, in bytes. If 8 MB hold no end of a turn, the state
/// is unknown.
const TAIL_MAX: u64 = 8 * 1024 * 1024;

/// How far back to look for a prompt, in bytes.
const LOOK_BACK_MAX: u64 = 256 * 1024 * 1024;

/// A conversation from its whole transcript. `None`: it isn't a user's.
pub(super) fn summary(path: &Path) -> io::Result<Option<Listed>> {
    let Some(id) = discover::id(path) else { return Ok(None) };
    let size = fs::metadata(path)?.len();
    let mut conversation = Conversation {
        on_disk: OnDisk::There,
        ..Conversation::begun(id, EngineName::new(NAME), Some(path.to_string_lossy().into_owned()))
    };
    let mut turns = 0_u32;
    let (mut title, mut of_user, mut begun, mut damaged) = (None, false, false, false);
    lines::forward(path, |line| {
        let Line { at, said } = match line.bytes.map(line::read) {
            Some(Read::Said(line)) => line,
            Some(Read::Other) => return true,
            Some(Read::Broken) | None => {
                damaged |= line.ended;
                return true;
            }
        };
        match said {
            Said::Meta { of_user: yes, .. } => {
                of_user |= yes;
                begun = true;
            }
            Said::Prompt { text, .. } => {
                turns = turns.saturating_add(1);
                conversation.last_turn = conversation.last_turn.max(at);
                title.get_or_insert_with(|| one_line(&text, TITLE_MAX));
            }
            Said::Tokens(tokens) => conversation.context_tokens = Some(tokens),
            Said::Agent { .. } | Said::Ended { .. } | Said::Failed { .. } | Said::Interrupted => {
                conversation.last_turn = conversation.last_turn.max(at);
            }
            Said::Began | Said::ToolUse { .. } | Said::ToolResult { .. } | Said::Compacted => {}
        }
        true
    })?;
    if damaged && (!begun || turns == 0) || !begun && turns > 0 {
        return Err(unreadable());
    }
    conversation.turns = Turns::Counted(turns);
    // Where nothing is left in it, nothing says that it is another's.
    Ok((of_user || !begun).then_some(Listed { conversation, title, size }))
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
    let (mut turn, mut first) = (None, true);
    while lines.bytes_read() <= TAIL_MAX {
        let Some(line) = lines.line()? else {
            turn = turn.or(Some(LastTurn::None));
            break;
        };
        let read = line.bytes.as_deref().map_or(Read::Other, line::read);
        if std::mem::take(&mut first) {
            tail.whole = line.ended || !matches!(read, Read::Broken);
        }
        match read {
            Read::Other => {}
            Read::Broken => tail.skipped += 1,
            Read::Said(Line { at, said }) => {
                if let Said::Tokens(tokens) = said {
                    tail.context_tokens = tail.context_tokens.or(Some(tokens));
                }
                if let Some(standing) = standing(&said) {
                    turn = turn.or(Some(standing));
                    tail.last_activity = tail.last_activity.or(at);
                }
            }
        }
        if turn.is_some() && tail.context_tokens.is_some() {
            break;
        }
    }
    tail.last_turn = turn.unwrap_or(LastTurn::Unknown);
    tail.bytes_read = lines.bytes_read();
    Ok(tail)
}

/// The state of the last turn, if this is the last line that shows it.
fn standing(said: &Said) -> Option<LastTurn> {
    match said {
        Said::Began | Said::Prompt { .. } | Said::Agent { .. } => Some(LastTurn::Open),
        Said::ToolUse { .. } | Said::ToolResult { .. } => Some(LastTurn::Open),
        Said::Ended { .. } => Some(LastTurn::Answered),
        Said::Failed { .. } => Some(LastTurn::Failed),
        Said::Interrupted => Some(LastTurn::Interrupted),
        Said::Meta { .. } | Said::Tokens(_) | Said::Compacted => None,
    }
}

pub(super) fn entries(path: &Path, before: Option<u64>, limit: usize) -> io::Result<Page> {
    pages::page(path, before, limit, |bytes| match line::read(bytes) {
        Read::Said(Line { at, said }) => Gives::Said(at, kind(said).into_iter().collect()),
        Read::Other => Gives::Nothing,
        Read::Broken => Gives::Broken,
    })
}

fn kind(said: Said) -> Option<Kind> {
    Some(match said {
        Said::Prompt { text, .. } => Kind::User { text: Text::new(text), author: Author::Person },
        Said::Agent { message, text } => Kind::Agent { text: Text::new(text), message },
        Said::ToolUse { id, name, input } => Kind::ToolUse { id, name, input, questions: Vec::new() },
        Said::ToolResult { id, text, end } => {
            Kind::ToolResult { id, text: Text::new(text), note: None, answers: Vec::new(), end }
        }
        Said::Failed { text } => Kind::Failed { text: Text::new(text) },
        Said::Interrupted => Kind::Interrupted,
        Said::Compacted => Kind::Compacted,
        Said::Meta { .. } | Said::Began | Said::Tokens(_) | Said::Ended { .. } => return None,
    })
}

/// A prompt that is sent during a turn becomes part of that turn, and shares its answer.
pub(super) fn answer_to(path: &Path, asked: Asked<'_>) -> io::Result<Answer> {
    let mut lines = Backward::open(path, None)?;
    let mut after = Answer::Open;
    while lines.bytes_read() <= LOOK_BACK_MAX {
        let Some(line) = lines.line()? else { break };
        let Some(Read::Said(Line { at, said })) = line.bytes.as_deref().map(line::read) else { continue };
        match said {
            Said::Ended { last, .. } => after = Answer::Answered(last.unwrap_or_default()),
            Said::Failed { text } => after = Answer::Failed(text),
            Said::Interrupted => after = Answer::Interrupted,
            Said::Prompt { turn, text } => {
                let found = match asked {
                    Asked::Prompt(wanted) => turn.as_ref() == Some(wanted),
                    Asked::Text(wanted) | Asked::TextSince(wanted, _) => {
                        asked.allows(at) && same(wanted, &text)
                    }
                    Asked::Last => true,
                };
                if found {
                    return Ok(after);
                }
            }
            // What follows belongs to a later turn than any prompt before this.
            Said::Began => after = Answer::Open,
            Said::Meta { .. }
            | Said::Agent { .. }
            | Said::ToolUse { .. }
            | Said::ToolResult { .. }
            | Said::Tokens(_)
            | Said::Compacted => {}
        }
    }
    Ok(Answer::NotAsked)
}
