//! The Gemini API, as Gemini CLI speaks it.

use serde_json::{Value, json};

use super::reply::{Content, Events, Heard, Wire};

/// The tool that runs commands.
const SHELL: &str = "run_shell_command";

/// The beginnings of user messages that the program writes itself.
const NOT_ASKED: [&str; 2] = ["<session_context>", "<hook_context>"];

/// Only turns are streamed: everything else is for the program itself (which model to use, a conversation's
/// summary).
pub(super) const STREAMS: &str = ":streamGenerateContent";

/// The end of the path of other requests.
pub(super) const ASIDE: &str = ":generateContent";

pub(super) fn heard(body: &Value) -> Heard {
    let empty = Vec::new();
    let contents = body["contents"].as_array().unwrap_or(&empty);
    let spoken = contents.iter().rposition(|content| content["role"] == "model");
    let tail = &contents[spoken.map_or(0, |at| at + 1)..];
    Heard {
        messages: contents.iter().map(message).filter(|(_, text)| !text.is_empty()).collect(),
        tail: tail.iter().flat_map(texts_of).collect(),
        tool_answered: tail.iter().flat_map(parts_of).any(|part| part["functionResponse"].is_object()),
        runs_commands: tools(body).any(|tool| tool["name"] == SHELL),
        title: false,
        planned: false,
    }
}

pub(super) fn heard_aside(body: &Value) -> Heard {
    Heard { title: true, ..heard(body) }
}

fn message(content: &Value) -> (String, String) {
    (content["role"].as_str().unwrap_or_default().to_owned(), texts_of(content).join("\n"))
}

fn texts_of(content: &Value) -> Vec<String> {
    let texts = parts_of(content).filter_map(|part| part["text"].as_str());
    texts.filter(|text| !NOT_ASKED.iter().any(|mark| text.starts_with(mark))).map(str::to_owned).collect()
}

fn parts_of(content: &Value) -> impl Iterator<Item = &Value> {
    content["parts"].as_array().into_iter().flatten()
}

fn tools(body: &Value) -> impl Iterator<Item = &Value> {
    let groups = body["tools"].as_array().into_iter().flatten();
    groups.flat_map(|group| group["functionDeclarations"].as_array().into_iter().flatten())
}

pub(super) struct Gemini {
    input: usize,
}

impl Gemini {
    pub(super) fn new(input: usize) -> Self {
        Self { input }
    }

    fn chunk(&self, parts: &Value, finish: Option<&str>) -> Value {
        json!({
            "candidates": [{ "index": 0, "content": { "role": "model", "parts": parts }, "finishReason": finish }],
            "usageMetadata": {
                "promptTokenCount": self.input, "candidatesTokenCount": 20, "totalTokenCount": self.input + 20,
            },
        })
    }
}

/// Its events have no names.
impl Wire for Gemini {
    fn begin(&mut self, _content: &Content) -> Events {
        Vec::new()
    }

    fn word(&mut self, word: &str) -> Events {
        vec![("", self.chunk(&json!([{ "text": word }]), None))]
    }

    fn end(&mut self, content: &Content) -> Events {
        let parts =
            if let Content::Command { .. } = content { parts(content) } else { json!([{ "text": "" }]) };
        vec![("", self.chunk(&parts, Some("STOP")))]
    }

    fn whole(&mut self, content: &Content) -> Value {
        self.chunk(&parts(content), Some("STOP"))
    }
}

fn parts(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!([{ "text": text }]),
        Content::Command { command, background, .. } => {
            let args = json!({ "command": command, "description": "asked for", "is_background": background });
            json!([{ "functionCall": { "name": SHELL, "args": args } }])
        }
        Content::Choice(_) | Content::Subagent(_) | Content::Plan(_) | Content::Status(_) => json!([]),
    }
}
