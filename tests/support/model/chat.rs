//! The Chat Completions API, as OpenCode speaks it.

use serde_json::{Value, json};

use super::reply::{Content, Events, Heard, Wire};

/// The tool that runs commands.
const SHELL: &str = "bash";

/// The tool that starts a subagent.
const SUBAGENT: &str = "task";

/// The beginning of the request for a conversation's title.
const TITLE: &str = "You are a title generator";

pub(super) fn heard(body: &Value) -> Heard {
    let empty = Vec::new();
    let all = body["messages"].as_array().unwrap_or(&empty);
    let spoken = all.iter().rposition(|message| message["role"] == "assistant");
    let tail = &all[spoken.map_or(0, |at| at + 1)..];
    let tools = body["tools"].as_array().unwrap_or(&empty);
    let messages: Vec<(String, String)> = all
        .iter()
        .map(|message| (message["role"].as_str().unwrap_or_default().to_owned(), text(message)))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    Heard {
        title: messages.first().is_some_and(|(_, text)| text.starts_with(TITLE)),
        planned: false,
        messages,
        tail: tail.iter().filter(|message| message["role"] == "user").map(text).collect(),
        tool_answered: tail.iter().any(|message| message["role"] == "tool"),
        runs_commands: tools.iter().any(|tool| tool["function"]["name"] == SHELL),
    }
}

/// A message's text, which is a string or in parts.
fn text(message: &Value) -> String {
    let parts = message["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    message["content"].as_str().map_or_else(|| texts.join("\n"), str::to_owned)
}

pub(super) struct Chat {
    id: usize,
    input: usize,
    model: Value,
}

impl Chat {
    pub(super) fn new(body: &Value, id: usize, input: usize) -> Self {
        Self { id, input, model: body["model"].clone() }
    }

    fn chunk(&self, delta: Value, finish: Option<&str>) -> (&'static str, Value) {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        let chunk = json!({
            "id": format!("chatcmpl-{}", self.id), "object": "chat.completion.chunk", "created": 1,
            "model": self.model, "choices": [choice],
        });
        ("chunk", chunk)
    }

    fn call(&self, content: &Content) -> Option<Value> {
        let (name, arguments) = match content {
            // It has no tool for background commands: a model uses the shell for that.
            Content::Command { command, background: true, .. } => (
                SHELL,
                json!({ "command": format!("{command} >/dev/null 2>&1 &"), "description": "asked for" }),
            ),
            Content::Command { command, background: false, .. } => {
                (SHELL, json!({ "command": command, "description": "asked for" }))
            }
            Content::Subagent(told) => {
                (SUBAGENT, json!({ "prompt": told, "description": "asked for", "subagent_type": "general" }))
            }
            Content::Text(_) | Content::Choice(_) | Content::Plan(_) | Content::Status(_) => return None,
        };
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        Some(
            json!({ "index": 0, "id": format!("call_{}", self.id), "type": "function", "function": function }),
        )
    }

    fn usage(&self) -> Value {
        json!({ "prompt_tokens": self.input, "completion_tokens": 20, "total_tokens": self.input + 20 })
    }
}

impl Wire for Chat {
    fn begin(&mut self, _content: &Content) -> Events {
        vec![self.chunk(json!({ "role": "assistant", "content": "" }), None)]
    }

    fn word(&mut self, word: &str) -> Events {
        vec![self.chunk(json!({ "content": word }), None)]
    }

    fn end(&mut self, content: &Content) -> Events {
        let call = self.call(content);
        let finish = if call.is_some() { "tool_calls" } else { "stop" };
        let mut last = self.chunk(json!({}), Some(finish));
        last.1["usage"] = self.usage();
        let call = call.map(|call| self.chunk(json!({ "tool_calls": [call] }), None));
        call.into_iter().chain([last]).collect()
    }

    fn whole(&mut self, content: &Content) -> Value {
        let (text, call) = (content.text(), self.call(content));
        let finish = if call.is_some() { "tool_calls" } else { "stop" };
        let mut message = json!({ "role": "assistant", "content": text });
        if let Some(call) = call {
            message["tool_calls"] = json!([call]);
        }
        json!({
            "id": format!("chatcmpl-{}", self.id), "object": "chat.completion", "created": 1, "model": self.model,
            "choices": [{ "index": 0, "message": message, "finish_reason": finish }], "usage": self.usage(),
        })
    }
}
