//! Opening and pausing the real engine, compared with the engine alone.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::support::{Terminal, World, claude, world::REPOSE};
use crate::table::{median, megabytes, millis, percent, print};

/// How many opens to measure, an odd number; the first, which reads programs from the disk, is left out.
const OPENS: usize = 7;

/// How many hooks to measure, an odd number.
const HOOKS: usize = 201;

/// How often to look for a file while the bare engine starts.
const LOOK: Duration = Duration::from_millis(1);

/// One open: until the engine reported its conversation, and until it accepts a prompt.
#[derive(Debug, Clone, Copy)]
struct Spans {
    confirmed: Duration,
    ready: Duration,
}

/// Measures opens, a hook, and a pause.
pub(crate) fn measure() {
    let bare = Bare::new();
    let world = World::running("");
    // Alternating, so that other load on the machine affects both alike.
    let (alone, through): (Vec<_>, Vec<_>) = (0..=OPENS).map(|_| (bare.open(), open(&world))).skip(1).unzip();
    let rows = [
        (
            "SessionStart",
            "confirmed",
            (|spans| spans.confirmed) as fn(&Spans) -> Duration,
            "< 30 ms",
            "< 5 %",
        ),
        ("ready", "answered, ready", |spans| spans.ready, "-", "-"),
    ];
    for (bare, open, span, budget, share) in rows {
        let alone = median(alone.iter().map(span).collect());
        let through = median(through.iter().map(span).collect());
        let over = through.saturating_sub(alone);
        print(&format!("bare engine: spawn to {bare}"), &millis(alone), "-");
        print(&format!("open through Repose: verb to {open}"), &millis(through), "-");
        print("  over the bare engine", &millis(over), budget);
        print("  over the bare engine", &percent(over.as_secs_f64() / alone.as_secs_f64()), share);
    }

    world.ask("hello");
    hooks(&world);
    pause(&world);
}

/// The engine without Repose, in a terminal, with a hook that says when it is open.
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

    /// From spawn to SessionStart, and to a level that says that it is idle.
    fn open(&self) -> Spans {
        let told = self.world.home().join("told");
        let begun = Instant::now();
        let terminal = Terminal::start(
            &claude::program(),
            &["--settings", &self.settings],
            &self.world.repo("work"),
            &self.world.env(),
        );
        let confirmed = until(begun, || told.exists());
        let level = self.world.home().join(format!(".claude/sessions/{}.json", terminal.pid()));
        let idle = || std::fs::read_to_string(&level).is_ok_and(|level| level.contains(r#""status":"idle""#));
        let ready = until(begun, idle);
        std::fs::remove_file(&told).expect("the hook's file");
        drop(terminal);
        Spans { confirmed, ready }
    }
}

fn until(begun: Instant, there: impl Fn() -> bool) -> Duration {
    while !there() {
        std::thread::sleep(LOOK);
    }
    begun.elapsed()
}

/// From a verb to the statement of the open, which has the time of its confirmation, and to the verb's
/// answer. Nothing has been asked yet, so each open is a new conversation.
fn open(world: &World) -> Spans {
    let (begun, hour) = (Instant::now(), SystemTime::now());
    let opened = world.ok(&["resume", "work"]);
    let ready = begun.elapsed();
    let at = opened["repo"]["continuity"]["at"].as_str().expect("an hour");
    let at = humantime::parse_rfc3339(at).expect("an hour");
    // What an engine does after its start must not affect the next one's.
    world.ok(&["stop", "work"]);
    Spans { confirmed: at.duration_since(hour).expect("a clock that wasn't set back"), ready }
}

/// One hook as the live engine would run it, with an event that changes nothing, compared with a program that
/// does nothing.
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
        // A program that reads nothing may have ended already.
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
