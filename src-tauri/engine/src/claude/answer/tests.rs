use std::fs;

use repose_core::ids::PromptId;

use super::answer_to;
use crate::claude::fixture;
use crate::transcript::{Answer, Asked};

fn to(name: &str, text: &str) -> Answer {
    answer_to(&fixture::transcript(name), Asked::Text(text)).expect("reads")
}

fn answered(text: &str) -> Answer {
    Answer::Answered(text.into())
}

#[test]
fn each_recorded_prompt_has_what_became_of_it() {
    let name = "interrupted-failed-commands";
    assert_eq!(to(name, "hello one"), answered("Reply 1 to 'hello one'; 2 messages."));
    assert_eq!(to(name, "SLOW{6} esc me please with some words"), Answer::Interrupted);
    assert_eq!(to(name, "FAIL{400} bad"), Answer::Failed("API Error: 400 asked for".into()));
    assert_eq!(to(name, "never asked"), Answer::NotAsked);
    let name = "denied-and-background";
    assert_eq!(to(name, "RUN{touch /home/me/x}"), Answer::Interrupted);
    // What the program answered to the news of its task is another turn.
    assert_eq!(to(name, "BG{sleep 6; echo done}"), answered("Reply 3 to ''; 8 messages."));
    assert_eq!(to("2.1.197", "second while busy"), answered("Reply 3 to 'second while busy'; 6 messages."));
}

#[test]
fn it_is_found_by_id_too() {
    let path = fixture::transcript("question-and-queued");
    let id = PromptId::new("9dd40e5b-c66f-4816-b959-5aa04d91d7df");
    let expected = answered("Reply 8 to 'second while busy\\n\\nthird while busy'; 18 messages.");
    assert_eq!(answer_to(&path, Asked::Prompt(&id)).expect("reads"), expected);
    assert_eq!(answer_to(&path, Asked::Prompt(&PromptId::new("x"))).expect("reads"), Answer::NotAsked);
}

#[test]
fn prompts_that_were_queued_together_have_one_answer() {
    let name = "question-and-queued";
    let both = answered("Reply 8 to 'second while busy\\n\\nthird while busy'; 18 messages.");
    assert_eq!(to(name, "second while busy"), both);
    assert_eq!(to(name, "third while busy"), both);
    assert_eq!(
        to(name, "SLOW{5} a b c d e f g h"),
        answered("Reply 7 to 'SLOW{5} a b c d e f g h'; 16 messages.")
    );
}

#[test]
fn a_turn_that_was_killed_does_not_get_the_next_ones_answer() {
    let name = "killed-and-resumed";
    assert_eq!(to(name, "SLOW{8} a b c d e f"), Answer::Open);
    assert_eq!(to(name, "after resume"), answered("Reply 3 to 'after resume'; 6 messages."));
    // It waits for a tool's permission.
    assert_eq!(to(name, "RUN{env | grep -E 'CLAUDE|AI_AGENT|GIT_EDITOR|COREPACK'; tty}"), Answer::Open);
}

#[test]
fn an_answer_in_parts_is_put_together_by_its_message() {
    let file = tempfile::NamedTempFile::new().expect("temp");
    let agent = |id: &str, stop: &str, block: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","stop_reason":{stop},"content":[{block}]}}}}"#
        )
    };
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let tool = r#"{"type":"tool_use","id":"t","name":"Bash","input":{}}"#;
    let mut lines = vec![
        r#"{"type":"user","message":{"content":"q"}}"#.to_owned(),
        agent("m1", "null", &text("Let me look.")),
        agent("m1", "\"tool_use\"", tool),
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}}"#
            .to_owned(),
        agent("m2", "null", r#"{"type":"thinking","thinking":"hm"}"#),
        agent("m2", "null", &text("First. ")),
    ];
    fs::write(file.path(), lines.join("\n")).expect("written");
    let now = || answer_to(file.path(), Asked::Text("q")).expect("reads");
    assert_eq!(now(), Answer::Open);
    lines.push(agent("m2", "\"end_turn\"", &text("Second.")));
    fs::write(file.path(), lines.join("\n")).expect("written");
    assert_eq!(now(), answered("First. Second."));
}

#[test]
fn bad_lines_are_passed_over_and_a_missing_file_is_an_error() {
    let whole = fs::read(fixture::transcript("after-clear")).expect("reads");
    let file = tempfile::NamedTempFile::new().expect("temp");
    fs::write(file.path(), [b"\xff{]\n".as_slice(), &whole, b"{\"type\":\"user\",\"mess"].concat())
        .expect("written");
    assert!(matches!(
        answer_to(file.path(), Asked::Text("after clear")).expect("reads"),
        Answer::Answered(_)
    ));
    assert!(answer_to("/no/such".as_ref(), Asked::Text("x")).is_err());
}
