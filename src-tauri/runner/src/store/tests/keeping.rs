//! Repos, values, the log, and what is kept of what grows.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use repose_core::ask::Stage;
use repose_core::budget::Excess;
use repose_core::conversation::{Conversation, OnDisk, Turns};
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId};
use repose_core::repo::Change;
use repose_core::time::Wall;

use super::{NOW, World, ask, claude, freed, resumed};
use crate::store::apply::{CONVERSATIONS_KEPT, OVER_ASKS_KEPT};
use crate::store::log::{LOG_ROWS_KEPT, OPENS};
use crate::store::{LogRowOf, LogWhat};

#[test]
fn repos_come_in_the_order_of_adding_with_paths_of_any_bytes() {
    let mut world = World::new();
    let path = Path::new(OsStr::from_bytes(b"/srv/not \xff utf-8"));
    world.store.add_repo(&RepoId::new("a"), "second", path, &claude(), Wall(7)).unwrap();
    let rows = world.same_reopened(|store| store.repos().unwrap());
    let names: Vec<_> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["harbour", "second"]);
    assert_eq!((rows[1].path.as_path(), rows[1].added, &rows[1].engine), (path, Wall(7), &claude()));
    let again = world.store.add_repo(&RepoId::new("b"), "third", path, &claude(), NOW);
    assert!(again.is_err(), "the folder is there already");
}

#[test]
fn values_and_the_gate_survive() {
    let mut world = World::new();
    assert_eq!((world.store.gate().unwrap(), world.store.value("port").unwrap()), (false, None));
    world.store.set_value("port", "4100").unwrap();
    world.store.set_value("port", "4101").unwrap();
    world.store.set_gate(true, Wall(1)).unwrap();
    let kept = world.same_reopened(|store| (store.gate().unwrap(), store.value("port").unwrap()));
    assert_eq!(kept, (true, Some("4101".into())));
    world.store.set_gate(false, Wall(2)).unwrap();
    let kept = world.same_reopened(|store| (store.gate().unwrap(), store.latest(9).unwrap()));
    let row = |LogRowOf { repo, row }| (repo, row.at, row.what);
    let of_all = |at, closed| (None, Wall(at), LogWhat::Gate { closed });
    assert!(!kept.0);
    assert_eq!(kept.1.into_iter().map(row).collect::<Vec<_>>(), [of_all(2, false), of_all(1, true)]);
}

#[test]
fn the_opens_of_a_conversation_are_found_without_reading_the_log() {
    let plan = World::new().store.with(|connection| {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {OPENS}"))?;
        let steps = statement.query_map(["r-1", "c-1"], |row| row.get::<_, String>("detail"))?;
        Ok(steps.collect::<rusqlite::Result<Vec<_>>>()?.join("; "))
    });
    assert!(plan.as_ref().is_ok_and(|plan| plan.contains("log_opens")), "{plan:?}");
}

#[test]
fn everything_that_can_be_logged_is_read_back() {
    let mut world = World::new();
    let ask = AskId::new("a-1");
    let happened = [
        LogWhat::Asked { ask: ask.clone(), text: "why?".into() },
        LogWhat::Answered { ask: ask.clone(), text: "because".into() },
        LogWhat::TakenBack { ask: ask.clone(), asked: "What?".into() },
        LogWhat::Failed { ask, code: "turn_failed".into(), sentence: "It failed.".into() },
        LogWhat::Opened { continuity: resumed(), conversation: Some(ConversationId::new("c-1")) },
        LogWhat::Opened { continuity: resumed(), conversation: None },
        LogWhat::Reaped { idle: Duration::from_secs(21_600), over: None, freed: Some(freed()) },
        LogWhat::Reaped { idle: Duration::from_millis(1), over: Some(Excess::Pressure), freed: None },
        LogWhat::Reaped { idle: Duration::ZERO, over: Some(Excess::Live { max: 3 }), freed: None },
        LogWhat::Reaped { idle: Duration::ZERO, over: Some(Excess::Memory { budget: 9 }), freed: None },
        LogWhat::Paused(Some(freed())),
        LogWhat::Paused(None),
        LogWhat::Moved(ConversationId::new("c-2")),
        LogWhat::Ended { words: "killed".into() },
        LogWhat::Trouble { code: "stalled".into(), sentence: "Nothing moves.".into() },
        LogWhat::OrderDropped { purpose: "pause".into(), work: vec!["a turn".into()] },
        LogWhat::Stopped(Some(freed())),
        LogWhat::Resumed,
        LogWhat::Interrupted { asked: None },
        LogWhat::Interrupted { asked: Some("What?".into()) },
        LogWhat::Waited { words: "your word".into() },
        LogWhat::Decided { choice: "Yes".into() },
        LogWhat::Engine { name: EngineName::new("codex") },
        LogWhat::Gate { closed: true },
    ];
    for what in &happened {
        world.store.note(&world.repo, what, NOW).unwrap();
    }
    let repo = world.repo.clone();
    let rows = world.same_reopened(|store| store.log(&repo, None, 100).unwrap());
    assert!(rows.is_sorted_by_key(|row| row.id) && rows.iter().all(|row| row.at == NOW));
    assert_eq!(rows.iter().map(|row| row.what.clone()).collect::<Vec<_>>(), happened);

    let last_two = world.store.log(&repo, None, 2).unwrap();
    assert_eq!(last_two, rows[happened.len() - 2..]);
    assert_eq!(world.store.log(&repo, Some(rows[3].id), 2).unwrap(), rows[4..6]);
    assert_eq!(world.store.log(&repo, Some(rows[happened.len() - 1].id), 2).unwrap(), []);
}

#[test]
fn a_row_that_is_written_late_stands_where_it_happened() {
    let world = World::new();
    let ended = |number: u64| LogWhat::Ended { words: number.to_string() };
    for number in [1, 3, 2] {
        world.store.note(&world.repo, &ended(number), Wall(number)).unwrap();
    }
    let read = |after| world.store.log(&world.repo, after, 10).unwrap();
    assert_eq!(read(None).iter().map(|row| row.at.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(read(Some(0)).iter().map(|row| row.at.0).collect::<Vec<_>>(), [1, 3, 2], "as they come");
}

#[test]
fn the_log_keeps_its_last_rows_and_leaves_those_of_other_repos() {
    let world = World::new();
    let other = RepoId::new("r-2");
    world.store.add_repo(&other, "other", Path::new("/srv/other"), &claude(), NOW).unwrap();
    let ended = |number: u32| LogWhat::Ended { words: number.to_string() };
    world.store.note(&other, &ended(0), NOW).unwrap();
    world.store.with(|connection| Ok(connection.pragma_update(None, "synchronous", "OFF")?)).unwrap();
    for number in 0..LOG_ROWS_KEPT + 3 {
        world.store.note(&world.repo, &ended(number), NOW).unwrap();
    }
    let rows = world.store.log(&world.repo, None, usize::MAX).unwrap();
    assert_eq!(rows.len(), LOG_ROWS_KEPT as usize);
    assert_eq!(rows[0].what, ended(3));
    assert_eq!(world.store.log(&other, None, 10).unwrap().len(), 1);
}

#[test]
fn the_latest_rows_are_those_of_all_repos_in_the_order_in_which_they_came() {
    let world = World::new();
    let other = RepoId::new("r-2");
    world.store.add_repo(&other, "other", Path::new("/srv/other"), &claude(), NOW).unwrap();
    for (number, repo) in [&other, &world.repo, &world.repo, &other].into_iter().enumerate() {
        world.store.note(repo, &LogWhat::Ended { words: number.to_string() }, NOW).unwrap();
    }
    let latest = world.store.latest(3).unwrap().into_iter().map(|LogRowOf { repo, row }| (repo, row.what));
    let ended = |number: u32| LogWhat::Ended { words: number.to_string() };
    let (other, own) = (other.clone(), world.repo.clone());
    let expected = [(Some(other), ended(3)), (Some(own.clone()), ended(2)), (Some(own), ended(1))];
    assert_eq!(latest.collect::<Vec<_>>(), expected);
}

#[test]
fn answers_are_kept_of_the_last_asks_that_were_over_and_no_ask_that_waits_goes() {
    let mut world = World::new();
    world.store.with(|connection| Ok(connection.pragma_update(None, "synchronous", "OFF")?)).unwrap();
    world.apply(Change::Ask(ask("waits", Stage::Waiting)));
    world.apply(Change::Ask(ask("late", Stage::Waiting)));
    for number in 0..=OVER_ASKS_KEPT {
        world.apply(Change::Ask(ask(&number.to_string(), Stage::Over(Ok("yes".into())))));
    }
    // It was asked before all of them, and is over after all of them.
    world.apply(Change::Ask(ask("late", Stage::Over(Ok("at last".into())))));
    let there = |id: &str| world.store.ask(&AskId::new(id)).unwrap().is_some();
    assert_eq!([there("0"), there("1"), there("2")], [false, false, true]);
    assert!(there("late") && there("waits"));
    assert_eq!(world.stored().asks.len(), 1);
}

#[test]
fn the_oldest_conversations_are_forgotten_and_never_the_current_one() {
    let world = World::new();
    let conversation = |number: u32, on_disk| Conversation {
        id: ConversationId::new(format!("c-{number}")),
        engine: claude(),
        last_turn: Some(Wall(u64::from(number))),
        turns: Turns::Counted(1),
        context_tokens: None,
        transcript: None,
        on_disk,
    };
    world.apply(Change::Current(conversation(0, OnDisk::There)));
    world.apply(Change::Known(conversation(9_999, OnDisk::Gone)));
    for number in 1..=CONVERSATIONS_KEPT {
        world.apply(Change::Known(conversation(number, OnDisk::There)));
    }
    let kept = world.store.conversations(&world.repo).unwrap();
    assert_eq!(kept.len(), CONVERSATIONS_KEPT as usize);
    let has = |number: u32| kept.iter().any(|(kept, _)| kept.id.as_str() == format!("c-{number}"));
    assert!(has(0), "the current one is gone");
    assert!(!has(9_999), "one whose file is gone was kept before one that could be resumed");
    assert!(!has(1) && has(2) && has(CONVERSATIONS_KEPT));

    // One that begins has nothing yet that would keep it.
    world.apply(Change::Current(Conversation::begun(ConversationId::new("new"), claude(), None)));
    let current = world.store.conversations(&world.repo).unwrap().into_iter().find(|(_, current)| *current);
    assert_eq!(current.map(|(current, _)| current.id), Some(ConversationId::new("new")));
}
