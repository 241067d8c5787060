//! Reading a whole transcript, its end, a page of it, or one prompt in it.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::Path;

use repose_core::conversation::{Conversation, OnDisk};
use repose_core::ids::{ConversationId, EngineName};
use repose_core::signal::Author;
use repose_core::time::Wall;

use super::NAME;
use super::command;
use super::line::{self, Line, Read, Said};
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

/// Tells, reading backwards, what was said from what was written again: a prompt was written again if the
/// model's reply right after it was.
#[derive(Default)]
struct FirstTime {
    again: Cell<bool>,
}

impl FirstTime {
    fn is(&self, said: &Said) -> bool {
        match said {
            Said::Again => {
                self.again.set(true);
                false
            }
            Said::Prompt { .. } => !self.again.take(),
            Said::Agent { .. } | Said::Tools { .. } | Said::Failed { .. } | Said::Interrupted => {
                self.again.set(false);
                true
            }
            Said::Began { .. } | Said::TakenUp | Said::CopyOf(_) => true,
        }
    }

    /// For a page that ends before `before`: what is said there decides about the prompt before it.
    fn before(path: &Path, before: Option<u64>) -> io::Result<Self> {
        let first = Self::default();
        let Some(before) = before else { return Ok(first) };
        lines::forward_from(path, before, |line| match line.bytes.map(line::read) {
            Some(Read::Said(Line { said, .. })) => {
                first.again.set(said == Said::Again);
                matches!(said, Said::Began { .. } | Said::TakenUp | Said::CopyOf(_))
            }
            Some(Read::Other | Read::Broken) | None => true,
        })?;
        Ok(first)
    }
}

/// A conversation from its whole transcript. `None`: it isn't a user's. `of` is the conversation that the file
/// had, where that is known: an emptied file doesn't say.
pub(super) fn summary(path: &Path, of: Option<&ConversationId>) -> io::Result<Option<Listed>> {
    let size = fs::metadata(path)?.len();
    let mut turns = Turns::default();
    let (mut id, mut of_user, mut context_tokens, mut damaged) = (None, true, None, false);
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
            Said::Began { id: named, of_user: yes } => {
                id.get_or_insert(named);
                of_user &= yes;
            }
            Said::Prompt { text } => turns.asked(text, at),
            Said::Again => turns.again(),
            Said::Agent { tokens, .. } | Said::Tools { tokens, .. } => {
                context_tokens = tokens.or(context_tokens);
                turns.went_on(at);
            }
            Said::Failed { .. } | Said::Interrupted => turns.went_on(at),
            Said::TakenUp | Said::CopyOf(_) => {}
        }
        true
    })?;
    turns.settle();
    if damaged && (id.is_none() || turns.count == 0) || id.is_none() && turns.count > 0 {
        return Err(unreadable());
    }
    let id = id.or_else(|| of.map(|of| of.as_str().to_owned()));
    let Some(id) = id.filter(|_| of_user) else { return Ok(None) };
    let file = Some(path.to_string_lossy().into_owned());
    let conversation = Conversation {
        on_disk: OnDisk::There,
        turns: repose_core::conversation::Turns::Counted(turns.count),
        last_turn: turns.last,
        context_tokens,
        ..Conversation::begun(ConversationId::new(id), EngineName::new(NAME), file)
    };
    Ok(Some(Listed { conversation, title: turns.title, size }))
}

/// The turns of a transcript that is read from its start. A prompt counts once it is clear that it wasn't
/// written again.
#[derive(Default)]
struct Turns {
    open: Option<(String, Option<Wall>)>,
    count: u32,
    last: Option<Wall>,
    title: Option<String>,
}

impl Turns {
    fn asked(&mut self, text: String, at: Option<Wall>) {
        self.settle();
        self.open = Some((text, at));
    }

    fn again(&mut self) {
        self.open = None;
    }

    fn went_on(&mut self, at: Option<Wall>) {
        self.settle();
        self.last = self.last.max(at);
    }

    fn settle(&mut self) {
        let Some((text, at)) = self.open.take() else { return };
        self.count = self.count.saturating_add(1);
        self.last = self.last.max(at);
        self.title.get_or_insert_with(|| one_line(&text, TITLE_MAX));
    }
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
    let first_time = FirstTime::default();
    let (mut turn, mut last) = (None, true);
    while lines.bytes_read() <= TAIL_MAX {
        let Some(line) = lines.line()? else {
            turn = turn.or(Some(LastTurn::None));
            break;
        };
        let read = line.bytes.as_deref().map_or(Read::Other, line::read);
        if std::mem::take(&mut last) {
            tail.whole = line.ended || !matches!(read, Read::Broken);
        }
        match read {
            Read::Other => {}
            Read::Broken => tail.skipped += 1,
            Read::Said(Line { at, said }) if first_time.is(&said) => {
                tail.context_tokens = tail.context_tokens.or(tokens(&said));
                if let Some(standing) = standing(&said) {
                    turn = turn.or(Some(standing));
                    tail.last_activity = tail.last_activity.or(at);
                }
            }
            Read::Said(_) => {}
        }
        if turn.is_some() && tail.context_tokens.is_some() {
            break;
        }
    }
    tail.last_turn = turn.unwrap_or(LastTurn::Unknown);
    tail.bytes_read = lines.bytes_read();
    Ok(tail)
}

fn tokens(said: &Said) -> Option<u64> {
    match said {
        Said::Agent { tokens, .. } | Said::Tools { tokens, .. } => *tokens,
        Said::Began { .. }
        | Said::TakenUp
        | Said::CopyOf(_)
        | Said::Prompt { .. }
        | Said::Again
        | Said::Failed { .. }
        | Said::Interrupted => None,
    }
}

/// The state of the last turn, if this is the last line that shows it.
fn standing(said: &Said) -> Option<LastTurn> {
    match said {
        Said::Agent { text, .. } if !text.trim().is_empty() => Some(LastTurn::Answered),
        Said::Prompt { .. } | Said::Agent { .. } | Said::Tools { .. } => Some(LastTurn::Open),
        Said::Failed { .. } => Some(LastTurn::Failed),
        Said::Interrupted => Some(LastTurn::Interrupted),
        Said::Began { .. } | Said::TakenUp | Said::CopyOf(_) | Said::Again => None,
    }
}

pub(super) fn entries(path: &Path, before: Option<u64>, limit: usize) -> io::Result<Page> {
    let first_time = FirstTime::before(path, before)?;
    pages::page(path, before, limit, |bytes| match line::read(bytes) {
        Read::Said(Line { at, said }) if first_time.is(&said) => Gives::Said(at, kinds(said)),
        Read::Said(_) | Read::Other => Gives::Nothing,
        Read::Broken => Gives::Broken,
    })
}

fn kinds(said: Said) -> Vec<Kind> {
    match said {
        Said::Prompt { text } => vec![Kind::User { text: Text::new(text), author: Author::Person }],
        Said::Agent { text, .. } if text.trim().is_empty() => Vec::new(),
        Said::Agent { message, text, .. } => {
            vec![Kind::Agent { text: Text::new(text), message: Some(message) }]
        }
        Said::Tools { tools, .. } => tools.into_iter().flat_map(tool).collect(),
        Said::Failed { text } => vec![Kind::Failed { text: Text::new(text) }],
        Said::Interrupted => vec![Kind::Interrupted],
        Said::Began { .. } | Said::TakenUp | Said::CopyOf(_) | Said::Again => Vec::new(),
    }
}

fn tool(tool: line::Tool) -> [Kind; 2] {
    let line::Tool { id, name, input, output, end } = tool;
    let text = Text::new(output);
    let result = Kind::ToolResult { id: id.clone(), text, note: None, answers: Vec::new(), end };
    [Kind::ToolUse { id, name, input, questions: Vec::new() }, result]
}

/// The answer is the model's last text after the prompt and before the next one.
pub(super) fn answer_to(path: &Path, asked: Asked<'_>) -> io::Result<Answer> {
    let mut lines = Backward::open(path, None)?;
    let first_time = FirstTime::default();
    let mut after = Answer::Open;
    while lines.bytes_read() <= LOOK_BACK_MAX {
        let Some(line) = lines.line()? else { break };
        let Some(Read::Said(Line { at, said })) = line.bytes.as_deref().map(line::read) else { continue };
        if !first_time.is(&said) {
            continue;
        }
        match said {
            Said::Prompt { text } => {
                let found = match asked {
                    // Its prompts have no ids.
                    Asked::Prompt(_) => false,
                    Asked::Text(wanted) | Asked::TextSince(wanted, _) => {
                        asked.allows(at) && command::same(wanted, &text)
                    }
                    Asked::Last => true,
                };
                if found {
                    return Ok(after);
                }
                after = Answer::Open;
            }
            Said::Agent { text, .. } if after == Answer::Open && !text.trim().is_empty() => {
                after = Answer::Answered(text);
            }
            Said::Failed { text } if after == Answer::Open => after = Answer::Failed(text),
            Said::Interrupted if after == Answer::Open => after = Answer::Interrupted,
            Said::Agent { .. } | Said::Failed { .. } | Said::Interrupted => {}
            Said::Began { .. } | Said::TakenUp | Said::CopyOf(_) | Said::Tools { .. } | Said::Again => {}
        }
    }
    Ok(Answer::NotAsked)
}

#[cfg(test)]
mod tests;
