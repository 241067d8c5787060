//! One line of a Codex transcript, which the program calls a rollout.
//!
//! What is shown comes from the events, which are few and short. The items sent to the model include all of
//! the program's own instructions and are read only for tools.

use repose_core::ids::PromptId;
use repose_core::time::Wall;
use serde::Deserialize;
use serde_json::Value;

use crate::transcript::{Input, ToolEnd};

/// The most informative arguments of a tool, in order.
const TELLING: [&str; 5] = ["cmd", "command", "path", "query", "chars"];

/// The complete result of a denied tool (`tools/events.rs`, the same in 0.30 to 0.171).
const DENIALS: [&str; 2] = ["exec command rejected by user", "patch rejected by user"];

/// The whole result of what was interrupted, except for the time that it took.
const INTERRUPTED: &str = "aborted by user";

/// The parts of a line that are read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) at: Option<Wall>,
    pub(super) said: Said,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// The first line: the conversation and its folder.
    Meta {
        id: String,
        folder: Option<String>,
        of_user: bool,
    },
    Began,
    Prompt {
        turn: Option<PromptId>,
        text: String,
    },
    Agent {
        message: Option<String>,
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Input,
    },
    ToolResult {
        id: String,
        text: String,
        end: ToolEnd,
    },
    Tokens(u64),
    Ended {
        turn: Option<PromptId>,
        last: Option<String>,
    },
    Failed {
        text: String,
    },
    Interrupted,
    Compacted,
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
struct Raw {
    timestamp: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    payload: Value,
}

/// Reads one line.
pub(super) fn read(bytes: &[u8]) -> Read {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Read::Other;
    }
    let Ok(raw) = serde_json::from_slice::<Raw>(bytes) else { return Read::Broken };
    let said = match raw.kind.as_str() {
        "session_meta" => meta(&raw.payload),
        "event_msg" => event(&raw.payload),
        "response_item" => item(&raw.payload),
        "compacted" => Some(Said::Compacted),
        _ => None,
    };
    match said {
        Some(said) => Read::Said(Line { at: raw.timestamp.as_deref().and_then(crate::lines::wall), said }),
        None => Read::Other,
    }
}

fn meta(payload: &Value) -> Option<Said> {
    let id = payload["id"].as_str()?.to_owned();
    // A conversation that an agent began for itself, or that names conversations, isn't the user's.
    let of_user = payload["thread_source"].as_str().is_none_or(|source| source == "user");
    Some(Said::Meta { id, folder: text(&payload["cwd"]), of_user })
}

fn event(payload: &Value) -> Option<Said> {
    let turn = || payload["turn_id"].as_str().map(PromptId::new);
    match payload["type"].as_str()? {
        "task_started" => Some(Said::Began),
        "task_complete" => {
            let error = &payload["error"];
            Some(if error.is_null() {
                Said::Ended { turn: turn(), last: text(&payload["last_agent_message"]) }
            } else {
                Said::Failed { text: text(&error["message"]).unwrap_or_else(|| error.to_string()) }
            })
        }
        "turn_aborted" => Some(Said::Interrupted),
        "token_count" => {
            let usage = &payload["info"]["last_token_usage"];
            usage["input_tokens"].as_u64().map(Said::Tokens)
        }
        "item_completed" => completed(&payload["item"], turn()),
        _ => None,
    }
}

fn completed(item: &Value, turn: Option<PromptId>) -> Option<Said> {
    match item["type"].as_str()? {
        "UserMessage" => Some(Said::Prompt { turn, text: texts(&item["content"]) }),
        "AgentMessage" => Some(Said::Agent { message: text(&item["id"]), text: texts(&item["content"]) }),
        _ => None,
    }
}

fn item(payload: &Value) -> Option<Said> {
    let id = || text(&payload["call_id"]).unwrap_or_default();
    match payload["type"].as_str()? {
        "function_call" | "custom_tool_call" | "local_shell_call" => {
            let name = text(&payload["name"]).unwrap_or_else(|| "shell".into());
            let input = payload["arguments"].as_str().or(payload["input"].as_str()).unwrap_or_default();
            Some(Said::ToolUse { id: id(), name, input: Input::new(input.into(), &TELLING) })
        }
        "function_call_output" | "custom_tool_call_output" => {
            let output = &payload["output"];
            let output =
                text(output).or_else(|| text(&output["content"])).unwrap_or_else(|| output.to_string());
            Some(Said::ToolResult { id: id(), end: tool_end(&output), text: output })
        }
        _ => None,
    }
}

fn tool_end(output: &str) -> ToolEnd {
    if DENIALS.contains(&output.trim()) {
        ToolEnd::Denied
    } else if is_interrupted(output) {
        ToolEnd::Interrupted
    } else if exit_code(output).is_some_and(|code| code != 0) {
        ToolEnd::Failed
    } else {
        ToolEnd::Done
    }
}

/// Whether somebody interrupted the turn while it ran (seen with 0.171). A command's own words come after a line
/// of the program's.
fn is_interrupted(output: &str) -> bool {
    let said =
        output.strip_prefix("Wall time: ").and_then(|rest| Some(rest.split_once('\n')?.1)).unwrap_or(output);
    said.trim() == INTERRUPTED
}

/// A command's output is preceded by a line about how it ended.
fn exit_code(output: &str) -> Option<i32> {
    let head = output.split("Output:").next()?;
    let line = head.lines().find_map(|line| line.strip_prefix("Process exited with code "))?;
    line.trim().parse().ok()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn texts(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}
