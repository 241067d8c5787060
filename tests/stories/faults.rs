//! Engines that misbehave as the real one won't on demand.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::World;
use crate::support::world::REPOSE;

/// The folder of the only session.
fn session(world: &World) -> PathBuf {
    let sessions: Vec<_> = std::fs::read_dir(world.state().join("sessions"))
        .expect("the sessions' folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let [session] = sessions.as_slice() else { panic!("not one session: {sessions:?}") };
    session.clone()
}

/// What the engine's hook reports while its holder doesn't respond: the hook finds no socket.
fn told_to_nobody(world: &World, payload: &Value) {
    let mut hook = Command::new(REPOSE)
        .arg("hook")
        .env_clear()
        .env("REPOSE_SESSION_DIR", session(world))
        .stdin(Stdio::piped())
        .spawn()
        .expect("`repose hook` starts");
    hook.stdin.take().expect("piped").write_all(payload.to_string().as_bytes()).expect("it reads");
    assert!(hook.wait().expect("our own child").success());
}

#[test]
fn invariant_18_an_engine_that_ignores_every_polite_signal_is_gone_after_pause() {
    let world = World::running_fake("ignore orphan", "");
    world.ask("hello");
    let tree = world.tree();
    assert!(tree.len() >= 2, "the scripted engine left its child out: {tree:#?}");
    world.ok(&["pause", "work"]);
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    assert!(world.tree().is_empty());
}

#[test]
fn invariant_18_nothing_is_left_after_a_reap_stop_or_crash() {
    let world = World::running_fake("ignore orphan", "idle_after = \"1s\"\n");
    world.ask("hello");
    let reaped = world.tree();
    world.wait_state("work", "asleep");
    assert!(reaped.iter().all(|process| !process.alive()), "reap: {reaped:#?}");

    world.ask("hello");
    let stopped = world.tree();
    world.ok(&["stop", "work"]);
    assert!(stopped.iter().all(|process| !process.alive()), "stop: {stopped:#?}");

    world.ask("hello");
    let crashed = world.tree();
    world.holders().iter().for_each(|holder| holder.kill());
    world.eventually("the runner to end what a dead holder left", || {
        crashed.iter().all(|process| !process.alive()).then_some(())
    });
}

#[test]
fn a_flood_of_output_blocks_nobody() {
    let world = World::running_fake("flood", "");
    let terminal = world.terminal(&["open", "work"]);
    assert_eq!(world.ask("hello")["answer"], "Scripted reply to hello");
    terminal.wait_for_text("again and again");
    world.ok(&["pause", "work"]);
}

#[test]
fn a_working_engine_without_a_sign_of_life_is_stalled_and_not_let_go() {
    let world = World::running_fake("stall", "idle_after = \"2s\"\nstall_after = \"2s\"\n");
    world.start(&["ask", "work", "hello", "--no-wait"]).finish().ok();
    world.wait("work", "the trouble", |status| status["trouble"]["code"] == "stalled");
    world.stays(Duration::from_secs(3), "stalled is a trouble on working", || {
        world.status("work")["state"] == "working"
    });
    world.repose(&["pause", "work"]).refused(3, "work_would_be_lost");
    world.ok(&["pause", "work", "--interrupt"]);
}

#[test]
fn the_shell_engine_needs_no_agent_and_keeps_no_conversation() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    world.serve();
    let added = world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "shell"]);
    assert_eq!(added["repo"]["state"], "asleep");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait("the shell's prompt", |screen| screen.contains(['$', '#']));
    terminal.type_("echo $((40 + 2)) in $(basename $PWD)\r");
    terminal.wait_for_text("42 in work");
    let status = world.status("work");
    assert_eq!(status["continuity"]["code"], "engine_keeps_none");
    drop(terminal);
    world.repose(&["pause", "work"]).refused(3, "not_resumable");
    world.ok(&["stop", "work", "--interrupt"]);
}

#[test]
fn what_hooks_told_while_the_holder_took_nothing_is_heard_later() {
    let world = World::running_fake("", "");
    let asked = world.ask("hello");
    let task = json!({ "id": "b1", "type": "agent", "status": "running", "description": "a long look" });
    told_to_nobody(
        &world,
        &json!({
            "hook_event_name": "Stop", "session_id": asked["repo"]["conversation"]["id"],
            "last_assistant_message": "", "background_tasks": [task], "session_crons": [],
        }),
    );
    world.wait("work", "the task", |status| status["holds"].to_string().contains("a long look"));
    world.eventually("the spool to be gone", || {
        let names = std::fs::read_dir(session(&world)).expect("the session's folder").flatten();
        (!names.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("spool")))
            .then_some(())
    });
    world.ok(&["pause", "work", "--interrupt"]);
}

#[test]
fn what_hooks_told_to_a_dead_holder_is_known_to_the_next_runner() {
    let mut world = World::running_fake("stall", "");
    world.start(&["ask", "work", "hello", "--no-wait"]).finish().ok();
    let status = world.wait("work", "the turn", |status| status["conversation"]["id"].is_string());
    world.wait_state("work", "working");
    world.kill_serve();
    world.holders().iter().for_each(|holder| holder.kill());
    told_to_nobody(
        &world,
        &json!({
            "hook_event_name": "Stop", "session_id": status["conversation"]["id"],
            "last_assistant_message": "said to nobody", "background_tasks": [], "session_crons": [],
        }),
    );
    world.serve();
    world.wait_answered("work", "said to nobody");
    assert_eq!(world.wait_state("work", "asleep")["trouble"], Value::Null);
    assert_eq!(std::fs::read_dir(world.state().join("sessions")).expect("a folder").count(), 0);
}
