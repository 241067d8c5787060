//! OpenCode's permissions, answered from outside its terminal.

use crate::support::World;
use crate::support::engines::{Under, decide};

#[test]
fn a_permission_that_is_allowed_from_outside_is_carried_out_and_its_dialog_closes() {
    let world = World::under(Under::OpenCode, "");
    let (dialog, yes) = Under::OpenCode.asks_permission();
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    let ask = world.start(&["ask", "work", "RUN{touch one && touch two} please"]);
    terminal.wait_for_text(dialog);
    let asked = world.wait("work", "a decision", |status| status["decision"].is_object());
    let decision = &asked["decision"];
    assert_eq!(decision["detail"], "touch one && touch two", "all of it: {decision:#}");
    decide(&world, "allow");
    ask.finish().ok();
    assert!(["one", "two"].iter().all(|name| world.repo("work").join(name).exists()));
    terminal.wait("no dialog", |screen| !screen.contains(dialog));

    // Whoever is first counts: here the terminal.
    let ask = world.start(&["ask", "work", "RUN{touch three} please"]);
    world.wait("work", "a decision", |status| status["decision"].is_object());
    terminal.answer(dialog, yes);
    ask.finish().ok();
    assert!(world.status("work")["decision"].is_null() && world.repo("work").join("three").exists());
}

#[test]
fn an_ask_of_two_lines_arrives_also_where_the_screen_is_so_wide_that_something_stands_beside_it() {
    let world = World::under(Under::OpenCode, "");
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Reply 1 to");
    // Its list of what is read and spent is as high as the screen then.
    terminal.resize(180, 13);
    terminal.wait_for_text("Context");
    // A longer one is shown as that something was pasted.
    for words in 28..=31 {
        let text = (1..=words).map(|word| format!("of{word}")).collect::<Vec<_>>().join(" ");
        world.ask(&text);
        world.model.wait_for(&text, |request| request.prompt == text);
    }
}
