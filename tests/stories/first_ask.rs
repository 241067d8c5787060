//! A repo that nothing runs in opens itself, answers, and says what it remembers.

use crate::support::{World, claude};

const FIRST: &str = "Started fresh: this is the first conversation in this repo.";

#[test]
fn an_ask_opens_and_answers_and_says_that_it_is_the_first() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    world.serve();
    let added = world.repose_in(&folder, &["add", "."]).ok();
    assert_eq!(added["repo"]["name"], "work");
    assert_eq!(added["repo"]["engine"], "claude");
    assert_eq!(added["repo"]["state"], "asleep");

    let asked = world.repose_in(&folder, &["ask", ".", "MD{Hello from the model.}"]).ok();
    assert_eq!(asked["answer"], "Hello from the model.");
    assert_eq!(asked["continuity"]["kind"], "fresh");
    assert_eq!(asked["continuity"]["code"], "first");
    assert_eq!(asked["continuity"]["sentence"], FIRST);
    assert_eq!(asked["repo"]["state"], "ready");
    assert_eq!(asked["repo"]["conversation"]["turns"], 1);
}

#[test]
fn invariant_11_the_statement_is_the_same_wherever_it_stands() {
    let world = World::running("");
    let asked = world.ask("hello");
    let listed = world.ok(&["ls"]);
    assert_eq!(asked["continuity"]["sentence"], FIRST);
    assert_eq!(asked["repo"]["continuity"]["sentence"], FIRST);
    assert_eq!(world.status("work")["continuity"]["sentence"], FIRST);
    assert_eq!(listed["repos"][0]["continuity"]["sentence"], FIRST);
}

#[test]
fn the_answer_is_whole_however_long_it_is() {
    let world = World::running("");
    let asked = world.ask("LONG{4000}");
    let words: Vec<_> = asked["answer"].as_str().expect("an answer").split_whitespace().collect();
    assert_eq!(words.len(), 4000);
    assert_eq!(words.last(), Some(&"w3999"));
}

#[test]
fn a_question_of_many_lines_arrives_unchanged() {
    let world = World::running("");
    let question = "first line\n\n  second, with \"quotes\" and 'more' & $HOME\n\ttabbed äöü €";
    world.ask(question);
    // Claude Code marks a paste of many lines, and replaces a tab with four spaces.
    let typed = question.replace('\t', "    ");
    world.model.wait_for("the question as it was asked", |request| request.text.contains(&typed));
}

#[test]
fn a_question_can_come_from_standard_input() {
    let world = World::running("");
    let asked = world.start_with_input(&["ask", "work", "-"], "MD{from a pipe}").finish().ok();
    assert_eq!(asked["answer"], "from a pipe");
}

#[test]
fn what_a_dialog_got_that_came_up_in_between_is_asked_after_it() {
    let world = World::running("");
    claude::names_a_mode(&world.home());
    let ask = world.start(&["ask", "work", "MD{Unchanged.}"]);
    world.wait_state("work", "waiting");
    let terminal = world.terminal(&["open", "work"]);
    // Down and Enter: no.
    terminal.answer("Make auto mode your default", "\x1b[B\r");
    drop(terminal);
    assert_eq!(ask.finish().ok()["answer"], "Unchanged.");
    world.model.wait_for("the prompt as it was asked", |request| request.prompt == "MD{Unchanged.}");
}

#[test]
fn any_text_arrives_as_that_text_or_is_refused_with_the_reason() {
    let world = World::running("");
    let long = "a line of a long question\n".repeat(2_000);
    let arrive = [
        "/etc/hosts is a path",
        "what does /clear do?",
        "!touch made-by-an-exclamation-mark",
        "#no note",
        "a last backslash \\",
        "日本語 \u{1f980} \u{fc}",
        "-",
        long.as_str(),
    ];
    for text in arrive {
        world.start_with_input(&["ask", "work", "-"], text).finish().ok();
        world.model.wait_for(text, |request| request.text.contains(text.trim()));
    }
    assert!(!world.repo("work").join("made-by-an-exclamation-mark").exists());
    // The engine leaves out characters without width, which come with text that is copied from a page.
    assert_eq!(world.ask("MD{known again} a\u{200b}b\u{feff}")["answer"], "known again");

    let asked = world.model.requests().len();
    let megabyte = "x".repeat(1 << 20);
    let refused = [
        ("", "empty"),
        (" \n ", "empty"),
        ("an end of a paste \u{1b}[201~ in it", "U+001B"),
        ("a key \u{3} in it", "U+0003"),
        ("exit", "end itself"),
        ("a mark \u{202e} that turns what follows", "U+202E"),
        ("/clear", "a command of its own"),
        (" /model opus", "a command of its own"),
        (megabyte.as_str(), "1048576 bytes"),
    ];
    for (text, why) in refused {
        let output = world.start_with_input(&["ask", "work", "-"], text).finish();
        let error = output.refused(3, "unfit_text");
        assert!(error["message"].as_str().is_some_and(|said| said.contains(why)), "{error:#}");
    }
    assert_eq!(world.model.requests().len(), asked, "nothing of what was refused was asked");
    assert_eq!(world.status("work")["asks"].as_array().map(Vec::len), Some(0));
}

#[test]
fn invariant_16_looking_opens_nothing() {
    let world = World::running("");
    for verb in [&["ls"][..], &["status"], &["status", "work"], &["why", "work"], &["conversations", "work"]]
    {
        world.ok(verb);
    }
    world.ok(&["log", "work"]);
    world.repose(&["doctor"]);
    assert_eq!(world.status("work")["state"], "asleep");
    assert!(world.holders().is_empty());
}
