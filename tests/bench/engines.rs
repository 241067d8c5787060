//! The engines compared: the memory of each, what a pause gives back, and how long it takes to return.

use std::time::{Duration, Instant};

use crate::support::World;
use crate::support::engines::Under;
use crate::table::{columns, median, megabytes, millis};

/// An engine continues loading after it takes a prompt, and tidying up after a turn.
const SETTLES: Duration = Duration::from_secs(5);

/// How many times each is opened again, an odd number.
const OPENS: usize = 3;

const ENGINES: [Under; 5] = [Under::Claude, Under::Codex, Under::OpenCode, Under::Gemini, Under::Shell];

/// Prints one row for each engine.
pub(crate) fn measure() {
    columns(&["engine", "idle", "after a turn", "freed by pause", "open again, to ready"]);
    for under in ENGINES {
        let world = World::under(under, "");
        world.ok(&["resume", "work"]);
        let idle = settled(&world);
        world.ask(if under.keeps_conversations() { "hello" } else { "echo hello" });
        let used = settled(&world);
        let (freed, again) = if under.keeps_conversations() {
            let opens: Vec<_> = (0..OPENS).map(|_| again(&world)).collect();
            let (freed, spans): (Vec<_>, Vec<_>) = opens.into_iter().unzip();
            (megabytes(freed[0]), millis(median(spans)))
        } else {
            ("keeps nothing".into(), "-".into())
        };
        columns(&[under.name(), &megabytes(idle), &megabytes(used), &freed, &again]);
    }
}

/// The memory of the engine's tree, once it no longer changes.
fn settled(world: &World) -> u64 {
    std::thread::sleep(SETTLES);
    world.tree().iter().map(|process| process.memory()).sum()
}

/// The memory that a pause reported as given back, and the time from the order to resume until the
/// conversation accepts a prompt.
fn again(world: &World) -> (u64, Duration) {
    let paused = world.ok(&["pause", "work"]);
    let freed = paused["freed_bytes"].as_u64().expect("it was measured");
    let begun = Instant::now();
    let resumed = world.ok(&["resume", "work"]);
    let took = begun.elapsed();
    assert_eq!(resumed["repo"]["continuity"]["kind"], "resumed", "{resumed:#}");
    (freed, took)
}
