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

/// How many seconds the clocks of this machine's time zone are ahead of UTC at this moment. 0 if that is
/// unknown.
#[must_use]
#[expect(unsafe_code, reason = "no safe wrapper for localtime_r")]
pub fn offset_at(at: Wall) -> i32 {
    let Ok(seconds) = libc::time_t::try_from(at.0 / 1_000) else { return 0 };
    // SAFETY: a `tm` of zeros is valid, and both pointers are to values that outlive the call.
    let local = unsafe {
        let mut local: libc::tm = std::mem::zeroed();
        (!libc::localtime_r(&raw const seconds, &raw mut local).is_null()).then_some(local)
    };
    local.and_then(|local| i32::try_from(local.tm_gmtoff).ok()).unwrap_or_default()
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
