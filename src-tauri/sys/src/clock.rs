//! The clocks: the calendar's, and the one that stands still while the machine sleeps.

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

/// Milliseconds the machine has been asleep since boot. Two clocks are read one after the other:
/// a few milliseconds more or less are noise, not sleep.
#[must_use]
pub fn asleep_total() -> u64 {
    let awake = platform::awake();
    millis(platform::since_boot_with_sleep().saturating_sub(awake))
}

/// The machine's present run, by the name that its kernel gave it: another after each start of the machine,
/// never one that was there before. `None`: it can't be read.
#[must_use]
pub fn boot() -> Option<String> {
    platform::boot()
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
