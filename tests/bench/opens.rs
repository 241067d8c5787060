//! Opening and pausing the real engine, beside the engine alone.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Terminal, World, claude, world::REPOSE};
use crate::table::{median, megabytes, millis, percent, print};

/// Opens that are measured, an odd number; one before them, which reads programs from the disk, is left out.
const OPENS: usize = 7;

/// Hooks that are measured, an odd number.
const HOOKS: usize = 201;

/// How often a file is looked for while the bare engine starts.
const LOOK: Duration = Duration::from_millis(1);

/// Opens, a hook, and a pause.
pub(crate) fn measure() {
    let bare = Bare::new();
    let world = World::running("");
    // Side by side: whatever else the machine does meets both alike.
    let (mut alone, mut through) = (Vec::new(), Vec::new());
    for round in 0..=OPENS {
        let spans = (bare.open(), open(&world));
        if round > 0 {
            alone.push(spans.0);
            through.push(spans.1);
        }
    }
    let (alone, through) = (median(alone), median(through));
    let over = through.saturating_sub(alone);
    print("bare engine: spawn to SessionStart", &millis(alone), "-");
    print("open through Repose: verb to confirmed", &millis(through), "-");
    print("  over the bare engine", &millis(over), "< 30 ms");
    print("  over the bare engine", &percent(over.as_secs_f64() / alone.as_secs_f64()), "< 5 %");

    world.ask("hello");
    hooks(&world);
    pause(&world);
}

/// The engine without Repose, in a terminal, with a hook that says when it stands.
struct Bare {
    world: World,
    settings: String,
}

impl Bare {
    fn new() -> Self {
        let world = World::new();
        world.add_repo("work");
        let command = format!("touch '{}'", world.home().join("told").display());
        let hook = serde_json::json!([{ "hooks": [{ "type": "command", "command": command }] }]);
        let settings = serde_json::json!({ "hooks": { "SessionStart": hook } }).to_string();
        Self { world, settings }
    }

    /// From spawn to SessionStart.
    fn open(&self) -> Duration {
        let told = self.world.home().join("told");
        let begun = Instant::now();
        let terminal = Terminal::start(
            &claude::program(),
            &["--settings", &self.settings],
            &self.world.repo("work"),
            &self.world.env(),
        );
        while !told.exists() {
            std::thread::sleep(LOOK);
        }
        let took = begun.elapsed();
        std::fs::remove_file(&told).expect("the hook's file");
        drop(terminal);
        took
    }
}

/// From a verb to its answer with the engine confirmed. Nothing was asked yet, so each open is a new conversation.
fn open(world: &World) -> Duration {
    if world.status("work")["state"] != "asleep" {
        world.ok(&["stop", "work"]);
    }
    let begun = Instant::now();
    world.ok(&["resume", "work"]);
    begun.elapsed()
}

/// One hook as the live engine would run it, with an event that changes nothing, beside a program that does nothing.
fn hooks(world: &World) {
    let engine = world.the_engine("work");
    let environ = std::fs::read(format!("/proc/{}/environ", engine.pid)).expect("our own process");
    let environ = String::from_utf8(environ).expect("UTF-8");
    let env: Vec<_> = environ.split('\0').filter_map(|entry| entry.split_once('=')).collect();
    let payload = br#"{"hook_event_name":"Notification","session_id":"none","message":"a bench"}"#;
    let run = |program: &str, args: &[&str]| {
        let begun = Instant::now();
        let mut child = Command::new(Path::new(program))
            .args(args)
            .env_clear()
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        // A program that reads nothing may be gone already.
        let _gone = child.stdin.take().expect("piped").write_all(payload);
        child.wait().expect("our own child");
        begun.elapsed()
    };
    let (hook, nothing): (Vec<_>, Vec<_>) =
        (0..HOOKS).map(|_| (run(REPOSE, &["hook"]), run("/bin/true", &[]))).unzip();
    print("a program that does nothing, whole process", &millis(median(nothing)), "-");
    print("hook, whole process", &millis(median(hook)), "< 5 ms");
}

fn pause(world: &World) {
    let before: u64 = world.tree().iter().map(|process| process.memory()).sum();
    let begun = Instant::now();
    let paused = world.ok(&["pause", "work"]);
    let took = begun.elapsed();
    let told = paused["freed_bytes"].as_u64().expect("a number");
    print("pause: answer with the tree gone", &millis(took), "< 1000 ms");
    print("freed, as told", &megabytes(told), "-");
    print("  beside /proc just before", &percent(told.abs_diff(before) as f64 / before as f64), "< 2 %");
}
