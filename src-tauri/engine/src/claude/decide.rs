//! Decisions that Claude Code's PermissionRequest hook can make.
//!
//! The program shows its dialog and waits for the hook at the same time. A decision of the hook closes the
//! dialog; one that comes after somebody answered in the terminal is ignored (seen with 2.1.332).

use repose_core::decision::{Choice, ChoiceKind, Question};
use repose_core::ids::ConversationId;
use repose_core::signal::Wait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::signals;

mod spares;

/// The most characters of a detail; a longer one is cut and ends in `…`. The terminal shows all of it.
const DETAIL_MAX: usize = 8 * 1024;

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

/// One of the questions of the tool that asks the user.
struct Asked<'a> {
    question: &'a str,
    labels: Vec<&'a str>,
    /// Whether it takes any number of the labels.
    several: bool,
}

/// The questions, and the answers so far.
struct Answers<'a> {
    /// The answers so far, each with its labels.
    given: Vec<(&'a str, Vec<&'a str>)>,
    /// The next question, the labels chosen for it already, its number, and how many questions there are.
    next: Option<(&'a Asked<'a>, Vec<usize>, usize)>,
}

/// The id of the option that no more labels are to be chosen.
const ALL: &str = "all";

/// The ids of the answers to a permission and to a plan.
const ALLOW: &str = "allow";
const DENY: &str = "deny";

/// Accepts the plan and every edit in it.
const ACCEPT_EDITS: &str = "accept-edits";

pub(super) fn question(payload: &[u8], answered: &[String]) -> Option<Question> {
    let hook = read(payload)?;
    let of = |wait, detail, choices| {
        let conversation = ConversationId::new(hook.session_id.clone());
        Some(Question { conversation, wait, detail, choices })
    };
    match hook.tool_name.as_str() {
        ASKS => {
            let asked = asked(&hook.tool_input)?;
            let (next, picked, at) = answers(&asked, answered)?.next?;
            let place =
                if asked.len() > 1 { format!(" ({} of {})", at + 1, asked.len()) } else { String::new() };
            of(Wait::Choice(format!("{}{place}", signals::line(next.question))), None, next.choices(&picked))
        }
        _ if !answered.is_empty() => None,
        "ExitPlanMode" => {
            let plan = hook.tool_input["plan"].as_str().map(cut);
            of(signals::decision(&hook.tool_name, &hook.tool_input), plan, of_a_plan())
        }
        _ => {
            let choices = of_a_permission(&hook.permission_suggestions);
            of(signals::decision(&hook.tool_name, &hook.tool_input), detail(&hook.tool_input), choices)
        }
    }
}

/// What the hook prints for these options.
pub(super) fn answer(payload: &[u8], answered: &[String]) -> Option<Vec<u8>> {
    let hook = read(payload)?;
    let decision = match (hook.tool_name.as_str(), answered) {
        (ASKS, answered) => {
            let asked = asked(&hook.tool_input)?;
            let Answers { given, next: None } = answers(&asked, answered)? else { return None };
            // Joined as in its own dialog (seen with 2.1.332).
            let answers: serde_json::Map<_, _> = given
                .into_iter()
                .map(|(question, labels)| (question.into(), labels.join(", ").into()))
                .collect();
            let mut input = hook.tool_input.clone();
            input["answers"] = Value::Object(answers);
            json!({ "behavior": "allow", "updatedInput": input })
        }
        ("ExitPlanMode", [choice]) => {
            let mode = match choice.as_str() {
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
        (_, [choice]) => match choice.as_str() {
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
    Choice { id: id.into(), label: label.into(), kind }
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

fn asked(input: &Value) -> Option<Vec<Asked<'_>>> {
    let asked: Option<Vec<Asked<'_>>> = input["questions"].as_array()?.iter().map(Asked::read).collect();
    asked.filter(|asked| !asked.is_empty())
}

/// The answers. `None`: one of them doesn't exist.
fn answers<'a>(asked: &'a [Asked<'a>], answered: &[String]) -> Option<Answers<'a>> {
    let mut given = Vec::new();
    let mut answered = answered.iter();
    for (at, asked) in asked.iter().enumerate() {
        let mut picked = Vec::new();
        loop {
            let Some(choice) = answered.next() else {
                return Some(Answers { given, next: Some((asked, picked, at)) });
            };
            if asked.several && choice == ALL {
                break;
            }
            let label = choice.parse::<usize>().ok().filter(|label| *label < asked.labels.len())?;
            picked.push(label);
            if !asked.several {
                break;
            }
        }
        given.push((asked.question, picked.into_iter().map(|label| asked.labels[label]).collect()));
    }
    answered.next().is_none().then_some(Answers { given, next: None })
}

impl<'a> Asked<'a> {
    fn read(one: &'a Value) -> Option<Self> {
        let options = one["options"].as_array()?;
        let labels: Option<Vec<&str>> = options.iter().map(|option| option["label"].as_str()).collect();
        let several = one["multiSelect"].as_bool() == Some(true);
        Some(Self {
            question: one["question"].as_str()?,
            labels: labels.filter(|labels| !labels.is_empty())?,
            several,
        })
    }

    /// The labels that aren't chosen yet; if several may be chosen, also that this is all.
    fn choices(&self, picked: &[usize]) -> Vec<Choice> {
        let choice = |id: String, label: String| Choice { id, label, kind: ChoiceKind::Other };
        let left = self.labels.iter().enumerate().filter(|(at, _)| !picked.contains(at));
        let left = left.map(|(at, label)| choice(at.to_string(), (*label).to_owned()));
        let all = self.several.then(|| {
            let names: Vec<_> = picked.iter().map(|at| self.labels[*at]).collect();
            let words = if names.is_empty() {
                "None of these".into()
            } else {
                format!("That is all: {}", names.join(", "))
            };
            choice(ALL.into(), words)
        });
        left.chain(all).collect()
    }
}

/// The whole command, or the whole input of the tool.
fn detail(input: &Value) -> Option<String> {
    let text = match input["command"].as_str() {
        Some(command) => command.to_owned(),
        None if input.as_object().is_none_or(serde_json::Map::is_empty) => return None,
        None => serde_json::to_string_pretty(input).ok()?,
    };
    Some(cut(&text))
}

fn cut(text: &str) -> String {
    if text.len() <= DETAIL_MAX {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(DETAIL_MAX)])
}

#[cfg(test)]
mod tests;
