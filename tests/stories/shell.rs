//! The user's login shell as an engine: no conversation, and its jobs hold it.

use std::time::Duration;

use rustix::process::Signal;

use crate::support::World;
use crate::support::engines::Under;

fn world() -> World {
    World::under(Under::Shell, "idle_after = \"2s\"\n")
}

/// A shell that edits its lines, with this start-up file.
fn editing(starts_with: &str) -> World {
    let world = World::under(Under::Shell, "[engines.shell]\ncommand = \"/bin/bash\"\n");
    std::fs::write(world.home().join(".bashrc"), starts_with).expect("a writable home");
    world
}

/// Output of the shell's own, with pauses in it during which nothing is in the foreground but itself.
const SLOWLY: &str =
    "for i in 1 2 3; do echo $i; n=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done; done; echo end";

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

#[test]
fn an_answer_is_whole_however_long_the_shell_itself_works_on_it() {
    for world in [world(), editing("PS1='> '"), editing("PS1='\\w\\n'")] {
        world.ask("true");
        assert!(world.ask(SLOWLY)["answer"].to_string().starts_with("\"1\\n2\\n3\\nend"));
        assert!(world.ask("sleep 0.3; echo $(sleep 0.5; echo x)")["answer"].to_string().starts_with("\"x"));
    }
}

#[test]
fn what_a_holder_reads_late_is_part_of_the_answer() {
    let world = world();
    world.ask("true");
    let (gate, done) = (world.repo("work").join("gate"), world.repo("work").join("done"));
    // While nobody reads, a terminal has room for 4 KiB.
    let text = "while [ ! -e gate ]; do sleep 0.1; done; seq 500; touch done";
    let ask = world.start(&["ask", "work", text]);
    world.wait_state("work", "working");
    let holders = world.holders();
    holders.iter().for_each(|holder| holder.signal(Signal::STOP));
    std::fs::write(&gate, "").expect("a writable repo");
    world.eventually("all of it to be written", || done.exists().then_some(()));
    holders.iter().for_each(|holder| holder.signal(Signal::CONT));
    let counted: Vec<String> = (1..=500).map(|number| number.to_string()).collect();
    assert_eq!(ask.finish().ok()["answer"], counted.join("\n"));
}

#[test]
fn what_is_in_the_foreground_is_the_turn_and_what_it_leaves_holds_at_once() {
    let world = world();
    let ask = world.start(&["ask", "work", "sleep 987 & sleep 3"]);
    world.wait_state("work", "working");
    let named = world.repose(&["stop", "work"]).refused(3, "work_would_be_lost").to_string();
    assert!(!named.contains("sleep 3"), "{named}");
    let left = &ask.finish().ok()["repo"]["holds"];
    assert!(left.to_string().contains("sleep 987"), "{left:#}");
}

#[test]
fn an_exit_is_told_in_a_short_sentence() {
    let world = world();
    world.ask("seq 100");
    let error = world.repose(&["ask", "work", "exit"]).refused(6, "engine_ended");
    let said = error["message"].as_str().unwrap_or_default();
    assert!(said.ends_with("It exited (exit status 0)."), "{error:#}");
    world.wait_state("work", "asleep");
}
