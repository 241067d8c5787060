//! How an ask ends when its turn doesn't end well, and what happens beside a user who types.

use std::time::Duration;

use crate::support::cli::Running;
use crate::support::{Terminal, World, claude};

#[test]
fn a_failed_turn_is_exit_6() {
    let world = World::running("");
    let error = world.repose(&["ask", "work", "FAIL{400} please"]).refused(6, "turn_failed");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("asked for")), "{error:#}");
    assert_eq!(world.ask("MD{and on it goes}")["answer"], "and on it goes");
}

#[test]
fn an_interrupted_turn_is_exit_6() {
    let world = World::running("");
    let ask = world.start(&["ask", "work", "HOLD{never} hello"]);
    world.model.wait_held("never");
    let id = world.ok(&["asks", "work"])["asks"][0]["id"].as_str().expect("its id").to_owned();
    let error = world.repose(&["withdraw", "work", &id]).refused(3, "ask_taken");
    assert!(error["hints"].to_string().contains("repose interrupt work"), "{error:#}");
    let interrupted = world.ok(&["interrupt", "work"]);
    assert_eq!(interrupted["repo"]["name"], "work");
    ask.finish().refused(6, "turn_interrupted");
    world.wait_state("work", "ready");
    let text = "The turn was interrupted: “HOLD{never} hello”";
    let told = || world.ok(&["log", "work"]).to_string().contains(text).then_some(());
    world.eventually("the log to tell of it", told);
    assert_eq!(world.ask("MD{and on it goes}")["answer"], "and on it goes");
}

#[test]
fn whoever_asked_a_repo_that_is_removed_is_told_that() {
    let world = World::running("");
    let ask = world.start(&["ask", "work", "HOLD{never} hello"]);
    world.model.wait_held("never");
    let waits = world.start(&["ask", "work", "and this"]);
    world.eventually("both asks", || (world.status("work")["queued"] == 1).then_some(()));
    world.ok(&["rm", "work", "--interrupt"]);
    for ask in [ask, waits] {
        ask.finish().refused(3, "removed");
    }
}

#[test]
fn interrupting_nothing_is_refused() {
    let world = World::running("");
    world.ask("hello");
    world.repose(&["interrupt", "work"]).refused(3, "nothing_to_interrupt");
}

#[test]
fn an_ask_that_takes_too_long_is_exit_5_and_its_answer_goes_to_the_log() {
    let world = World::running("");
    world.ask("hello");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{better late}", "--timeout", "1s"]);
    world.model.wait_held("gate");
    let late = ask.finish().refused(5, "timed_out")["hints"].to_string();
    assert!(late.contains("`repose log work`") && late.contains("`repose interrupt work`"), "{late}");
    assert_eq!(world.status("work")["state"], "working");
    let behind = world.start(&["ask", "work", "MD{behind it}", "--timeout", "1s"]);
    let late = behind.finish().refused(5, "timed_out");
    let why = late["message"].as_str().unwrap_or_default();
    assert!(why.ends_with("It is sent after the asks before it."), "{late}");
    let late = late["hints"].to_string();
    assert!(
        late.contains("`repose withdraw work ") && !late.contains("interrupt"),
        "no turn of it runs: {late}"
    );
    world.model.release("gate");
    world.wait_answered("work", "better late");
    world.wait_state("work", "ready");
}

#[test]
fn an_ask_waits_until_a_half_typed_line_is_sent() {
    let world = World::running("");
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    terminal.type_("mine, typed");
    terminal.wait_for_text("mine, typed");
    let ask = world.start(&["ask", "work", "MD{theirs}"]);
    let waiting = world.wait("work", "the ask to wait", |status| status["queued"] == 1);
    assert!(waiting["holds"].to_string().contains("typing"), "{waiting:#}");
    assert_eq!(world.model.requests().len(), 1);

    terminal.type_(" by hand\r");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    let texts: Vec<_> = world.model.requests().into_iter().map(|request| request.text).collect();
    assert_eq!(texts, ["hello", "mine, typed by hand", "MD{theirs}"]);
}

#[test]
fn keys_typed_while_an_ask_is_handed_over_come_after_it() {
    let world = World::running("");
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{whole and alone}"]);
    world.wait("work", "the ask in flight", |status| status["state"] == "working");
    terminal.type_("typed meanwhile");
    world.model.release("gate");
    assert_eq!(ask.finish().ok()["answer"], "whole and alone");
    let asked = world.model.wait_for("the ask", |request| request.text.contains("whole and alone"));
    assert_eq!(asked.text, "HOLD{gate} MD{whole and alone}");
    terminal.wait_for_text("typed meanwhile");
    terminal.type_("\x15");
}

#[test]
fn without_waiting_the_answer_is_found_in_the_log() {
    let world = World::running("");
    world.ok(&["ask", "work", "MD{for later}", "--no-wait"]);
    world.wait_answered("work", "for later");
}

#[test]
fn an_asker_that_goes_away_loses_nothing() {
    let world = World::running("");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{kept}"]);
    world.model.wait_held("gate");
    ask.kill();
    world.model.release("gate");
    world.wait_answered("work", "kept");
}

#[test]
fn an_ask_interrupted_before_its_first_word_leaves_nothing_in_the_engines_line() {
    let world = World::running("");
    let long =
        format!("MUTE{{many}} {}", "a long line, which the screen breaks again and again ".repeat(120));
    let texts = ["MUTE{one} a line", "MUTE{three} first line\nsecond line\nthird", &long];
    for (number, text) in texts.into_iter().enumerate() {
        let ask = world.start(&["ask", "work", text]);
        world.model.wait_held(["one", "three", "many"][number]);
        world.wait_state("work", "working");
        world.ok(&["interrupt", "work"]);
        ask.finish().refused(6, "turn_interrupted");
        let answer = format!("clean {number}");
        assert_eq!(world.ask(&format!("MD{{{answer}}}"))["answer"], answer.as_str());
        let sent = world.model.requests().pop().expect("the request");
        assert_eq!(sent.text, format!("MD{{{answer}}}"), "it was glued to what stood there");
    }
}

#[test]
fn what_a_person_typed_and_took_back_is_half_typed() {
    let world = World::running("");
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    terminal.type_("MUTE{never} by hand");
    terminal.wait_for_text("by hand");
    terminal.type_("\r");
    world.model.wait_held("never");
    world.wait_state("work", "working");
    terminal.type_("\x1b");
    let held = world.wait("work", "the hold", |status| status["holds"].to_string().contains("typing"));
    assert_eq!(held["state"], "ready", "{held:#}");
    let waits = world.start(&["ask", "work", "MD{after it}"]);
    world.wait("work", "the ask to be queued", |status| status["queued"] == 1);
    world.stays(Duration::from_secs(2), "a line is half typed", || world.status("work")["queued"] == 1);
    terminal.type_("\x15");
    assert_eq!(waits.finish().ok()["answer"], "after it");
}

/// A terminal on an engine that was asked something.
fn attached(world: &World) -> Terminal {
    world.ask("first line\nand a second one\nand a third");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    terminal
}

fn asked(world: &World) -> Vec<String> {
    world.model.requests().into_iter().skip(1).map(|request| request.text).collect()
}

fn is_half_typed(world: &World) -> bool {
    world.status("work")["holds"].to_string().contains("typing")
}

/// An ask that waits for the half-typed line.
fn waits(world: &World, text: &str) -> Running {
    let ask = world.start(&["ask", "work", text]);
    world.wait("work", "the ask to wait", |status| status["queued"] == 1);
    world.stays(Duration::from_secs(2), "a line is half typed", || world.status("work")["queued"] == 1);
    ask
}

#[test]
fn an_earlier_prompt_that_was_brought_back_is_not_sent_with_an_ask() {
    let world = World::running("");
    let terminal = attached(&world);
    let up = |brought: &str| {
        let before = terminal.screen().matches(brought).count();
        terminal.type_("\x1b[A");
        terminal.wait("the earlier prompt", |screen| screen.matches(brought).count() > before);
    };
    for (brought, answer) in [(&["and a third"][..], "alone"), (&["MD{alone}", "and a third"], "alone again")]
    {
        brought.iter().for_each(|brought| up(brought));
        assert!(!is_half_typed(&world), "nobody typed it");
        assert_eq!(world.ask(&format!("MD{{{answer}}}"))["answer"], answer);
    }
    assert_eq!(asked(&world), ["MD{alone}", "MD{alone again}"]);
    up("MD{alone again}");
    terminal.type_(" and more");
    terminal.wait_for_text("MD{alone again} and more");
    let ask = waits(&world, "MD{after it}");
    terminal.type_("\r");
    assert_eq!(ask.finish().ok()["answer"], "after it");
    assert_eq!(asked(&world)[2..], ["MD{alone again} and more", "MD{after it}"]);
}

#[test]
fn a_prompt_that_was_queued_and_brought_back_is_waited_for() {
    let world = World::running("");
    let terminal = attached(&world);
    let first = world.start(&["ask", "work", "HOLD{gate} MD{first}"]);
    world.model.wait_held("gate");
    world.wait_state("work", "working");
    terminal.type_("mine, queued");
    terminal.wait_for_text("mine, queued");
    terminal.type_("\r");
    terminal.wait_for_text("to edit queued messages");
    terminal.type_("\x1b[A");
    terminal.wait("it to stand in the line", |screen| !screen.contains("to edit queued messages"));
    world.model.release("gate");
    assert_eq!(first.finish().ok()["answer"], "first");
    world.wait_state("work", "ready");
    assert!(is_half_typed(&world), "somebody wrote it");
    let ask = waits(&world, "MD{theirs}");
    terminal.type_("\r");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    assert_eq!(asked(&world)[1..], ["mine, queued", "MD{theirs}"]);
}

#[test]
fn esc_leaves_what_is_typed_where_it_is_and_twice_takes_it_away() {
    let world = World::running("");
    let terminal = attached(&world);
    terminal.type_("mine");
    terminal.wait_for_text("mine");
    terminal.type_("\x1b");
    let ask = waits(&world, "MD{theirs}");
    terminal.type_(" alone\r");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    assert_eq!(asked(&world), ["mine alone", "MD{theirs}"]);

    terminal.type_("not wanted");
    terminal.wait_for_text("not wanted");
    terminal.type_("\x1b\x1b");
    terminal.wait("the line to be empty", |screen| !screen.contains("not wanted"));
    assert_eq!(world.ask("MD{exact}")["answer"], "exact");
    assert_eq!(asked(&world)[2..], ["MD{exact}"]);
}

#[test]
fn what_ctrl_u_leaves_behind_the_cursor_is_waited_for() {
    let world = World::running("");
    let terminal = attached(&world);
    terminal.type_("kept text");
    terminal.wait_for_text("kept text");
    terminal.type_("\x01\x15");
    let ask = waits(&world, "MD{theirs}");
    terminal.wait_for_text("kept text");
    terminal.type_("\x05\x15");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    assert_eq!(asked(&world), ["MD{theirs}"]);
}

#[test]
fn a_click_moves_the_cursor_in_the_row_of_the_line_alone() {
    let world = World::running("");
    let terminal = attached(&world);
    let click = |row: usize| terminal.type_(&format!("\x1b[<0;5;{row}M\x1b[<0;5;{row}m"));
    terminal.type_("mine");
    terminal.wait_for_text("mine");
    click(3);
    terminal.type_("\x7f\x7f\x7f\x7f");
    terminal.wait("the line to be empty", |screen| !screen.contains("mine"));
    assert!(!is_half_typed(&world), "all of it was removed");
    assert_eq!(world.ask("MD{alone}")["answer"], "alone");

    terminal.type_("kept text");
    terminal.wait_for_text("kept text");
    let row = terminal.screen().lines().position(|line| line.contains("kept text"));
    click(row.expect("the line was just seen") + 1);
    terminal.type_("\x15");
    terminal.wait("what was before the cursor to be gone", |screen| !screen.contains("kept text"));
    let ask = waits(&world, "MD{theirs}");
    terminal.wait_for_text("pt text");
    terminal.type_("\x05\x15");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    assert_eq!(asked(&world), ["MD{alone}", "MD{theirs}"]);
}

#[test]
fn ctrl_c_ends_a_turn_and_leaves_what_is_half_typed() {
    let world = World::running("");
    let terminal = attached(&world);
    let first = world.start(&["ask", "work", "HOLD{never} MD{first}"]);
    world.model.wait_held("never");
    world.wait_state("work", "working");
    terminal.type_("mine");
    terminal.wait_for_text("mine");
    terminal.type_("\x03");
    first.finish().refused(6, "turn_interrupted");
    world.wait_state("work", "ready");
    let ask = waits(&world, "MD{theirs}");
    terminal.type_(" alone\r");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    let prompts: Vec<_> = world.model.requests().into_iter().skip(2).map(|request| request.prompt).collect();
    assert!(prompts[0].ends_with("mine alone") && prompts[1] == "MD{theirs}", "{prompts:?}");
}

#[test]
fn keys_that_bring_nothing_while_a_turn_runs_hold_nothing() {
    let world = World::running("");
    let terminal = attached(&world);
    let first = world.start(&["ask", "work", "HOLD{gate} MD{first}"]);
    world.model.wait_held("gate");
    world.wait_state("work", "working");
    terminal.type_("\x1b[B\t");
    terminal.type_("\x1b[A");
    terminal.wait("the earlier prompt", |screen| screen.matches("MD{first}").count() > 1);
    assert!(!is_half_typed(&world), "nobody typed it");
    world.model.release("gate");
    assert_eq!(first.finish().ok()["answer"], "first");
    assert_eq!(world.ask("MD{alone}")["answer"], "alone");
    assert_eq!(asked(&world)[1..], ["MD{alone}"]);
}

#[test]
fn what_is_typed_onto_a_prompt_that_a_search_found_is_waited_for() {
    let world = World::running("");
    let terminal = attached(&world);
    terminal.type_("\x12");
    terminal.wait_for_text("Esc to cancel");
    terminal.type_("third");
    terminal.wait_for_text("\u{2315} third");
    terminal.type_("\t");
    terminal.wait("the search to be over", |screen| !screen.contains("Esc to cancel"));
    terminal.type_(" and mine\x1b");
    terminal.wait_for_text("and a third and mine");
    let ask = waits(&world, "MD{theirs}");
    terminal.type_("\x03");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    assert_eq!(asked(&world), ["MD{theirs}"]);
}

#[test]
fn what_esc_leaves_in_a_line_with_vims_modes_is_waited_for() {
    let world = World::running("");
    claude::has_modes(&world.home());
    let terminal = attached(&world);
    terminal.wait_for_text("INSERT");
    terminal.type_("mine");
    terminal.wait_for_text("mine");
    terminal.type_("\x1b");
    terminal.wait("its other mode", |screen| !screen.contains("INSERT"));
    terminal.type_("\x1b\x1b");
    let ask = waits(&world, "MD{theirs}");
    assert!(terminal.screen().contains("mine"), "it took nothing away");
    terminal.type_("\x03");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
    assert_eq!(asked(&world), ["MD{theirs}"]);
}

#[test]
fn vims_modes_that_are_switched_on_later_count_from_then_on() {
    let world = World::running("");
    let terminal = attached(&world);
    claude::has_modes(&world.home());
    terminal.wait_for_text("INSERT");
    terminal.type_("mine");
    terminal.wait_for_text("mine");
    terminal.type_("\x1b");
    terminal.wait("its other mode", |screen| !screen.contains("INSERT"));
    terminal.type_("\x1b");
    let ask = waits(&world, "MD{theirs}");
    assert!(terminal.screen().contains("mine"), "it took nothing away");
    terminal.type_("\x03");
    assert_eq!(ask.finish().ok()["answer"], "theirs");
}

#[test]
fn an_engine_that_is_killed_in_mid_turn_is_told_with_the_signal() {
    let world = World::running("");
    world.ask("MD{before}");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{never}"]);
    world.model.wait_held("gate");
    world.the_engine("work").kill();
    let error = ask.finish().refused(6, "engine_ended");
    let message = error["message"].as_str().expect("a sentence");
    assert!(message.ends_with("It was killed by signal 9 (SIGKILL)."), "{message}");
    world.model.release("gate");
    assert_eq!(world.ask("MD{after}")["continuity"]["kind"], "resumed");
}
