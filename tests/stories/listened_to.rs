//! An engine that is listened to on a port of its own, and names a conversation only with its first prompt: what the
//! acceptance stories don't ask of it.

use std::time::Duration;

use repose_core::session::HOOKS_WITHIN;
use serde_json::Value;

use crate::support::World;
use crate::support::engines::Under;

fn conversation(json: &Value) -> &str {
    json["repo"]["conversation"]["id"].as_str().unwrap_or_else(|| panic!("no conversation: {json:#}"))
}

#[test]
fn a_conversation_that_was_begun_in_the_terminal_is_followed_from_its_first_prompt() {
    let world = World::under(Under::OpenCode, "");
    let first = world.ask("remember the word truffle");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("truffle");
    terminal.type_("/new");
    terminal.wait_for_text("New session");
    terminal.type_("\r");
    // Its home screen, which draws nothing of the conversation.
    terminal.wait("another conversation", |screen| !screen.contains("truffle"));
    drop(terminal);
    let second = world.ask("hello again");
    assert_ne!(conversation(&second), conversation(&first));
    let sent = world.model.wait_for("the turn after /new", |request| request.text == "hello again");
    assert!(!sent.mentions("truffle"), "{sent:#?}");
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(conversation(&first)), "{listed}");
}

#[test]
fn a_copy_has_all_that_was_said_and_leaves_the_other_as_it_is() {
    let world = World::under(Under::OpenCode, "");
    let first = world.ask("remember the word marzipan");
    world.ok(&["stop", "work"]);
    let copy = world.ok(&["fork", "work"]);
    assert_eq!(copy["repo"]["continuity"]["code"], "forked", "{copy:#}");
    assert_ne!(conversation(&copy), conversation(&first));
    let second = world.ask("which word?");
    assert_eq!(conversation(&second), conversation(&copy));
    let sent = world.model.wait_for("the turn in the copy", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan"), "{sent:#?}");
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(conversation(&first)), "{listed}");
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
    // Longer than a level without its hook needs to be believed.
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
