//! What live engines may hold, and how many may be live: the least recently used idle one goes, and never one
//! that is held.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::support::World;
use crate::support::world::REPOSE;

/// A world with these repos on the scripted engine, each with an answered ask, the first asked first.
fn asked(faults: &str, settings: &str, names: &[&str]) -> World {
    let mut world = World::new();
    world.fake(faults);
    world.settings(settings);
    world.serve();
    for name in names {
        let folder = world.add_repo(name);
        world.ok(&["add", folder.to_str().expect("UTF-8")]);
        world.ok(&["ask", name, "hello"]);
    }
    world
}

fn live(world: &World) -> usize {
    world.holders().len()
}

#[test]
fn invariant_07_over_the_budget_the_least_recently_used_goes_and_never_one_that_is_held() {
    let world = asked("heavy", "", &["pinned", "old", "new"]);
    world.ok(&["pin", "pinned"]);
    let measured = |name| {
        let status = world.wait(name, "its memory", |status| status["memory"]["bytes"].is_u64());
        status["memory"]["bytes"].as_u64().expect("bytes")
    };
    let all: u64 = ["pinned", "old", "new"].into_iter().map(measured).sum();
    // Allowing for memory's own variation, all three are over it and two aren't.
    world.settings(&format!("memory_budget = \"{} kB\"\n", all * 4 / 5 / 1_000));
    let asleep = world.wait_state("old", "asleep");
    assert!(asleep["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{asleep:#}");
    let log = world.ok(&["log", "old"]).to_string();
    assert!(log.contains("Let go to stay under your budget of"), "{log}");
    world.stays(Duration::from_secs(5), "the other two are within the budget", || live(&world) == 2);

    world.settings("memory_budget = \"0.0001%\"\n");
    world.wait_state("new", "asleep");
    world.stays(Duration::from_secs(5), "it is pinned", || world.status("pinned")["state"] == "ready");
    let log = std::fs::read_to_string(world.state().join("logs/repose.log")).expect("the runner's log");
    let mut sweeps = log.lines().filter(|line| line.contains("swept the live engines"));
    let told = |line: &str| line.contains("let_go=\"new\"") && line.contains("kept=\"pinned (");
    assert!(sweeps.any(told), "what a sweep let go, and what it kept and why: {log}");
    world.ok(&["unpin", "pinned"]);
    world.wait_state("pinned", "asleep");

    world.settings("");
    assert_eq!(world.ok(&["ask", "old", "again"])["continuity"]["kind"], "resumed");
}

#[test]
fn a_budget_may_be_a_share_of_the_machines_memory() {
    let world = asked("heavy", "", &["old", "new"]);
    let measured = |name| {
        let status = world.wait(name, "its memory", |status| status["memory"]["bytes"].is_u64());
        status["memory"]["bytes"].as_u64().expect("bytes")
    };
    let both = measured("old") + measured("new");
    let machine = std::fs::read_to_string("/proc/meminfo").expect("a mounted /proc");
    let total = machine.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
    let total: u64 = total.and_then(|kilobytes| kilobytes.parse().ok()).expect("a number");
    let share = |bytes: u64| bytes as f64 * 100.0 / (total * 1_024) as f64;
    world.settings(&format!("memory_budget = \"{:.6}%\"\n", share(both * 2)));
    world.stays(Duration::from_secs(5), "both are within the budget", || live(&world) == 2);
    world.settings(&format!("memory_budget = \"{:.6}%\"\n", share(both * 3 / 4)));
    world.wait_state("old", "asleep");
    let log = world.ok(&["log", "old"]).to_string();
    assert!(log.contains("Let go to stay under your budget of"), "{log}");
    world.stays(Duration::from_secs(5), "the other one is within it", || live(&world) == 1);
}

#[test]
fn where_as_many_live_as_may_an_idle_one_makes_place_and_held_ones_refuse() {
    let world = asked("", "max_live = 1\n", &["first", "second"]);
    assert_eq!(world.wait_state("first", "asleep")["trouble"], serde_json::Value::Null);
    let log = world.ok(&["log", "first"]).to_string();
    assert!(log.contains("Let go because you allow 1 live engine"), "{log}");

    world.ok(&["pin", "second"]);
    let refused = world.repose(&["ask", "first", "hello"]).refused(3, "max_live");
    let log = world.ok(&["log", "first"])["entries"].as_array().expect("entries").clone();
    let kinds: Vec<_> = log.iter().rev().take(2).map(|entry| entry["kind"].clone()).collect();
    assert_eq!(kinds, ["failed", "asked"], "its end is told: {log:#?}");
    let sentence = refused["message"].as_str().expect("a sentence").to_owned();
    assert!(sentence.contains("`second` (") && sentence.contains("your pin"), "{sentence}");
    let hints = refused["hints"].to_string();
    assert!(
        hints.contains("`repose pause second`") && hints.contains("`repose ask --queue first "),
        "{hints}"
    );
    assert_eq!(world.status("first")["trouble"], serde_json::Value::Null, "whoever asked was told");
    let queued = world.start(&["ask", "first", "in turn", "--queue"]);
    world.stays(Duration::from_secs(3), "the other one is pinned", || live(&world) == 1);
    let why = world.wait_state("first", "asleep")["asks"][0]["reason"].clone();
    assert!(
        why.as_str().is_some_and(|why| why.contains("`second` (") && why.contains("is sent once")),
        "{why}"
    );
    world.terminal(&["why", "first"]).wait_for_text("You allow 1 live engine");
    world.ok(&["ask", "second", "GATE at-work", "--no-wait"]);
    let reason = |status: &serde_json::Value| status["asks"][0]["reason"].to_string();
    world.wait("first", "what holds the other now", |status| reason(status).contains("a turn in progress"));
    std::fs::File::create(world.home().join("at-work")).expect("a writable home");
    world.wait_answered("second", "Scripted reply to GATE at-work");
    world.ok(&["unpin", "second"]);
    queued.finish().ok();
    world.wait_answered("first", "Scripted reply to in turn");
    assert_eq!(world.status("second")["state"], "asleep");
    assert_eq!(live(&world), 1);

    world.ok(&["ask", "first", "GATE gate", "--no-wait"]);
    world.wait_state("first", "working");
    let hints = world.repose(&["ask", "second", "hello"]).refused(3, "max_live")["hints"].to_string();
    assert!(hints.contains("Wait until one") && !hints.contains("repose pause"), "it is at work: {hints}");
    std::fs::File::create(world.home().join("gate")).expect("a writable home");
    world.wait_answered("first", "Scripted reply to GATE gate");
}

#[test]
fn many_opens_at_once_never_make_more_engines_than_may_be_live() {
    let names = ["a", "b", "c", "d", "e"];
    let world = asked("", "max_live = 2\n", &names);
    for name in names {
        world.ok(&["stop", name]);
    }
    for name in names {
        world.ok(&["ask", name, "one of many", "--queue", "--no-wait"]);
    }
    for name in names {
        world.eventually("every queued ask to have its turn", || {
            assert!(live(&world) <= 2, "{:#?}", world.holders());
            world.ok(&["log", name]).to_string().contains("Scripted reply to one of many").then_some(())
        });
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that can't be carried out says so")]
fn under_memory_pressure_the_least_recently_used_goes_and_never_one_that_is_held() {
    let mut world = World::new();
    // The runner sees a kernel that reports pressure: a file of this test's in place of the kernel's, for it
    // only.
    let pressure = world.home().join("pressure");
    let said = |share: u8| {
        let of = |kind| format!("{kind} avg10={share}.00 avg60=0.00 avg300=0.00 total=0\n");
        std::fs::write(&pressure, of("some") + &of("full")).expect("a writable home");
    };
    said(0);
    let over = format!("mount --bind {} /proc/pressure/memory", pressure.display());
    let alone = ["--mount", "--map-root-user", "sh", "-c"];
    let able = std::process::Command::new("unshare").args(alone).arg(&over).status();
    if !able.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this machine gives no namespace in which /proc/pressure/memory could be another");
        return;
    }
    let program = world.home().join("pressed");
    let script = format!("#!/bin/sh\nexec unshare {} '{over} && exec {REPOSE} serve'\n", alone.join(" "));
    std::fs::write(&program, script).expect("a writable home");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    world.serve_from(program);
    world.fake("");
    world.settings("idle_after = \"100s\"\n");
    world.serve();
    for name in ["old", "new"] {
        let folder = world.add_repo(name);
        world.ok(&["add", folder.to_str().expect("UTF-8")]);
        world.ok(&["ask", name, "hello"]);
        world.ok(&["pin", name]);
    }
    said(80);
    world.stays(Duration::from_secs(10), "both are pinned", || live(&world) == 2);
    world.ok(&["unpin", "old"]);
    world.wait_state("old", "asleep");
    let log = world.ok(&["log", "old"]).to_string();
    assert!(log.contains("Let go because the machine was short of memory, after "), "{log}");
    assert_eq!(live(&world), 1);
}
