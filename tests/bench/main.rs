//! What Repose costs beside the bare engine, in one run: each number with its budget. Nothing here fails on a slow
//! machine; a person reads it.

#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "the stories use more of it")]
mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{Terminal, World, claude};

/// Opens that are measured; the first ones, which read programs from the disk, are left out.
const OPENS: usize = 7;

/// Hooks that are measured.
const HOOKS: usize = 200;

/// How often a file is looked for while the bare engine starts.
const LOOK: Duration = Duration::from_millis(1);

#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
fn main() {
    println!("{:<46} {:>12} {:>22}", "what", "measured", "budget");
    let row = |what: &str, measured: String, budget: &str| println!("{what:<46} {measured:>12} {budget:>22}");

    let bare = bare_open();
    let (open, world) = repose_open();
    let over = open.saturating_sub(bare);
    row("bare engine: spawn to SessionStart", millis(bare), "-");
    row("open through Repose: request to confirmed", millis(open), "-");
    row("  over the bare engine", millis(over), "< 30 ms");
    row("  over the bare engine", percent(over.as_secs_f64() / bare.as_secs_f64()), "< 5 %");

    world.ask("hello");
    row("hook, whole process", millis(hook(&world)), "< 5 ms");
    let holder = world.holders().first().expect("a live holder").memory();
    row("holder, PSS", megabytes(holder), "< 4 MB");
    let runner =
        world.processes().into_iter().find(|process| process.pid.cast_unsigned() == world.serve_pid());
    row("runner with one live repo, PSS", megabytes(runner.expect("a runner").memory()), "< 16 MB");

    let before: u64 = world.tree().iter().map(|process| process.memory()).sum();
    let begun = Instant::now();
    let paused = world.ok(&["pause", "work"]);
    let took = begun.elapsed();
    let told = paused["freed_bytes"].as_u64().expect("a number");
    row("pause, answer with the tree gone", millis(took), "< 1000 ms");
    row("freed as told", megabytes(told), "-");
    row("  beside /proc just before", percent(told.abs_diff(before) as f64 / before as f64), "< 2 %");
}

/// The median from spawn to SessionStart, without Repose.
fn bare_open() -> Duration {
    let world = World::new();
    let folder = world.add_repo("work");
    let told = world.home().join("told");
    let command = format!("touch '{}'", told.display());
    let hook = serde_json::json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let settings = serde_json::json!({ "hooks": { "SessionStart": hook } }).to_string();
    median(|| {
        let begun = Instant::now();
        let terminal = Terminal::start(&claude::program(), &["--settings", &settings], &folder, &world.env());
        while !told.exists() {
            std::thread::sleep(LOOK);
        }
        let took = begun.elapsed();
        std::fs::remove_file(&told).expect("the hook's file");
        drop(terminal);
        took
    })
}

/// The median from a request to its confirmed answer, and the world with the last engine live.
fn repose_open() -> (Duration, World) {
    let world = World::running("");
    let took = median(|| {
        if world.status("work")["state"] != "asleep" {
            world.ok(&["stop", "work"]);
        }
        let begun = Instant::now();
        world.ok(&["resume", "work"]);
        begun.elapsed()
    });
    (took, world)
}

/// The median of one hook as the live engine would run it: its environment, an event that changes nothing.
fn hook(world: &World) -> Duration {
    let engine = world.the_engine("work");
    let environ = std::fs::read(format!("/proc/{}/environ", engine.pid)).expect("our own process");
    let environ = String::from_utf8(environ).expect("UTF-8");
    let env: Vec<_> = environ.split('\0').filter_map(|entry| entry.split_once('=')).collect();
    let payload = br#"{"hook_event_name":"Notification","session_id":"none","message":"a bench"}"#;
    let mut spans: Vec<_> = (0..HOOKS)
        .map(|_| {
            let begun = Instant::now();
            let mut child = Command::new(Path::new(support::world::REPOSE))
                .arg("hook")
                .env_clear()
                .envs(env.iter().copied())
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("`repose hook` starts");
            child.stdin.take().expect("piped").write_all(payload).expect("a hook reads its payload");
            child.wait().expect("our own child");
            begun.elapsed()
        })
        .collect();
    spans.sort();
    spans[HOOKS / 2]
}

fn median(measure: impl Fn() -> Duration) -> Duration {
    measure();
    let mut spans: Vec<_> = (0..OPENS).map(|_| measure()).collect();
    spans.sort();
    spans[OPENS / 2]
}

fn millis(span: Duration) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1000.0)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn percent(ratio: f64) -> String {
    format!("{:.1} %", ratio * 100.0)
}
