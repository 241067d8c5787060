use repose_core::decision::ChoiceKind;
use repose_core::signal::Wait;
use serde_json::{Value, json};

use super::{answer, question};

fn hook(tool: &str, input: &Value) -> Vec<u8> {
    let hook = json!({
        "session_id": "c1", "hook_event_name": "PermissionRequest", "tool_name": tool, "tool_input": input,
    });
    hook.to_string().into_bytes()
}

fn said(payload: &[u8], choice: &str) -> Option<Value> {
    let bytes = answer(payload, choice)?;
    Some(serde_json::from_slice::<Value>(&bytes).expect("JSON")["hookSpecificOutput"]["decision"].clone())
}

#[test]
fn a_permission_is_allowed_or_denied_and_nothing_else() {
    let payload = hook("Bash", &json!({ "command": "rm -r build\nls", "description": "asked for" }));
    let asked = question(&payload).expect("a question");
    assert_eq!(asked.conversation.as_str(), "c1");
    assert_eq!(asked.wait, Wait::Permission("run `rm -r build ls`".into()));
    assert_eq!(asked.detail.as_deref(), Some("rm -r build\nls"));
    let kinds: Vec<_> = asked.choices.iter().map(|choice| (choice.id.as_str(), choice.kind)).collect();
    assert_eq!(kinds, [("allow", ChoiceKind::Allow), ("deny", ChoiceKind::Deny)]);
    assert_eq!(said(&payload, "allow"), Some(json!({ "behavior": "allow" })));
    assert_eq!(said(&payload, "deny").expect("said")["behavior"], "deny");
    for wrong in ["", "0", "ALLOW", "always"] {
        assert_eq!(answer(&payload, wrong), None, "{wrong}");
    }
}

#[test]
fn of_one_question_the_label_is_the_answer() {
    let one = json!({
        "question": "Which colour?", "header": "Choice", "multiSelect": false,
        "options": [{ "label": "Red", "description": "" }, { "label": "Blue", "description": "" }],
    });
    let payload = hook("AskUserQuestion", &json!({ "questions": [one] }));
    let asked = question(&payload).expect("a question");
    assert_eq!(asked.wait, Wait::Choice("Which colour?".into()));
    let labels: Vec<_> = asked.choices.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels, ["Red", "Blue"]);
    let answered = said(&payload, "1").expect("said");
    assert_eq!(answered["behavior"], "allow");
    assert_eq!(answered["updatedInput"]["answers"], json!({ "Which colour?": "Blue" }));
    assert_eq!(answered["updatedInput"]["questions"], json!([one]));
    assert_eq!(said(&payload, "2"), None);
    assert_eq!(said(&payload, "allow"), None);
}

#[test]
fn what_only_the_terminal_can_answer_is_left_to_it() {
    let one = |multi: bool| json!({ "question": "?", "multiSelect": multi, "options": [{ "label": "a" }] });
    for questions in [json!([one(true)]), json!([one(false), one(false)]), json!([]), Value::Null] {
        assert_eq!(question(&hook("AskUserQuestion", &json!({ "questions": questions }))), None);
    }
    assert_eq!(question(&hook("ExitPlanMode", &json!({ "plan": "x" }))), None);
    assert_eq!(question(b"{}"), None);
    assert_eq!(question(b"no JSON"), None);
    let other = json!({ "session_id": "c1", "hook_event_name": "Stop" }).to_string();
    assert_eq!(question(other.as_bytes()), None);
}

#[test]
fn a_long_detail_is_cut() {
    let asked = question(&hook("Write", &json!({ "file_path": "/x", "content": "ü".repeat(10_000) })));
    let detail = asked.and_then(|asked| asked.detail).expect("a detail");
    assert!(detail.len() <= super::DETAIL_MAX + 3 && detail.ends_with('…'), "{}", detail.len());
}
