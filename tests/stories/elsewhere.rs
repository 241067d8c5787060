//! Two programs never write one conversation.

use crate::support::{Terminal, World, claude};

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
    let conversation = first["repo"]["conversation"]["id"].as_str().expect("an id").to_owned();
    world.ok(&["stop", "work"]);
    let mut terminal = outside(&world, &conversation);

    for verb in [&["ask", "work", "x"][..], &["resume", "work"], &["open", "work"]] {
        let error = world.repose(verb).refused(3, "owned_elsewhere");
        let message = error["message"].as_str().expect("a sentence");
        assert!(message.contains(&terminal.pid().to_string()), "{message}");
        assert!(error["hints"].to_string().contains("fresh"), "{error:#}");
    }
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
    let conversation = first["repo"]["conversation"]["id"].as_str().expect("an id").to_owned();
    let terminal = outside(&world, &conversation);
    world.wait("work", "the trouble", |status| status["trouble"]["code"] == "owned_elsewhere");
    world.repose(&["ask", "work", "x"]).refused(3, "owned_elsewhere");
    drop(terminal);
    world.wait("work", "the trouble gone", |status| status["trouble"].is_null());
    world.ask("again");
}
