use std::path::{Path, PathBuf};

use proptest::prelude::*;
use repose_core::ids::ConversationId;

use super::{answer_to, entries, summary, tail};
use crate::harm::{harm, harmed};
use crate::transcript::{Answer, Asked, Kind, LastTurn, ToolEnd};

/// As version 0.61.0 writes it, shortened: a turn with a command, one that failed, one that was interrupted
/// after the conversation had been taken up. For that the program writes the history down again.
const TRANSCRIPT: &str = r#"{"sessionId":"11111111-2222-4333-8444-555555555555","projectHash":"5e94","startTime":"2026-11-30T06:37:04.849Z","kind":"main"}
{"$set":{"messages":[{"id":"d0","timestamp":"2026-11-30T06:37:04.849Z","type":"user","content":[{"text":"<session_context>\nToday"}]}]}}
{"id":"1a","timestamp":"2026-11-30T06:37:12.213Z","type":"user","content":[{"text":"look at @notes"},{"text":"--- Content from referenced files ---"}],"displayContent":[{"text":"look at @notes"}]}
{"$set":{"lastUpdated":"2026-11-30T06:37:12.213Z"}}
{"id":"6a","timestamp":"2026-11-30T06:37:12.259Z","type":"gemini","content":"I look.","thoughts":[],"tokens":{"input":12041,"output":20},"model":"gemini-3.1-pro-preview"}
{"id":"6a","timestamp":"2026-11-30T06:37:12.259Z","type":"gemini","content":"I look.","tokens":{"input":12041,"output":20},"model":"gemini-3.1-pro-preview","toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"touch made"},"result":[{"functionResponse":{"id":"c1","name":"run_shell_command","response":{"output":"Output: (empty)"}}}],"status":"success"}]}
{"id":"7a","timestamp":"2026-11-30T06:37:12.709Z","type":"user","content":[{"functionResponse":{"id":"c1","name":"run_shell_command","response":{"output":"Output: (empty)"}}}]}
{"id":"4d","timestamp":"2026-11-30T06:37:12.849Z","type":"gemini","content":"Done.","thoughts":[],"tokens":{"input":12154,"output":20},"model":"gemini-3.1-pro-preview"}
{"id":"0f","timestamp":"2026-11-30T06:38:09.350Z","type":"user","content":[{"text":"and now?"}]}
{"id":"60","timestamp":"2026-11-30T06:38:09.452Z","type":"error","content":"[API Error: {\"error\":{\"code\":400,\"message\":\"no such model\"}}]"}
{"id":"77","timestamp":"2026-11-30T06:38:09.452Z","type":"info","content":"This request failed. Press F12 for diagnostics."}
{"$set":{"sessionId":"11111111-2222-4333-8444-555555555555"}}
{"$set":{"messages":[{"id":"d0","type":"user","content":[{"text":"<session_context>\nToday"}]},{"id":"1a","type":"user","content":[{"text":"look at @notes"}]}]}}
{"id":"25","timestamp":"2026-11-30T06:39:02.675Z","type":"user","content":[{"text":"wait"}]}
{"id":"f3","timestamp":"2026-11-30T06:39:02.855Z","type":"info","content":"Request cancelled."}
{"id":"98","timestamp":"2026-11-30T06:39:02.855Z","type":"user","content":[{"text":"<session_context>\nToday"}]}
{"id":"99","timestamp":"2026-11-30T06:39:02.855Z","type":"user","content":[{"text":"look at @notes"}]}
{"id":"b0","timestamp":"2026-11-30T06:39:02.855Z","type":"gemini","content":[{"text":"Done."}],"thoughts":[],"tokens":null}
{"$set":{"messages":[],"lastUpdated":"2026-11-30T06:39:02.856Z"}}
"#;

fn kept(temp: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = temp.path().join("session-2026-11-30T06-37-11111111.jsonl");
    std::fs::write(&path, text).expect("a file");
    path
}

fn answer(path: &Path, text: &str) -> Answer {
    answer_to(path, Asked::Text(text)).expect("reads")
}

#[test]
fn a_transcript_that_nobody_can_read_is_neither_blank_nor_gone() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let headless = TRANSCRIPT.replacen("{\"sessionId\"", "\u{1}\u{2}", 1);
    let of = ConversationId::new("11111111-2222-4333-8444-555555555555");
    for damaged in ["\u{1}\u{2}\n{\u{3}", &headless] {
        let error = summary(&kept(&temp, damaged), Some(&of)).expect_err("it can't be read");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData, "{damaged}");
    }
    let head = TRANSCRIPT.lines().next().expect("a line");
    for nothing_asked in [head, &head[..head.len() / 2], ""] {
        let blank = summary(&kept(&temp, nothing_asked), Some(&of)).expect("reads").expect("a conversation");
        assert_eq!(
            (blank.conversation.turns.counted(), &blank.conversation.id),
            (Some(0), &of),
            "{nothing_asked}"
        );
    }
    assert_eq!(summary(&kept(&temp, ""), None).expect("reads"), None, "nobody knows whose it was");
}

#[test]
fn an_earlier_prompt_with_the_same_text_is_not_the_one_of_a_later_turn() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let path = kept(&temp, TRANSCRIPT);
    let since = |at: &str| {
        let at = crate::lines::wall(at).expect("a time");
        answer_to(&path, Asked::TextSince("look at @notes", at)).expect("reads")
    };
    assert_eq!(since("2026-11-30T06:37:12.213Z"), Answer::Answered("Done.".into()));
    assert_eq!(since("2026-11-30T06:37:12.214Z"), Answer::NotAsked);
}

#[test]
fn a_transcript_tells_turns_tokens_and_what_became_of_each_prompt() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let path = kept(&temp, TRANSCRIPT);
    let listed = summary(&path, None).expect("reads").expect("a conversation");
    assert_eq!(
        (listed.conversation.turns.counted(), listed.conversation.context_tokens),
        (Some(3), Some(12_154))
    );
    assert_eq!(listed.title.as_deref(), Some("look at @notes"));
    assert_eq!(listed.conversation.last_turn, crate::lines::wall("2026-11-30T06:39:02.855Z"));

    let end = tail(&path).expect("reads");
    assert_eq!((end.last_turn, end.context_tokens), (LastTurn::Interrupted, Some(12_154)));
    assert_eq!(answer(&path, "look at @notes"), Answer::Answered("Done.".into()));
    assert_eq!(answer(&path, "and now?"), Answer::Failed("no such model".into()));
    assert_eq!(answer(&path, "wait"), Answer::Interrupted);
    assert_eq!(answer(&path, "never said"), Answer::NotAsked);
}

#[test]
fn a_turn_is_open_until_the_model_has_said_its_last() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let up_to = |lines: usize| {
        let text: String = TRANSCRIPT.split_inclusive('\n').take(lines).collect();
        tail(&kept(&temp, &text)).expect("reads").last_turn
    };
    assert_eq!((up_to(2), up_to(3)), (LastTurn::None, LastTurn::Open));
    assert_eq!((up_to(6), up_to(8)), (LastTurn::Open, LastTurn::Answered));
    assert_eq!(up_to(11), LastTurn::Failed);
}

#[test]
fn a_tool_tells_whether_it_did_failed_or_was_not_allowed_or_was_cut_off() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let table = [
        ("success", "Output: (empty)", ToolEnd::Done),
        ("error", "no such file", ToolEnd::Failed),
        ("cancelled", "[Operation Cancelled] Reason: User denied execution.", ToolEnd::Denied),
        ("cancelled", "[Operation Cancelled] Reason: Operation cancelled by user", ToolEnd::Interrupted),
    ];
    for (status, said, end) in table {
        let status = format!(r#""status":"{status}""#);
        let text = TRANSCRIPT.replace(r#""status":"success""#, &status).replace("Output: (empty)", said);
        let path = kept(&temp, &text);
        let entries = entries(&path, None, 100).expect("reads").entries;
        let ended = |kind: &Kind| matches!(kind, Kind::ToolResult { end: this, .. } if *this == end);
        assert!(entries.iter().any(|entry| ended(&entry.kind)), "{status}");
    }
}

#[test]
fn its_pages_show_each_thing_once_wherever_they_are_cut() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let path = kept(&temp, TRANSCRIPT);
    let whole = entries(&path, None, 100).expect("reads").entries;
    let kinds: Vec<&str> = whole
        .iter()
        .map(|entry| match &entry.kind {
            Kind::User { text, .. } | Kind::Agent { text, .. } | Kind::Failed { text } => text.shown.as_str(),
            Kind::ToolUse { input, .. } => &input.line,
            Kind::ToolResult { text, .. } => text.shown.as_str(),
            Kind::Interrupted => "interrupted",
            Kind::Command { .. } | Kind::Compacted => "-",
        })
        .collect();
    let said = ["look at @notes", "I look.", "touch made", "Output: (empty)", "Done.", "and now?"];
    assert_eq!(kinds, [&said[..], &["no such model", "wait", "interrupted"]].concat());

    // A page may begin at any line: also between a prompt that was written again and the reply that shows it.
    let offsets = TRANSCRIPT.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len() as u64;
        Some(*at)
    });
    for before in offsets {
        let (mut earlier, mut next) = (Vec::new(), Some(before));
        while let Some(at) = next {
            let page = entries(&path, Some(at), 1).expect("reads");
            earlier.splice(0..0, page.entries);
            next = page.before;
        }
        let wanted: Vec<_> = whole.iter().filter(|entry| entry.offset < before).cloned().collect();
        assert_eq!(earlier, wanted, "before {before}");
    }
}

/// A turn that nothing harmed.
const WHOLE: &str = r#"
{"id":"n1","timestamp":"2026-11-30T07:00:00.000Z","type":"user","content":[{"text":"a new prompt"}]}
{"id":"n2","timestamp":"2026-11-30T07:00:01.000Z","type":"gemini","content":"its answer","thoughts":[],"tokens":{"input":9,"output":2},"model":"gemini-3.1-pro-preview"}
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_harmed_transcript_is_read_as_far_as_it_is_good(harms in prop::collection::vec(harm(), 1..8)) {
        let temp = tempfile::tempdir().expect("a temp folder");
        let (head, turns) = TRANSCRIPT.split_once('\n').expect("lines");
        let mut bytes = [head.as_bytes(), b"\n", &harmed(turns.as_bytes(), &harms)].concat();
        let path = kept(&temp, "");
        std::fs::write(&path, &bytes).expect("a file");
        tail(&path).expect("reads");
        entries(&path, None, 50).expect("reads");
        bytes.extend_from_slice(WHOLE.as_bytes());
        std::fs::write(&path, &bytes).expect("a file");
        prop_assert_eq!(answer(&path, "a new prompt"), Answer::Answered("its answer".into()));
    }
}
