//! One runner owns a state folder.

use serde_json::Value;

use crate::support::{World, http};

#[test]
fn a_second_runner_is_refused_with_the_pid_of_the_first() {
    let world = World::running("");
    let error = world.repose(&["serve"]).refused(3, "runner_elsewhere");
    let message = error["message"].as_str().expect("a sentence");
    assert!(message.contains(&world.serve_pid().to_string()), "{message}");
    world.ok(&["status"]);
}

#[test]
fn a_second_runner_is_refused_also_once_the_lock_was_removed() {
    let world = World::running("");
    let lock = world.state().join("lock");
    std::fs::remove_file(&lock).expect("the lock's file");
    world.repose(&["serve"]).refused(3, "runner_elsewhere");
    world.ok(&["status"]);
    world.eventually("the file to name the runner again", || {
        let named = std::fs::read_to_string(&lock).ok()?;
        (named.trim() == world.serve_pid().to_string()).then_some(())
    });
    let error = world.repose(&["serve"]).refused(3, "runner_elsewhere");
    assert!(error["message"].to_string().contains(&world.serve_pid().to_string()), "{error:#}");
}

#[test]
fn status_names_the_runner_and_where_its_console_is() {
    let world = World::running("");
    let status = world.ok(&["status"]);
    assert_eq!(status["runner"]["pid"], world.serve_pid());
    assert_eq!(status["runner"]["app"], false);
    let words = world.terminal(&["status"]);
    words.wait_for_text("`repose serve` 0.");
    let doctor = world.terminal(&["doctor"]);
    doctor.wait_for_text("app: The app isn't running: `repose serve` is the runner.");
    let console = status["runner"]["console"].as_str().expect("an address");
    assert!(console.starts_with("http://127.0.0.1:"), "{console}");
    assert_eq!(status["totals"]["live"], 0);
}

#[test]
fn the_next_runner_keeps_repos_and_port() {
    let mut world = World::running("");
    let before = world.ok(&["status"])["runner"]["console"].clone();
    world.kill_serve();
    world.serve();
    assert_eq!(world.ok(&["status"])["runner"]["console"], before);
    assert_eq!(world.ok(&["ls"])["repos"][0]["name"], "work");
}

#[test]
fn repos_stand_in_the_order_of_adding_also_in_the_next_runner() {
    let mut world = World::new();
    world.serve();
    let names: Vec<String> = (0..12).map(|number| format!("repo{}", 7 * number % 12)).collect();
    for name in &names {
        let folder = world.add_untrusted_repo(name);
        world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "shell"]);
    }
    world.kill_serve();
    world.serve();
    let listed = world.ok(&["ls"]);
    let listed: Vec<&str> =
        listed["repos"].as_array().expect("repos").iter().filter_map(|repo| repo["name"].as_str()).collect();
    assert_eq!(listed, names);
}

#[test]
fn a_runner_that_stays_makes_no_room_and_another_one_does() {
    let mut world = World::new();
    world.serve_with(&["--stay"]);
    world.serve();
    let socket = world.state().join("sock");
    let refused = http::send_local(&socket, "POST", "/api/hand-over");
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(refused.json["error"]["code"], "runner_elsewhere", "{refused:?}");
    let said = refused.json["error"]["message"].to_string();
    assert!(said.contains(&world.serve_pid().to_string()) && said.contains("--stay"), "{said}");
    world.ok(&["status"]);

    world.stop_serve();
    world.serve_with(&[]);
    world.serve();
    assert_eq!(http::send_local(&socket, "POST", "/api/hand-over").status, 202);
    world.serve_ends();
    assert_eq!(world.repose(&["status"]).code, 4, "it made room");
    let said = std::fs::read_to_string(world.home().with_file_name("serve-2.log")).expect("its output");
    assert!(said.contains("The Repose app takes over, so `repose serve` ends here."), "{said}");
    let log = std::fs::read_to_string(world.state().join("logs/repose.log")).expect("the runner's log");
    assert!(log.contains("another start of Repose takes over"), "{log}");
}

/// How many times the log has this answer.
fn told(world: &World, answer: &str) -> usize {
    let log = world.ok(&["log", "work"]);
    let entries = log["entries"].as_array().expect("entries").iter();
    entries.filter(|entry| entry["kind"] == "answered" && entry["text"] == answer).count()
}

/// How many asks the repo has, in progress or waiting.
fn asks(status: &Value) -> usize {
    status["asks"].as_array().expect("asks").len()
}

#[test]
fn a_hand_over_in_mid_turn_changes_nothing_for_the_engine_and_those_who_wait() {
    let mut world = World::running("");
    world.ask("hello");
    let engine = world.the_engine("work");
    let first = world.start(&["ask", "work", "HOLD{while two run} MD{across}"]);
    world.model.wait_held("while two run");
    let second = world.start(&["ask", "work", "HOLD{while none runs} MD{between}"]);
    let third = world.start(&["ask", "work", "MD{and after}"]);
    world.wait("work", "the other asks to wait", |status| asks(status) == 3);

    let socket = world.state().join("sock");
    // Over during a turn; the next runner hears its end.
    assert_eq!(http::send_local(&socket, "POST", "/api/hand-over").status, 202);
    world.serve_ends();
    world.serve();
    world.wait_state("work", "working");
    assert_eq!((world.the_engine("work"), world.holders().len()), (engine.clone(), 1));
    world.model.release("while two run");
    assert_eq!(first.finish().ok()["answer"], "across");

    // Over during the next turn, which ends without a runner.
    world.model.wait_held("while none runs");
    assert_eq!(http::send_local(&socket, "POST", "/api/hand-over").status, 202);
    world.serve_ends();
    world.model.release("while none runs");
    let transcripts = world.transcripts("work");
    world.eventually("the turn to end without a runner", || {
        let files = std::fs::read_dir(&transcripts).ok()?;
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok());
        let answered = |line: &str| line.contains("between") && line.contains("\"assistant\"");
        texts.any(|text| text.lines().any(answered)).then_some(())
    });
    world.serve();
    assert_eq!(second.finish().ok()["answer"], "between");
    assert_eq!(third.finish().ok()["answer"], "and after");

    let status =
        world.wait("work", "everything told", |status| asks(status) == 0 && status["state"] == "ready");
    assert_eq!((world.the_engine("work"), world.holders().len()), (engine, 1));
    assert_eq!(status["conversation"]["turns"], 4, "each was typed once: {status:#}");
    assert_eq!(["across", "between", "and after"].map(|answer| told(&world, answer)), [1; 3]);
}
