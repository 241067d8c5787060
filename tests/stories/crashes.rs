//! `kill -9` of runner, holder and engine after every single write to disk, in every order that a user can
//! give. Whatever was cut off: afterwards the state is right, at most one engine is live, no conversation is
//! lost and no answer is given twice.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::World;
use crate::support::steps::Steps;

/// Whom to kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Runner,
    Holder,
    Engine,
}

const VICTIMS: [Victim; 3] = [Victim::Runner, Victim::Holder, Victim::Engine];

/// More writes than any order makes: a scenario that reaches this never ends.
const STEPS_MAX: usize = 60;

/// An order during which something is killed.
struct Scenario {
    /// The setup; the world is asleep with a conversation.
    before: &'static [&'static [&'static str]],
    /// The verb. `{}` is replaced by a text that no other ask has.
    verb: &'static [&'static str],
    /// Whether it may begin a new conversation.
    may_be_new: bool,
    /// The fewest runs that count as a complete matrix.
    runs_min: usize,
}

/// One run of the scenario, at this step. Returns whether it has such a step.
fn run(
    world: &mut World,
    scenario: &Scenario,
    step: usize,
    victim: Victim,
    seen: &mut BTreeSet<String>,
) -> bool {
    world.repose(&["stop", "work", "--interrupt"]);
    for verb in scenario.before {
        world.ok(verb);
    }
    let known = conversation(&world.status("work"));
    let asked = format!("ask {step} while the {victim:?} dies");
    let verb: Vec<&str> =
        scenario.verb.iter().map(|word| if *word == "{}" { &asked } else { *word }).collect();
    let steps = Steps::stop_at(world, step);
    let mut running = world.start(&verb);
    let Some(at) = steps.stopped(|| running.is_over()) else {
        drop(steps);
        running.finish();
        return false;
    };
    let what = format!("`{}` with the {victim:?} killed at step {step}, {at}", verb.join(" "));
    seen.insert(at);
    match victim {
        Victim::Runner => world.kill_serve(),
        Victim::Holder => world.holders().iter().for_each(|holder| holder.kill()),
        Victim::Engine => world.engines("work").iter().for_each(|engine| engine.kill()),
    }
    drop(steps);
    if victim == Victim::Runner {
        world.serve();
    }
    let output = running.finish();
    check(world, &what, &known, scenario.may_be_new, output.code == 0 && scenario.verb[0] == "pause");
    check_told_once(world, &what, &asked);
    true
}

fn conversation(status: &Value) -> String {
    status["conversation"]["id"].as_str().unwrap_or_default().to_owned()
}

/// The state is right and stays so, and what was known is still known.
fn check(world: &World, what: &str, known: &str, may_be_new: bool, must_be_paused: bool) {
    let settled = world.wait("work", what, |status| {
        assert!(world.engines("work").len() <= 1, "invariant 1, {what}: {:#?}", world.engines("work"));
        let processes = world.tree().len();
        match status["state"].as_str().expect("a state") {
            "asleep" | "paused" | "offline" => processes == 0 && world.holders().is_empty(),
            "ready" => processes > 0 && world.holders().len() == 1,
            _ => false,
        }
    });
    let state = settled["state"].as_str().expect("a state");
    assert!(!must_be_paused || state == "paused", "{what}: the pause was told, and now it is {state}");
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(known), "{what}: invariant 13, {known} is lost: {listed}");
    let mut asked = world.repose(&["ask", "work", "are you there?"]);
    assert!(state != "paused" || asked.code == 3, "{what}: a paused repo was asked");
    if asked.code == 3 {
        // It was looked at while the next runner was still carrying out the pause.
        asked.refused(3, "paused");
        world.wait("work", "the pause", |status| status["state"] == "paused");
        world.ok(&["resume", "work"]);
        asked = world.repose(&["ask", "work", "are you there?"]);
    }
    let now = conversation(&asked.ok()["repo"]);
    assert!(may_be_new || now == known, "{what}: it came back with {now} in place of {known}");
    assert!(now == known || world.ok(&["conversations", "work"]).to_string().contains(&now), "{what}: {now}");
    assert_eq!(world.engines("work").len(), 1, "invariant 1, {what}");
}

/// The ask was typed at most once, and answered at most once.
fn check_told_once(world: &World, what: &str, asked: &str) {
    let log = world.ok(&["log", "work"]);
    let answers = |entry: &&Value| {
        entry["kind"] == "answered" && entry["text"].as_str().is_some_and(|text| text.contains(asked))
    };
    let told = log["entries"].as_array().expect("entries").iter().filter(answers).count();
    assert!(told <= 1, "{what}: told {told} times: {log:#}");
    let mut typed = 0;
    for entry in std::fs::read_dir(world.transcripts("work")).expect("transcripts") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let text = std::fs::read_to_string(path).expect("a transcript");
            let prompt = |line: &&str| line.contains("\"role\":\"user\"") && line.contains(asked);
            typed += text.lines().filter(prompt).count();
        }
    }
    assert!(typed <= 1, "{what}: typed {typed} times");
}

fn matrix(mut world: World, scenario: &Scenario, every: usize) {
    world.ask("the first of all");
    let (mut runs, mut seen) = (0, BTreeSet::new());
    for victim in VICTIMS {
        for step in (1..=STEPS_MAX).step_by(every) {
            assert!(step + every <= STEPS_MAX, "{:?} never ends", scenario.verb);
            if !run(&mut world, scenario, step, victim, &mut seen) {
                break;
            }
            runs += 1;
        }
    }
    assert!(runs >= scenario.runs_min, "{runs} runs are not the whole of {:?}: {seen:?}", scenario.verb);
}

fn scripted() -> World {
    World::running_fake("", "")
}

#[test]
fn crashes_at_every_step_of_an_open_and_an_ask_lose_nothing() {
    let open = Scenario { before: &[], verb: &["ask", "work", "{}"], may_be_new: false, runs_min: 36 };
    matrix(scripted(), &open, 1);
}

#[test]
fn crashes_at_every_step_of_a_pause_lose_nothing() {
    let before: &[&[&str]] = &[&["resume", "work"]];
    let pause = Scenario { before, verb: &["pause", "work"], may_be_new: false, runs_min: 18 };
    matrix(scripted(), &pause, 1);
}

#[test]
fn crashes_at_every_step_of_a_resume_lose_nothing() {
    let before: &[&[&str]] = &[&["resume", "work"], &["pause", "work"]];
    let resume = Scenario { before, verb: &["resume", "work"], may_be_new: false, runs_min: 18 };
    matrix(scripted(), &resume, 1);
}

#[test]
fn crashes_at_every_step_of_a_fresh_ask_lose_nothing() {
    let before: &[&[&str]] = &[&["resume", "work"]];
    let fresh = Scenario { before, verb: &["ask", "work", "{}", "--fresh"], may_be_new: true, runs_min: 36 };
    matrix(scripted(), &fresh, 1);
}

/// As [`matrix`], where time gives the order.
#[test]
fn crashes_at_every_step_of_a_reap_lose_nothing() {
    let mut world = scripted();
    let known = conversation(&world.ask("the first of all")["repo"]);
    let mut runs = 0;
    for victim in VICTIMS {
        for step in 1..STEPS_MAX {
            world.settings("");
            world.ok(&["resume", "work"]);
            let steps = Steps::stop_at(&world, step);
            world.settings("idle_after = \"1s\"\n");
            let all_done = || world.status("work")["state"] == "asleep" && world.holders().is_empty();
            let Some(at) = steps.stopped(all_done) else {
                drop(steps);
                break;
            };
            let what = format!("a reap with the {victim:?} killed at step {step}, {at}");
            match victim {
                Victim::Runner => world.kill_serve(),
                Victim::Holder => world.holders().iter().for_each(|holder| holder.kill()),
                Victim::Engine => world.engines("work").iter().for_each(|engine| engine.kill()),
            }
            world.settings("");
            drop(steps);
            if victim == Victim::Runner {
                world.serve();
            }
            check(&world, &what, &known, false, false);
            runs += 1;
        }
    }
    assert!(runs >= 12, "{runs} runs are not the whole of a reap");
}

#[test]
fn crashes_of_the_real_engines_processes_lose_nothing() {
    let open = Scenario { before: &[], verb: &["ask", "work", "{}"], may_be_new: false, runs_min: 6 };
    matrix(World::running(""), &open, 5);
}
