//! One message of a conversation, as a row of the database with its parts.

use repose_core::signal::Author;
use repose_core::time::Wall;
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{Input, Kind, LastTurn, Text, ToolEnd};

/// The most informative arguments of a tool, in order.
const TELLING: [&str; 5] = ["command", "filePath", "pattern", "url", "description"];

/// The beginning of the error of a tool that somebody denied, with or without instructions.
const DENIED: &str = "The user rejected permission to use this specific tool call";

/// The error of a tool whose turn was interrupted (seen with 1.18).
const INTERRUPTED: &str = "Tool execution aborted";

/// The properties of a message.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Info {
    role: Role,
    #[serde(default)]
    time: Times,
    error: Option<Fault>,
    finish: Option<String>,
    #[serde(default)]
    tokens: Tokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
    #[serde(other)]
    Other,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Times {
    created: Option<u64>,
    completed: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Tokens {
    #[serde(default)]
    input: u64,
    #[serde(default)]
    cache: Cache,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Cache {
    #[serde(default)]
    read: u64,
    #[serde(default)]
    write: u64,
}

/// An error.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Fault {
    name: String,
    #[serde(default)]
    data: Value,
}

/// A part of a message.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Part {
    Text(Words),
    Tool(Tool),
    Compaction,
    #[serde(other)]
    Other,
}

/// A text. The model's has a time.
#[derive(Debug, Clone, Deserialize)]
struct Words {
    text: String,
    /// Whether the program added it to a prompt.
    #[serde(default)]
    synthetic: bool,
    #[serde(default)]
    ignored: bool,
    time: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
struct Tool {
    #[serde(rename = "callID")]
    call: String,
    tool: String,
    state: ToolState,
}

#[derive(Debug, Clone, Deserialize)]
struct ToolState {
    #[serde(default)]
    input: Value,
    output: Option<String>,
    error: Option<String>,
}

/// A message with its parts.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) info: Info,
    parts: Vec<Part>,
}

impl Fault {
    /// Somebody interrupted the turn.
    pub(super) fn is_interrupt(&self) -> bool {
        self.name == "MessageAbortedError"
    }

    /// The error in the program's words.
    pub(super) fn words(&self) -> String {
        self.data["message"].as_str().filter(|words| !words.is_empty()).unwrap_or(&self.name).to_owned()
    }
}

impl Words {
    /// A user wrote it.
    fn is_prompt(&self) -> bool {
        !self.synthetic && !self.ignored && self.time.is_none()
    }
}

impl Info {
    /// When it was said, or finished.
    pub(super) fn said(&self) -> Option<Wall> {
        self.time.completed.or(self.time.created).map(Wall)
    }

    /// The tokens in its context at this answer.
    pub(super) fn context_tokens(&self) -> Option<u64> {
        let Tokens { input, cache: Cache { read, write } } = self.tokens;
        Some(input.saturating_add(read).saturating_add(write)).filter(|tokens| *tokens > 0)
    }

    /// The state of the turn of which this is the last message.
    pub(super) fn standing(&self) -> LastTurn {
        match (self.role, &self.error) {
            (Role::Assistant, Some(fault)) if fault.is_interrupt() => LastTurn::Interrupted,
            (Role::Assistant, Some(_)) => LastTurn::Failed,
            (Role::Assistant, None) if self.is_last_word() => LastTurn::Answered,
            (Role::User | Role::Assistant | Role::Other, _) => LastTurn::Open,
        }
    }

    /// Whether it is the model's and doesn't go on with a tool's result.
    fn is_last_word(&self) -> bool {
        self.time.completed.is_some() && self.finish.as_deref() != Some("tool-calls")
    }
}

impl Message {
    /// The message in a row and the rows of its parts. A part of an unknown kind holds nothing that is shown.
    pub(super) fn read(id: String, info: &str, parts: &[String]) -> Option<Self> {
        let info = serde_json::from_str(info).ok()?;
        let parts = parts.iter().filter_map(|part| serde_json::from_str(part).ok()).collect();
        Some(Self { id, info, parts })
    }

    /// Whether it is the model's.
    pub(super) fn is_answer(&self) -> bool {
        self.info.role == Role::Assistant
    }

    /// A user's prompt. `None`: it is the model's, or the program wrote it for itself.
    pub(super) fn prompt(&self) -> Option<String> {
        if self.info.role != Role::User {
            return None;
        }
        let words: Vec<&str> =
            self.texts().filter(|words| words.is_prompt()).map(|words| words.text.as_str()).collect();
        (!words.is_empty()).then(|| words.join("\n"))
    }

    /// The model's text.
    pub(super) fn answer(&self) -> String {
        let texts = self.texts().map(|words| words.text.trim()).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n\n")
    }

    /// The error in it.
    pub(super) fn fault(&self) -> Option<&Fault> {
        self.info.error.as_ref()
    }

    fn texts(&self) -> impl Iterator<Item = &Words> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(words) => Some(words),
            Part::Tool(_) | Part::Compaction | Part::Other => None,
        })
    }

    /// The entries that a reader sees of it.
    pub(super) fn kinds(self) -> Vec<Kind> {
        let prompt = self.prompt();
        let compacted = self.parts.iter().any(|part| matches!(part, Part::Compaction));
        match self.info.role {
            Role::User => {
                let asked = prompt.map(|text| Kind::User { text: Text::new(text), author: Author::Person });
                asked.into_iter().chain(compacted.then_some(Kind::Compacted)).collect()
            }
            Role::Assistant => {
                let ends = self.info.error.map(|fault| match fault.is_interrupt() {
                    true => Kind::Interrupted,
                    false => Kind::Failed { text: Text::new(fault.words()) },
                });
                let id = self.id;
                self.parts.into_iter().flat_map(|part| part.kinds(&id)).chain(ends).collect()
            }
            Role::Other => Vec::new(),
        }
    }
}

impl Part {
    fn kinds(self, message: &str) -> Vec<Kind> {
        match self {
            Self::Text(words) if words.text.trim().is_empty() => Vec::new(),
            Self::Text(words) => {
                vec![Kind::Agent { text: Text::new(words.text), message: Some(message.to_owned()) }]
            }
            Self::Tool(Tool { call, tool, state }) => {
                let end = match &state.error {
                    None => ToolEnd::Done,
                    Some(error) if error.starts_with(DENIED) => ToolEnd::Denied,
                    Some(error) if error == INTERRUPTED => ToolEnd::Interrupted,
                    Some(_) => ToolEnd::Failed,
                };
                let result = state.error.or(state.output).map(|text| Kind::ToolResult {
                    id: call.clone(),
                    text: Text::new(text),
                    note: None,
                    answers: Vec::new(),
                    end,
                });
                let used = Kind::ToolUse {
                    id: call,
                    name: tool,
                    input: Input::new(state.input.to_string(), &TELLING),
                    questions: Vec::new(),
                };
                [used].into_iter().chain(result).collect()
            }
            Self::Compaction | Self::Other => Vec::new(),
        }
    }
}
