//! Decisions that its PermissionRequest hook can answer.
//!
//! The program shows its dialog and waits for the hook at the same time. A word from the hook closes the dialog; one that
//! comes after somebody answered in the terminal is passed over (seen with 2.1.332).

use repose_core::decision::{Choice, ChoiceKind, Question};
use repose_core::ids::ConversationId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::signals;

/// Longer detail is cut there, and ends in `…`: the whole stands in the terminal.
const DETAIL_MAX: usize = 8 * 1024;

/// What the model is told where somebody said no.
const NO: &str = "The user said no to this.";

#[derive(Deserialize)]
struct Hook {
    session_id: String,
    hook_event_name: String,
    #[serde(default)]
    tool_name: String,
    #[serde(default)]
    tool_input: Value,
}

/// The one question of a tool that asks the user something, if it has just one answer.
struct Asked<'a> {
    question: &'a str,
    labels: Vec<&'a str>,
}

pub(super) fn question(payload: &[u8]) -> Option<Question> {
    let hook = read(payload)?;
    let (detail, choices) = match hook.tool_name.as_str() {
        "AskUserQuestion" => (None, asked(&hook.tool_input)?.choices()),
        // It has more answers than yes and no, which only the terminal knows.
        "ExitPlanMode" | "EnterPlanMode" => return None,
        _ => (detail(&hook.tool_input), yes_or_no()),
    };
    Some(Question {
        conversation: ConversationId::new(hook.session_id),
        wait: signals::decision(&hook.tool_name, &hook.tool_input),
        detail,
        choices,
    })
}

/// What the hook prints to have it decided so.
pub(super) fn answer(payload: &[u8], choice: &str) -> Option<Vec<u8>> {
    let hook = read(payload)?;
    let decision = match (hook.tool_name.as_str(), choice) {
        ("AskUserQuestion", at) => {
            let asked = asked(&hook.tool_input)?;
            let label = asked.labels.get(at.parse::<usize>().ok()?)?;
            let answers = json!({ asked.question: label });
            let mut input = hook.tool_input.clone();
            input["answers"] = answers;
            json!({ "behavior": "allow", "updatedInput": input })
        }
        (_, "allow") => json!({ "behavior": "allow" }),
        (_, "deny") => json!({ "behavior": "deny", "message": NO }),
        (_, _) => return None,
    };
    let said =
        json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } });
    Some(said.to_string().into_bytes())
}

fn read(payload: &[u8]) -> Option<Hook> {
    let hook: Hook = serde_json::from_slice(payload).ok()?;
    (hook.hook_event_name == "PermissionRequest" && !hook.session_id.is_empty()).then_some(hook)
}

fn yes_or_no() -> Vec<Choice> {
    let choice = |id: &str, label: &str, kind| Choice { id: id.into(), label: label.into(), kind };
    vec![choice("allow", "Allow", ChoiceKind::Allow), choice("deny", "Deny", ChoiceKind::Deny)]
}

fn asked(input: &Value) -> Option<Asked<'_>> {
    let [one] = input["questions"].as_array()?.as_slice() else { return None };
    if one["multiSelect"].as_bool() == Some(true) {
        return None;
    }
    let options = one["options"].as_array()?;
    let labels: Option<Vec<&str>> = options.iter().map(|option| option["label"].as_str()).collect();
    Some(Asked { question: one["question"].as_str()?, labels: labels.filter(|labels| !labels.is_empty())? })
}

impl Asked<'_> {
    fn choices(&self) -> Vec<Choice> {
        let choice = |(at, label): (usize, &&str)| Choice {
            id: at.to_string(),
            label: (*label).to_owned(),
            kind: ChoiceKind::Other,
        };
        self.labels.iter().enumerate().map(choice).collect()
    }
}

/// The whole command, or all that the tool is called with.
fn detail(input: &Value) -> Option<String> {
    let text = match input["command"].as_str() {
        Some(command) => command.to_owned(),
        None if input.as_object().is_none_or(serde_json::Map::is_empty) => return None,
        None => serde_json::to_string_pretty(input).ok()?,
    };
    if text.len() <= DETAIL_MAX {
        return Some(text);
    }
    Some(format!("{}…", &text[..text.floor_char_boundary(DETAIL_MAX)]))
}

#[cfg(test)]
mod tests;
