//! The user's login shell as an engine: no conversation, and its jobs hold it.

use std::time::Duration;

use crate::support::World;
use crate::support::engines::Under;

fn world() -> World {
    World::under(Under::Shell, "idle_after = \"2s\"\n")
}

#[test]
fn every_open_of_a_shell_is_fresh_and_says_why() {
    let world = world();
    let first = world.ask("echo the answer is $((6 * 7))");
    assert_eq!(first["continuity"]["sentence"], "Started fresh: a shell keeps no conversation.");
    assert_eq!(first["answer"], "the answer is 42", "nothing but what came of it");
    assert_eq!(first["repo"]["conversation"], serde_json::Value::Null);
    assert_eq!(first["repo"]["keeps"], "nothing");
    assert_eq!(world.ask("printf x")["answer"], "x");
    assert_eq!(world.ask("true")["answer"], "");
    let counted: Vec<String> = (1..=60).map(|number| number.to_string()).collect();
    assert_eq!(world.ask("seq 60")["answer"], counted.join("\n"), "more than a screen");
    let error = world.repose(&["ask", "work", "echo a \\"]).refused(3, "unfit_text");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("backslash")), "{error:#}");
    world.wait_state("work", "asleep");
    assert!(world.tree().is_empty(), "{:#?}", world.tree());
    assert_eq!(world.ask("true")["continuity"]["code"], "engine_keeps_none");
}

#[test]
fn a_shells_foreground_job_holds_it() {
    let world = world();
    let ask = world.start(&["ask", "work", "sleep 4; echo slept"]);
    world.wait_state("work", "working");
    world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
    let done = ask.finish().ok();
    assert!(done["answer"].as_str().is_some_and(|answer| answer.contains("slept")), "{done:#}");
}

#[test]
fn a_shells_background_job_holds_it() {
    let world = world();
    world.ask("sleep 987 &");
    world.wait("work", "a hold for the job", |status| status["holds"].to_string().contains("sleep 987"));
    let asleep = || world.status("work")["state"] == "asleep";
    world.stays(Duration::from_secs(4), "a job runs in the background", || !asleep());
    let error = world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("sleep 987")), "{error:#}");
    world.ask("kill %1");
    world.wait_state("work", "asleep");
}

#[test]
fn what_a_shell_does_by_itself_is_part_of_its_turn() {
    let world = World::under(Under::Shell, "[engines.shell]\ncommand = \"/bin/bash\"\n");
    world.ask("true");
    let ask = world.start(&["ask", "work", "read -r line; echo it read $line"]);
    world.wait_state("work", "working");
    world.stays(Duration::from_secs(3), "nobody answers", || world.status("work")["state"] == "working");
    let terminal = world.terminal(&["open", "work"]);
    terminal.type_("mine\r");
    let done = ask.finish().ok();
    assert!(done["answer"].as_str().is_some_and(|answer| answer.contains("\nit read mine")), "{done:#}");
    world.wait_state("work", "ready");
    drop(terminal);
    world.ok(&["stop", "work"]);
}

#[test]
fn a_line_that_is_not_complete_comes_to_nothing_and_the_next_one_is_alone() {
    for shell in ["/bin/sh", "/bin/bash"] {
        let world = World::under(Under::Shell, &format!("[engines.shell]\ncommand = \"{shell}\"\n"));
        for line in ["echo \"open", "cat <<END\none"] {
            let error = world.repose(&["ask", "work", line]).refused(6, "turn_failed");
            let said = error["message"].as_str().expect("a sentence");
            assert!(said.contains("isn't complete") && said.ends_with("broken off"), "{shell}: {said}");
            assert_eq!(world.ask("echo alone")["answer"], "alone", "{shell} after {line:?}");
        }
        world.ok(&["stop", "work"]);
    }
}

#[test]
fn what_keeps_it_is_looked_for_when_somebody_asks() {
    let world = world();
    for seconds in 981..=985 {
        world.ask(&format!("sleep {seconds} &"));
        let why = world.ok(&["why", "work"]).to_string();
        assert!(why.contains(&format!("sleep {seconds}")), "{why}");
    }
    world.ok(&["stop", "work", "--interrupt"]);
}

#[test]
fn invariant_04_pause_of_a_shell_is_refused_and_offers_stop() {
    let world = world();
    world.ask("true");
    let shell = world.the_engine("work");
    let error = world.repose(&["pause", "work"]).refused(3, "not_resumable");
    assert!(error["hints"].to_string().contains("stop"), "{error:#}");
    assert!(shell.alive());
    world.ok(&["stop", "work"]);
    assert!(!shell.alive());
}
