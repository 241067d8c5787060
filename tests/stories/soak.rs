//! Fifty repos, random asks, pauses and ends, and randomly killed processes, for as long as there is time,
//! while all promises are checked.
//!
//! `REPOSE_SOAK_SECONDS` sets the duration, and `REPOSE_SOAK_SEED` repeats the same orders. Which of them
//! coincide depends on the machine: a seed narrows a fault down, and the log of the orders shows the rest.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::support::World;

const REPOS: usize = 50;

/// Each has its own repos, so that nobody else affects what it expects of them.
const WORKERS: usize = 4;

/// Time in `make test`; `make soak` takes ten minutes.
const SECONDS: u64 = 60;

/// The runner dies this often.
const RUNNER_DIES_EVERY: Duration = Duration::from_secs(9);

/// Processes are counted this often.
const COUNTED_EVERY: Duration = Duration::from_millis(500);

/// The most open files of a runner with fifty repos, each with its connection, and some to spare.
const FILES_MAX: usize = 400;

/// xorshift64*: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let rolled = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(rolled).expect("31 bits") % sides
    }
}

/// What is expected of a repo.
#[derive(Debug, Default)]
struct Expected {
    /// A pause was reported and nothing has lifted it.
    paused: bool,
    /// The conversation; none while one may have begun that hasn't been reported.
    conversation: Option<String>,
    asks: usize,
    /// What was asked, and how many times it may be answered.
    asked: Vec<String>,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

#[test]
#[expect(clippy::print_stderr, reason = "a seed that isn't known can't be played again")]
fn a_soak_of_fifty_repos_keeps_every_promise() {
    let chance = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    let seed = number("REPOSE_SOAK_SEED", u64::try_from(chance & 0xffff_ffff).expect("32 bits")).max(1);
    let seconds = number("REPOSE_SOAK_SECONDS", SECONDS);
    eprintln!("REPOSE_SOAK_SEED={seed} REPOSE_SOAK_SECONDS={seconds}");

    let mut world = World::new();
    world.fake("");
    world.settings("max_live = 24\n");
    world.serve();
    let names: Vec<String> = (0..REPOS).map(|at| format!("r{at:02}")).collect();
    for name in &names {
        let folder = world.add_repo(name);
        world.ok(&["add", folder.to_str().expect("UTF-8")]);
    }
    let expected = Mutex::new(BTreeMap::new());
    let over = AtomicBool::new(false);
    let ends = Instant::now() + Duration::from_secs(seconds);
    // The runner belongs to the world: whoever wants it alive or dead takes this.
    let shared = std::sync::RwLock::new(world);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let mine: Vec<&String> = names.iter().skip(worker).step_by(WORKERS).collect();
                let (shared, expected, over) = (&shared, &expected, &over);
                let mut dice = Dice(seed.wrapping_mul(worker as u64 + 1));
                scope.spawn(move || {
                    let _stops = Stops(over);
                    while !over.load(Ordering::Relaxed) {
                        let name = mine[dice.roll(mine.len())];
                        let mut known: Expected =
                            expected.lock().expect("no panic").remove(name).unwrap_or_default();
                        turn(shared, name, &mut known, &mut dice);
                        expected.lock().expect("no panic").insert(name.clone(), known);
                    }
                })
            })
            .collect();
        let watcher = scope.spawn(|| {
            let _stops = Stops(&over);
            while !over.load(Ordering::Relaxed) {
                count(&shared.read().expect("no panic"), &names);
                std::thread::sleep(COUNTED_EVERY);
            }
        });
        let mut dies = Instant::now() + RUNNER_DIES_EVERY;
        while Instant::now() < ends && !over.load(Ordering::Relaxed) {
            if Instant::now() >= dies {
                let mut world = shared.write().expect("no panic");
                world.kill_serve();
                world.serve();
                dies = Instant::now() + RUNNER_DIES_EVERY;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        over.store(true, Ordering::Relaxed);
        for ended in workers.into_iter().chain([watcher]) {
            if let Err(panic) = ended.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    let world = shared.into_inner().expect("no panic");
    let expected = expected.into_inner().expect("no panic");
    let asks: usize = expected.values().map(|known| known.asks).sum();
    eprintln!("{asks} asks in {seconds} s");
    assert!(asks > REPOS, "too few to say anything");
    settle(&world, &names, expected);
}

/// A panic in one stops the others.
struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// One order to one repo, and its required result.
fn turn(shared: &std::sync::RwLock<World>, name: &str, known: &mut Expected, dice: &mut Dice) {
    let started = {
        let world = shared.read().expect("no panic");
        match dice.roll(20) {
            0..=8 => {
                known.asks += 1;
                let text = format!("{name} asks {}", known.asks);
                known.asked.push(text.clone());
                let mut verb = vec!["ask", name, text.as_str()];
                match dice.roll(12) {
                    0 => verb.push("--queue"),
                    1 => {
                        verb.push("--fresh");
                        known.conversation = None;
                    }
                    2 | 3 => verb.push("--no-wait"),
                    _ => {}
                }
                let queued = verb.contains(&"--queue");
                Some((if queued { "queue" } else { "ask" }, world.start(&verb)))
            }
            9..=11 => Some(("pause", world.start(&["pause", name]))),
            12 => Some(("pause", world.start(&["pause", name, "--interrupt"]))),
            13..=15 => {
                known.paused = false;
                Some(("resume", world.start(&["resume", name])))
            }
            16 => {
                known.paused = false;
                Some(("stop", world.start(&["stop", name, "--interrupt"])))
            }
            17 => {
                (known.paused, known.conversation) = (false, None);
                Some(("fresh", world.start(&["fresh", name])))
            }
            18 => {
                world.engines(name).iter().for_each(|engine| engine.kill());
                None
            }
            _ => {
                let (folder, all) = (world.repo(name), world.processes());
                let below: Vec<i32> = all
                    .iter()
                    .filter(|process| process.folder == folder)
                    .map(|process| process.parent)
                    .collect();
                let holders = all.iter().filter(|process| process.command.contains(" hold"));
                holders.filter(|holder| below.contains(&holder.pid)).for_each(|holder| holder.kill());
                None
            }
        }
    };
    // Without the world: the runner may die and come back while it waits.
    let Some((verb, running)) = started else { return };
    let output = running.finish();
    let told = output.json["repo"]["conversation"]["id"].as_str().map(str::to_owned);
    let code = output.code;
    assert_ne!(code, 1, "a fault of ours: {output}");
    match verb {
        "ask" if code == 0 && !output.json["answer"].is_null() => {
            let wanted = format!("Scripted reply to {}", known.asked.last().expect("an ask"));
            assert_eq!(output.json["answer"], wanted.as_str(), "{name}: {output}");
            assert!(!known.paused, "invariant 2: {name} was paused and answered: {output}");
            same(name, known, told);
        }
        "ask" if known.paused => {
            let fits = code == 4 || output.json["error"]["code"] == "paused";
            assert!(fits, "invariant 2: {name} is paused: {output}");
        }
        "pause" if code == 0 => known.paused = true,
        "pause" => {
            // It was cut off by the runner's end, but may have happened anyway.
            let now = shared.read().expect("no panic").status(name);
            assert!(!known.paused || now["state"] == "paused", "invariant 2, {name}: {now:#}");
            known.paused = now["state"] == "paused";
        }
        "resume" | "fresh" | "stop" if code != 0 => {
            known.paused = shared.read().expect("no panic").status(name)["state"] == "paused";
        }
        _ => {}
    }
}

/// The current conversation is the one that it was.
fn same(name: &str, known: &mut Expected, told: Option<String>) {
    if let (Some(before), Some(now)) = (&known.conversation, &told) {
        assert_eq!(before, now, "{name} came back with another conversation, and nobody had asked for that");
    }
    known.conversation = told;
}

fn count(world: &World, names: &[String]) {
    let all = world.processes();
    let holders: Vec<i32> =
        all.iter().filter(|process| process.command.contains(" hold")).map(|process| process.pid).collect();
    assert!(holders.len() <= names.len() + RESPAWNS, "more holders than repos: {all:#?}");
    let mut engines = BTreeMap::new();
    for engine in all.iter().filter(|process| holders.contains(&process.parent)) {
        if engine.command.contains("claude") {
            let other = engines.insert(&engine.folder, engine);
            assert!(other.is_none(), "invariant 1: {engine:#?} beside {other:#?}");
        }
    }
    let files = std::fs::read_dir(format!("/proc/{}/fd", world.serve_pid())).map_or(0, Iterator::count);
    assert!(files < FILES_MAX, "the runner has {files} files open");
}

/// Holders that have ended their engine and wait to be heard, beside the next one of their repo.
const RESPAWNS: usize = 10;

/// Once nothing more is ordered, everything comes to rest, and all that is shown and stored is right.
fn settle(world: &World, names: &[String], expected: BTreeMap<String, Expected>) {
    let expected = Mutex::new(expected);
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (mine, expected) = (names.iter().skip(worker).step_by(WORKERS), &expected);
            scope.spawn(move || {
                for name in mine {
                    let known = expected.lock().expect("no panic").remove(name).unwrap_or_default();
                    rests(world, name, known);
                }
            });
        }
    });
    let left = std::fs::read_dir(world.state().join("sessions")).expect("a folder").count();
    world.eventually("the folders of sessions that are over to go", || {
        let left = std::fs::read_dir(world.state().join("sessions")).expect("a folder").count();
        (left == 0).then_some(())
    });
    assert!(world.tree().is_empty(), "{left} folders, {:#?}", world.tree());
}

/// Of one repo.
fn rests(world: &World, name: &str, known: Expected) {
    let rests = world.wait(name, "rest", |status| {
        let live = world.engines(name).len();
        match status["state"].as_str().expect("a state") {
            "ready" => live == 1 && status["queued"] == 0,
            "paused" => live == 0,
            "asleep" | "offline" => live == 0 && status["queued"] == 0,
            _ => false,
        }
    });
    if known.paused {
        assert_eq!(rests["state"], "paused", "invariant 2: {rests:#}");
    }
    if rests["state"] == "paused" {
        world.repose(&["ask", name, "too early"]).refused(3, "paused");
    }
    world.ok(&["stop", name, "--interrupt"]);
    let last = world.ok(&["ask", name, "the last word"]);
    same(name, &mut Expected { conversation: known.conversation, ..Expected::default() }, {
        last["repo"]["conversation"]["id"].as_str().map(str::to_owned)
    });
    told_once(world, name, &known.asked);
    world.ok(&["stop", name]);
}

fn told_once(world: &World, name: &str, asked: &[String]) {
    let log = world.ok(&["log", name, "--limit", "1000"]);
    let entries = log["entries"].as_array().expect("entries");
    let mut transcripts = String::new();
    for entry in std::fs::read_dir(world.transcripts(name)).into_iter().flatten() {
        transcripts += &std::fs::read_to_string(entry.expect("an entry").path()).expect("a transcript");
    }
    for text in asked {
        let reply = format!("Scripted reply to {text}");
        let told = |entry: &&Value| entry["kind"] == "answered" && entry["text"] == reply.as_str();
        let told = entries.iter().filter(told).count();
        assert!(told <= 1, "{name}: {text:?} was answered {told} times: {log:#}");
        let typed = format!("\"role\":\"user\",\"content\":\"{text}\"");
        let typed = transcripts.matches(&typed).count();
        assert!(typed <= 1, "{name}: {text:?} was typed {typed} times");
    }
}
