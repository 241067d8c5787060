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
    /// The conversations, latest first.
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
    /// The name of the engine whose it is.
    pub engine: String,
    /// Its first prompt, on one line.
    pub title: Option<String>,
    /// Whether it is the repo's current one with its present engine.
    pub current: bool,
    /// Whether its transcript exists and has a turn, so that it could be resumed.
    pub resumable: bool,
    /// Why it can't be resumed although something was asked in it, in a few words.
    pub lost: Option<String>,
    /// The size of its transcript; 0 if there is none.
    pub bytes: u64,
    /// Its own folder, if that is gone and may have become the repo's. It can only be continued as a copy, by
    /// `fork`.
    pub moved_from: Option<String>,
}

/// Consecutive entries of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page {
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
    /// The `before` with which to request the entries before these. `null`: there are none.
    pub before: Option<u64>,
    /// How many lines of the transcript between them couldn't be understood.
    pub skipped: u64,
}

/// The places of a text in the part of a conversation that was searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Found {
    /// The places, newest first.
    pub hits: Vec<Hit>,
    /// The `before` with which to continue. `null`: the beginning was reached.
    pub before: Option<u64>,
}

/// An entry that contains the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hit {
    /// Where its line begins: it is loaded if the loaded page's `before` isn't higher.
    pub offset: u64,
    /// How many times the entry contains the text.
    pub times: u64,
}

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Entry {
    /// Its stable name.
    pub id: String,
    /// When it was said. `null`: unknown.
    pub at: Option<Time>,
    /// What it is.
    #[serde(flatten)]
    pub kind: EntryKind,
}

/// The kind of an entry.
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
        /// The id of the message: entries with the same id are parts of one message.
        message: Option<String>,
    },
    /// The model uses a tool.
    ToolUse {
        /// The engine's id of this use.
        tool_use: String,
        /// The tool's name.
        name: String,
        /// The tool's input, on one line.
        input: String,
        /// The tool's input as the engine wrote it: usually a JSON object of named arguments, otherwise a
        /// text.
        whole: Text,
        /// What it asks the user: a tool that does nothing else.
        #[serde(default)]
        questions: Vec<String>,
    },
    /// The result of using a tool.
    ToolResult {
        /// The engine's id of the use.
        tool_use: String,
        /// The tool's output.
        text: Text,
        /// What the engine says about the text: where the rest of it is.
        #[serde(default)]
        note: Option<String>,
        /// What the user replied to its questions.
        #[serde(default)]
        answers: Vec<Reply>,
        /// How the use ended.
        end: ToolEnd,
    },
    /// A command of the engine's own was run.
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
    /// The conversation was opened here.
    Continuity {
        /// The statement of the open.
        continuity: Continuity,
    },
}

/// A text that may have been cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Text {
    /// The part that is shown.
    pub shown: String,
    /// The length of the whole text in bytes. More than `shown` has: it was cut.
    pub bytes: u64,
}

/// A question that a tool asked, with the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Reply {
    /// As the tool asked it.
    pub question: String,
    /// What the user chose or wrote.
    pub answer: String,
}

/// How the use of a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
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

/// Who wrote a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person, or Repose on a person's behalf.
    Person,
    /// The engine itself.
    Engine,
}

impl From<&repose_runner::ConversationShown> for Listed {
    fn from(shown: &repose_runner::ConversationShown) -> Self {
        Self {
            conversation: (&shown.conversation).into(),
            engine: shown.conversation.engine.as_str().into(),
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
            transcript::Kind::ToolUse { id, name, input, questions } => {
                Self::ToolUse { tool_use: id, name, input: input.line, whole: input.whole.into(), questions }
            }
            transcript::Kind::ToolResult { id, text, note, answers, end } => {
                let end = match end {
                    transcript::ToolEnd::Done => ToolEnd::Done,
                    transcript::ToolEnd::Failed => ToolEnd::Failed,
                    transcript::ToolEnd::Denied => ToolEnd::Denied,
                    transcript::ToolEnd::Interrupted => ToolEnd::Interrupted,
                    transcript::ToolEnd::NotRun => ToolEnd::NotRun,
                    transcript::ToolEnd::Untold => ToolEnd::Untold,
                };
                let answers = answers.into_iter().map(Reply::from).collect();
                Self::ToolResult { tool_use: id, text: text.into(), note, answers, end }
            }
            transcript::Kind::Command { text } => Self::Command { text: text.into() },
            transcript::Kind::Interrupted => Self::Interrupted,
            transcript::Kind::Failed { text } => Self::Failed { text: text.into() },
            transcript::Kind::Compacted => Self::Compacted,
        }
    }
}

impl From<transcript::Reply> for Reply {
    fn from(transcript::Reply { question, answer }: transcript::Reply) -> Self {
        Self { question, answer }
    }
}

impl From<transcript::Text> for Text {
    fn from(text: transcript::Text) -> Self {
        Self { bytes: text.bytes as u64, shown: text.shown }
    }
}
