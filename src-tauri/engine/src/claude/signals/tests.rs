use repose_core::hold::Task;
use repose_core::signal::{Author, Said, Signal, Source, Wait};
use repose_core::time::Wall;

use super::signal;
use crate::claude::fixture;
use crate::told::BadPayload;
use crate::told::PAYLOAD_MAX;

const NOW: Wall = Wall(7);

fn recorded(name: &str) -> Option<Signal> {
    signal(&fixture::bytes(&format!("hooks/{name}.json")), NOW).expect("a recorded payload can be read")
}

fn said(name: &str) -> Said {
    recorded(name).expect("a signal").said
}

#[test]
fn a_start_says_how_and_where() {
    let start = recorded("start-startup").expect("a signal");
    let id = start.conversation.expect("an id");
    assert_eq!(start.at, NOW);
    let Said::Started { source: Source::New, transcript: Some(transcript) } = start.said else {
        panic!("{:?}", start.said)
    };
    assert!(transcript.ends_with(&format!("{id}.jsonl")), "{transcript}");
    assert!(matches!(said("start-resume"), Said::Started { source: Source::Resumed, .. }));
    assert!(matches!(said("start-clear"), Said::Started { source: Source::Cleared, .. }));
    assert_eq!(said("end-clear"), Said::Closed { reason: "clear".into() });
    assert_eq!(said("end-unknown-id"), Said::Closed { reason: "other".into() });
}

#[test]
fn a_prompt_comes_without_the_wrapping_of_a_paste_and_with_its_author() {
    let Said::PromptTaken { prompt: Some(_), text, author: Author::Person } = said("prompt") else {
        panic!()
    };
    assert_eq!(text, "hello one");
    let Said::PromptTaken { text, author: Author::Person, .. } = said("prompt-pasted") else { panic!() };
    assert_eq!(text.trim(), "line\nline\ntailmark");
    assert!(matches!(said("prompt-task-notification"), Said::PromptTaken { author: Author::Engine, .. }));
}

#[test]
fn a_stop_lists_what_goes_on() {
    let Said::Stopped { prompt: Some(_), text, background, wakeups } = said("stop") else { panic!() };
    assert_eq!(text, "Reply 1 to 'hello one'; 2 messages.");
    assert_eq!((background, wakeups), (Some(vec![]), Some(vec![])));
    let Said::Stopped { background, .. } = said("stop-background") else { panic!() };
    assert_eq!(
        background,
        Some(vec![Task { id: "bn9bqbq5q".into(), what: "sleep 6; echo done".into(), process: true }])
    );
    assert_eq!(said("stop-failure"), Said::Failed { error: "API Error: 400 asked for".into() });
}

#[test]
fn a_task_that_is_over_is_no_background_and_one_in_an_unknown_state_is() {
    let payload = br#"{"session_id":"s","hook_event_name":"Stop","background_tasks":[
        {"id":"a","status":"completed","command":"x"},{"id":"b","status":"hibernating","description":"y"},{}],
        "session_crons":[{"id":"c","cron":"*/5 * * * *","prompt":"look again"}]}"#;
    let Some(Signal { said: Said::Stopped { background, wakeups, .. }, .. }) =
        signal(payload, NOW).expect("reads")
    else {
        panic!()
    };
    let task = |id: &str, what: &str| Task { id: id.into(), what: what.into(), process: false };
    assert_eq!(background, Some(vec![task("b", "y"), task("", "a task")]));
    assert_eq!(wakeups, Some(vec![task("c", "look again")]));
}

#[test]
fn a_wish_is_told_in_words() {
    let wish = Wait::Permission("run `touch /home/me/x`".into());
    assert_eq!(said("permission-bash"), Said::NeedsDecision(wish));
    assert_eq!(said("permission-question"), Said::NeedsDecision(Wait::Choice("Which?".into())));
    let other =
        br#"{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"mcp__x__y","tool_input":7}"#;
    let signal = signal(other, NOW).expect("reads").expect("a signal");
    assert_eq!(signal.said, Said::NeedsDecision(Wait::Permission("use mcp__x__y".into())));
}

#[test]
fn subagents_and_what_is_not_needed_are_passed_over() {
    assert_eq!((recorded("pre-tool"), recorded("notification")), (None, None));
    for payload in [
        r#"{"session_id":"s","hook_event_name":"Stop","agent_id":"a1"}"#,
        r#"{"session_id":"s","hook_event_name":"SubagentStop"}"#,
        r#"{"session_id":"s","hook_event_name":"SomethingNew","x":[1]}"#,
    ] {
        assert_eq!(signal(payload.as_bytes(), NOW), Ok(None));
    }
}

#[test]
fn bad_payloads_are_refused_and_never_panic() {
    let long = vec![b' '; PAYLOAD_MAX + 1];
    assert!(matches!(signal(&long, NOW), Err(BadPayload::TooLong { .. })));
    let bad: [&[u8]; 8] = [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        br#"{"hook_event_name":"Stop"}"#,
        br#"{"session_id":"","hook_event_name":"Stop"}"#,
        br#"{"session_id":"s","hook_event_name":"UserPromptSubmit"}"#,
    ];
    for payload in bad {
        assert!(matches!(signal(payload, NOW), Err(BadPayload::Malformed { .. })), "{payload:?}");
    }
    let whole = fixture::bytes("hooks/stop-background.json");
    for end in 0..whole.len() - 3 {
        assert!(signal(&whole[..end], NOW).is_err(), "cut at {end}");
    }
}
