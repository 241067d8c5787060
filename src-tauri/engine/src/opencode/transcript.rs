//! Reading a whole conversation, its end, a page of it, or one prompt in it.

use std::io;
use std::ops::ControlFlow;

use repose_core::conversation::{Conversation, OnDisk, Turns};
use repose_core::ids::{EngineName, PromptId};
use repose_core::time::Wall;

use super::NAME;
use super::database::{Database, unsigned};
use super::message::Message;
use crate::ask::same;
use crate::transcript::{Answer, Asked, Entry, LastTurn, Listed, Page, Place, TITLE_MAX, Tail, one_line};

/// How far back to look through the end of a conversation for what it last said of its context, in bytes.
const TAIL_MAX: u64 = 8 * 1024 * 1024;

/// How many bytes to look through for one page. If that holds little to show, the page is short and says
/// where to continue.
const PAGE_MAX: u64 = 32 * 1024 * 1024;

/// How far back to look for a prompt, in bytes.
const LOOK_BACK_MAX: u64 = 256 * 1024 * 1024;

/// A conversation with its turns, last words and size. A prompt counts if it is a user's, not the program's
/// own.
const SUMMARY: &str = "
    SELECT
        (SELECT count(*) FROM message WHERE session_id = s.id AND json_extract(data, '$.role') = 'user' AND EXISTS (
            SELECT 1 FROM part WHERE message_id = message.id AND json_extract(data, '$.type') = 'text'
                AND NOT coalesce(json_extract(data, '$.synthetic'), 0)
        )),
        (SELECT max(coalesce(json_extract(data, '$.time.completed'), time_created)) FROM message
            WHERE session_id = s.id),
        (SELECT coalesce(sum(octet_length(data)), 0) FROM part WHERE session_id = s.id),
        (SELECT json_extract(part.data, '$.text') FROM part JOIN message ON message.id = part.message_id
            WHERE part.session_id = s.id AND json_extract(message.data, '$.role') = 'user'
                AND json_extract(part.data, '$.type') = 'text'
                AND NOT coalesce(json_extract(part.data, '$.synthetic'), 0)
            ORDER BY message.time_created, message.id, part.id LIMIT 1)
    FROM session s WHERE s.id = ?1 AND s.parent_id IS NULL";

/// A conversation, read completely. `None`: there is none with this id, or it is a subagent's.
pub(super) fn summary(place: Place<'_>) -> io::Result<Option<Listed>> {
    summary_of(&Database::open(place.path)?, place)
}

pub(super) fn summary_of(database: &Database, place: Place<'_>) -> io::Result<Option<Listed>> {
    let path = place.path.to_string_lossy().into_owned();
    let begun = Conversation::begun(place.id.clone(), EngineName::new(NAME), Some(path));
    let listed = database.one(SUMMARY, [place.id.as_str()], |row| {
        let (title, size): (Option<String>, _) = (row.get(3)?, unsigned(row.get(2)?));
        let conversation = Conversation {
            on_disk: OnDisk::There,
            turns: Turns::Counted(row.get(0)?),
            last_turn: row.get::<_, Option<i64>>(1)?.map(|at| Wall(unsigned(at))),
            ..begun
        };
        Ok(Listed { conversation, title: title.map(|text| one_line(&text, TITLE_MAX)), size })
    })?;
    let Some(mut listed) = listed else { return Ok(None) };
    listed.conversation.context_tokens = tail_of(database, place)?.context_tokens;
    Ok(Some(listed))
}

/// The end of a conversation. A transaction is complete or absent, so the last message is always complete.
pub(super) fn tail(place: Place<'_>) -> io::Result<Tail> {
    tail_of(&Database::open(place.path)?, place)
}

fn tail_of(database: &Database, place: Place<'_>) -> io::Result<Tail> {
    let mut tail = Tail {
        last_activity: None,
        last_turn: LastTurn::None,
        context_tokens: None,
        whole: true,
        skipped: 0,
        bytes_read: 0,
    };
    database.backward(place.id.as_str(), None, |read| {
        tail.bytes_read += read.bytes;
        match read.message {
            None => tail.skipped += 1,
            Some(Message { info, .. }) => {
                if tail.last_turn == LastTurn::None {
                    tail.last_turn = info.standing();
                    tail.last_activity = info.said();
                }
                tail.context_tokens = info.context_tokens();
            }
        }
        go_on(tail.context_tokens.is_none() && tail.bytes_read <= TAIL_MAX)
    })?;
    Ok(tail)
}

pub(super) fn entries(place: Place<'_>, before: Option<u64>, limit: usize) -> io::Result<Page> {
    let mut page = Page::default();
    let mut bytes = 0;
    Database::open(place.path)?.backward(place.id.as_str(), before, |read| {
        bytes += read.bytes;
        page.before = (read.at > 0).then_some(read.at);
        match read.message {
            None => page.skipped += 1,
            Some(message) => {
                let at = message.info.said();
                let entry = |(part, kind)| Entry { offset: read.at, part, at, kind };
                let parts: Vec<Entry> = (0..).zip(message.kinds()).map(entry).collect();
                // Collected backwards: a message's parts are reversed twice.
                page.entries.extend(parts.into_iter().rev());
            }
        }
        go_on(page.entries.len() < limit.max(1) && bytes <= PAGE_MAX)
    })?;
    page.entries.reverse();
    Ok(page)
}

/// A user's prompt.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) id: PromptId,
    pub(super) text: String,
    /// When it was sent.
    pub(super) at: Option<Wall>,
}

/// The last prompt.
pub(super) fn last_prompt(place: Place<'_>) -> io::Result<Option<Prompt>> {
    let (mut found, mut bytes) = (None, 0);
    Database::open(place.path)?.backward(place.id.as_str(), None, |read| {
        bytes += read.bytes;
        found = read.message.and_then(|message| {
            let (text, at) = (message.prompt()?, message.info.said());
            Some(Prompt { id: PromptId::new(message.id), text, at })
        });
        go_on(found.is_none() && bytes <= LOOK_BACK_MAX)
    })?;
    Ok(found)
}

/// A prompt that is sent during a turn becomes part of that turn: its answer is what follows the next one.
pub(super) fn answer_to(place: Place<'_>, asked: Asked<'_>) -> io::Result<Answer> {
    let (mut after, mut following) = (None, None);
    let mut found = Answer::NotAsked;
    let mut bytes = 0;
    Database::open(place.path)?.backward(place.id.as_str(), None, |read| {
        bytes += read.bytes;
        let Some(message) = read.message else { return go_on(bytes <= LOOK_BACK_MAX) };
        if message.is_answer() {
            after.get_or_insert_with(|| outcome(&message));
        }
        if let Some(prompt) = message.prompt() {
            let this = match asked {
                Asked::Prompt(wanted) => wanted.as_str() == message.id,
                Asked::Text(wanted) | Asked::TextSince(wanted, _) => {
                    asked.allows(message.info.said()) && same(wanted, &prompt)
                }
                Asked::Last => true,
            };
            if this {
                found = after.take().or(following.take()).unwrap_or(Answer::Open);
                return ControlFlow::Break(());
            }
            following = after.take().or(following.take());
        }
        go_on(bytes <= LOOK_BACK_MAX)
    })?;
    Ok(found)
}

fn outcome(last: &Message) -> Answer {
    match last.info.standing() {
        LastTurn::Answered => Answer::Answered(last.answer()),
        LastTurn::Interrupted => Answer::Interrupted,
        LastTurn::Failed => {
            Answer::Failed(last.fault().map(super::message::Fault::words).unwrap_or_default())
        }
        LastTurn::None | LastTurn::Open | LastTurn::Unknown => Answer::Open,
    }
}

fn go_on(more: bool) -> ControlFlow<()> {
    if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
