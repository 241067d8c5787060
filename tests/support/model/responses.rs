//! The Responses API, as Codex speaks it.

use serde_json::{Value, json};

use super::reply::{Content, Events, Heard, Wire};

/// The beginnings of user messages that the program writes itself.
const NOT_ASKED: [&str; 3] = ["<environment_context>", "<user_instructions>", "# AGENTS.md"];

pub(super) fn heard(body: &Value) -> Heard {
    let empty = Vec::new();
    let input = body["input"].as_array().unwrap_or(&empty);
    let spoken = input.iter().rposition(|item| item["role"] == "assistant" || is_call(item));
    let tail = &input[spoken.map_or(0, |at| at + 1)..];
    let texts: Vec<String> = tail.iter().filter(|item| item["role"] == "user").flat_map(texts_of).collect();
    Heard {
        messages: input
            .iter()
            .filter(|item| item["role"].is_string())
            .map(|item| (item["role"].as_str().unwrap_or_default().to_owned(), texts_of(item).join("\n")))
            .filter(|(_, text)| !text.is_empty())
            .collect(),
        title: false,
        planned: false,
        tail: texts,
        tool_answered: tail
            .iter()
            .any(|item| item["type"].as_str().is_some_and(|kind| kind.ends_with("_output"))),
        runs_commands: shell(body).is_some(),
    }
}

fn is_call(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|kind| kind.ends_with("_call"))
}

fn texts_of(item: &Value) -> Vec<String> {
    let parts = item["content"].as_array().into_iter().flatten();
    parts
        .filter_map(|part| part["text"].as_str())
        .filter(|text| !NOT_ASKED.iter().any(|mark| text.trim_start().starts_with(mark)))
        .map(str::to_owned)
        .collect()
}

/// The tool that runs commands, and the name of its command argument.
fn shell(body: &Value) -> Option<(&'static str, &'static str)> {
    let tools = body["tools"].as_array()?;
    [("exec_command", "cmd"), ("shell_command", "command")]
        .into_iter()
        .find(|(name, _)| tools.iter().any(|tool| tool["name"] == *name))
}

pub(super) struct Responses {
    id: usize,
    input: usize,
    shell: (&'static str, &'static str),
    said: String,
}

impl Responses {
    pub(super) fn new(body: &Value, id: usize, input: usize) -> Self {
        Self { id, input, shell: shell(body).unwrap_or_default(), said: String::new() }
    }

    fn item(&self, content: &Content) -> Value {
        match content {
            Content::Text(_)
            | Content::Choice(_)
            | Content::Subagent(_)
            | Content::Plan(_)
            | Content::Status(_) => json!({
                "type": "message", "role": "assistant", "id": format!("msg_{}", self.id),
                "content": [{ "type": "output_text", "text": self.said }],
            }),
            Content::Command { command, background, .. } => {
                let (name, argument) = self.shell;
                let mut arguments = json!({ argument: command });
                if *background {
                    arguments["yield_time_ms"] = json!(250);
                }
                json!({
                    "type": "function_call", "id": format!("fc_{}", self.id), "call_id": format!("call_{}", self.id),
                    "name": name, "arguments": arguments.to_string(),
                })
            }
        }
    }

    fn response(&self, status: &str) -> Value {
        json!({ "id": format!("resp_{}", self.id), "object": "response", "status": status, "output": [] })
    }
}

impl Wire for Responses {
    fn begin(&mut self, content: &Content) -> Events {
        let mut events = vec![event("response.created", json!({ "response": self.response("in_progress") }))];
        if let Content::Text(_) = content {
            let item = json!({ "type": "message", "role": "assistant", "id": format!("msg_{}", self.id), "content": [] });
            events.push(event("response.output_item.added", json!({ "output_index": 0, "item": item })));
        }
        events
    }

    fn word(&mut self, word: &str) -> Events {
        self.said.push_str(word);
        let item = format!("msg_{}", self.id);
        let delta = json!({ "item_id": item, "output_index": 0, "content_index": 0, "delta": word });
        vec![event("response.output_text.delta", delta)]
    }

    fn end(&mut self, content: &Content) -> Events {
        let mut response = self.response("completed");
        response["usage"] = json!({
            "input_tokens": self.input, "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": self.input + 20,
        });
        vec![
            event("response.output_item.done", json!({ "output_index": 0, "item": self.item(content) })),
            event("response.completed", json!({ "response": response })),
        ]
    }

    fn whole(&mut self, content: &Content) -> Value {
        if let Content::Text(text) = content {
            self.said.clone_from(text);
        }
        let mut response = self.response("completed");
        response["output"] = json!([self.item(content)]);
        response
    }
}

fn event(name: &'static str, mut data: Value) -> (&'static str, Value) {
    data["type"] = json!(name);
    (name, data)
}
