//! Runners start and stop; sessions stay.

use std::path::PathBuf;
use std::time::Duration;

use repose_core::ids::{AskId, RepoId};
use repose_core::repo::State;
use repose_core::trouble::Code;
use repose_core::work::OnWork;
use repose_runner::{AskOutcome, LogWhat, NewAsk, StartError};
use rustix::process::Signal;

use crate::world::{Life, SHELL, World, code, send};

#[test]
fn a_second_runner_is_refused_with_the_pid_of_the_first() {
    let world = World::new(SHELL);
    let _first = world.start().unwrap();
    let Err(StartError::Running { pid, .. }) = world.start().map(drop) else { panic!("two runners") };
    assert_eq!(pid, Some(std::process::id()));
}

#[test]
fn the_next_runner_takes_over_what_lives() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "mark=kept");
    let engine = life.engine();
    drop(life);
    assert_eq!(world.holders().len(), 1);
    let life = world.start().unwrap();
    assert_eq!(life.shown(&work).state, State::Ready);
    assert_eq!(life.engine(), engine);
    assert!(life.ask(&work, "echo $mark").contains("kept"));
    assert_eq!(world.holders().len(), 1);
}

/// An ask that is answered with `said-42` once there is this file.
fn asks_until_a_file_is_there(world: &World, life: &Life, work: &RepoId) -> (AskId, PathBuf) {
    let file = world.path("home/go");
    let text = format!("until [ -e {} ]; do sleep 0.05; done; echo said-$((6 * 7))", file.display());
    let asked = life.run(life.runner.ask(work, NewAsk { text, ..NewAsk::default() })).unwrap();
    let AskOutcome::Accepted { ask, .. } = asked else { panic!("{asked:?}") };
    life.until_state(work, State::Working);
    (ask, file)
}

#[test]
fn an_answer_that_came_while_nobody_ran_is_known_to_the_next_runner() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo ready");
    let (ask, file) = asks_until_a_file_is_there(&world, &life, &work);
    drop(life);
    std::fs::write(&file, "").unwrap();
    let life = world.start().unwrap();
    let AskOutcome::Answered { text, .. } = life.run(life.runner.await_ask(&ask)).unwrap() else {
        panic!("no answer")
    };
    assert!(text.contains("said-42"), "{text}");
    let log = life.run(life.runner.log(&work, None, 50)).unwrap();
    let told =
        log.iter().filter(|entry| matches!(&entry.what, LogWhat::Answered { ask: of, .. } if *of == ask));
    assert_eq!(told.count(), 1, "{log:#?}");
}

/// A session of the engine `shell` that was let go while there was no runner.
fn let_go_alone() -> (World, RepoId) {
    let world = World::new(&format!("idle_after = \"1s\"\n{SHELL}"));
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    drop(life);
    let ended =
        |world: &World| world.sessions().iter().any(|dir| matches!(repose_hold::end(dir), Ok(Some(_))));
    let begun = std::time::Instant::now();
    while !ended(&world) || !world.holders().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the holder lets nothing go");
        std::thread::sleep(Duration::from_millis(10));
    }
    (world, work)
}

#[test]
fn what_was_freed_before_the_machine_was_started_anew_does_not_count() {
    let (world, work) = let_go_alone();
    let boot = repose_sys::clock::boot().expect("a machine that names its runs");
    for file in world.sessions().iter().flat_map(|dir| [dir.join("journal"), dir.join("end.json")]) {
        let kept = std::fs::read_to_string(&file).unwrap();
        assert!(kept.contains(&boot), "{kept}");
        std::fs::write(&file, kept.replace(&boot, "another run")).unwrap();
    }
    let life = world.start().unwrap();
    assert_eq!(life.until_state(&work, State::Asleep).freed, None);
    life.until("the session's folder to go", |_| world.sessions().is_empty());
}

#[test]
fn a_reap_without_a_runner_is_on_record() {
    let (world, work) = let_go_alone();
    let life = world.start().unwrap();
    let shown = life.until_state(&work, State::Asleep);
    assert!(shown.freed.is_some_and(|freed| freed.bytes > 0), "{shown:?}");
    life.until("the session's folder to go", |_| world.sessions().is_empty() && world.holders().is_empty());
    let log = life.run(life.runner.log(&work, None, 50)).unwrap();
    assert!(log.iter().any(|entry| matches!(entry.what, LogWhat::Reaped { .. })), "{log:#?}");
}

#[test]
fn a_holder_that_died_without_a_runner_is_tidied_up() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    drop(life);
    for holder in world.holders() {
        repose_sys::end::kill_exact(holder).unwrap();
    }
    let life = world.start().unwrap();
    assert_eq!(life.until_state(&work, State::Asleep).state, State::Asleep);
    life.until("the session's folder to go", |_| world.sessions().is_empty());
    assert!(life.ask(&work, "echo anew").contains("anew"));
}

#[test]
fn a_bad_settings_file_keeps_the_last_good_settings_and_says_where() {
    let world = World::new(&format!("idle_after = \"2h\"\n{SHELL}"));
    let (life, _work) = world.start_with_work();
    world.settings("idle_after = \"2h\"\nidle_fater = \"3h\"\n");
    life.until("the trouble", |runner| runner.settings().1.is_some());
    let trouble = life.runner.settings().1.unwrap();
    assert_eq!(trouble.code, Code::BadSettings);
    assert!(trouble.sentence.contains("idle_fater") && trouble.sentence.contains("line 2"), "{trouble:?}");
    assert_eq!(life.runner.settings().0.policy.idle_after, Duration::from_secs(7_200));
    world.settings(SHELL);
    life.until("no trouble", |runner| runner.settings().1.is_none());
    assert_eq!(code(life.run(life.runner.find("nowhere"))), Code::NoSuchRepo);
}

#[test]
fn a_holder_that_does_not_answer_is_not_taken_for_dead() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "mark=kept");
    let engine = life.engine();
    drop(life);
    let holder = world.holders()[0];
    send(holder, Signal::STOP);
    let life = world.start().unwrap();
    assert_eq!(life.shown(&work).state, State::Opening);
    send(holder, Signal::CONT);
    life.until_state(&work, State::Ready);
    assert_eq!(life.engine(), engine);
    assert!(life.ask(&work, "echo $mark").contains("kept"));
}

#[test]
fn a_holder_that_did_not_answer_at_the_start_can_be_stopped() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    let engine = repose_sys::ProcessId::of(life.engine()).unwrap();
    drop(life);
    send(world.holders()[0], Signal::STOP);
    let life = world.start().unwrap();
    assert_eq!(life.run(life.runner.stop(&work, OnWork::Interrupt)).unwrap().state, State::Asleep);
    assert!(!engine.alive());
    life.until("the session's folder to go", |_| world.sessions().is_empty() && world.holders().is_empty());
}

#[test]
fn an_answer_that_the_store_refused_is_committed_by_nothing_that_came_after_it() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo ready");
    let (ask, file) = asks_until_a_file_is_there(&world, &life, &work);
    let other = rusqlite::Connection::open(world.path("repose/state.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::fs::write(&file, "").unwrap();
    let AskOutcome::Answered { text, .. } = life.run(life.runner.await_ask(&ask)).unwrap() else {
        panic!("no answer")
    };
    assert!(text.contains("said-42"), "{text}");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(life.ask(&work, "echo next").contains("next"));
    drop(life); // before what was refused is written again

    let life = world.start().unwrap();
    let told = life.run(life.runner.await_ask(&ask));
    assert!(matches!(&told, Ok(AskOutcome::Answered { text, .. }) if text.contains("said-42")), "{told:?}");
}

#[test]
fn a_session_that_ended_while_the_store_refused_keeps_its_journal_until_it_is_written() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo ready");
    let other = rusqlite::Connection::open(world.path("repose/state.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let engine = repose_sys::ProcessId::of(life.engine()).unwrap();
    for holder in world.holders() {
        repose_sys::end::kill_exact(holder).unwrap();
    }
    life.until("the end", |runner| runner.shown(&work).is_some_and(|shown| !shown.state.is_live()));
    assert!(!engine.alive());
    // Everything that follows the end has been done once this is answered.
    assert!(life.run(life.runner.diagnostics()).is_empty());
    assert_eq!(world.sessions().len(), 1, "the folder went before its end was written");
    other.execute_batch("ROLLBACK").unwrap();
    life.until("the session's folder to go", |_| world.sessions().is_empty());
}

/// The journal's content is gone, as after a full disk.
fn empty_journal(world: &World) {
    for session in world.sessions() {
        std::fs::write(session.join("journal"), "").unwrap();
    }
}

#[test]
fn an_ask_whose_end_was_lost_with_the_journal_comes_to_an_end() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo ready");
    let (ask, file) = asks_until_a_file_is_there(&world, &life, &work);
    let engine = life.engine();
    drop(life);
    empty_journal(&world);
    // What continues is waited for, however much is lost.
    let life = world.start().unwrap();
    life.until_state(&work, State::Working);
    assert!(life.run(life.runner.log(&work, None, 50)).unwrap().iter().all(
        |entry| !matches!(&entry.what, LogWhat::Answered { ask: of, .. } | LogWhat::Failed { ask: of, .. } if *of == ask)
    ));
    drop(life);

    std::fs::write(&file, "").unwrap();
    let told = |world: &World| {
        let journals = world.sessions().into_iter().map(|dir| std::fs::read_to_string(dir.join("journal")));
        journals.flatten().any(|journal| journal.contains("turn_over"))
    };
    let begun = std::time::Instant::now();
    while !told(&world) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the turn never ends");
        std::thread::sleep(Duration::from_millis(10));
    }
    empty_journal(&world);
    let life = world.start().unwrap();
    let refused = life.run(life.runner.await_ask(&ask)).expect_err("its answer is nowhere");
    assert_eq!(refused.trouble.code, Code::TurnFailed, "{refused:?}");
    assert!(refused.trouble.sentence.contains("can't be read any more"), "{refused:?}");
    assert!(life.ask(&work, "echo and on").contains("and on"), "the next one has its turn");
    assert_eq!(life.engine(), engine);
}

#[test]
fn what_waited_while_there_was_no_runner_for_long_is_dropped_and_after_a_short_absence_answered() {
    for (gone_for, answered) in [(Duration::ZERO, true), (Duration::from_secs(70), false)] {
        let world = World::new(SHELL);
        let (life, work) = world.start_with_work();
        life.ask(&work, "echo ready");
        let (_, file) = asks_until_a_file_is_there(&world, &life, &work);
        let text = "echo second-$((6 * 7))".to_owned();
        let asked = life.run(life.runner.ask(&work, NewAsk { text, ..NewAsk::default() })).unwrap();
        let AskOutcome::Accepted { ask, .. } = asked else { panic!("{asked:?}") };
        drop(life);
        let alive = std::fs::File::options().append(true).open(world.path("repose/alive")).unwrap();
        alive.set_modified(std::time::SystemTime::now() - gone_for).unwrap();
        let life = world.start().unwrap();
        std::fs::write(&file, "").unwrap();
        match life.run(life.runner.await_ask(&ask)) {
            Ok(AskOutcome::Answered { text, .. }) => {
                assert!(answered && text.contains("second-42"), "{text}")
            }
            other => {
                assert!(!answered, "{other:?}");
                assert!(format!("{other:?}").contains("RunnerNotRunning"), "{other:?}");
            }
        }
    }
}
