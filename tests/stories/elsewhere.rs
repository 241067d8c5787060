//! Two programs never write one conversation.

use serde_json::Value;

use crate::support::{Terminal, World, claude};

fn conversation(answered: &Value) -> String {
    answered["repo"]["conversation"]["id"].as_str().expect("an id").to_owned()
}

fn outside(world: &World, conversation: &str) -> Terminal {
    let args = ["--resume", conversation];
    let terminal = Terminal::start(&claude::program(), &args, &world.repo("work"), &world.env());
    terminal.wait_for_text("\u{276f}");
    terminal
}

#[test]
fn invariant_14_a_conversation_that_is_open_elsewhere_is_not_opened_again() {
    let world = World::running("");
    let first = world.ask("hello");
    let conversation = conversation(&first);
    world.ok(&["stop", "work"]);
    let mut terminal = outside(&world, &conversation);

    for verb in [&["ask", "work", "x"][..], &["resume", "work"]] {
        let error = world.repose(verb).refused(3, "owned_elsewhere");
        let message = error["message"].as_str().expect("a sentence");
        assert!(message.contains(&terminal.pid().to_string()), "{message}");
        assert!(error["hints"].to_string().contains("fresh"), "{error:#}");
    }
    let mut attaching = world.terminal(&["open", "work"]);
    assert_eq!(attaching.wait_ended(), 3, "{}", attaching.screen());
    assert!(attaching.screen().contains(&terminal.pid().to_string()), "{}", attaching.screen());
    assert!(world.holders().is_empty());
    assert_eq!(world.model.requests().len(), 1);

    terminal.type_("/exit");
    terminal.wait_for_text("/exit");
    terminal.type_("\r");
    terminal.wait_ended();
    let second = world.ask("again");
    assert_eq!(second["continuity"]["kind"], "resumed");
    assert_eq!(second["repo"]["conversation"]["id"], conversation);
}

#[test]
fn invariant_14_a_second_writer_beside_a_live_engine_is_trouble_and_asks_stop() {
    let world = World::running("");
    let first = world.ask("hello");
    let conversation = conversation(&first);
    let terminal = outside(&world, &conversation);
    world.wait("work", "the trouble", |status| status["trouble"]["code"] == "owned_elsewhere");
    world.repose(&["ask", "work", "x"]).refused(3, "owned_elsewhere");
    drop(terminal);
    world.wait("work", "the trouble gone", |status| status["trouble"].is_null());
    world.ask("again");
}

#[test]
fn invariant_14_what_a_dead_program_left_behind_keeps_nobody_out() {
    let world = World::running("");
    let conversation = conversation(&world.ask("hello"));
    world.ok(&["stop", "work"]);
    let mut terminal = outside(&world, &conversation);
    let pid = rustix::process::Pid::from_raw(terminal.pid().try_into().expect("a pid")).expect("a pid");
    world.wait("work", "the other program", |status| status["owner"]["pid"] == terminal.pid());
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("our own child");
    terminal.wait_ended();
    let left = world.home().join(format!(".claude/sessions/{}.json", terminal.pid()));
    assert!(left.exists(), "it left its status file");
    let second = world.ask("again");
    assert_eq!(second["continuity"]["kind"], "resumed");
    assert_eq!(second["repo"]["conversation"]["id"], conversation);
}

#[test]
fn invariant_14_what_brings_a_paused_conversation_back_elsewhere_is_noticed_and_named() {
    let world = World::running("");
    let conversation = conversation(&world.ask("hello"));
    world.ok(&["pause", "work"]);
    let terminal = outside(&world, &conversation);
    let seen = world.wait("work", "the other program", |status| status["owner"]["pid"] == terminal.pid());
    assert_eq!(seen["state"], "paused", "{seen:#}");
    for looks in [&["status", "work"][..], &["ls"]] {
        world.terminal(looks).wait_for_text(&format!("pid {}", terminal.pid()));
    }
    let error = world.repose(&["resume", "work"]).refused(3, "owned_elsewhere");
    assert!(error["message"].to_string().contains(&terminal.pid().to_string()), "{error:#}");
    for error in [error, world.repose(&["fork", "work"]).refused(3, "paused")] {
        let copy = "`repose stop work`, then `repose fork work`";
        assert!(error["hints"].to_string().contains(copy), "a way to go on: {error:#}");
    }
    assert!(world.holders().is_empty());
    drop(terminal);
    world.wait("work", "nobody else", |status| status["owner"].is_null());
    assert_eq!(world.ok(&["resume", "work"])["repo"]["continuity"]["kind"], "resumed");
}
