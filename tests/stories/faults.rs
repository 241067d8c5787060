//! Engines that misbehave as the real one won't on demand.

use std::time::Duration;

use crate::support::World;

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
    terminal.wait_for_text("again and again");
    assert_eq!(world.ask("hello")["answer"], "Scripted reply to hello");
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
