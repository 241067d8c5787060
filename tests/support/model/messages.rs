//! The Messages API, as Claude Code and OpenCode speak it.

use serde_json::{Value, json};

use super::reply::{Content, Events, Heard, Planned, Wire};

/// The tool that runs commands, by its name in either program.
const SHELLS: [&str; 2] = ["Bash", "bash"];

/// The beginning of a request for a title.
const TITLE: [&str; 2] = ["<session>", "Generate a title for this conversation:"];

pub(super) fn heard(body: &Value) -> Heard {
    let empty = Vec::new();
    let messages = body["messages"].as_array().unwrap_or(&empty);
    let tail = last_turn(messages);
    let texts: Vec<String> = tail.iter().flat_map(|m| texts_of(m)).map(str::to_owned).collect();
    Heard {
        messages: messages
            .iter()
            .map(|m| (m["role"].as_str().unwrap_or_default().to_owned(), texts_of(m).join("\n")))
            .collect(),
        title: texts.iter().any(|text| TITLE.iter().any(|title| text.trim_start().starts_with(title))),
        tail: texts,
        tool_answered: tail.iter().any(|message| answers_a_tool(message)),
        runs_commands: shell(body).is_some(),
        planned: tail.iter().any(|message| answers_a_tool(message)) && wrote_a_plan(messages),
    }
}

/// Whether the model's last message was to write one.
fn wrote_a_plan(messages: &[Value]) -> bool {
    let last = messages.iter().rev().find(|message| message["role"] == "assistant");
    last.and_then(|message| message["content"].as_array()).is_some_and(|blocks| {
        let file = |block: &Value| block["input"]["file_path"].as_str().map(|file| file.contains("/plans/"));
        blocks.iter().any(|block| block["name"] == "Write" && file(block) == Some(true))
    })
}

fn shell(body: &Value) -> Option<&'static str> {
    let tools = body["tools"].as_array()?;
    SHELLS.into_iter().find(|name| tools.iter().any(|tool| tool["name"] == **name))
}

/// The user's messages after the assistant's last one (system messages may be in between).
fn last_turn(messages: &[Value]) -> Vec<&Value> {
    let mut tail: Vec<_> = messages
        .iter()
        .rev()
        .take_while(|message| message["role"] != "assistant")
        .filter(|message| message["role"] == "user")
        .collect();
    tail.reverse();
    tail
}

fn texts_of(message: &Value) -> Vec<&str> {
    match &message["content"] {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str())
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn answers_a_tool(message: &Value) -> bool {
    message["content"]
        .as_array()
        .is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "tool_result"))
}

pub(super) struct Messages {
    model: Value,
    id: usize,
    input: usize,
    shell: &'static str,
    /// The index of the block that is being sent.
    block: usize,
}

impl Messages {
    pub(super) fn new(body: &Value, id: usize, input: usize) -> Self {
        Self { model: body["model"].clone(), id, input, shell: shell(body).unwrap_or_default(), block: 0 }
    }

    fn message(&self) -> Value {
        json!({
            "id": format!("msg_{:020}", self.id), "type": "message", "role": "assistant", "model": self.model,
            "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": { "input_tokens": self.input, "output_tokens": 20 },
        })
    }

    fn delta(&self, delta: Value) -> (&'static str, Value) {
        event("content_block_delta", json!({ "index": self.block, "delta": delta }))
    }

    fn tool(&self, content: &Content) -> Value {
        let name = match content {
            Content::Choice(_) => "AskUserQuestion",
            Content::Plan(Some(_)) => "Write",
            Content::Plan(None) => "ExitPlanMode",
            Content::Command { .. } | Content::Text(_) | Content::Subagent(_) | Content::Status(_) => {
                self.shell
            }
        };
        json!({ "type": "tool_use", "id": format!("toolu_{:020}", self.id), "name": name, "input": {} })
    }
}

impl Wire for Messages {
    fn begin(&mut self, content: &Content) -> Events {
        let block = match content {
            Content::Text(_) => json!({ "type": "text", "text": "" }),
            Content::Command { .. } | Content::Choice(_) | Content::Plan(_) => self.tool(content),
            Content::Subagent(_) | Content::Status(_) => return Vec::new(),
        };
        let mut events = vec![event("message_start", json!({ "message": self.message() }))];
        if let Some(said) = before(content) {
            let text = json!({ "type": "text", "text": "" });
            events.push(event("content_block_start", json!({ "index": 0, "content_block": text })));
            events.push(self.delta(json!({ "type": "text_delta", "text": said })));
            events.push(event("content_block_stop", json!({ "index": 0 })));
            self.block = 1;
        }
        events.push(event("content_block_start", json!({ "index": self.block, "content_block": block })));
        events
    }

    fn word(&mut self, word: &str) -> Events {
        vec![self.delta(json!({ "type": "text_delta", "text": word }))]
    }

    fn end(&mut self, content: &Content) -> Events {
        let mut events = Vec::new();
        if let Some(input) = tool_input(content) {
            events.push(self.delta(json!({ "type": "input_json_delta", "partial_json": input.to_string() })));
        }
        events.push(event("content_block_stop", json!({ "index": self.block })));
        let end = json!({ "stop_reason": stop_reason(content), "stop_sequence": null });
        events.push(event("message_delta", json!({ "delta": end, "usage": { "output_tokens": 20 } })));
        events.push(event("message_stop", json!({})));
        events
    }

    fn whole(&mut self, content: &Content) -> Value {
        let block = match content {
            Content::Text(text) => json!({ "type": "text", "text": text }),
            Content::Command { .. } | Content::Choice(_) | Content::Plan(_) => {
                let mut block = self.tool(content);
                block["input"] = tool_input(content).unwrap_or_default();
                block
            }
            Content::Subagent(_) | Content::Status(_) => Value::Null,
        };
        let mut message = self.message();
        let said = before(content).map(|text| json!({ "type": "text", "text": text }));
        message["content"] = said.into_iter().chain([block]).collect();
        message["stop_reason"] = json!(stop_reason(content));
        message
    }
}

fn tool_input(content: &Content) -> Option<Value> {
    match content {
        Content::Command { command, background, .. } => Some(shell_input(command, *background)),
        Content::Choice(choice) => Some(choice_input(choice)),
        Content::Plan(Some(Planned { file, text })) => Some(json!({ "file_path": file, "content": text })),
        Content::Plan(None) => Some(json!({})),
        Content::Text(_) | Content::Subagent(_) | Content::Status(_) => None,
    }
}

/// What it says before it uses a tool.
fn before(content: &Content) -> Option<&str> {
    match content {
        Content::Command { before, .. } => before.as_deref(),
        Content::Text(_)
        | Content::Choice(_)
        | Content::Subagent(_)
        | Content::Plan(_)
        | Content::Status(_) => None,
    }
}

fn choice_input(choice: &str) -> Value {
    let one = |one: &str| {
        let mut words = one.split('|');
        let question = words.next().unwrap_or_default();
        let several = question.ends_with('*');
        let option = |word: &str| {
            let (label, preview) = word.split_once('~').unzip();
            let mut option = json!({ "label": label.unwrap_or(word), "description": "as it says" });
            if let Some(preview) = preview {
                option["preview"] = preview.into();
            }
            option
        };
        let options: Vec<_> = words.map(option).collect();
        json!({
            "question": question.trim_end_matches('*'), "header": "Choice", "options": options, "multiSelect": several,
        })
    };
    json!({ "questions": choice.split(';').map(one).collect::<Vec<_>>() })
}

fn shell_input(command: &str, background: bool) -> Value {
    let mut input = json!({ "command": command, "description": "asked for" });
    if background {
        input["run_in_background"] = json!(true);
    }
    input
}

fn stop_reason(content: &Content) -> &'static str {
    match content {
        Content::Command { .. } | Content::Choice(_) | Content::Plan(_) => "tool_use",
        Content::Text(_) | Content::Subagent(_) | Content::Status(_) => "end_turn",
    }
}

fn event(name: &'static str, mut data: Value) -> (&'static str, Value) {
    data["type"] = json!(name);
    (name, data)
}
