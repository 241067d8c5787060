//! An engine that nobody needs is let go, and the next ask brings the conversation back.

use std::time::Duration;

use serde_json::Value;

use crate::support::World;

const SHORT: &str = "idle_after = \"2s\"\n";

const PICKED_UP: &str = "Picked up this repo's previous conversation";

#[test]
fn an_idle_engine_is_let_go_and_the_next_ask_resumes() {
    let world = World::running(SHORT);
    let first = world.ask("remember the word marzipan");
    let engine = world.the_engine("work");
    let asleep = world.wait_state("work", "asleep");
    assert!(!engine.alive());
    assert!(world.tree().is_empty(), "{:#?}", world.tree());
    assert!(asleep["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 50_000_000), "{asleep:#}");
    assert_eq!(asleep["conversation"]["id"], first["repo"]["conversation"]["id"]);
    assert_eq!(asleep["memory"], serde_json::Value::Null);

    let second = world.ask("which word?");
    assert_eq!(second["continuity"]["kind"], "resumed");
    let sentence = second["continuity"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.starts_with(PICKED_UP), "{sentence}");
    assert_eq!(second["repo"]["conversation"]["id"], first["repo"]["conversation"]["id"]);
    let sent = world.model.wait_for("the second turn", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan"), "the model never got the earlier turn: {sent:#?}");
}

#[test]
fn invariant_07_a_resumed_engine_that_nobody_spoke_to_is_let_go() {
    let world = World::running(SHORT);
    world.ask("hello");
    world.wait_state("work", "asleep");
    world.ok(&["resume", "work"]);
    world.the_engine("work");
    world.wait_state("work", "asleep");
}

#[test]
fn invariant_07_an_engine_interrupted_in_mid_turn_is_let_go() {
    let world = World::running(SHORT);
    let ask = world.start(&["ask", "work", "HOLD{never} hello"]);
    world.model.wait_held("never");
    world.ok(&["interrupt", "work"]);
    ask.finish().refused(6, "turn_interrupted");
    world.wait_state("work", "asleep");
}

#[test]
fn invariant_07_looking_is_no_interaction() {
    let world = World::running(SHORT);
    world.ask("hello");
    // `wait_state` itself polls far more often than `idle_after`.
    world.wait_state("work", "asleep");
}

#[test]
fn invariant_07_a_turn_longer_than_the_idle_time_is_not_touched() {
    let world = World::running(SHORT);
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{worth the wait}"]);
    world.model.wait_held("gate");
    world.stays(Duration::from_secs(5), "a turn is in progress", || {
        world.status("work")["state"] == "working"
    });
    world.model.release("gate");
    assert_eq!(ask.finish().ok()["answer"], "worth the wait");
}

#[test]
fn a_pinned_repo_stays_until_it_is_unpinned() {
    let world = World::running(SHORT);
    world.ask("hello");
    world.ok(&["pin", "work"]);
    world.stays(Duration::from_secs(5), "it is pinned", || world.status("work")["state"] == "ready");
    let why = world.ok(&["why", "work"]).to_string();
    assert!(why.contains("pinned"), "{why}");
    world.ok(&["unpin", "work"]);
    world.wait_state("work", "asleep");
}

#[test]
fn a_half_typed_line_holds_and_its_removal_lets_go() {
    let world = World::running(SHORT);
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    terminal.type_("half a thou");
    terminal.wait_for_text("half a thou");
    world.wait("work", "a hold for what is typed", |status| status["holds"].to_string().contains("typing"));
    drop(terminal);
    world.stays(Duration::from_secs(4), "a line is half typed", || world.status("work")["state"] == "ready");
    let error = world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
    assert!(error["hints"][0].to_string().contains("`repose open work`"), "it is its user's: {error:#}");

    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("half a thou");
    terminal.type_("\x15");
    terminal.wait("the line gone", |screen| !screen.contains("half a thou"));
    drop(terminal);
    world.wait_state("work", "asleep");
}

#[test]
fn without_a_runner_the_holder_still_lets_go_and_leaves_the_record() {
    let mut world = World::running(SHORT);
    let first = world.ask("remember the word nougat");
    let engine = world.the_engine("work");
    world.kill_serve();
    world.eventually("the engine to be let go without a runner", || (!engine.alive()).then_some(()));
    world.serve();
    let asleep = world.wait_state("work", "asleep");
    assert_eq!(asleep["conversation"]["id"], first["repo"]["conversation"]["id"]);
    assert!(asleep["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{asleep:#}");
    assert_eq!(world.ask("which word?")["continuity"]["kind"], "resumed");
}

#[test]
fn invariant_07_a_terminal_in_use_holds_and_one_that_is_only_open_does_not() {
    let world = World::running(SHORT);
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    world.wait_state("work", "asleep");
    drop(terminal);

    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    terminal.type_("x\x15");
    let held = world.wait("work", "the hold", |status| status["holds"].to_string().contains("client"));
    assert!(held["holds"][0]["since"].is_string(), "{held:#}");
    world.stays(Duration::from_secs(4), "somebody uses it", || world.status("work")["state"] != "asleep");
    drop(terminal);
    world.wait_state("work", "asleep");
}

/// The shortest and the longest time for which a lease still runs when the runner that renews it dies.
const LEASE_RUNS: std::ops::Range<u64> = 40_000..61_000;

#[test]
fn what_a_dead_runner_held_is_let_go_once_its_lease_has_lapsed_and_not_before() {
    let mut world = World::running("idle_after = \"1s\"\n");
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    terminal.type_("x\x15");
    world.wait("work", "the hold", |status| status["holds"].to_string().contains("client"));
    let engine = world.the_engine("work");
    world.kill_serve();
    let died =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis();
    let lapsed = std::time::Instant::now() + Duration::from_secs(120);
    while engine.alive() {
        assert!(std::time::Instant::now() < lapsed, "a dead runner holds it");
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(terminal);
    // According to the holder's own record of when nothing held it any more.
    let mut sessions = std::fs::read_dir(world.state().join("sessions")).expect("a state folder");
    let session = sessions.next().expect("a session that no runner has seen end").expect("an entry").path();
    let journal = std::fs::read_to_string(session.join("journal")).expect("a journal");
    let let_go = journal.lines().find(|line| line.contains("letting_go")).expect("a reap").to_owned();
    let at: Value = serde_json::from_str(&let_go).expect("JSON");
    let after = at["at"].as_u64().expect("a time") - u64::try_from(died).expect("64 bits");
    // The lease and the idle time run one after the other at the latest.
    assert!(
        (LEASE_RUNS.start..LEASE_RUNS.end + 2_000).contains(&after),
        "{after} ms after its death: {let_go}"
    );
    world.serve();
    world.wait_state("work", "asleep");
}
