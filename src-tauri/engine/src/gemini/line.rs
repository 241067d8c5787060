//! One line of a Gemini CLI transcript: a record of what was said, or of a change to earlier records.
//!
//! What is kept of a conversation changes over time: a record replaces an earlier one with its id, an
//! interrupted turn is removed, and everything is replaced by a compression. Here a transcript is read as a
//! log: what was said remains said. Only history that the program writes once more is ignored
//! ([`Said::Again`]).

use repose_core::time::Wall;
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{Input, ToolEnd};

/// The most informative arguments of a tool, in order.
const TELLING: [&str; 7] = ["command", "file_path", "path", "pattern", "query", "url", "prompt"];

/// The beginnings of user messages that the program writes itself. The last is a command that the user ran in
/// it: the model hears of that with the next prompt.
const NOT_ASKED: [&str; 3] =
    ["<session_context>", "<hook_context>", "I ran the following shell command:\n```sh\n"];

/// The end of the result of a tool that somebody denied.
const DENIED: &str = "User denied execution.";

/// What is written in place of an answer if somebody interrupted the turn.
const INTERRUPTED: &str = "Request cancelled.";

/// The parts of a line that are read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) at: Option<Wall>,
    pub(super) said: Said,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// A conversation begins here, or a process that resumes it begins to write, in this file or in another
    /// one.
    Began {
        id: String,
        of_user: bool,
    },
    /// A process has resumed the conversation.
    TakenUp,
    /// The conversation was copied from this file.
    CopyOf(String),
    Prompt {
        text: String,
    },
    /// The model's text. An empty one precedes a tool.
    Agent {
        message: String,
        text: String,
        tokens: Option<u64>,
    },
    Tools {
        tools: Vec<Tool>,
        tokens: Option<u64>,
    },
    /// What the model said earlier, written again, as was the prompt right before it.
    Again,
    Failed {
        text: String,
    },
    Interrupted,
}

/// The use of a tool, with its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Input,
    pub(super) output: String,
    pub(super) end: ToolEnd,
}

/// The result of reading a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Read {
    Said(Line),
    /// Nothing of interest.
    Other,
    /// It isn't a complete line.
    Broken,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    session_id: Option<String>,
    start_time: Option<String>,
    kind: Option<String>,
    #[serde(rename = "$set")]
    set: Option<Set>,
    #[serde(default)]
    id: String,
    timestamp: Option<String>,
    #[serde(rename = "type")]
    of: Option<String>,
    #[serde(default)]
    content: Value,
    display_content: Option<Value>,
    model: Option<String>,
    tokens: Option<Tokens>,
    #[serde(default)]
    tool_calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Set {
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    input: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    id: String,
    name: String,
    #[serde(default)]
    args: Value,
    #[serde(default)]
    result: Value,
    status: Option<String>,
    #[serde(default)]
    result_display: Value,
}

/// Reads one line.
pub(super) fn read(bytes: &[u8]) -> Read {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Read::Other;
    }
    let Ok(raw) = serde_json::from_slice::<Raw>(bytes) else { return Read::Broken };
    let at = raw.timestamp.as_deref().or(raw.start_time.as_deref()).and_then(crate::lines::wall);
    match said(raw) {
        Some(said) => Read::Said(Line { at, said }),
        None => Read::Other,
    }
}

fn said(raw: Raw) -> Option<Said> {
    if let Some(set) = raw.set {
        return set.session_id.map(|_| Said::TakenUp);
    }
    if let Some(id) = raw.session_id {
        return Some(Said::Began { id, of_user: raw.kind.is_none_or(|kind| kind == "main") });
    }
    match raw.of.as_deref()? {
        "user" => prompt(raw.display_content.as_ref().unwrap_or(&raw.content)),
        "gemini" => Some(agent(raw)),
        "error" => Some(Said::Failed { text: reason(&texts(&raw.content)) }),
        "info" => info(&texts(&raw.content)),
        _ => None,
    }
}

fn prompt(content: &Value) -> Option<Said> {
    let text = texts(content);
    let asked = !text.trim().is_empty() && !NOT_ASKED.iter().any(|mark| text.trim_start().starts_with(mark));
    asked.then_some(Said::Prompt { text })
}

/// What the model says carries its name. Its text is in a separate record before that of the tools.
fn agent(raw: Raw) -> Said {
    let tokens = raw.tokens.map(|tokens| tokens.input);
    if raw.model.is_none() {
        return Said::Again;
    }
    if raw.tool_calls.is_empty() {
        return Said::Agent { message: raw.id, text: texts(&raw.content), tokens };
    }
    Said::Tools { tools: raw.tool_calls.into_iter().map(tool).collect(), tokens }
}

fn info(text: &str) -> Option<Said> {
    match text.strip_prefix("Imported session from ") {
        Some(file) => Some(Said::CopyOf(file.to_owned())),
        None => (text == INTERRUPTED).then_some(Said::Interrupted),
    }
}

fn tool(call: Call) -> Tool {
    let shown = call.result_display.as_str().map(str::to_owned);
    Tool {
        input: Input::new(call.args.to_string(), &TELLING),
        output: shown.unwrap_or_else(|| output(&call.result)),
        end: match call.status.as_deref() {
            None | Some("success") => ToolEnd::Done,
            // Somebody pressed Esc: in its dialog, or while it ran (seen with 0.61).
            Some("cancelled") if output(&call.result).ends_with(DENIED) => ToolEnd::Denied,
            Some("cancelled") => ToolEnd::Interrupted,
            Some(_) => ToolEnd::Failed,
        },
        id: call.id,
        name: call.name,
    }
}

fn output(result: &Value) -> String {
    let responses = result.as_array().into_iter().flatten().map(|part| &part["functionResponse"]["response"]);
    let said = responses.filter_map(|response| response["output"].as_str().or(response["error"].as_str()));
    said.collect::<Vec<_>>().join("\n")
}

/// The model's error in `[API Error: …]`, which may be its API's answer in JSON.
fn reason(text: &str) -> String {
    let inner = text.strip_prefix("[API Error: ").and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let answer: Value = serde_json::from_str(inner).unwrap_or_default();
    answer["error"]["message"].as_str().unwrap_or(inner).to_owned()
}

fn texts(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}
