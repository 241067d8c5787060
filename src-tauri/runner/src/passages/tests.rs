use repose_core::continuity::{Continuity, Outcome};
use repose_core::ids::ConversationId;
use repose_core::time::Wall;
use repose_engine::transcript::{Entry, Kind, Place};

use super::{Open, Passage, placed, with_opens};

fn said(at: u64) -> Entry {
    Entry { offset: at, part: 0, at: (at > 0).then_some(Wall(at)), kind: Kind::Compacted }
}

fn opened(at: u64) -> Open {
    let continuity =
        Continuity { outcome: Outcome::Resumed { idle: None }, interrupted: vec![], at: Wall(at) };
    Open { id: i64::try_from(at).expect("small"), continuity }
}

/// Entries as positive times, opens as negative ones.
fn shape(entries: &[u64], from: Option<u64>, newest: bool, opens: &[u64]) -> Vec<i64> {
    let entries = entries.iter().copied().map(said).collect();
    let opens = opens.iter().copied().map(opened).collect();
    let passages = placed(entries, from.map(Wall), newest, opens);
    let one = |passage: &Passage| match passage {
        Passage::Said(entry) => i64::try_from(entry.offset).expect("small"),
        Passage::Opened(open) => -open.id,
    };
    passages.iter().map(one).collect()
}

#[test]
fn an_open_stands_before_what_was_said_after_it() {
    assert_eq!(shape(&[10, 20, 30], None, true, &[5, 20, 25, 40]), [-5, 10, -20, 20, -25, 30, -40]);
}

#[test]
fn each_open_stands_on_one_page() {
    let opens = [5, 15, 25, 35];
    assert_eq!(shape(&[10, 20], None, false, &opens), [-5, 10, -15, 20]);
    assert_eq!(shape(&[30, 40], Some(20), true, &opens), [-25, 30, -35, 40]);
}

#[test]
fn what_has_no_time_is_passed_by() {
    assert_eq!(shape(&[10, 0, 30], None, true, &[20]), [10, 0, -20, 30]);
}

#[test]
fn where_nothing_was_said_the_open_stands_alone() {
    assert_eq!(shape(&[], None, true, &[5]), [-5]);
    assert_eq!(shape(&[], None, false, &[5]), Vec::<i64>::new());
}

/// A prompt, at this many seconds; without a time at none.
fn line(at: Option<u64>) -> String {
    let time = at.map_or(String::new(), |at| format!("\"timestamp\":\"2026-01-01T00:00:{at:02}Z\","));
    format!(
        "{{\"type\":\"user\",\"uuid\":\"u\",{time}\"message\":{{\"role\":\"user\",\"content\":\"hello\"}}}}\n"
    )
}

#[test]
fn an_open_stands_on_one_page_though_what_is_before_it_has_no_time() {
    const BEGIN: u64 = 1_767_225_600_000;
    let folder = tempfile::tempdir().expect("a folder");
    let transcript = folder.path().join("talk.jsonl");
    let times = [Some(10), Some(20), None, None, Some(30)];
    std::fs::write(&transcript, times.map(line).concat()).expect("a writable folder");
    let engine = repose_engine::engine::find("claude").expect("a known engine");
    let place = Place { path: &transcript, id: &ConversationId::new("talk") };
    let opens = || [15, 25].map(|at| opened(BEGIN + at * 1_000)).to_vec();
    let (mut before, mut seen, mut pages) = (None, Vec::new(), 0);
    loop {
        let page = engine.entries(place, before, 1).expect("a readable transcript");
        let passages = with_opens(&*engine, place, page, before.is_none(), opens()).expect("the same");
        let opens = passages.passages.iter().filter_map(|passage| match passage {
            Passage::Opened(open) => Some(open.id),
            Passage::Said(_) => None,
        });
        seen.extend(opens);
        pages += 1;
        before = passages.before;
        if before.is_none() {
            break;
        }
    }
    let stood: Vec<_> = [25, 15].map(|at| opened(BEGIN + at * 1_000).id).to_vec();
    assert_eq!((seen, pages), (stood, times.len()));
}
