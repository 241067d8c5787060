//! One line of a Claude Code transcript.
//!
//! Most lines, and nearly all of the bytes, are of no interest: they are recognised by their first bytes and
//! skipped without parsing.

use std::collections::BTreeMap;

use repose_core::ids::PromptId;
use repose_core::signal::Author;
use repose_core::time::Wall;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::decide::{NO, NO_PLAN};
use super::{prompt, signals};
use crate::transcript::{ENTRY_TEXT_MAX, Reply, ToolEnd};

/// What the program writes when somebody pressed Esc; also `… for tool use]`.
const INTERRUPTED: &str = "[Request interrupted by user";

/// The beginnings of user messages that no user wrote as a prompt: the program's own commands, and their
/// output.
const COMMAND_MARKS: [&str; 6] = [
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
];

/// The model's name on a line that no model wrote.
const SYNTHETIC: &str = "<synthetic>";

/// The beginning of the result of a tool that somebody denied, as written for the program's own dialog and
/// for Repose's button. The first is also written for a running tool that somebody interrupted. Newer versions,
/// but not 2.1.197, tell them apart by fields of their own.
const DENIALS: [&str; 3] = ["The user doesn't want to proceed with this tool use.", NO, NO_PLAN];

/// How what a tool that asks the user came to begins.
const ASKED: &str = "{\"questions\":";

/// The kinds of line that are read, of those that begin with their kind.
const READ: [&[u8]; 3] = [b"user", b"assistant", b"system"];

/// The first bytes of a line, which hold ids, flags and the message's kind, and end before any long text.
const HEAD: usize = 512;

/// The parts of a line that are read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) at: Option<Wall>,
    pub(super) said: Said<'a>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said<'a> {
    Prompt {
        id: Option<PromptId>,
        text: String,
        author: Author,
        /// Whether it was typed during another turn and waited for its end.
        queued: bool,
    },
    Command {
        text: String,
    },
    Results(Vec<ToolResult<'a>>),
    Agent(Agent<'a>),
    Failed {
        text: String,
    },
    Interrupted,
    Compacted,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolResult<'a> {
    pub(super) id: String,
    /// The tool's output in JSON; [`ToolResult::text`] reads it.
    content: Option<&'a str>,
    /// The same for the program itself; [`ToolResult::answers`] reads it.
    told: Option<&'a str>,
    pub(super) end: ToolEnd,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Agent<'a> {
    pub(super) message: Option<String>,
    pub(super) parts: Vec<Part<'a>>,
    /// Whether the turn goes on after it.
    pub(super) goes_on: bool,
    pub(super) context_tokens: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part<'a> {
    Text(String),
    /// `input` is unparsed JSON.
    ToolUse {
        id: String,
        name: String,
        input: Option<&'a str>,
    },
}

/// The result of reading a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Read<'a> {
    Said(Line<'a>),
    /// Nothing of interest.
    Other,
    /// It isn't a complete line.
    Broken,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    subtype: Option<String>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_compact_summary: bool,
    #[serde(default)]
    is_api_error_message: bool,
    prompt_id: Option<String>,
    prompt_source: Option<String>,
    tool_denial_kind: Option<String>,
    #[serde(default)]
    tool_denial_before_run: bool,
    #[serde(borrow)]
    tool_use_result: Option<&'a RawValue>,
    timestamp: Option<String>,
    origin: Option<Origin>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Origin {
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Message<'a> {
    id: Option<String>,
    model: Option<String>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
    #[serde(default, borrow, deserialize_with = "blocks")]
    content: Vec<Block<'a>>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: u64,
}

#[derive(Deserialize, Default)]
struct Block<'a> {
    #[serde(rename = "type", default)]
    kind: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    tool_use_id: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<bool>,
}

impl ToolResult<'_> {
    /// The tool's output. It is most of a transcript, and most readers don't need it, so it is parsed only on
    /// request.
    pub(super) fn text(&self) -> String {
        self.content
            .and_then(|content| serde_json::from_str(content).ok())
            .map_or_else(String::new, |c| flat(&c))
    }

    /// What the user answered to its questions, if it asked some (seen with 2.1.332).
    pub(super) fn answers(&self) -> Vec<Reply> {
        #[derive(Deserialize)]
        struct Told {
            answers: BTreeMap<String, String>,
        }
        let told = self.told.filter(|told| told.starts_with(ASKED) && told.len() <= ENTRY_TEXT_MAX);
        let told: Option<Told> = told.and_then(|told| serde_json::from_str(told).ok());
        let answers = told.into_iter().flat_map(|told| told.answers);
        answers.map(|(question, answer)| Reply { question, answer }).collect()
    }
}

/// Reads one line.
pub(super) fn read(bytes: &[u8]) -> Read<'_> {
    if bytes.iter().all(u8::is_ascii_whitespace) || passed_over(bytes) {
        return Read::Other;
    }
    let Ok(raw) = serde_json::from_slice::<Raw>(bytes) else { return Read::Broken };
    if raw.is_sidechain || raw.is_meta {
        return Read::Other;
    }
    let at = raw.timestamp.as_deref().and_then(crate::lines::wall);
    match said(raw) {
        Some(said) => Read::Said(Line { at, said }),
        None => Read::Other,
    }
}

/// Whether a line can hold a prompt, judged by its first bytes: the model's lines and tool results say there
/// what they are, and are most of a long transcript. In a prompt that quotes such words, the quotes are
/// escaped.
pub(super) fn may_be_prompt(bytes: &[u8]) -> bool {
    let head = bytes[..bytes.len().min(HEAD)].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    !head.contains("\"role\":\"assistant\"") && !head.contains("\"type\":\"tool_result\"")
}

/// The folder in which a line was written, for lines that say.
pub(super) fn folder(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Where {
        cwd: Option<String>,
    }
    serde_json::from_slice::<Where>(bytes).ok()?.cwd
}

fn said(raw: Raw<'_>) -> Option<Said<'_>> {
    match raw.kind.as_str() {
        "assistant" => agent(raw.message?, raw.is_api_error_message),
        "user" if raw.is_compact_summary => None,
        "user" => user(raw),
        "system" if raw.subtype.as_deref() == Some("compact_boundary") => Some(Said::Compacted),
        _ => None,
    }
}

fn agent(message: Message<'_>, api_error: bool) -> Option<Said<'_>> {
    let text =
        || message.content.iter().filter_map(|block| block.text.as_deref()).collect::<Vec<_>>().join("\n");
    if message.model.as_deref() == Some(SYNTHETIC) || api_error {
        return api_error.then(|| Said::Failed { text: text() });
    }
    let context_tokens = message.usage.map(|usage| {
        usage
            .input_tokens
            .saturating_add(usage.cache_creation_input_tokens)
            .saturating_add(usage.cache_read_input_tokens)
    });
    let stopped = message.stop_reason.as_deref();
    let goes_on = matches!(stopped, None | Some("tool_use" | "pause_turn"));
    let parts: Vec<Part<'_>> = message
        .content
        .into_iter()
        .filter_map(|block| match block.kind.as_str() {
            "text" => Some(Part::Text(block.text?)),
            "tool_use" | "server_tool_use" => Some(Part::ToolUse {
                id: block.id.unwrap_or_default(),
                name: block.name.unwrap_or_default(),
                input: block.input.map(RawValue::get),
            }),
            _ => None,
        })
        .collect();
    Some(Said::Agent(Agent { message: message.id, parts, goes_on, context_tokens }))
}

fn user(raw: Raw<'_>) -> Option<Said<'_>> {
    let told = raw.tool_use_result.map(RawValue::get);
    let cut_off = cut_off(raw.tool_denial_kind.as_deref(), raw.tool_denial_before_run);
    let content = raw.message?.content;
    if content.iter().any(|block| block.kind == "tool_result") {
        let results =
            content.into_iter().filter(|block| block.kind == "tool_result").map(|block| ToolResult {
                end: tool_end(&block, cut_off),
                content: block.content.map(RawValue::get),
                told,
                id: block.tool_use_id.unwrap_or_default(),
            });
        return Some(Said::Results(results.collect()));
    }
    let texts: Vec<String> = content.into_iter().filter_map(|block| block.text).collect();
    let text = texts.join("\n");
    let start = text.trim_start();
    if start.starts_with(INTERRUPTED) {
        return Some(Said::Interrupted);
    }
    if COMMAND_MARKS.iter().any(|mark| start.starts_with(mark)) {
        return Some(Said::Command { text });
    }
    if start.is_empty() {
        return None;
    }
    let news = raw.origin.and_then(|origin| origin.kind).is_some_and(|kind| kind == "task-notification");
    let author = if news { Author::Engine } else { signals::author(&text) };
    Some(Said::Prompt {
        id: raw.prompt_id.map(PromptId::new),
        text: prompt::unwrapped(&text),
        author,
        queued: raw.prompt_source.as_deref() == Some("queued"),
    })
}

/// What a line's own fields say of a tool that didn't come to its end (seen with 2.1.332). Esc is a no of the user's in
/// both cases; only in the dialog it comes before the tool runs. The field is left out otherwise, never `false`.
fn cut_off(denial: Option<&str>, before_run: bool) -> Option<ToolEnd> {
    Some(match (denial?, before_run) {
        ("interrupted" | "cancelled", true) => ToolEnd::NotRun,
        ("cancelled" | "user-rejected", false) => ToolEnd::Interrupted,
        // Written at the next start, for what had no result when the process ended.
        ("interrupted", false) => ToolEnd::Untold,
        (_, _) => ToolEnd::Denied,
    })
}

fn tool_end(block: &Block<'_>, cut_off: Option<ToolEnd>) -> ToolEnd {
    if !block.is_error.unwrap_or_default() {
        return ToolEnd::Done;
    }
    if let Some(end) = cut_off {
        return end;
    }
    // Compared as JSON, since none of these beginnings contains anything that is escaped.
    let text = block.content.map_or("", RawValue::get).trim_start_matches('"');
    if DENIALS.iter().any(|denial| text.starts_with(denial)) { ToolEnd::Denied } else { ToolEnd::Failed }
}

/// The text of a tool's result, which is a string or a list of blocks.
fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// Whether the first bytes show that a line is of no interest.
fn passed_over(bytes: &[u8]) -> bool {
    if let Some(kind) = bytes.strip_prefix(b"{\"type\":\"") {
        return !READ.iter().any(|read| kind.starts_with(read) && kind.get(read.len()) == Some(&b'"'));
    }
    // An attachment begins with its parent's id and one flag.
    let head = &bytes[..bytes.len().min(128)];
    head.starts_with(b"{\"parentUuid\":") && head.windows(14).any(|window| window == b",\"attachment\":")
}

/// The text of a message, whose content is a string or a list of blocks.
fn blocks<'de: 'a, 'a, D: Deserializer<'de>>(input: D) -> Result<Vec<Block<'a>>, D::Error> {
    struct Blocks;
    impl<'de> Visitor<'de> for Blocks {
        type Value = Vec<Block<'de>>;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("a text or a list of blocks")
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(vec![Block { kind: "text".into(), text: Some(text.into()), ..Block::default() }])
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut blocks = Vec::new();
            while let Some(block) = list.next_element()? {
                blocks.push(block);
            }
            Ok(blocks)
        }
    }
    input.deserialize_any(Blocks)
}

#[cfg(test)]
mod tests;
