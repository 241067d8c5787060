use super::{Line, NO, Read, Said, ToolEnd, folder, may_be_prompt, passed_over, read};
use crate::claude::fixture;

#[test]
fn passing_a_line_over_unread_loses_nothing() {
    for name in ["question-and-queued", "killed-and-resumed", "2.1.197"] {
        let bytes = fixture::bytes(&format!("transcripts/{name}.jsonl"));
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            // With its fields in another order, a line can't be skipped by its first bytes.
            let value: serde_json::Value = serde_json::from_slice(line).expect("JSON");
            let turned = format!("{{\"aaa\":0,{}", &value.to_string()[1..]);
            assert!(!passed_over(turned.as_bytes()));
            if passed_over(line) {
                assert_eq!(read(turned.as_bytes()), Read::Other, "{}", String::from_utf8_lossy(line));
            }
        }
    }
}

#[test]
fn every_prompt_may_be_one_and_hardly_anything_else() {
    let mut others = 0;
    for name in ["denied-and-background", "pastes-and-pictures", "2.1.197"] {
        let bytes = fixture::bytes(&format!("transcripts/{name}.jsonl"));
        for line in bytes.split(|&byte| byte == b'\n') {
            match read(line) {
                Read::Said(Line { said: Said::Prompt { .. }, .. }) => assert!(may_be_prompt(line)),
                Read::Said(Line { said: Said::Agent(_) | Said::Results(_), .. }) => {
                    others += usize::from(may_be_prompt(line));
                }
                Read::Said(_) | Read::Other | Read::Broken => {}
            }
        }
    }
    assert_eq!(others, 0);
    let quoting = serde_json::json!({"type": "user", "message": {"content": r#"why "type":"tool_result"?"#}});
    assert!(may_be_prompt(quoting.to_string().as_bytes()));
}

#[test]
fn cut_and_odd_lines_never_panic() {
    let bytes = fixture::bytes("transcripts/denied-and-background.jsonl");
    for line in bytes.split(|&byte| byte == b'\n') {
        for end in 0..line.len() {
            assert!(!matches!(read(&line[..end]), Read::Said(_)), "a cut line says nothing");
        }
    }
    for odd in [
        "{\"type\":\"user\"}",
        "{\"type\":\"user\",\"message\":{}}",
        "{}",
        "{\"type\":\"assistant\",\"message\":null}",
    ] {
        assert_eq!(read(odd.as_bytes()), Read::Other, "{odd}");
    }
    for broken in ["7", "nonsense", "{\"type\":\"user\"", "\u{feff}{}"] {
        assert_eq!(read(broken.as_bytes()), Read::Broken, "{broken}");
    }
}

#[test]
fn a_bad_time_is_no_time() {
    for bad in ["", "yesterday", "2026-13-45T00:00:00Z", "1969-12-31T00:00:00Z"] {
        let line = format!(r#"{{"type":"user","message":{{"content":"x"}},"timestamp":"{bad}"}}"#);
        let Read::Said(Line { at, said: Said::Prompt { .. } }) = read(line.as_bytes()) else {
            panic!("{bad}")
        };
        assert_eq!(at, None);
    }
}

#[test]
fn the_folder_is_read_where_it_stands() {
    assert_eq!(folder(br#"{"type":"user","cwd":"/x/\u00fc"}"#).as_deref(), Some("/x/ü"));
    assert_eq!(folder(br#"{"type":"user"}"#), None);
    assert_eq!(folder(b"nonsense"), None);
}

#[test]
fn what_somebody_said_no_to_is_told_apart_from_what_was_cut_off_and_what_failed() {
    let of = |content: &str, error: bool, kind: Option<&str>, before_run: bool| {
        let block = serde_json::json!(
            {"type": "tool_result", "content": content, "is_error": error, "tool_use_id": "t"}
        );
        let mut line = serde_json::json!({"type": "user", "message": {"content": [block]}});
        if let Some(kind) = kind {
            line["toolDenialKind"] = kind.into();
        }
        if before_run {
            line["toolDenialBeforeRun"] = true.into();
        }
        line.to_string()
    };
    let line = |content: &str, error: bool, kind: Option<&str>| of(content, error, kind, false);
    let in_the_terminal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let table = [
        (line("Exit code 1", true, None), ToolEnd::Failed),
        (line(in_the_terminal, true, None), ToolEnd::Denied),
        (line(NO, true, None), ToolEnd::Denied),
        (of(in_the_terminal, true, Some("user-rejected"), true), ToolEnd::Denied),
        (line(in_the_terminal, true, Some("user-rejected")), ToolEnd::Interrupted),
        (line("[Tool call interrupted: …]", true, Some("interrupted")), ToolEnd::Untold),
        (of("[Tool call skipped: …]", true, Some("cancelled"), true), ToolEnd::NotRun),
        (line("[Tool call cancelled: …]", true, Some("cancelled")), ToolEnd::Interrupted),
        (line(NO, true, Some("permission-rule")), ToolEnd::Denied),
        (line("It may not.", true, Some("automode-blocked")), ToolEnd::Denied),
        (line(NO, false, None), ToolEnd::Done),
    ];
    for (line, end) in table {
        let Read::Said(Line { said: Said::Results(results), .. }) = read(line.as_bytes()) else {
            panic!("no result: {line}")
        };
        assert_eq!(results[0].end, end, "{line}");
    }
}
