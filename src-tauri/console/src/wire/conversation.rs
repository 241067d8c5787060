//! Conversations in a list, and a page of one.

use repose_core::signal;
use repose_engine::transcript;
use repose_runner::{Passage, Passages};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Continuity, Conversation, Repo, Time};

/// The conversations of a repo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Conversations {
    /// The latest first.
    pub conversations: Vec<Listed>,
    /// The repo.
    pub repo: Repo,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    /// The conversation.
    #[serde(flatten)]
    pub conversation: Conversation,
    /// Its first prompt on one line.
    pub title: Option<String>,
    /// It is the repo's current one.
    pub current: bool,
    /// Its transcript is there and has a turn: it could be resumed.
    pub resumable: bool,
    /// Why it can't be, though something was asked in it, in a few words.
    pub lost: Option<String>,
    /// Its transcript's size; 0 where it is gone.
    pub bytes: u64,
    /// It is of this folder, which is gone and may have become the repo's: it goes on as a copy, by `fork`.
    pub moved_from: Option<String>,
}

/// Some entries of a conversation in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// What to ask for as `before` to get the entries before these. `null`: there are none.
    pub before: Option<u64>,
    /// Lines of the transcript between them that could not be understood.
    pub skipped: u64,
}

/// Where a text stands in a conversation, as far as it was looked through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Found {
    /// Newest first.
    pub hits: Vec<Hit>,
    /// What to ask for as `before` to look on. `null`: the beginning was reached.
    pub before: Option<u64>,
}

/// An entry that has the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hit {
    /// Where its line begins: what is loaded has it once its `before` is no higher.
    pub offset: u64,
    /// How often the text stands in it.
    pub times: u64,
}

/// One thing in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Entry {
    /// Its name, which is stable.
    pub id: String,
    /// When.
    pub at: Option<Time>,
    /// What.
    #[serde(flatten)]
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EntryKind {
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
        /// What has the same is one message in parts.
        message: Option<String>,
    },
    /// A tool is used.
    ToolUse {
        /// The engine's id of this use.
        tool_use: String,
        /// The tool.
        name: String,
        /// On one line, what with.
        input: String,
        /// The same as the engine wrote it: mostly a JSON object of named arguments, else a text.
        whole: Text,
    },
    /// What came of it.
    ToolResult {
        /// The use.
        tool_use: String,
        /// What the tool said.
        text: Text,
        /// How it came out.
        end: ToolEnd,
    },
    /// A command of the engine's own.
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
    /// It was opened here.
    Continuity {
        /// What the open came to.
        continuity: Continuity,
    },
}

/// A text, perhaps cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Text {
    /// What there is of it.
    pub shown: String,
    /// How many bytes the whole has. More than `shown`: it was cut.
    pub bytes: u64,
}

/// How the use of a tool came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ToolEnd {
    /// It did what it was to do, as far as it says.
    Done,
    /// It failed.
    Failed,
    /// Somebody didn't allow it.
    Denied,
}

/// Who wrote a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person, or Repose for one.
    Person,
    /// The engine itself.
    Engine,
}

impl From<&repose_runner::ConversationShown> for Listed {
    fn from(shown: &repose_runner::ConversationShown) -> Self {
        Self {
            conversation: (&shown.conversation).into(),
            title: shown.title.clone(),
            current: shown.current,
            resumable: shown.conversation.resumable(),
            lost: shown.conversation.lost().map(Into::into),
            bytes: shown.size,
            moved_from: shown.moved_from.as_ref().map(|from| from.display().to_string()),
        }
    }
}

impl From<Passages> for Page {
    fn from(page: Passages) -> Self {
        let entries = page.passages.into_iter().map(Entry::from).collect();
        Self { entries, before: page.before, skipped: page.skipped }
    }
}

impl From<repose_runner::Found> for Found {
    fn from(found: repose_runner::Found) -> Self {
        let hit = |hit: &repose_runner::Hit| Hit { offset: hit.offset, times: hit.times as u64 };
        Self { hits: found.hits.iter().map(hit).collect(), before: found.before }
    }
}

impl From<Passage> for Entry {
    fn from(passage: Passage) -> Self {
        match passage {
            Passage::Said(entry) => entry.into(),
            Passage::Opened(open) => Self {
                id: format!("open.{}", open.id),
                at: Some(Time(open.continuity.at)),
                kind: EntryKind::Continuity { continuity: (&open.continuity).into() },
            },
        }
    }
}

impl From<transcript::Entry> for Entry {
    fn from(entry: transcript::Entry) -> Self {
        let id = format!("{}.{}", entry.offset, entry.part);
        Self { id, at: entry.at.map(Time), kind: entry.kind.into() }
    }
}

impl From<transcript::Kind> for EntryKind {
    fn from(kind: transcript::Kind) -> Self {
        match kind {
            transcript::Kind::User { text, author } => {
                let author = match author {
                    signal::Author::Person => Author::Person,
                    signal::Author::Engine => Author::Engine,
                };
                Self::User { text: text.into(), author }
            }
            transcript::Kind::Agent { text, message } => Self::Agent { text: text.into(), message },
            transcript::Kind::ToolUse { id, name, input } => {
                Self::ToolUse { tool_use: id, name, input: input.line, whole: input.whole.into() }
            }
            transcript::Kind::ToolResult { id, text, end } => {
                let end = match end {
                    transcript::ToolEnd::Done => ToolEnd::Done,
                    transcript::ToolEnd::Failed => ToolEnd::Failed,
                    transcript::ToolEnd::Denied => ToolEnd::Denied,
                };
                Self::ToolResult { tool_use: id, text: text.into(), end }
            }
            transcript::Kind::Command { text } => Self::Command { text: text.into() },
            transcript::Kind::Interrupted => Self::Interrupted,
            transcript::Kind::Failed { text } => Self::Failed { text: text.into() },
            transcript::Kind::Compacted => Self::Compacted,
        }
    }
}

impl From<transcript::Text> for Text {
    fn from(text: transcript::Text) -> Self {
        Self { bytes: text.bytes as u64, shown: text.shown }
    }
}
