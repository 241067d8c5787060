use repose_core::decision::{ChoiceKind, Pick, Question};
use repose_core::signal::{Said, Wait};
use serde_json::{Value, json};

use super::{answer, question};
use crate::claude::signals;

fn hook(tool: &str, input: &Value) -> Vec<u8> {
    let hook = json!({
        "session_id": "c1", "hook_event_name": "PermissionRequest", "tool_name": tool, "tool_input": input,
    });
    hook.to_string().into_bytes()
}

/// Options by their ids; what follows `words:` are the user's own words.
fn chosen(picks: &[&str]) -> Vec<Pick> {
    let pick = |pick: &&str| match pick.split_once(':') {
        Some((choice, words)) => Pick { choice: choice.into(), words: Some(words.into()) },
        None => Pick { choice: (*pick).into(), words: None },
    };
    picks.iter().map(pick).collect()
}

fn said(payload: &[u8], choices: &[&str]) -> Option<Value> {
    let bytes = answer(payload, &chosen(choices))?;
    Some(serde_json::from_slice::<Value>(&bytes).expect("JSON")["hookSpecificOutput"]["decision"].clone())
}

#[test]
fn a_permission_is_allowed_or_denied_and_nothing_else() {
    let payload = hook("Bash", &json!({ "command": "rm -r build\nls", "description": "asked for" }));
    let asked = question(&payload, &[]).expect("a question");
    assert_eq!(asked.conversation.as_str(), "c1");
    assert_eq!(asked.wait, Wait::Permission("run `rm -r build⏎ls`".into()));
    assert_eq!(asked.detail.as_deref(), Some("rm -r build\nls"));
    let kinds: Vec<_> = asked.choices.iter().map(|choice| (choice.id.as_str(), choice.kind)).collect();
    assert_eq!(kinds, [("allow", ChoiceKind::Allow), ("deny", ChoiceKind::Deny)]);
    assert_eq!(said(&payload, &["allow"]), Some(json!({ "behavior": "allow" })));
    assert_eq!(said(&payload, &["deny"]).expect("said")["behavior"], "deny");
    for wrong in ["", "0", "ALLOW", "always"] {
        assert_eq!(answer(&payload, &chosen(&[wrong])), None, "{wrong}");
    }
}

#[test]
fn what_spares_the_next_questions_is_named_and_given_back_as_it_came() {
    let rules = |rules: Value, place: &str| json!({ "type": "addRules", "rules": rules, "behavior": "allow", "destination": place });
    let suggestions = json!([
        rules(json!([{ "toolName": "Bash", "ruleContent": "make *" }, { "toolName": "WebFetch" }]), "localSettings"),
        { "type": "addDirectories", "directories": ["/tmp/a"], "destination": "session" },
        { "type": "setMode", "mode": "acceptEdits", "destination": "session" },
        // What has no words here isn't offered.
        { "type": "setMode", "mode": "something", "destination": "session" },
        { "type": "addRules", "rules": [{ "toolName": "Bash" }], "behavior": "deny", "destination": "session" },
        rules(json!([{ "toolName": "Bash" }, {}]), "session"),
        rules(json!([]), "session"),
        rules(json!([{ "toolName": "Bash" }]), "somewhere"),
        "no object",
        rules(json!([{ "toolName": "Bash" }]), "userSettings"),
    ]);
    let payload = json!({
        "session_id": "c1", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "permission_suggestions": suggestions,
    });
    let payload = payload.to_string().into_bytes();
    let asked = question(&payload, &[]).expect("a question");
    let shown: Vec<_> = asked.choices.iter().map(|one| format!("{} {}", one.id, one.label)).collect();
    assert_eq!(
        shown,
        [
            "allow Allow",
            "always-0 Allow, and don't ask again for Bash(make *), WebFetch in this project",
            "always-1 Allow, and don't ask again within /tmp/a in this session",
            "always-2 Allow, and accept edits in this session",
            "always-9 Allow, and don't ask again for Bash in every project",
            "deny Deny",
        ]
    );
    for (choice, at) in [("always-0", 0), ("always-2", 2), ("always-9", 9)] {
        let changes = json!({ "behavior": "allow", "updatedPermissions": [suggestions[at]] });
        assert_eq!(said(&payload, &[choice]), Some(changes), "{choice}");
    }
    for wrong in ["always-3", "always-10", "always-", "always", "always-0 "] {
        assert_eq!(answer(&payload, &chosen(&[wrong])), None, "{wrong}");
    }
}

#[test]
fn a_plan_is_shown_whole_and_taken_in_either_mode_or_planned_further() {
    let input = json!({ "plan": "# The plan\n\n1. this", "planFilePath": "/home/me/.claude/plans/p.md" });
    let payload = hook("ExitPlanMode", &input);
    let asked = question(&payload, &[]).expect("a question");
    assert_eq!(asked.wait, Wait::Choice("go ahead with the plan?".into()));
    assert_eq!(asked.detail.as_deref(), Some("# The plan\n\n1. this"));
    let kinds: Vec<_> = asked.choices.iter().map(|choice| (choice.id.as_str(), choice.kind)).collect();
    assert_eq!(
        kinds,
        [("allow", ChoiceKind::Allow), ("accept-edits", ChoiceKind::Other), ("deny", ChoiceKind::Deny)]
    );
    for (choice, mode) in [("allow", "default"), ("accept-edits", "acceptEdits")] {
        let update = json!({ "type": "setMode", "mode": mode, "destination": "session" });
        let goes = json!({ "behavior": "allow", "updatedInput": input, "updatedPermissions": [update] });
        assert_eq!(said(&payload, &[choice]), Some(goes));
    }
    assert_eq!(said(&payload, &["deny"]).expect("said")["behavior"], "deny");
    assert_eq!(answer(&payload, &chosen(&["always-0"])), None);
    let none = question(&hook("ExitPlanMode", &json!({})), &[]).expect("a question");
    assert_eq!(none.detail, None, "a mode that is left without a plan");
    let enters = question(&hook("EnterPlanMode", &json!({})), &[]).expect("a question");
    assert_eq!(enters.wait, Wait::Permission("plan first, without changing anything".into()));
    let labels: Vec<_> = enters.choices.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!((labels, enters.detail), (vec!["Allow", "Deny"], None));
}

#[test]
fn what_spares_the_next_questions_is_offered_whole_or_not_at_all() {
    let offered = |suggestions: &Value| {
        let payload = json!({
            "session_id": "c1", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
            "tool_input": { "command": "make" }, "permission_suggestions": suggestions,
        });
        let payload = payload.to_string().into_bytes();
        let asked = question(&payload, &[]).expect("a question");
        let labels: Vec<_> = asked.choices.into_iter().map(|one| one.label).collect();
        (labels, said(&payload, &["always-0"]), said(&payload, &["always-8"]))
    };
    let rule = |content: &str| json!({ "type": "addRules", "rules": [{ "toolName": "Bash", "ruleContent": content }], "behavior": "allow", "destination": "session" });
    let folder =
        |path: &str| json!({ "type": "addDirectories", "directories": [path], "destination": "session" });
    let long = format!("make {} *", "x".repeat(215));
    let (labels, taken, _) = offered(&json!([rule(&long)]));
    assert!(labels[1].contains(&format!("Bash({long})")), "the wildcard at its end is told: {labels:?}");
    assert!(taken.is_some());
    let too_long = [rule(&format!("make {} *", "x".repeat(300))), folder(&"/x".repeat(200))];
    let deceptive = ['\u{202e}', '\u{1b}', '\u{200b}', '\u{3164}']
        .map(|mark| [rule(&format!("make {mark}*")), folder(&format!("/x{mark}/y"))]);
    for not_whole in too_long.into_iter().chain(deceptive.into_iter().flatten()) {
        let (labels, taken, _) = offered(&json!([not_whole]));
        assert_eq!((labels.as_slice(), taken), (&["Allow".to_owned(), "Deny".into()][..], None));
    }
    let (labels, first, ninth) = offered(&Value::Array(vec![rule("make *"); 9]));
    assert_eq!((labels.len(), first.is_some(), ninth), (10, true, None), "so many, and no more");
}

#[test]
fn of_one_question_the_label_is_the_answer() {
    let one = json!({
        "question": "Which colour?", "header": "Choice", "multiSelect": false,
        "options": [{ "label": "Red", "description": "" }, { "label": "Blue", "description": "As the\nsea." }, { "label": "Green" }],
    });
    let payload = hook("AskUserQuestion", &json!({ "questions": [one] }));
    let asked = question(&payload, &[]).expect("a question");
    assert_eq!(asked.wait, Wait::Choice("Which colour?".into()));
    let labels: Vec<_> = asked.choices.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels, ["Red", "Blue", "Green", "Something else"], "and nothing to go back to");
    assert_eq!(asked.choices[3].kind, ChoiceKind::Words);
    let about: Vec<_> = asked.choices.iter().map(|choice| choice.description.as_deref()).collect();
    assert_eq!(about, [None, Some("As the sea."), None, None]);
    let answered = said(&payload, &["1"]).expect("said");
    assert_eq!(answered["behavior"], "allow");
    assert_eq!(answered["updatedInput"]["answers"], json!({ "Which colour?": "Blue" }));
    assert_eq!(answered["updatedInput"]["questions"], json!([one]));
    let words = "mauve, or \"so\"\nand no other";
    let answered = said(&payload, &[&format!("words:{words}")]).expect("said");
    assert_eq!(answered["updatedInput"]["answers"], json!({ "Which colour?": words }), "as it is");
    for wrong in [&["3"][..], &["allow"], &["words"], &["all"], &["back"], &["1", "back"], &["1", "words:x"]]
    {
        assert_eq!(said(&payload, wrong), None, "{wrong:?}");
    }
}

#[test]
fn several_questions_are_asked_one_after_another_and_several_answers_picked_one_by_one() {
    let option = |label: &str| json!({ "label": label, "description": "" });
    let questions = json!([
        { "question": "Which colours?", "multiSelect": true, "options": [option("Red"), option("Blue"), option("Green")] },
        { "question": "How many?", "options": [option("One"), option("Two")] },
    ]);
    let payload = hook("AskUserQuestion", &json!({ "questions": questions }));
    let shown = |choices: &[&str]| {
        let asked = question(&payload, &chosen(choices))?;
        let Wait::Choice(title) = asked.wait else { panic!("{asked:?}") };
        let labels: Vec<_> =
            asked.choices.iter().map(|choice| format!("{} {}", choice.id, choice.label)).collect();
        Some(format!("{title}: {}", labels.join(", ")))
    };
    let first = "Which colours? (1 of 2)";
    let none = format!("{first}: 0 Red, 1 Blue, 2 Green, words Something else, all None of these");
    assert_eq!(shown(&[]).as_deref(), Some(none.as_str()));
    let some =
        format!("{first}: 0 Red, 2 Green, words Something else, all That is all: Blue, back Take back: Blue");
    assert_eq!(shown(&["1"]).as_deref(), Some(some.as_str()));
    let both =
        format!("{first}: 2 Green, words Something else, all That is all: Blue, Red, back Take back: Red");
    assert_eq!(shown(&["1", "0"]).as_deref(), Some(both.as_str()));
    let second = "How many? (2 of 2): 0 One, 1 Two, words Something else, back Back to the previous question";
    assert_eq!(shown(&["1", "0", "all"]).as_deref(), Some(second));
    assert_eq!(said(&payload, &["1", "0", "all"]), None, "there is more to be decided");
    assert_eq!(shown(&["1", "0", "all", "1"]), None, "that was all");
    let answered = said(&payload, &["1", "0", "all", "1"]).expect("said");
    let answers = json!({ "Which colours?": "Blue, Red", "How many?": "Two" });
    assert_eq!(answered["updatedInput"]["answers"], answers);
    for wrong in [&["3"][..], &["all", "all"], &["all", "1", "0"], &["x"]] {
        assert_eq!((shown(wrong), said(&payload, wrong)), (None, None), "{wrong:?}");
    }

    // Its dialog puts the user's own words behind the labels, whenever they were written.
    let worded = format!("{first}: 0 Red, 2 Green, all That is all: Blue, sea green, back Take back: Blue");
    assert_eq!(shown(&["words:sea\ngreen", "1"]).as_deref(), Some(worded.as_str()));
    let answered = said(&payload, &["words:sea green", "1", "all", "words:a dozen"]).expect("said");
    let answers = json!({ "Which colours?": "Blue, sea green", "How many?": "a dozen" });
    assert_eq!(answered["updatedInput"]["answers"], answers);
}

#[test]
fn the_last_pick_can_be_taken_back_until_there_is_none() {
    let option = |label: &str| json!({ "label": label, "description": "" });
    let questions = json!([
        { "question": "Which?", "options": [option("A"), option("B")] },
        { "question": "Which more?", "multiSelect": true, "options": [option("C"), option("D")] },
        { "question": "And?", "options": [option("E"), option("F")] },
    ]);
    let payload = hook("AskUserQuestion", &json!({ "questions": questions }));
    let previous = Some("Back to the previous question");
    for (picks, title, back) in [
        (&[][..], "Which? (1 of 3)", None),
        (&["0"], "Which more? (2 of 3)", previous),
        (&["0", "1"], "Which more? (2 of 3)", Some("Take back: D")),
        (&["0", "1", "words:some\nmore"], "Which more? (2 of 3)", Some("Take back: some more")),
        (&["0", "1", "all"], "And? (3 of 3)", previous),
    ] {
        let asked = question(&payload, &chosen(picks)).expect("a question");
        assert_eq!(asked.wait, Wait::Choice(title.into()), "{picks:?}");
        let offered = asked.choices.iter().find(|choice| choice.kind == ChoiceKind::Back);
        assert_eq!(offered.map(|choice| choice.label.as_str()), back, "{picks:?}");
        assert_eq!(said(&payload, picks), None, "{picks:?}");
    }
}

#[test]
fn a_question_is_told_whole_however_it_is_written() {
    let long = "Which of the ways that I have described above ".repeat(9);
    let asked = |text: &str| {
        let one = json!({ "question": text, "options": [{ "label": "A" }] });
        let asked =
            question(&hook("AskUserQuestion", &json!({ "questions": [one] })), &[]).expect("a question");
        let Wait::Choice(title) = asked.wait else { panic!("a choice") };
        title
    };
    assert_eq!(asked(&format!("{long}\n\n**and how**?")), format!("{long}**and how**?"));
    let cut = asked(&"ü".repeat(9_000));
    assert_eq!((cut.chars().count(), cut.ends_with('…')), (2_001, true));
}

#[test]
fn what_is_said_about_an_option_is_cut() {
    let option = json!({ "label": "Red", "description": "ü".repeat(1_000) });
    let one = json!({ "question": "Which?", "options": [option] });
    let asked = question(&hook("AskUserQuestion", &json!({ "questions": [one] })), &[]).expect("a question");
    let about = asked.choices[0].description.as_deref().expect("a description");
    assert_eq!((about.chars().count(), about.ends_with('…')), (401, true));
}

#[test]
fn what_is_shown_of_an_option_keeps_its_lines_and_is_cut() {
    let option = |preview: &str| json!({ "label": "A", "preview": preview });
    let options =
        [json!({ "label": "B" }), option(" \n"), option("| a |\n|   |\n"), option(&"é".repeat(5_000))];
    let one = json!({ "question": "Which?", "options": options });
    let asked = question(&hook("AskUserQuestion", &json!({ "questions": [one] })), &[]).expect("a question");
    let shown: Vec<_> = asked.choices.iter().map(|choice| choice.preview.as_deref()).collect();
    assert_eq!(shown[..3], [None, None, Some("| a |\n|   |")]);
    let cut = shown[3].expect("its beginning");
    assert_eq!((cut.chars().count(), cut.ends_with('…')), (4_097, true));
}

#[test]
fn a_question_is_reported_in_the_words_in_which_it_is_offered() {
    let one = |text: &str| json!({ "question": text, "options": [{ "label": "A" }] });
    for questions in [json!([one("Which?")]), json!([one("Which?"), one("And?")])] {
        let payload = hook("AskUserQuestion", &json!({ "questions": questions }));
        let asked = question(&payload, &[]).expect("a question");
        let Ok(Some(signal)) = signals::signal(&payload, repose_core::time::Wall(1)) else {
            panic!("no signal")
        };
        assert_eq!(signal.said, Said::NeedsDecision(asked.wait));
    }
}

#[test]
fn what_only_the_terminal_can_answer_is_left_to_it() {
    let without_labels = json!({ "question": "?", "options": [{ "description": "a" }] });
    let without_options = json!({ "question": "?", "options": [] });
    for questions in [json!([without_labels]), json!([without_options]), json!([]), Value::Null] {
        assert_eq!(question(&hook("AskUserQuestion", &json!({ "questions": questions })), &[]), None);
    }
    assert_eq!(question(b"{}", &[]), None);
    assert_eq!(question(b"no JSON", &[]), None);
    let other = json!({ "session_id": "c1", "hook_event_name": "Stop" }).to_string();
    assert_eq!(question(other.as_bytes(), &[]), None);
}

#[test]
fn what_isnt_shown_whole_can_only_be_denied() {
    let asked = |tool, input| question(&hook(tool, &input), &[]).expect("a question");
    let kinds = |asked: &Question| asked.choices.iter().map(|one| one.kind).collect::<Vec<_>>();
    let long = asked("Write", json!({ "file_path": "/x", "content": "ü".repeat(20_000) }));
    let detail = long.detail.as_ref().expect("a detail");
    assert!(detail.len() <= crate::decide::DETAIL_MAX + 3 && detail.ends_with('…'), "{}", detail.len());
    assert_eq!((long.detail_cut, kinds(&long)), (true, vec![ChoiceKind::Deny]));
    let plan = asked("ExitPlanMode", json!({ "plan": "a".repeat(crate::decide::DETAIL_MAX + 1) }));
    assert_eq!(kinds(&plan), [ChoiceKind::Deny]);
    let most = asked("Bash", json!({ "command": "a".repeat(crate::decide::DETAIL_MAX) }));
    let both = vec![ChoiceKind::Allow, ChoiceKind::Deny];
    assert_eq!((most.detail_cut, kinds(&most)), (false, both), "all of it is in the detail");
}

#[test]
fn a_command_is_told_whole_or_not() {
    let told = |command: &str| {
        let asked = question(&hook("Bash", &json!({ "command": command })), &[]).expect("a question");
        (asked.is_told_whole(), asked.wait.what())
    };
    let run = |shown: &str| format!("the permission to run {shown}");
    assert_eq!(told("make test"), (true, run("`make test`")));
    assert_eq!(told("make &&\n  ls"), (true, run("`make &&⏎ls`")), "a second line is seen");
    let edge = "a".repeat(80);
    assert_eq!(told(&edge), (true, run(&format!("`{edge}`"))));
    assert_eq!(told(&format!("{edge}b")), (false, run(&format!("`{edge}…` (1 more character)"))));
    let tail = format!("{edge}{}", "; rm -r x".repeat(100));
    assert_eq!(told(&tail), (false, run(&format!("`{edge}…` (900 more characters)"))));
    assert_eq!(told("ls\u{202e}x -mr"), (false, run("`ls\u{fffd}x -mr`")), "written backwards");
    let asked = |tool, input| question(&hook(tool, &input), &[]).expect("a question").is_told_whole();
    assert!(
        !asked("Edit", json!({ "file_path": "/x", "old_string": "a", "new_string": "b" })),
        "what it edits"
    );
    assert!(!asked("ExitPlanMode", json!({ "plan": "# The plan" })));
    assert!(asked("EnterPlanMode", json!({})));
}
