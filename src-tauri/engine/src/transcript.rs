//! A conversation as an engine keeps it on disk, in terms that are the same for every engine.

use std::io;
use std::path::{Path, PathBuf};

use repose_core::conversation::Conversation;
use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::Author;
use repose_core::time::Wall;
use serde_json::Value;

/// The most bytes of one entry's text; a longer one is cut and marked. A page of a conversation goes over a
/// socket into a browser, and a tool's result can have megabytes. The transcript has all of it.
pub const ENTRY_TEXT_MAX: usize = 64 * 1024;

/// The most characters of the line that shows a tool's input.
const INPUT_LINE_MAX: usize = 200;

/// The most characters of a title, which has to fit one line of a list.
pub const TITLE_MAX: usize = 120;

/// The place of a conversation: several may share one file.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The transcript or database file.
    pub path: &'a Path,
    /// The conversation's id.
    pub id: &'a ConversationId,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What decisions need to know about it.
    pub conversation: Conversation,
    /// Its first prompt on one line, by which people know it.
    pub title: Option<String>,
    /// The transcript's size in bytes, which shows how long resuming will take.
    pub size: u64,
}

/// The error for a transcript that exists but doesn't show what was asked.
pub(crate) fn unreadable() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "nothing that was asked can be read in it")
}

/// A transcript for the list of a folder. One that can't be read is left out, since it couldn't be resumed.
///
/// # Errors
/// Other errors of `read`.
pub(crate) fn listable(read: io::Result<Option<Listed>>) -> io::Result<Option<Listed>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        other => other,
    }
}

/// The most conversations of missing folders to offer: whoever moved a folder wants one of its last.
pub const MOVED_MAX: usize = 5;

/// A conversation of a folder that is gone and may have been moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The folder that is gone.
    pub from: PathBuf,
    /// The conversation.
    pub listed: Listed,
}

/// The state of the last turn of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastTurn {
    /// There is no turn.
    None,
    /// It was asked and has no answer: it is running, or was cut off with the process.
    Open,
    /// It was answered.
    Answered,
    /// Somebody interrupted it.
    Interrupted,
    /// The model answered with an error.
    Failed,
    /// It didn't end within what was read.
    Unknown,
}

/// What the end of a transcript shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// When a person or the model last said something.
    pub last_activity: Option<Wall>,
    /// The state of the last turn.
    pub last_turn: LastTurn,
    /// Tokens of the context at the last answer.
    pub context_tokens: Option<u64>,
    /// Whether the last line is complete. `false` right after a process was killed while it wrote, or while
    /// one is writing.
    pub whole: bool,
    /// How many lines couldn't be understood.
    pub skipped: u64,
    /// How many bytes were read for this.
    pub bytes_read: u64,
}

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the transcript; together with `part` a stable name. The byte at which its line begins,
    /// or, in a database, how many messages precede its own.
    pub offset: u64,
    /// Its index within its line.
    pub part: u32,
    /// When it was said. `None`: unknown.
    pub at: Option<Wall>,
    /// What it is.
    pub kind: Kind,
}

/// The kind of an entry.
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
        /// The id of the model's message: entries with the same id are parts of one message.
        message: Option<String>,
    },
    /// The model uses a tool.
    ToolUse {
        /// The engine's id of this use.
        id: String,
        /// The tool's name.
        name: String,
        /// The tool's input.
        input: Input,
        /// What it asks the user: a tool that does nothing else.
        questions: Vec<String>,
    },
    /// The result of using a tool.
    ToolResult {
        /// The engine's id of the use.
        id: String,
        /// The tool's output.
        text: Text,
        /// What the engine says about the text: where the rest of it is.
        note: Option<String>,
        /// What the user replied to its questions.
        answers: Vec<Reply>,
        /// How the use ended.
        end: ToolEnd,
    },
    /// A command of the engine's own was run in its terminal.
    Command {
        /// The command as it was typed.
        text: Text,
    },
    /// Somebody interrupted the turn.
    Interrupted,
    /// The model answered with an error.
    Failed {
        /// The error in the engine's words.
        text: Text,
    },
    /// The conversation was compacted here.
    Compacted,
}

/// A question that a tool asked, with the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// As the tool asked it.
    pub question: String,
    /// What the user chose or wrote.
    pub answer: String,
}

/// How the use of a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEnd {
    /// It succeeded, as far as it says.
    Done,
    /// It failed.
    Failed,
    /// Somebody denied it, or a rule of theirs did.
    Denied,
    /// It was cut off: what it did until then isn't told.
    Interrupted,
    /// The turn was cut off before it began.
    NotRun,
    /// Its process ended first: whether it ran isn't known.
    Untold,
}

/// A text that may have been cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The part that is kept.
    pub shown: String,
    /// The length of the whole text in bytes.
    pub bytes: usize,
}

/// A tool's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The most informative part on one line, such as a command or a file.
    pub line: String,
    /// The whole input as the engine wrote it: usually a JSON object of named arguments, otherwise a text.
    /// May have been cut.
    pub whole: Text,
}

/// Consecutive entries of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
    /// Where the entries before these end. `None`: there are none.
    pub before: Option<u64>,
    /// How many lines between them couldn't be understood: merged, cut off, or too long.
    pub skipped: u64,
}

/// Which prompt to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// The last one with this id.
    Prompt(&'a PromptId),
    /// The last one with this text.
    Text(&'a str),
    /// The last one with this text that was written at this moment or later.
    TextSince(&'a str, Wall),
    /// The last one that a person wrote.
    Last,
}

impl Asked<'_> {
    /// Whether a prompt of this time may be the one. An untimed one may.
    pub(crate) fn allows(self, at: Option<Wall>) -> bool {
        match self {
            Self::TextSince(_, since) => at.is_none_or(|at| at >= since),
            Self::Prompt(_) | Self::Text(_) | Self::Last => true,
        }
    }
}

/// What happened to a prompt, according to the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The prompt isn't in it.
    NotAsked,
    /// It has no answer yet, or the process ended before there was one.
    Open,
    /// The model's complete last message in that turn.
    Answered(String),
    /// Somebody interrupted it.
    Interrupted,
    /// The model answered with an error.
    Failed(String),
}

impl Input {
    /// `telling`: the most informative arguments, in order.
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
    /// A text, cut at [`ENTRY_TEXT_MAX`] if it is longer.
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

/// The most characters of a question that an engine asks the user, which is to be read whole before it is answered:
/// some 300 words. Longer ones end in `…`, and the terminal has all of them.
pub const QUESTION_MAX: usize = 2_000;

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
