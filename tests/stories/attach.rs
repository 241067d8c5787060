//! The user's own terminal on a repo's engine.

use crate::support::{Terminal, World};

/// Ctrl-\ Ctrl-d
const DETACH: &str = "\x1c\x04";

const PROMPT: &str = "\u{276f}";

fn attached(world: &World) -> Terminal {
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text(PROMPT);
    terminal
}

fn has_rule_of(columns: usize) -> impl Fn(&str) -> bool {
    move |screen| screen.lines().any(|line| line.chars().count() == columns && line.chars().all(|c| c == '─'))
}

#[test]
fn open_attaches_and_what_is_typed_is_a_turn() {
    let world = World::running("");
    let terminal = attached(&world);
    terminal.type_("MD{typed and answered}");
    terminal.wait_for_text("MD{typed and answered}");
    terminal.type_("\r");
    world.model.wait_for("the typed turn", |request| request.text == "MD{typed and answered}");
    world.wait("work", "the end of the turn", |status| {
        status["state"] == "ready" && status["conversation"]["turns"] == 1
    });
}

#[test]
fn without_a_terminal_nothing_is_attached_and_nothing_opened() {
    let world = World::running("");
    let refused = world.repose(&["open", "work"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.json.to_string().contains("Nothing was opened"), "{}", refused.json);
    assert_eq!(world.status("work")["state"], "asleep");
    assert!(world.engines("work").is_empty());
}

#[test]
fn invariant_17_detaching_and_closing_change_nothing() {
    let world = World::running("");
    world.ask("hello");
    let engine = world.the_engine("work");
    let mut terminal = attached(&world);
    terminal.type_(DETACH);
    assert_eq!(terminal.wait_ended(), 0);
    assert!(engine.alive());

    drop(attached(&world));
    assert!(engine.alive());
    assert_eq!(world.ask("again")["repo"]["state"], "ready");
    assert_eq!(world.the_engine("work"), engine);
}

#[test]
fn attaching_again_shows_the_same_screen() {
    let world = World::running("");
    let watched = attached(&world);
    world.ask("MD{a line to be seen again}");
    let mut terminal = attached(&world);
    terminal.wait_for_text("a line to be seen again");
    terminal.type_(DETACH);
    terminal.wait_ended();
    let terminal = attached(&world);
    // The one saw every byte come, the other only what the holder kept. The engine redraws a line now and
    // then.
    terminal.wait("the screen as it is where nobody left", |screen| screen == watched.screen());
}

#[test]
fn the_engine_follows_the_terminals_size() {
    let world = World::running("");
    world.ask("hello");
    let terminal = attached(&world);
    terminal.wait("a rule over 110 columns", has_rule_of(110));
    terminal.resize(84, 30);
    terminal.wait("a rule over 84 columns", has_rule_of(84));
}

#[test]
fn two_terminals_see_the_same_and_the_last_that_typed_owns_the_size() {
    let world = World::running("");
    world.ask("hello");
    let one = attached(&world);
    let two = attached(&world);
    one.type_("seen by both");
    one.wait_for_text("seen by both");
    two.wait_for_text("seen by both");
    two.resize(90, 28);
    two.type_("!");
    two.wait("a rule over 90 columns", has_rule_of(90));
    one.wait_for_text("seen by both!");
    drop(two);
    one.type_("\x15");
    one.wait("the line gone", |screen| !screen.contains("seen by both"));
}

#[test]
fn attaching_to_a_sleeping_repo_resumes_it() {
    let world = World::running("");
    world.ask("MD{earlier words}");
    world.ok(&["stop", "work"]);
    let terminal = attached(&world);
    terminal.wait_for_text("earlier words");
    assert_eq!(world.status("work")["continuity"]["kind"], "resumed");
}

#[test]
fn what_was_typed_ahead_reaches_the_engine() {
    let world = World::running("");
    world.ok(&["add", world.add_repo("shell").to_str().expect("UTF-8"), "--engine", "shell"]);
    let terminal = world.terminal(&["open", "shell"]);
    // Its shell takes longer to start than this.
    terminal.type_("echo $((40 + 2)) typed ahead\r");
    terminal.wait_for_text("42 typed ahead");
    drop(terminal);
    world.ok(&["stop", "shell", "--interrupt"]);
}
