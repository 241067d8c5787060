//! A conversation as an engine keeps it on disk, in words that are the same for every engine.

use std::io;
use std::path::{Path, PathBuf};

use repose_core::conversation::Conversation;
use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::Author;
use repose_core::time::Wall;
use serde_json::Value;

/// Longer text of one entry is cut there, and marked: a page of a conversation goes over a socket and into a
/// browser, and a tool's result can have megabytes. The whole stays in the transcript.
pub const ENTRY_TEXT_MAX: usize = 64 * 1024;

/// What a tool is used with has so many characters on its one line.
const INPUT_LINE_MAX: usize = 200;

/// A title is cut to so many characters: it stands on one line of a list.
pub const TITLE_MAX: usize = 120;

/// Where a conversation is kept: several may share one file.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The file of lines, or the database.
    pub path: &'a Path,
    /// The conversation.
    pub id: &'a ConversationId,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What decisions need.
    pub conversation: Conversation,
    /// Its first prompt on one line, as people know it by.
    pub title: Option<String>,
    /// The transcript's size in bytes: how long it will take to resume.
    pub size: u64,
}

/// A transcript is there, and what was asked in it can't be told.
pub(crate) fn unreadable() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "nothing that was asked can be read in it")
}

/// A transcript for a list of those of a folder: one that can't be read is none that could be taken up.
///
/// # Errors
/// As `read`, but for that.
pub(crate) fn listable(read: io::Result<Option<Listed>>) -> io::Result<Option<Listed>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        other => other,
    }
}

/// Of folders that are gone so many conversations are offered: who moved a folder wants one of its last.
pub const MOVED_MAX: usize = 5;

/// A conversation of a folder that is gone, and may have become another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The folder that is gone.
    pub from: PathBuf,
    /// The conversation.
    pub listed: Listed,
}

/// How the last turn of a conversation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastTurn {
    /// There is none.
    None,
    /// Asked, and without its answer: going on, or cut off with the process.
    Open,
    /// Answered.
    Answered,
    /// Somebody interrupted it.
    Interrupted,
    /// The model answered with an error.
    Failed,
    /// It didn't end within what was read.
    Unknown,
}

/// What the end of a transcript says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// When a person or the model last said something.
    pub last_activity: Option<Wall>,
    /// How the last turn stands.
    pub last_turn: LastTurn,
    /// Tokens of the context at the last answer.
    pub context_tokens: Option<u64>,
    /// Whether the last line is whole. `false` right after a process was killed while it wrote, or now, while
    /// one writes.
    pub whole: bool,
    /// Lines that could not be understood.
    pub skipped: u64,
    /// Bytes that were read to know this.
    pub bytes_read: u64,
}

/// One thing in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands in the transcript, and with `part` its name: in bytes where its line begins, in a
    /// database how many messages are before its own. Stable.
    pub offset: u64,
    /// Which entry of its line.
    pub part: u32,
    /// When.
    pub at: Option<Wall>,
    /// What.
    pub kind: Kind,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A prompt.
    User {
        /// Its text.
        text: Text,
        /// Who wrote it.
        author: Author,
    },
    /// The model's text.
    Agent {
        /// The text.
        text: Text,
        /// The model's message: what has the same is one message in parts.
        message: Option<String>,
    },
    /// A tool is used.
    ToolUse {
        /// The engine's id of this use.
        id: String,
        /// The tool.
        name: String,
        /// What with.
        input: Input,
    },
    /// What came of it.
    ToolResult {
        /// The use.
        id: String,
        /// What the tool said.
        text: Text,
        /// How it came out.
        end: ToolEnd,
    },
    /// A command of the engine's own was run in its terminal.
    Command {
        /// As it was typed.
        text: Text,
    },
    /// Somebody interrupted the turn.
    Interrupted,
    /// The model answered with an error.
    Failed {
        /// The engine's words.
        text: Text,
    },
    /// The conversation was compacted here.
    Compacted,
}

/// How the use of a tool came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEnd {
    /// It did what it was to do, as far as it says.
    Done,
    /// It failed.
    Failed,
    /// Somebody didn't allow it: it was never begun.
    Denied,
}

/// A text, perhaps cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// What there is of it.
    pub shown: String,
    /// How many bytes it has in the transcript.
    pub bytes: usize,
}

/// What a tool is used with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// What says most of it, on one line: a command, a file.
    pub line: String,
    /// As the engine wrote it: mostly a JSON object of named arguments, else a text. Perhaps cut.
    pub whole: Text,
}

/// Some entries in a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// What to ask for to get the entries before these. `None`: there are none.
    pub before: Option<u64>,
    /// Lines between them that could not be understood: spliced, cut off, or too long.
    pub skipped: u64,
}

/// Which prompt is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// The last with this id.
    Prompt(&'a PromptId),
    /// The last with this text.
    Text(&'a str),
    /// The last that a person wrote.
    Last,
}

/// What became of a prompt, read off the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The prompt isn't there.
    NotAsked,
    /// No answer yet, or the process ended before it.
    Open,
    /// The model's whole last message in that turn.
    Answered(String),
    /// Somebody interrupted it.
    Interrupted,
    /// The model answered with an error.
    Failed(String),
}

impl Input {
    /// `telling`: the arguments that say most, in this order.
    #[must_use]
    pub(crate) fn new(written: String, telling: &[&str]) -> Self {
        let arguments: Value = serde_json::from_str(&written).unwrap_or_default();
        let line = match telling.iter().find_map(|name| arguments[*name].as_str()) {
            Some(text) => one_line(text, INPUT_LINE_MAX),
            None if arguments.as_object().is_some_and(serde_json::Map::is_empty) => String::new(),
            None => one_line(&written, INPUT_LINE_MAX),
        };
        Self { line, whole: Text::new(written) }
    }
}

impl Text {
    /// The text, cut at [`ENTRY_TEXT_MAX`] if it is longer.
    #[must_use]
    pub fn new(mut text: String) -> Self {
        let bytes = text.len();
        text.truncate(text.floor_char_boundary(ENTRY_TEXT_MAX));
        Self { shown: text, bytes }
    }

    /// Whether something was cut off.
    #[must_use]
    pub fn cut(&self) -> bool {
        self.shown.len() < self.bytes
    }
}

/// The text on one line, cut to `limit` characters.
#[must_use]
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > limit * 4 {
            break;
        }
    }
    match line.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{ENTRY_TEXT_MAX, INPUT_LINE_MAX, Input};

    fn input(written: &str) -> (String, String) {
        let Input { line, whole } = Input::new(written.into(), &["command", "path"]);
        (line, whole.shown)
    }

    #[test]
    fn what_a_tool_is_used_with_is_there_on_one_line_and_whole() {
        let edit = r#"{"new":"b\nc","old":"a","path":"src/main.rs"}"#;
        assert_eq!(input(edit), ("src/main.rs".into(), edit.into()));
        let both = r#"{"path":"x","command":"ls -l"}"#;
        assert_eq!(input(both).0, "ls -l", "the first that says most");
        assert_eq!(input(r#"{"n":1}"#).0, r#"{"n":1}"#, "none of them: all of it");
        assert_eq!(input("{}").0, "");
        let patch = "*** Begin Patch\n+a line";
        assert_eq!(input(patch), ("*** Begin Patch +a line".into(), patch.into()), "a text");

        let long = format!(r#"{{"command":"{}"}}"#, "x".repeat(1_000));
        let (line, whole) = input(&long);
        assert!(line.chars().count() <= INPUT_LINE_MAX + 1 && whole == long);
        let longer = Input::new("x".repeat(ENTRY_TEXT_MAX + 1), &[]);
        assert_eq!((longer.whole.shown.len(), longer.whole.bytes), (ENTRY_TEXT_MAX, ENTRY_TEXT_MAX + 1));
    }
}
