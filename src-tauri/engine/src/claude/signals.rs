//! Reading the reports of Claude Code's hooks.

use repose_core::hold::Task;
use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::{Author, Said, Signal, Source, Wait};
use repose_core::time::Wall;
use repose_core::words;
use serde::Deserialize;
use serde_json::Value;

use super::prompt;
use crate::told::{self, BadPayload};
use crate::transcript::{QUESTION_MAX, one_line};

/// The beginning of a prompt that the program itself wrote: news of a background task.
pub(super) const TASK_NEWS: &str = "<task-notification>";

/// The most characters of the name of a task or request, which has to fit a sentence.
const WHAT_MAX: usize = 200;

/// The states of a background task that is over. In any other state, known or not, it is running.
const OVER: [&str; 6] = ["completed", "failed", "killed", "stopped", "cancelled", "canceled"];

/// The kinds of background tasks that are processes; while one runs, the status is `shell` rather than
/// `idle`.
const SHELLS: [&str; 2] = ["shell", "local_bash"];

#[derive(Deserialize)]
struct Hook {
    session_id: String,
    hook_event_name: String,
    /// Set if a subagent reports, never for the session itself.
    agent_id: Option<String>,
    transcript_path: Option<String>,
    source: Option<String>,
    prompt: Option<String>,
    prompt_id: Option<String>,
    last_assistant_message: Option<String>,
    background_tasks: Option<Vec<Value>>,
    session_crons: Option<Vec<Value>>,
    error: Option<Value>,
    reason: Option<String>,
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
    Ok(said(hook)?.map(|said| Signal { conversation, at: received, said }))
}

fn said(hook: Hook) -> Result<Option<Said>, BadPayload> {
    let prompt = hook.prompt_id.map(PromptId::new);
    Ok(Some(match hook.hook_event_name.as_str() {
        "SessionStart" => Said::Started {
            source: source(hook.source.as_deref().unwrap_or_default()),
            transcript: hook.transcript_path.filter(|path| !path.is_empty()),
        },
        "SessionEnd" => Said::Closed { reason: hook.reason.unwrap_or_default() },
        "UserPromptSubmit" => {
            let text = hook.prompt.ok_or_else(|| BadPayload::malformed("a prompt without a text"))?;
            let author = author(&text);
            Said::PromptTaken { prompt, text: prompt::unwrapped(&text), author }
        }
        "Stop" => Said::Stopped {
            prompt,
            text: hook.last_assistant_message.unwrap_or_default(),
            background: hook
                .background_tasks
                .map(|tasks| tasks.iter().filter(|task| !is_over(task)).map(task).collect()),
            wakeups: hook.session_crons.map(|crons| crons.iter().map(task).collect()),
        },
        "StopFailure" => Said::Failed { error: error(hook.last_assistant_message, hook.error) },
        "PermissionRequest" => {
            Said::NeedsDecision(decision(hook.tool_name.as_deref().unwrap_or_default(), &hook.tool_input))
        }
        _ => return Ok(None),
    }))
}

/// An unknown word means a resumed conversation only if it says so; otherwise a new one.
fn source(word: &str) -> Source {
    match word {
        "resume" => Source::Resumed,
        "clear" => Source::Cleared,
        "compact" => Source::Compacted,
        "fork" => Source::Forked,
        _ => Source::New,
    }
}

pub(super) fn author(prompt: &str) -> Author {
    if prompt.trim_start().starts_with(TASK_NEWS) { Author::Engine } else { Author::Person }
}

fn error(message: Option<String>, error: Option<Value>) -> String {
    message.filter(|message| !message.trim().is_empty()).unwrap_or_else(|| match error {
        Some(Value::String(word)) => word,
        Some(other) => one_line(&other.to_string(), WHAT_MAX),
        None => "the model gave no answer".into(),
    })
}

fn is_over(task: &Value) -> bool {
    task["status"].as_str().is_some_and(|status| OVER.contains(&status))
}

fn task(task: &Value) -> Task {
    let first = |names: &[&str]| {
        names.iter().find_map(|name| task[*name].as_str()).filter(|text| !text.trim().is_empty())
    };
    let what = first(&["command", "description", "prompt", "cron", "schedule", "type"]).unwrap_or("a task");
    let process = task["type"].as_str().is_some_and(|kind| SHELLS.contains(&kind));
    Task { id: first(&["id", "task_id"]).unwrap_or_default().into(), what: one_line(what, WHAT_MAX), process }
}

/// The text in a form that fits one line with other words.
pub(super) fn line(text: &str) -> String {
    one_line(text, WHAT_MAX)
}

/// What it asks permission for, or asks about.
pub(super) fn decision(tool: &str, input: &Value) -> Wait {
    let field = |name: &str| input[name].as_str().map(|text| one_line(text, WHAT_MAX));
    match tool {
        super::decide::ASKS => Wait::Choice(super::decide::asked_first(input).unwrap_or_else(|| {
            one_line(input["questions"][0]["question"].as_str().unwrap_or_default(), QUESTION_MAX)
        })),
        "ExitPlanMode" => Wait::Choice("go ahead with the plan?".into()),
        // 2.1.332 doesn't ask for it.
        "EnterPlanMode" => Wait::Permission("plan first, without changing anything".into()),
        "Bash" => Wait::Permission(
            input["command"]
                .as_str()
                .map_or_else(|| "run a command".into(), |text| format!("run {}", words::command(text))),
        ),
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            let file = field("file_path").or_else(|| field("notebook_path"));
            Wait::Permission(file.map_or_else(|| "edit a file".into(), |file| format!("edit {file}")))
        }
        "Read" => Wait::Permission(
            field("file_path").map_or_else(|| "read a file".into(), |file| format!("read {file}")),
        ),
        "WebFetch" => {
            Wait::Permission(field("url").map_or_else(|| "fetch a page".into(), |url| format!("fetch {url}")))
        }
        "" => Wait::Permission(String::new()),
        other => Wait::Permission(format!("use {}", one_line(other, WHAT_MAX))),
    }
}

#[cfg(test)]
mod tests;
