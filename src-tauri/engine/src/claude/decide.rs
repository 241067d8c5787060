//! Decisions that Claude Code's PermissionRequest hook can make.
//!
//! The program shows its dialog and waits for the hook at the same time. A decision of the hook closes the
//! dialog; one that comes after somebody answered in the terminal is ignored (seen with 2.1.332).

use repose_core::decision::{Choice, ChoiceKind, Pick, Question};
use repose_core::ids::ConversationId;
use repose_core::signal::Wait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::signals;
use crate::decide::{self, ALLOW, DENY};

mod asked;
mod spares;

use asked::{Answers, answers, asked};

/// The tool that puts questions with choices to the user.
pub(super) const ASKS: &str = "AskUserQuestion";

/// What the model is told after a denial.
pub(super) const NO: &str = "The user said no to this.";
pub(super) const NO_PLAN: &str = "The user wants to go on planning.";

#[derive(Deserialize)]
struct Hook {
    session_id: String,
    hook_event_name: String,
    #[serde(default)]
    tool_name: String,
    #[serde(default)]
    tool_input: Value,
    #[serde(default)]
    permission_suggestions: Vec<Value>,
}

/// Accepts the plan and every edit in it.
const ACCEPT_EDITS: &str = "accept-edits";

pub(super) fn question(payload: &[u8], picks: &[Pick]) -> Option<Question> {
    let hook = read(payload)?;
    let of = |wait, detail: Option<String>, choices: Vec<Choice>| {
        Some(decide::question(ConversationId::new(hook.session_id.clone()), wait, detail, choices))
    };
    match hook.tool_name.as_str() {
        ASKS => {
            let asked = asked(&hook.tool_input)?;
            let Answers::Next(next) = answers(&asked, picks)? else { return None };
            of(Wait::Choice(next.title()), None, next.choices())
        }
        _ if !picks.is_empty() => None,
        "ExitPlanMode" => {
            let plan = hook.tool_input["plan"].as_str().map(str::to_owned);
            of(signals::decision(&hook.tool_name, &hook.tool_input), plan, of_a_plan())
        }
        _ => {
            let choices = of_a_permission(&hook.permission_suggestions);
            of(signals::decision(&hook.tool_name, &hook.tool_input), detail(&hook.tool_input), choices)
        }
    }
}

/// The first thing that the tool asks, in the words in which it is offered as a decision. `None`: it asks nothing
/// that can be answered here.
pub(super) fn asked_first(input: &Value) -> Option<String> {
    match answers(&asked(input)?, &[])? {
        Answers::Next(next) => Some(next.title()),
        Answers::All(_) => None,
    }
}

/// What the hook prints for these picks.
pub(super) fn answer(payload: &[u8], picks: &[Pick]) -> Option<Vec<u8>> {
    let hook = read(payload)?;
    let decision = match (hook.tool_name.as_str(), picks) {
        (ASKS, picks) => {
            let asked = asked(&hook.tool_input)?;
            let Answers::All(given) = answers(&asked, picks)? else { return None };
            let mut input = hook.tool_input.clone();
            input["answers"] = Value::Object(given);
            json!({ "behavior": "allow", "updatedInput": input })
        }
        ("ExitPlanMode", [pick]) => {
            let mode = match pick.choice.as_str() {
                ALLOW => "default",
                ACCEPT_EDITS => "acceptEdits",
                DENY => return Some(said(&json!({ "behavior": "deny", "message": NO_PLAN }))),
                _ => return None,
            };
            // Without the input, the acceptance of a plan is ignored, and without the mode Claude Code goes
            // on planning (seen with 2.1.332).
            let update = json!({ "type": "setMode", "mode": mode, "destination": "session" });
            json!({ "behavior": "allow", "updatedInput": hook.tool_input, "updatedPermissions": [update] })
        }
        (_, [pick]) => match pick.choice.as_str() {
            ALLOW => json!({ "behavior": "allow" }),
            DENY => json!({ "behavior": "deny", "message": NO }),
            always => {
                let update = spares::chosen(&hook.permission_suggestions, always)?;
                json!({ "behavior": "allow", "updatedPermissions": [update] })
            }
        },
        (_, _) => return None,
    };
    Some(said(&decision))
}

fn said(decision: &Value) -> Vec<u8> {
    let said =
        json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } });
    said.to_string().into_bytes()
}

fn read(payload: &[u8]) -> Option<Hook> {
    let hook: Hook = serde_json::from_slice(payload).ok()?;
    (hook.hook_event_name == "PermissionRequest" && !hook.session_id.is_empty()).then_some(hook)
}

fn choice(id: &str, label: &str, kind: ChoiceKind) -> Choice {
    Choice { id: id.into(), label: label.into(), description: None, preview: None, kind }
}

/// In the order of its own dialog, where the denial is last.
fn of_a_permission(suggestions: &[Value]) -> Vec<Choice> {
    let yes = choice(ALLOW, "Allow", ChoiceKind::Allow);
    let no = choice(DENY, "Deny", ChoiceKind::Deny);
    [yes].into_iter().chain(spares::choices(suggestions)).chain([no]).collect()
}

fn of_a_plan() -> Vec<Choice> {
    vec![
        choice(ALLOW, "Go ahead, and ask before edits", ChoiceKind::Allow),
        choice(ACCEPT_EDITS, "Go ahead, and accept edits", ChoiceKind::Other),
        choice(DENY, "Keep planning", ChoiceKind::Deny),
    ]
}

/// The whole command, or the whole input of the tool.
fn detail(input: &Value) -> Option<String> {
    match input["command"].as_str() {
        Some(command) => Some(command.to_owned()),
        None if input.as_object().is_none_or(serde_json::Map::is_empty) => None,
        None => serde_json::to_string_pretty(input).ok(),
    }
}

#[cfg(test)]
mod tests;
