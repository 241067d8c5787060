//! What only Codex does.

use crate::support::engines::Under;
use crate::support::{World, codex};

#[test]
fn a_codex_whose_hooks_are_switched_off_is_asked_and_answers_all_the_same() {
    let world = World::under(Under::Codex, "idle_after = \"8s\"\n");
    codex::no_hooks(&world.home());
    assert_eq!(world.ask("MD{the first}")["answer"], "the first");
    let status = world.status("work");
    assert_eq!(status["trouble"]["code"], "hooks_silent", "{status:#}");
    assert!(!status["holds"].to_string().contains("typed"), "{status:#}");
    assert_eq!(world.ask("MD{the second}")["answer"], "the second");
    let ask = world.start(&["ask", "work", "HOLD{never} hello"]);
    world.model.wait_held("never");
    world.wait_state("work", "working");
    world.ok(&["interrupt", "work"]);
    ask.finish().refused(6, "turn_interrupted");
    let report = world.repose(&["doctor"]).json.to_string();
    assert!(report.contains("features.hooks") && report.contains("hooks work"), "{report}");
    world.wait_state("work", "asleep");
    let back = world.ask("MD{the third}");
    assert_eq!((&back["answer"], &back["continuity"]["code"]), (&"the third".into(), &"resumed".into()));
}

#[test]
fn a_menu_of_codexs_own_is_left_before_an_ask_is_typed() {
    let world = World::under(Under::Codex, "");
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.type_("/new");
    terminal.wait_for_text("start a new chat");
    terminal.type_("\r");
    terminal.wait_for_text("Where should the new conversation run?");
    let before = world.status("work")["conversation"]["id"].clone();
    assert_eq!(world.ask("MD{exact}")["answer"], "exact");
    assert_eq!(world.status("work")["conversation"]["id"], before, "the menu was not answered");
    world.model.wait_for("the ask as it was asked", |request| request.text == "MD{exact}");
}
