//! The machine sleeps, and wakes.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::World;
use crate::support::clock::Clock;

const MINUTE: Duration = Duration::from_secs(60);

const NIGHT: Duration = Duration::from_secs(8 * 3_600);

/// Longer than the pause between two looks of a holder at its engine, whatever its clock says.
const LOOKS: Duration = Duration::from_secs(7);

#[test]
fn invariant_08_a_night_is_no_idle_time_and_nothing_is_let_go_right_after_waking() {
    let world = World::running("idle_after = \"20m\"\n");
    world.ask("hello");
    world.ok(&["stop", "work"]);
    let mut clock = Clock::of(&world);
    world.ask("hello again");
    let engine = world.the_engine("work");
    let due = due(&world.wait("work", "nothing that holds it", |status| !status["reap_at"].is_null()));

    clock.sleeps(NIGHT);
    let later = |status: &Value| !status["reap_at"].is_null() && self::due(status) > due + NIGHT / 2;
    world.wait("work", "the night to be noticed", later);
    let on = || engine.alive() && world.status("work")["state"] == "ready";
    world.stays(LOOKS, "the night is no idle time", on);

    // It would be due in a minute, and the machine sleeps once more.
    clock.passes(19 * MINUTE);
    clock.sleeps(NIGHT);
    world.wait("work", "the second night to be noticed", |status| {
        !status["reap_at"].is_null() && self::due(status) > due + 2 * NIGHT + MINUTE
    });
    clock.passes(2 * MINUTE);
    world.stays(LOOKS, "it was idle long enough, and the machine has just woken", on);
    clock.passes(4 * MINUTE);
    world.wait_state("work", "asleep");
    assert!(!engine.alive());
}

/// When its engine is due to be let go, by the clock of its holder.
fn due(status: &Value) -> SystemTime {
    humantime::parse_rfc3339(status["reap_at"].as_str().expect("a moment")).expect("a moment")
}
