use std::path::Path;

use repose_core::ids::ConversationId;
use repose_engine::transcript::Place;

use super::{Found, HITS_ENOUGH, LOOKED_MAX, find};

fn prompt(text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(
        "{{\"type\":\"user\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{{\"role\":\"user\",\"content\":{text}}}}}\n"
    )
}

const TOOL: &str = concat!(
    r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"I look."},"#,
    r#"{"type":"tool_use","id":"t","name":"Grep","input":{"pattern":"stock in GREP"}}]}}"#,
    "\n",
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"stock, Stock"}]}}"#,
    "\n",
);

fn look(path: &Path, text: &str, before: Option<u64>) -> Found {
    let engine = repose_engine::engine::find("claude").expect("a known engine");
    let id = ConversationId::new("talk");
    find(&*engine, Place { path, id: &id }, text, before).expect("a readable transcript")
}

/// In which line, and how often in one entry of it.
fn hits(lines: &[&str], text: &str) -> Vec<(usize, usize)> {
    let file = tempfile::NamedTempFile::new().expect("temp");
    std::fs::write(file.path(), lines.concat()).expect("written");
    let mut begins = Vec::new();
    let mut at = 0;
    for line in lines.concat().split_inclusive('\n') {
        begins.push(at);
        at += line.len() as u64;
    }
    let found = look(file.path(), text, None);
    assert_eq!(found.before, None);
    let line = |offset| begins.iter().position(|begin| *begin == offset).expect("a line's begin");
    found.hits.iter().map(|hit| (line(hit.offset), hit.times)).collect()
}

#[test]
fn it_is_found_in_whatever_is_shown_newest_first_and_in_any_case() {
    let (first, last) = (prompt("How much stock? STOCK!"), prompt("Straße \"quoted\"\nsecond line"));
    let lines = [first.as_str(), TOOL, last.as_str()];
    assert_eq!(hits(&lines, "Stock"), [(2, 2), (1, 1), (0, 2)]);
    assert_eq!(hits(&lines, "grep"), [(1, 2)]);
    assert_eq!(hits(&lines, "STRAẞE \"Quoted\"\nsec"), [(3, 1)]);
    assert_eq!(hits(&lines, "tool_use"), [], "what isn't shown isn't found");
    assert_eq!(hits(&lines, " "), []);
}

#[test]
fn looks_put_together_find_each_once_and_none_goes_through_too_much() {
    let file = tempfile::NamedTempFile::new().expect("temp");
    let total = LOOKED_MAX * 2 + 100;
    let lines: String = (0..total).map(|at| prompt(if at % 1_000 == 7 { "needle" } else { "hay" })).collect();
    std::fs::write(file.path(), lines).expect("written");
    for (text, expected, looks) in
        [("needle", total.div_ceil(1_000), 3), ("hay", total - total.div_ceil(1_000), 0)]
    {
        let (mut before, mut all, mut took) = (None, Vec::new(), 0);
        loop {
            let found = look(file.path(), text, before);
            all.extend(found.hits.iter().map(|hit| hit.offset));
            assert!(found.hits.len() < HITS_ENOUGH * 2, "{} at once", found.hits.len());
            took += 1;
            before = found.before;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(all.len(), expected, "{text}");
        assert!(all.is_sorted_by(|a, b| a > b), "newest first, each once");
        assert!(looks == 0 || took == looks, "{took} looks");
    }
}
