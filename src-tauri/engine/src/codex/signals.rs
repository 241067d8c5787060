//! Reading the reports of Codex's hooks. They are requested on its command line, so no other Codex sends
//! them, not even one that a command in it starts.

use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::{Author, Said, Signal, Source, Wait};
use repose_core::time::Wall;
use repose_core::words;
use serde::Deserialize;
use serde_json::Value;

use crate::told::{self, BadPayload};
use crate::transcript::one_line;

/// The most characters of a request, which has to fit a sentence.
const WHAT_MAX: usize = 200;

#[derive(Deserialize)]
struct Hook {
    session_id: String,
    hook_event_name: String,
    /// Set if a subagent reports.
    agent_id: Option<String>,
    transcript_path: Option<String>,
    turn_id: Option<String>,
    source: Option<String>,
    prompt: Option<String>,
    last_assistant_message: Option<String>,
    tool_name: Option<String>,
    #[serde(default)]
    tool_input: Value,
}

pub(super) fn signal(payload: &[u8], received: Wall) -> Result<Option<Signal>, BadPayload> {
    let hook: Hook = told::payload(payload)?;
    if hook.session_id.is_empty() {
        return Err(BadPayload::malformed("an empty session id"));
    }
    if hook.agent_id.as_deref().is_some_and(|id| !id.is_empty()) {
        return Ok(None);
    }
    let conversation = Some(ConversationId::new(hook.session_id.clone()));
    Ok(said(hook).map(|said| Signal { conversation, at: received, said }))
}

fn said(hook: Hook) -> Option<Said> {
    let prompt = hook.turn_id.map(PromptId::new);
    Some(match hook.hook_event_name.as_str() {
        "SessionStart" => Said::Started {
            source: source(hook.source.as_deref().unwrap_or_default()),
            transcript: hook.transcript_path.filter(|path| !path.is_empty()),
        },
        "UserPromptSubmit" => {
            Said::PromptTaken { prompt, text: hook.prompt.unwrap_or_default(), author: Author::Person }
        }
        "Stop" => Said::Stopped {
            prompt,
            text: hook.last_assistant_message.unwrap_or_default(),
            background: None,
            wakeups: None,
        },
        "Interrupt" => Said::Interrupted,
        "PermissionRequest" => Said::NeedsDecision(decision(hook.tool_name.as_deref(), &hook.tool_input)),
        _ => return None,
    })
}

/// It comes with a conversation's first prompt. By then the process's first conversation is known by its
/// lock; one that starts later was begun by the user with `/new`.
fn source(word: &str) -> Source {
    match word {
        "resume" => Source::Resumed,
        "compact" => Source::Compacted,
        "fork" => Source::Forked,
        _ => Source::Cleared,
    }
}

fn decision(tool: Option<&str>, input: &Value) -> Wait {
    let command = input["command"].as_str().map(words::command);
    Wait::Permission(match (tool, command) {
        (Some("Bash"), Some(command)) => format!("run {command}"),
        (Some("apply_patch"), _) => "edit files".into(),
        (Some(tool), _) if !tool.is_empty() => format!("use {}", one_line(tool, WHAT_MAX)),
        (_, _) => String::new(),
    })
}
