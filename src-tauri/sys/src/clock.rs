//! The clocks: the wall clock, and the one that stands still while the machine sleeps.

use std::time::{SystemTime, UNIX_EPOCH};

use repose_core::time::{Awake, Now, Wall};

use crate::platform;

/// What the clocks say now.
///
/// `wall`: milliseconds since 1970; jumps when the user or NTP sets it. `awake`: milliseconds the
/// machine has been awake since boot; never jumps, and does not count sleep (CLOCK_MONOTONIC on
/// Linux). `slept`: milliseconds it has been asleep since boot, by which waking is noticed: more
/// than before means that it slept in between (CLOCK_BOOTTIME − CLOCK_MONOTONIC on Linux).
#[must_use]
pub fn now() -> Now {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Now { wall: Wall(millis(wall)), awake: Awake(millis(platform::awake())), slept: asleep_total() }
}

/// Milliseconds the machine has been asleep since boot. Two clocks are read one after the other, so
/// differences of a few milliseconds are noise.
#[must_use]
pub fn asleep_total() -> u64 {
    let awake = platform::awake();
    millis(platform::since_boot_with_sleep().saturating_sub(awake))
}

/// The id of the machine's present boot, unique for each. `None`: it can't be read.
#[must_use]
pub fn boot() -> Option<String> {
    platform::boot()
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
