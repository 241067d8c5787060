use std::fs;
use std::io::Write;

use repose_core::time::Wall;

use super::{TAIL_MAX, summary, tail};
use crate::claude::fixture;
use crate::transcript::LastTurn;

const ID: &str = "b8d7cf12-23b6-4ac3-b478-2b38df463edd";

#[test]
fn the_end_tells_how_the_last_turn_stands() {
    let cases = [
        ("interrupted-failed-commands", LastTurn::Failed, 14180),
        ("after-clear", LastTurn::Answered, 13878),
        ("denied-and-background", LastTurn::Answered, 14403),
        ("killed-and-resumed", LastTurn::Open, 14275),
        ("2.1.197", LastTurn::Answered, 22431),
    ];
    for (name, turn, tokens) in cases {
        let tail = tail(&fixture::transcript(name)).expect("reads");
        assert_eq!((tail.last_turn, tail.context_tokens), (turn, Some(tokens)), "{name}");
        assert!(tail.whole && tail.skipped == 0, "{name}");
    }
    let tail = tail(&fixture::transcript("after-clear")).expect("reads");
    assert_eq!(tail.last_activity, Some(Wall(1_795_970_530_529)));
}

#[test]
fn a_transcript_that_nobody_can_read_is_neither_blank_nor_gone() {
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join(format!("{ID}.jsonl"));
    let read = |content: &[u8]| {
        fs::write(&path, content).expect("written");
        summary(&path)
    };
    let error = read(b"\xfe\x00\n{\"\x9b").expect_err("it can't be read");
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    let blank = read(b"{\"type\":\"unheard-of\"}\n").expect("reads").expect("a conversation");
    assert_eq!(blank.conversation.turns.counted(), Some(0));
    fs::remove_file(&path).expect("our own");
    assert_eq!(summary(&path).expect_err("it is gone").kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn every_moment_of_a_recorded_turn_has_its_standing() {
    let lines = fs::read_to_string(fixture::transcript("denied-and-background")).expect("reads");
    let lines: Vec<&str> = lines.split_inclusive('\n').collect();
    let file = tempfile::NamedTempFile::new().expect("temp");
    let mut seen = Vec::new();
    for count in 0..=lines.len() {
        fs::write(file.path(), lines[..count].concat()).expect("written");
        let turn = tail(file.path()).expect("reads").last_turn;
        if seen.last() != Some(&turn) {
            seen.push(turn);
        }
    }
    use LastTurn::{Answered, Interrupted, None, Open};
    assert_eq!(seen, [None, Open, Interrupted, Open, Answered, Open, Answered, Open, Answered]);
}

#[test]
fn a_cut_last_line_is_seen_and_does_not_hide_the_rest() {
    let whole = fs::read(fixture::transcript("after-clear")).expect("reads");
    let file = tempfile::NamedTempFile::new().expect("temp");
    fs::write(file.path(), &whole[..whole.len() - 40]).expect("written");
    let tail_now = tail(file.path()).expect("reads");
    assert_eq!((tail_now.whole, tail_now.last_turn), (false, LastTurn::Answered));
    // Without its line end a line can still be whole.
    fs::write(file.path(), &whole[..whole.len() - 1]).expect("written");
    assert!(tail(file.path()).expect("reads").whole);
}

#[test]
fn the_end_of_a_large_transcript_costs_little() {
    let mut file = tempfile::NamedTempFile::new().expect("temp");
    let big = "x".repeat(200 * 1024);
    for n in 0..100 {
        writeln!(file, r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":"{big}"}}]}},"n":{n}}}"#)
            .expect("written");
    }
    file.write_all(&fixture::bytes("transcripts/after-clear.jsonl")).expect("written");
    assert!(file.as_file().metadata().expect("there").len() > 20_000_000);
    let tail = tail(file.path()).expect("reads");
    assert_eq!(tail.last_turn, LastTurn::Answered);
    assert!(tail.bytes_read <= 128 * 1024, "{} bytes", tail.bytes_read);
}

#[test]
fn nothing_of_a_turn_at_the_end_is_given_up_after_a_bound() {
    let mut file = tempfile::NamedTempFile::new().expect("temp");
    file.write_all(&fixture::bytes("transcripts/after-clear.jsonl")).expect("written");
    let line = format!("{{\"type\":\"api-request-blob\",\"x\":\"{}\"}}\n", "y".repeat(100_000));
    for _ in 0..TAIL_MAX / 100_000 + 10 {
        file.write_all(line.as_bytes()).expect("written");
    }
    let tail = tail(file.path()).expect("reads");
    assert_eq!((tail.last_turn, tail.last_activity), (LastTurn::Unknown, None));
    assert!(tail.bytes_read < 2 * TAIL_MAX);
}

#[test]
fn a_summary_counts_what_a_person_asked() {
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join(format!("{ID}.jsonl"));
    let cases = [
        ("interrupted-failed-commands", 6, Some("hello one")),
        ("after-clear", 1, Some("after clear")),
        ("denied-and-background", 3, Some("RUN{touch /home/me/x}")),
        ("2.1.197", 4, Some("hello g")),
    ];
    for (name, turns, title) in cases {
        fs::copy(fixture::transcript(name), &path).expect("copied");
        let listed = summary(&path).expect("reads").expect("a transcript");
        assert_eq!(
            (listed.conversation.turns.counted(), listed.title.as_deref()),
            (Some(turns), title),
            "{name}"
        );
        assert_eq!(listed.conversation.last_turn, tail(&path).expect("reads").last_activity, "{name}");
        assert_eq!(listed.conversation.context_tokens, tail(&path).expect("reads").context_tokens, "{name}");
        assert!(listed.conversation.resumable());
        assert_eq!(listed.conversation.id.as_str(), ID);
    }
}

#[test]
fn a_conversation_without_a_turn_is_none_to_resume() {
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join(format!("{ID}.jsonl"));
    let cleared = fs::read_to_string(fixture::transcript("after-clear")).expect("reads");
    let until = cleared.find("after clear").expect("there");
    for content in ["", "\n\n", "{\"type\":\"mode\"}\n", &cleared[..until]] {
        fs::write(&path, content).expect("written");
        let listed = summary(&path).expect("reads").expect("a transcript");
        assert!(!listed.conversation.resumable());
        assert_eq!((listed.conversation.last_turn, listed.title), (None, None));
    }
    assert_eq!(summary(&temp.path().join("agent-a1.jsonl")).expect("nothing to read"), None);
    assert!(summary(&temp.path().join("00000000-0000-4000-8000-000000000000.jsonl")).is_err());
}
