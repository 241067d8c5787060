//! Stop, remove, reap, and holders that die.

use repose_core::repo::State;
use repose_core::trouble::Code;
use repose_core::work::OnWork;
use repose_runner::{LogWhat, NewAsk};
use repose_sys::ProcessId;

use crate::world::{SHELL, World, code, send};
use rustix::process::Signal;

#[test]
fn invariant_04_a_pause_that_would_be_a_one_way_trip_is_refused() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    assert_eq!(code(life.run(life.runner.pause(&work, OnWork::Refuse))), Code::NothingToPause);
    life.ask(&work, "echo here");
    let engine = life.engine();
    assert_eq!(code(life.run(life.runner.pause(&work, OnWork::Refuse))), Code::NotResumable);
    assert_eq!(life.engine(), engine);
    assert_eq!(life.until_state(&work, State::Ready).state, State::Ready);
}

#[test]
fn a_stop_leaves_nothing_and_says_what_it_gave_back() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    let engine = ProcessId::of(life.engine()).unwrap();
    life.until("memory", |runner| runner.totals().live_bytes > 0);
    let stopped = life.run(life.runner.stop(&work, OnWork::Refuse)).unwrap();
    assert_eq!(stopped.state, State::Asleep);
    assert!(life.run(life.runner.diagnostics()).is_empty(), "a session that is over counts as live");
    assert!(stopped.freed.is_some_and(|freed| freed.bytes > 0), "{stopped:?}");
    assert!(!engine.alive());
    life.until("the session's folder to go", |_| world.sessions().is_empty() && world.holders().is_empty());
    let totals = life.runner.totals();
    assert_eq!((totals.live, totals.live_bytes), (0, 0));
    assert_eq!(totals.freed_bytes, stopped.freed.unwrap().bytes);
}

#[test]
fn work_is_not_stopped_without_a_word() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    let long = NewAsk { text: "sleep 600".into(), ..NewAsk::default() };
    life.run(life.runner.ask(&work, long)).unwrap();
    life.until_state(&work, State::Working);
    assert_eq!(code(life.run(life.runner.stop(&work, OnWork::Refuse))), Code::WorkWouldBeLost);
    assert_eq!(code(life.run(life.runner.remove(&work, OnWork::Refuse))), Code::WorkWouldBeLost);
    assert_eq!(life.run(life.runner.stop(&work, OnWork::Interrupt)).unwrap().state, State::Asleep);
}

#[test]
fn an_idle_engine_is_let_go_and_that_is_on_record() {
    let world = World::new(&format!("idle_after = \"1s\"\n{SHELL}"));
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    let asleep = life.until_state(&work, State::Asleep);
    life.until("the session's folder to go", |_| world.sessions().is_empty() && world.holders().is_empty());
    let log = life.run(life.runner.log(&work, None, 50)).unwrap();
    let reaped = log.iter().find_map(|entry| {
        if let LogWhat::Reaped { freed, .. } = &entry.what {
            Some(freed.map(|freed| freed.bytes))
        } else {
            None
        }
    });
    assert_eq!(reaped, Some(life.shown(&work).freed.map(|freed| freed.bytes)), "{asleep:?} {log:#?}");
    assert_eq!(life.run(life.runner.ensure(&work)).unwrap().state, State::Ready);
}

#[test]
fn a_removed_repo_leaves_no_process_and_no_session() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    let engine = ProcessId::of(life.engine()).unwrap();
    life.run(life.runner.remove(&work, OnWork::Refuse)).unwrap();
    assert!(life.runner.list().is_empty());
    assert!(!engine.alive());
    life.until("the session's folder to go", |_| world.sessions().is_empty() && world.holders().is_empty());
    assert!(world.path("repos/work").is_dir());
    assert_eq!(code(life.run(life.runner.ensure(&work))), Code::NoSuchRepo);
}

#[test]
fn a_holder_that_is_killed_takes_its_tree_along() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    let engine = ProcessId::of(life.engine()).unwrap();
    for holder in world.holders() {
        repose_sys::end::kill_exact(holder).unwrap();
    }
    life.until_state(&work, State::Asleep);
    assert!(!engine.alive());
    life.until("the session's folder to go", |_| world.sessions().is_empty());
    assert!(life.ask(&work, "echo anew").contains("anew"));
}

#[test]
fn a_holder_that_is_stuck_answers_every_order_in_bounded_time() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    let long = NewAsk { text: "sleep 600".into(), ..NewAsk::default() };
    life.run(life.runner.ask(&work, long)).unwrap();
    life.until_state(&work, State::Working);
    let engine = ProcessId::of(life.engine()).unwrap();
    send(world.holders()[0], Signal::STOP);

    assert_eq!(code(life.run(life.runner.pause(&work, OnWork::Interrupt))), Code::NotResumable);
    let trouble = |runner: &repose_runner::Runner| runner.shown(&work).and_then(|shown| shown.trouble);
    life.until("the trouble", |runner| {
        trouble(runner).is_some_and(|trouble| trouble.code == Code::NotAnswering)
    });
    let asked = life.run(life.runner.ask(&work, NewAsk { text: "echo hi".into(), ..NewAsk::default() }));
    assert_eq!(asked.unwrap_err().trouble.code, Code::NotAnswering);
    let refused = life.run(life.runner.stop(&work, OnWork::Refuse)).unwrap_err();
    assert_eq!(refused.code, Code::WorkWouldBeLost);
    assert!(refused.sentence.contains("whatever it does now, for the process that keeps it"), "{refused:?}");
    assert!(engine.alive());
    let stop = life.runner.stop(&work, OnWork::InterruptAtMost(refused.named));
    assert_eq!(life.run(stop).unwrap().state, State::Asleep);
    assert!(!engine.alive());
    life.until("the session's folder to go", |_| world.sessions().is_empty() && world.holders().is_empty());

    assert!(life.ask(&work, "echo anew").contains("anew"));
    let cut = life.shown(&work).continuity.unwrap().interrupted;
    assert!(cut.iter().any(|work| work.contains("turn in progress")), "{cut:?}");
    assert!(!cut.concat().contains("whatever"), "{cut:?}");
}

#[test]
fn a_stuck_holder_that_is_let_go_on_takes_up_where_it_stood() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "mark=kept");
    let engine = life.engine();
    send(world.holders()[0], Signal::STOP);
    assert_eq!(code(life.run(life.runner.stop(&work, OnWork::Refuse))), Code::WorkWouldBeLost);
    send(world.holders()[0], Signal::CONT);
    life.until("no trouble", |runner| runner.shown(&work).is_some_and(|shown| shown.trouble.is_none()));
    assert_eq!(life.engine(), engine);
    assert!(life.ask(&work, "echo $mark").contains("kept"));
}
