//! Pause gives the memory back on the user's word, and only the user's word undoes it.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::World;
use crate::support::http::Console;
use crate::support::world::REPOSE;

/// How exact the reported freed memory must be.
const TOLERANCE: f64 = 0.02;

/// How many pauses to measure until one is exact. An engine that another test starts or ends between the two
/// measurements changes how much this one shares of its program.
const MEASURED: usize = 5;

#[test]
fn pause_ends_the_tree_and_tells_what_it_freed() {
    let world = World::running("");
    let first = world.ask("hello");
    let exact = |(told, real): &(u64, u64)| told.abs_diff(*real) as f64 / *real as f64 <= TOLERANCE;
    let mut told = Vec::new();
    while !told.last().is_some_and(exact) {
        assert!(told.len() < MEASURED, "invariant 19: what was told, and what /proc said: {told:?}");
        told.push(pause_and_resume(&world, &first));
    }
}

/// The bytes that a pause reported as freed, and those that /proc reported just before.
fn pause_and_resume(world: &World, first: &Value) -> (u64, u64) {
    let tree = world.tree();
    let before = tree.iter().map(|process| process.memory()).sum();
    let paused = world.ok(&["pause", "work"]);
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    assert!(world.tree().is_empty(), "{:#?}", world.tree());
    assert_eq!(paused["repo"]["state"], "paused");
    assert_eq!(paused["measured"], "pss");

    let back = world.ok(&["resume", "work"]);
    assert_eq!(back["repo"]["state"], "ready");
    assert_eq!(back["repo"]["continuity"]["kind"], "resumed");
    assert_eq!(back["repo"]["conversation"]["id"], first["repo"]["conversation"]["id"]);
    (paused["freed_bytes"].as_u64().expect("a number"), before)
}

#[test]
fn invariant_02_nothing_but_the_users_word_changes_a_paused_repo() {
    let mut world = World::running("");
    world.ask("hello");
    world.ok(&["pause", "work"]);
    let refused = |world: &World| {
        for verb in [
            &["ask", "work", "x"][..],
            &["ask", "work", "x", "--fresh"],
            &["ask", "work", "x", "--no-wait"],
            &["interrupt", "work"],
        ] {
            let error = world.repose(verb).refused(3, "paused");
            assert!(error["hints"].to_string().contains("resume"), "{error:#}");
        }
        let mut terminal = world.terminal(&["open", "work"]);
        terminal.wait_for_text("repose resume work");
        assert_eq!(terminal.wait_ended(), 3);
        assert_eq!(world.status("work")["state"], "paused");
    };
    refused(&world);
    world.stop_serve();
    world.serve();
    refused(&world);
    world.kill_serve();
    world.serve();
    refused(&world);
    assert_eq!(world.model.requests().len(), 1);
    let quiet = || world.holders().is_empty() && world.tree().is_empty();
    world.stays(Duration::from_secs(60), "no process appears after a pause", quiet);
    world.ok(&["resume", "work"]);
    world.wait_state("work", "ready");
}

#[test]
fn invariant_02_a_queued_ask_waits_for_resume_and_survives_a_kill() {
    let mut world = World::running("");
    world.ask("hello");
    world.ok(&["pause", "work"]);
    world.ok(&["ask", "work", "MD{at last}", "--queue", "--no-wait"]);
    assert_eq!(world.status("work")["queued"], 1);
    world.kill_serve();
    world.serve();
    let status = world.status("work");
    assert_eq!((&status["queued"], &status["state"]), (&1.into(), &"paused".into()));
    assert_eq!(world.model.requests().len(), 1);
    world.terminal(&["fresh", "work"]).wait_for_text("The ask that waited goes to it now.");
    world.model.wait_for("the queued ask", |request| request.text == "MD{at last}");
    world.wait("work", "its end", |status| status["queued"] == 0 && status["state"] == "ready");
}

#[test]
fn asks_that_wait_are_listed_and_taken_back_one_by_one_or_all() {
    let world = World::running("");
    world.ask("hello");
    world.ok(&["pause", "work"]);
    for text in ["MD{one}", "MD{two}", "MD{three}"] {
        world.ok(&["ask", "work", text, "--queue", "--no-wait"]);
    }
    let texts = || -> Vec<String> {
        let listed = world.ok(&["asks", "work"])["asks"].clone();
        let texts = listed.as_array().expect("a list").iter().map(|ask| ask["text"].to_string());
        texts.collect()
    };
    assert_eq!(texts(), [r#""MD{one}""#, r#""MD{two}""#, r#""MD{three}""#]);
    let second = world.ok(&["asks", "work"])["asks"][1]["id"].as_str().expect("its id").to_owned();
    let end = &second[second.len() - 8..];
    world.ok(&["withdraw", "work", end]);
    assert_eq!(texts(), [r#""MD{one}""#, r#""MD{three}""#]);
    world.repose(&["withdraw", "work", end]).refused(3, "no_such_ask");
    world.repose(&["withdraw", "work", ""]).refused(2, "bad_request");
    world.repose(&["withdraw", "work", &end[1..]]).refused(2, "bad_request");
    let mut last = serde_json::Value::Null;
    for number in 0..20 {
        last = world.ok(&["ask", "work", &format!("MD{{{number}}}"), "--queue"])["ask"].clone();
    }
    assert_eq!(world.status("work")["asks"].as_array().map(Vec::len), Some(20), "a row has only the first");
    let all = world.ok(&["asks", "work"])["asks"].as_array().expect("a list").clone();
    assert_eq!((all.len(), &all[21]["id"]), (22, &last));
    let last = last.as_str().expect("an id");
    world.ok(&["withdraw", "work", &last[last.len() - 8..]]);
    assert_eq!(world.ok(&["withdraw", "work", "--all"])["withdrawn"].as_array().map(Vec::len), Some(21));
    assert_eq!(world.status("work")["queued"], 0);
    assert_eq!(world.model.requests().len(), 1, "none of them reached the model");
}

#[test]
fn what_a_paused_repo_says_is_not_taken_for_an_answer() {
    let world = World::running_fake("", "");
    world.ask("hello");
    world.ok(&["pause", "work"]);
    let says = |args: &[&str]| {
        let mut repose = Command::new(REPOSE);
        repose.args(args).env_clear().envs(world.env()).current_dir(world.home());
        repose.output().expect("`repose` starts")
    };
    for args in [&["ask", "work", "later", "--queue"][..], &["ask", "work", "later", "--queue", "--no-wait"]]
    {
        let said = says(args);
        assert!(said.status.success() && said.stdout.is_empty(), "{said:?}");
        assert!(String::from_utf8_lossy(&said.stderr).contains("Queued: work is paused"), "{said:?}");
    }
    world.repose(&["open", "work"]).refused(3, "paused");
    world.ok(&["stop", "work", "--interrupt"]);
    let said = says(&["engine", "work", "claude"]);
    assert!(String::from_utf8_lossy(&said.stdout).contains("is with claude already"), "{said:?}");
}

#[test]
fn invariant_02_what_is_queued_reaches_the_model_once_whoever_dies() {
    let mut world = World::running("");
    world.ask("hello");
    world.ok(&["pause", "work"]);
    for text in ["HOLD{gate} MD{the first}", "MD{taken back}", "MD{the last}"] {
        world.ok(&["ask", "work", text, "--queue", "--no-wait"]);
    }
    let second = world.ok(&["asks", "work"])["asks"][1]["id"].as_str().expect("three asks").to_owned();
    world.ok(&["withdraw", "work", &second]);
    world.kill_serve();
    world.serve();
    assert_eq!(world.status("work")["queued"], 2);
    assert_eq!(world.model.requests().len(), 1, "nothing before Resume");

    world.ok(&["resume", "work"]);
    world.model.wait_held("gate");
    world.kill_serve();
    world.holders().iter().for_each(|holder| holder.kill());
    world.serve();
    world.wait_answered("work", "the last");
    world.wait("work", "its end", |status| status["queued"] == 0 && status["state"] == "ready");
    let requests = world.model.requests();
    let reached = |text: &str| requests.iter().filter(|request| request.text == text).count();
    let counts = ["HOLD{gate} MD{the first}", "MD{taken back}", "MD{the last}"].map(reached);
    assert_eq!(counts, [1, 0, 1], "{requests:#?}");
    let log = world.ok(&["log", "work"]).to_string();
    assert!(log.contains("ended before it answered"), "the first has its end too: {log}");
}

#[test]
fn invariant_03_stop_clears_the_pause() {
    let world = World::running("");
    world.ask("hello");
    world.ok(&["pause", "work"]);
    let stopped = world.ok(&["stop", "work"]);
    assert_eq!(stopped["repo"]["state"], "asleep");
    assert_eq!(stopped["repo"]["last"]["kind"], "stopped", "{stopped:#}");
    let log = world.ok(&["log", "work"])["entries"].as_array().expect("entries").clone();
    let ends: Vec<&str> = log.iter().rev().take(2).filter_map(|entry| entry["kind"].as_str()).collect();
    assert_eq!(ends, ["stopped", "paused"], "{log:#?}");
    assert_eq!(world.ask("again")["continuity"]["kind"], "resumed");
}

#[test]
fn invariant_04_pause_is_refused_where_it_would_be_a_one_way_trip() {
    let world = World::running("");
    let error = world.repose(&["pause", "work"]).refused(3, "nothing_to_pause");
    assert!(!error["message"].as_str().unwrap_or_default().is_empty());
    assert_eq!(world.status("work")["state"], "asleep");

    // What is queued can be kept from going on without an engine too.
    world.ok(&["pause", "--all"]);
    world.ok(&["ask", "work", "MD{later}", "--queue", "--no-wait"]);
    let paused = world.ok(&["pause", "work"]);
    assert!(paused["freed_bytes"].is_null() && paused["repo"]["state"] == "paused", "{paused:#}");
    world.ok(&["stop", "--interrupt", "work"]);
    world.ok(&["resume", "--all"]);
    assert_eq!(world.model.requests().len(), 0);

    world.ok(&["resume", "work"]);
    let engine = world.the_engine("work");
    let error = world.repose(&["pause", "work"]).refused(3, "not_resumable");
    assert!(error["hints"].to_string().contains("stop"), "{error:#}");
    assert!(engine.alive());
    assert_eq!(world.status("work")["state"], "ready");
}

#[test]
fn invariant_05_an_end_that_would_lose_work_is_refused_with_the_work_named() {
    let world = World::running("");
    world.ask("hello");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{still here}"]);
    world.model.wait_held("gate");
    world.wait_state("work", "working");
    let engine = world.the_engine("work");
    for verb in [
        &["pause", "work"][..],
        &["stop", "work"],
        &["fresh", "work"],
        &["rm", "work"],
        &["ask", "work", "x", "--fresh"],
    ] {
        let error = world.repose(verb).refused(3, "work_would_be_lost");
        assert!(error["message"].as_str().is_some_and(|message| message.contains("turn")), "{error:#}");
    }
    assert!(engine.alive());
    world.model.release("gate");
    assert_eq!(ask.finish().ok()["answer"], "still here");
}

#[test]
fn invariant_05_interrupt_ends_it_and_the_next_statement_names_what_was_interrupted() {
    let world = World::running("");
    world.ask("hello");
    let ask = world.start(&["ask", "work", "HOLD{never} lost"]);
    world.model.wait_held("never");
    world.wait_state("work", "working");
    let engine = world.the_engine("work");
    world.ok(&["pause", "work", "--interrupt"]);
    assert!(!engine.alive());
    assert_ne!(ask.finish().code, 0);

    let back = world.ok(&["resume", "work"]);
    let sentence = back["repo"]["continuity"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.starts_with("Picked up this repo's previous conversation"), "{sentence}");
    assert!(sentence.contains("a turn in progress"), "{sentence}");
    assert_eq!(back["opened"], true);
    let again = world.ok(&["resume", "work"]);
    assert_eq!(
        (&again["repo"]["continuity"], &again["opened"]),
        (&back["repo"]["continuity"], &false.into())
    );
}

#[test]
fn invariant_05_a_confirmed_pause_cuts_off_what_was_named_and_nothing_else() {
    let world = World::running("");
    let console = Console::of(&world);
    world.ask("hello");
    let first = world.start(&["ask", "work", "HOLD{never} lost"]);
    world.model.wait_held("never");
    world.wait_state("work", "working");
    let repo = world.status("work")["id"].as_str().expect("an id").to_owned();
    let pause = |body: &Value| console.post(&format!("/api/repos/{repo}/pause"), body);
    let refused = pause(&json!({}));
    assert_eq!((refused.status, &refused.json["error"]["code"]), (409, &json!("work_would_be_lost")));
    let second = world.start(&["ask", "work", "and this"]);
    world.wait("work", "the ask that waits", |status| status["queued"] == 1);
    let more = pause(&json!({ "at_most": refused.json["error"]["work"] }));
    assert_eq!(more.status, 409, "{more:#?}");
    assert!(more.json["error"]["message"].to_string().contains("unsent ask"), "{more:#?}");
    assert_eq!(world.status("work")["state"], "working");
    assert_eq!(pause(&json!({ "at_most": more.json["error"]["work"] })).status, 200);
    assert_eq!(world.status("work")["state"], "paused");
    assert_eq!((first.finish().code, second.finish().code), (6, 3));
}

#[test]
fn after_resume_the_idle_clock_starts_anew() {
    let world = World::running("idle_after = \"4s\"\n");
    world.ask("hello");
    world.ok(&["pause", "work"]);
    world.stays(Duration::from_secs(5), "it is paused", || world.status("work")["state"] == "paused");
    world.ok(&["resume", "work"]);
    world.stays(Duration::from_secs(2), "it was resumed a moment ago", || {
        world.status("work")["state"] == "ready"
    });
    world.wait_state("work", "asleep");
}

#[test]
fn pause_all_closes_a_gate_until_resume_all() {
    let world = World::running("");
    let other = world.add_repo("other");
    world.ok(&["add", other.to_str().expect("UTF-8")]);
    world.ask("hello");
    let all = world.repose(&["pause", "--all"]);
    assert!(all.json["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{all}");
    assert_eq!(world.status("work")["state"], "paused");
    world.repose(&["ask", "other", "x"]).refused(3, "paused");
    let queued = world.ok(&["ask", "other", "x", "--queue"]);
    assert_eq!((&queued["waits_for_resume"], &queued["repo"]["state"]), (&true.into(), &"asleep".into()));
    world.ok(&["resume", "--all"]);
    world.model.wait_for("the queued ask", |request| request.text == "x");
    world.wait("other", "its end", |status| status["queued"] == 0 && status["state"] == "ready");
    let resumed = world.terminal(&["resume", "work"]);
    resumed.wait_for_text("Picked up this repo's previous conversation");
}

#[test]
fn what_refused_to_be_paused_with_all_is_asked_and_answers() {
    let world = World::running("");
    world.ask("hello");
    let held = world.start(&["ask", "work", "HOLD{turn}"]);
    world.model.wait_held("turn");
    let all = world.repose(&["pause", "--all"]);
    assert_eq!((all.code, &world.status("work")["state"]), (3, &"working".into()), "{all}");
    let shown = world.terminal(&["pause", "--all"]);
    shown.wait("what to do about it", |screen| screen.contains("`repose pause --interrupt work`"));
    shown.wait_for_text("Everything else is paused; what refused goes on.");
    let log = world.terminal(&["log", "work"]);
    log.wait("a time of this place", |screen| screen.contains("+05:45  asked"));
    world.model.release("turn");
    held.finish().ok();
    for queued in [&["ask", "work", "MD{at once}"][..], &["ask", "work", "MD{at once}", "--queue"]] {
        let answered = world.ok(queued);
        assert_eq!((&answered["answer"], &answered["waits_for_resume"]), (&"at once".into(), &false.into()));
    }
}

#[test]
fn what_crosses_the_end_of_an_interrupted_engine_is_no_warning() {
    let mut world = World::running("");
    world.ask("hello");
    let asked = world.start(&["ask", "work", "HOLD{turn}"]);
    world.model.wait_held("turn");
    world.wait_state("work", "working");
    world.ok(&["pause", "work", "--interrupt"]);
    assert_eq!(asked.finish().code, 6);
    world.model.release("turn");
    world.stop_serve();
    let log = std::fs::read_to_string(world.state().join("logs/repose.log")).expect("the runner's log");
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains(" WARN ")).collect();
    assert!(warnings.is_empty(), "{warnings:#?}");
}
