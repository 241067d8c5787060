use std::fs;
use std::io::Write;

use repose_core::signal::Author;

use super::entries;
use crate::claude::fixture;
use crate::transcript::{ENTRY_TEXT_MAX, Entry, Kind, Page, Reply};

fn all(name: &str) -> Page {
    entries(&fixture::transcript(name), None, usize::MAX).expect("reads")
}

/// Each entry as one short word, to compare whole conversations.
fn shape(entries: &[Entry]) -> Vec<String> {
    let short = |text: &str| text.chars().take(12).collect::<String>();
    entries
        .iter()
        .map(|entry| match &entry.kind {
            Kind::User { text, author: Author::Person } => format!("user {}", short(&text.shown)),
            Kind::User { author: Author::Engine, .. } => "news".into(),
            Kind::Agent { text, .. } => format!("agent {}", short(&text.shown)),
            Kind::ToolUse { name, input, .. } => format!("use {name} {}", short(&input.line)),
            Kind::ToolResult { end, .. } => format!("result {end:?}").to_lowercase(),
            Kind::Command { .. } => "command".into(),
            Kind::Interrupted => "interrupted".into(),
            Kind::Failed { .. } => "failed".into(),
            Kind::Compacted => "compacted".into(),
        })
        .collect()
}

#[test]
fn a_recorded_conversation_reads_as_it_went() {
    assert_eq!(
        shape(&all("denied-and-background").entries),
        [
            "user RUN{touch /h",
            "use Bash touch /home/",
            "result denied",
            "interrupted",
            "user RUN{touch /h",
            "agent Reply 2 to '",
            "user BG{sleep 6; ",
            "use Bash sleep 6; ech",
            "result done",
            "agent Reply 3 to '",
            "news",
            "agent Reply 4 to '",
        ]
    );
    assert_eq!(
        shape(&all("interrupted-failed-commands").entries),
        [
            "user hello one",
            "agent Reply 1 to '",
            "user SLOW{6} esc ",
            "agent Reply 2 to '",
            "interrupted",
            "user FAIL{400} ba",
            "failed",
            "user SLOW{4} firs",
            "failed",
            "user second while",
            "failed",
            "command",
            "command",
            "failed",
            "user #remember th",
            "failed",
        ]
    );
}

#[test]
fn what_was_asked_and_answered_in_a_dialog_stands_with_its_tool() {
    let asked = |name: &str| {
        let (mut questions, mut answers) = (Vec::new(), Vec::new());
        for entry in all(name).entries {
            if let Kind::ToolUse { questions: asked, .. } = entry.kind {
                questions.extend(asked);
            } else if let Kind::ToolResult { answers: given, .. } = entry.kind {
                answers.extend(given);
            }
        }
        (questions, answers)
    };
    let reply = Reply { question: "Which?".into(), answer: "A".into() };
    assert_eq!(asked("question-and-queued"), (vec!["Which?".into()], vec![reply]));
    assert_eq!(asked("denied-and-background"), (Vec::new(), Vec::new()), "no other tool asks");
}

#[test]
fn an_output_that_was_put_into_a_file_says_so_without_marks() {
    let said = |text: &str| super::apart(text.to_owned());
    let kept = "<persisted-output>\nOutput too large (99KB). Full output saved to: /t/x.txt\n\nPreview (first 2KB):\n1\n2\n...\n</persisted-output>";
    let note = "Output too large (99KB). Full output saved to: /t/x.txt";
    assert_eq!(said(kept), (Some(note.into()), "1\n2\n...".into()));
    assert_eq!(
        said("<persisted-output>\nIt is gone.\n</persisted-output>"),
        (Some("It is gone.".into()), "".into())
    );
    assert_eq!(said("a <persisted-output> b"), (None, "a <persisted-output> b".into()));
}

#[test]
fn pages_put_together_are_the_whole() {
    for name in ["question-and-queued", "2.1.197", "pastes-and-pictures"] {
        let whole = all(name);
        assert_eq!((whole.before, whole.skipped), (None, 0));
        for limit in [1, 2, 7] {
            let mut put_together: Vec<Entry> = Vec::new();
            let mut before = None;
            loop {
                let page = entries(&fixture::transcript(name), before, limit).expect("reads");
                put_together.splice(0..0, page.entries);
                before = page.before;
                if before.is_none() {
                    break;
                }
            }
            assert_eq!(put_together, whole.entries, "{name} in pages of {limit}");
        }
    }
}

#[test]
fn spliced_and_unknown_lines_cost_only_themselves() {
    let mut file = tempfile::NamedTempFile::new().expect("temp");
    let user = |text: &str| {
        format!(r#"{{"type":"user","message":{{"content":"{text}"}},"timestamp":"2026-01-01T00:00:00Z"}}"#)
    };
    let lines = [
        user("one"),
        format!("{}{}", &user("cut")[..30], user("spliced")),
        r#"{"type":"never-seen","message":7}"#.into(),
        r#"{"uuid":"x","type":"user","isSidechain":true,"message":{"content":"a subagent's"}}"#.into(),
        r#"{"type":"user","isMeta":true,"message":{"content":"meta"}}"#.into(),
        r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}"#.into(),
        r#"{"type":"user","message":{"content":[{"type":"image","source":{}},{"type":"text","text":"seen"}]}}"#.into(),
        r#"{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}"#.into(),
        r#"{"type":"user","isCompactSummary":true,"message":{"content":"This session is continued…"}}"#.into(),
        r#"{"type":"user","message":{"content":9}}"#.into(),
        String::new(),
        "\u{0}\u{0}\u{0}".into(),
        user("two"),
    ];
    write!(file, "{}\n{}", lines.join("\n"), &user("being written")[..40]).expect("written");
    let page = entries(file.path(), None, 100).expect("reads");
    assert_eq!(shape(&page.entries), ["user one", "user seen", "compacted", "user two"]);
    assert_eq!(page.skipped, 3);
}

#[test]
fn a_long_text_is_cut_and_says_so() {
    let file = tempfile::NamedTempFile::new().expect("temp");
    let text = "é".repeat(ENTRY_TEXT_MAX);
    let line = serde_json::json!({"type": "user", "message": {"content": text}});
    fs::write(file.path(), format!("{line}\n")).expect("written");
    let page = entries(file.path(), None, 1).expect("reads");
    let Kind::User { text: cut, .. } = &page.entries[0].kind else { panic!() };
    assert!(cut.cut());
    assert_eq!((cut.shown.len(), cut.bytes), (ENTRY_TEXT_MAX, text.len()));
}

#[test]
fn a_file_that_is_gone_is_an_error() {
    assert!(entries("/no/such/file".as_ref(), None, 1).is_err());
}
