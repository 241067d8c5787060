//! Adding, opening, asking, and what prevents a repo from that.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use repose_core::repo::State;
use repose_core::trouble::Code;
use repose_core::work::OnWork;
use repose_runner::{AskOutcome, Health, NewAsk, NewRepo};

use crate::world::{SHELL, World, code};

#[test]
fn a_repo_is_added_once_and_found_by_name_path_id_and_folder() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    let runner = &life.runner;
    let folder = world.path("repos/work");
    assert_eq!(life.shown(&work).state, State::Asleep);
    std::fs::create_dir_all(folder.join("src/deep")).unwrap();
    for reference in ["work", work.as_str(), folder.to_str().unwrap()] {
        assert_eq!(life.run(runner.find(reference)).unwrap(), work);
    }
    assert_eq!(life.run(runner.find(folder.join("src/deep").to_str().unwrap())).unwrap(), work);
    std::fs::create_dir(world.path("repos/beside")).unwrap();
    for nowhere in ["nothing", ".", "work/typo", "work/../typo", "work/../beside", "beside"] {
        let path = world.path("repos").join(nowhere);
        for reference in [nowhere, path.to_str().unwrap()] {
            assert_eq!(code(life.run(runner.find(reference))), Code::NoSuchRepo, "{reference}");
        }
    }
    assert_eq!(code(life.add(folder)), Code::AlreadyAdded);
    std::fs::create_dir_all(world.path("other/work")).unwrap();
    let second = life.add(world.path("other/work")).unwrap();
    assert_eq!(second.name, "work-2");
    assert_eq!(code(life.add(world.path("nowhere"))), Code::FolderGone);
    let unknown = NewRepo { path: world.path("home"), engine: Some("none".into()), name: None, adopt: true };
    assert_eq!(code(life.run(runner.add(unknown))), Code::BadRequest);
}

#[test]
fn many_asks_at_once_open_one_engine_and_each_gets_its_own_answer() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    let asks: Vec<_> = (0..20)
        .map(|number| {
            let (runner, work) = (life.runner.clone(), work.clone());
            async move {
                let text = format!("echo answer-$(({number} + 100))");
                runner.ask(&work, NewAsk { text, wait: true, ..NewAsk::default() }).await
            }
        })
        .collect();
    let answers = life.run(async {
        let tasks: Vec<_> = asks.into_iter().map(tokio::spawn).collect();
        let mut answers = Vec::new();
        for task in tasks {
            answers.push(task.await.unwrap().unwrap());
        }
        answers
    });
    for (number, answer) in answers.into_iter().enumerate() {
        let AskOutcome::Answered { text, .. } = answer else { panic!("{answer:?}") };
        assert!(text.contains(&format!("answer-{}", number + 100)), "{number}: {text:?}");
    }
    assert_eq!(world.holders().len(), 1);
    assert_eq!(world.sessions().len(), 1);
    assert_eq!(life.shown(&work).continuity.unwrap().code(), "engine_keeps_none");
}

#[test]
fn what_keeps_it_from_opening_is_named_and_nothing_is_started() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    let folder = world.path("repos/work");
    std::fs::rename(&folder, world.path("repos/moved")).unwrap();
    assert_eq!(code(life.run(life.runner.ensure(&work))), Code::FolderGone);
    assert_eq!(life.until_state(&work, State::Offline).trouble.unwrap().code, Code::FolderGone);
    std::fs::rename(world.path("repos/moved"), &folder).unwrap();

    world.settings("[engines.shell]\ncommand = \"/nowhere/sh\"\n");
    life.until_shell(Path::new("/nowhere/sh"));
    assert_eq!(code(life.run(life.runner.ensure(&work))), Code::EngineMissing);
    std::fs::write(world.path("home/sh"), "no program").unwrap();
    std::fs::set_permissions(world.path("home/sh"), std::fs::Permissions::from_mode(0o600)).unwrap();
    world.settings(&format!("[engines.shell]\ncommand = {:?}\n", world.path("home/sh")));
    life.until_shell(&world.path("home/sh"));
    assert_eq!(code(life.run(life.runner.ensure(&work))), Code::EngineNotExecutable);
    assert!(world.holders().is_empty());
    assert!(world.sessions().is_empty());

    world.settings(SHELL);
    life.until_shell(Path::new("/bin/sh"));
    assert_eq!(life.run(life.runner.ensure(&work)).unwrap().state, State::Ready);
}

#[test]
fn a_closed_gate_keeps_everything_asleep_over_a_restart() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    assert!(life.run(life.runner.pause_all(OnWork::Refuse)).unwrap().is_empty());
    assert_eq!(code(life.run(life.runner.ensure(&work))), Code::Paused);
    drop(life);
    let life = world.start().unwrap();
    assert_eq!(code(life.run(life.runner.ensure(&work))), Code::Paused);
    let queued = NewAsk { text: "echo later".into(), queue: true, ..NewAsk::default() };
    let AskOutcome::Accepted { ask, waits_for_resume: true, .. } =
        life.run(life.runner.ask(&work, queued)).unwrap()
    else {
        panic!("it waits for resume")
    };
    assert!(world.holders().is_empty());
    life.run(life.runner.resume_all()).unwrap();
    let AskOutcome::Answered { text, .. } = life.run(life.runner.await_ask(&ask)).unwrap() else {
        panic!("no answer")
    };
    assert!(text.contains("later"), "{text}");
}

#[test]
fn the_doctor_names_what_is_there_and_what_is_missing() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    std::fs::create_dir(world.path("repos/gone")).unwrap();
    life.add(world.path("repos/gone")).unwrap();
    std::fs::remove_dir(world.path("repos/gone")).unwrap();
    let gone = life.run(life.runner.find("gone")).unwrap();
    assert_eq!(code(life.run(life.runner.ensure(&gone))), Code::FolderGone);
    let report = life.run(life.runner.doctor());
    let health = |name: &str| report.checks.iter().find(|check| check.name == name).map(|check| check.health);
    for name in ["engine shell", "settings", "store", "disk", "holders", "leftovers"] {
        assert_eq!(health(name), Some(Health::Ok), "{name}: {report:#?}");
    }
    assert_eq!(health("repo gone"), Some(Health::Error), "{report:#?}");
    assert_eq!(report.health(), Health::Error);
    assert!(
        report.checks.iter().all(|check| check.health == Health::Ok || !check.hints.is_empty()),
        "{report:#?}"
    );
}

#[test]
fn the_branch_is_shown_and_a_head_that_is_a_pipe_stops_nothing() {
    let world = World::new(SHELL);
    let head = world.path("repos").join("work").join(".git/HEAD");
    std::fs::create_dir(head.parent().unwrap()).unwrap();
    std::fs::write(&head, "ref: refs/heads/tides\n").unwrap();
    let (life, work) = world.start_with_work();
    assert_eq!(life.shown(&work).branch.as_deref(), Some("tides"));
    std::fs::write(&head, "ref: refs/heads/winds\n").unwrap();
    life.ask(&work, "echo here");
    life.until("the other branch", |runner| {
        runner.shown(&work).is_some_and(|shown| shown.branch.as_deref() == Some("winds"))
    });
    std::fs::remove_file(&head).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&head).status().unwrap().success());
    assert!(life.ask(&work, "echo there").contains("there"));
    life.until("no branch", |runner| runner.shown(&work).is_some_and(|shown| shown.branch.is_none()));
}

#[test]
fn a_gate_that_the_store_refuses_is_said_also_if_nothing_is_live() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    let other = rusqlite::Connection::open(world.path("repose/state.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(code(life.run(life.runner.pause_all(OnWork::Refuse))), Code::StoreFailed);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(life.run(life.runner.ensure(&work)).unwrap().state, State::Ready);
}

#[test]
fn a_folder_that_became_a_link_to_its_new_place_is_no_second_repo() {
    let world = World::new(SHELL);
    let (life, work) = world.start_with_work();
    let (folder, real) = (world.path("repos/work"), world.path("repos/real"));
    std::fs::rename(&folder, &real).unwrap();
    std::os::unix::fs::symlink(&real, &folder).unwrap();
    std::fs::create_dir(real.join("src")).unwrap();
    for path in [folder, real] {
        for reference in [path.clone(), path.join("src")] {
            assert_eq!(life.run(life.runner.find(reference.to_str().unwrap())).unwrap(), work);
        }
        let refused = life.add(path.clone()).expect_err("it is known");
        assert_eq!(refused.code, Code::AlreadyAdded, "{refused:?}");
        assert!(refused.sentence.contains("as work"), "{refused:?}");
    }
    assert!(life.ask(&work, "echo through-$((6 * 7))").contains("through-42"));
}
