use repose_core::continuity::{Continuity, Outcome};
use repose_core::time::Wall;
use repose_engine::transcript::{Entry, Kind};

use super::{Open, Passage, placed};

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
