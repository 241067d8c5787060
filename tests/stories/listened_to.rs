//! An engine that is listened to on a port, and names a conversation only with its first prompt: what the
//! acceptance stories don't cover.

use std::time::Duration;

use repose_core::session::HOOKS_WITHIN;
use serde_json::Value;

use crate::support::World;
use crate::support::engines::Under;

fn conversation(json: &Value) -> &str {
    json["repo"]["conversation"]["id"].as_str().unwrap_or_else(|| panic!("no conversation: {json:#}"))
}

#[test]
fn a_prompt_of_many_lines_that_ends_with_a_file_arrives_unchanged() {
    let world = World::under(Under::OpenCode, "");
    std::fs::write(world.repo("work").join("notes.txt"), "salt\n").expect("a writable repo");
    world.ask("/new is no command here");
    let text = "one\ntwo  two\n\n  three\nand four, as in @notes";
    world.ask(text);
    world.model.wait_for("the prompt", |request| request.text == text);
}

#[test]
fn invariant_12_a_subagent_that_works_for_long_takes_nothing_over() {
    let world = World::under(Under::OpenCode, "");
    let first = world.ask("hello");
    let ask = world.start(&["ask", "work", "SUB{HOLD{long} MD{said by the subagent}} please"]);
    world.model.wait_held("long");
    // Longer than it takes until a level is believed without its hook.
    world.stays(HOOKS_WITHIN + Duration::from_secs(2), "the turn goes on, in the same conversation", || {
        let status = world.status("work");
        status["state"] == "working"
            && status["conversation"]["id"] == conversation(&first)
            && status["trouble"].is_null()
    });
    world.model.release("long");
    let answered = ask.finish().ok();
    let answer = answered["answer"].as_str().expect("a text");
    assert!(answer.starts_with("Reply 2 to") && !answer.contains("subagent"), "{answer}");
    assert_eq!(conversation(&answered), conversation(&first));
    assert!(
        world.model.requests().iter().any(|request| request.prompt == "HOLD{long} MD{said by the subagent}")
    );
}

#[test]
fn a_menu_that_somebody_left_open_is_left_before_an_ask_is_typed() {
    let world = World::under(Under::OpenCode, "");
    let first = world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Reply 1 to");
    terminal.type_("\x10");
    terminal.wait_for_text("Commands");
    assert_eq!(world.ask("MD{exact}")["answer"], "exact");
    terminal.wait("the menu to be gone", |screen| !screen.contains("Commands"));
    terminal.type_("/models");
    terminal.wait_for_text("Switch model");
    terminal.type_("\r");
    terminal.wait_for_text("Select model");
    let second = world.ask("New session");
    assert_eq!(conversation(&second), conversation(&first), "nothing was chosen in the menu");
    world.model.wait_for("the ask as it was asked", |request| request.text == "New session");
}
