//! Waiting in tests: checks again and again until something happens, or until a deadline that only a broken
//! program reaches.

use std::time::{Duration, Instant};

/// How long a test waits: far longer than an engine, a screen or a bus takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How often to check.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Waits until `look` finds something. `why` is called if the deadline is reached.
#[track_caller]
pub(crate) fn eventually<T>(why: impl Fn() -> String, mut look: impl FnMut() -> Option<T>) -> T {
    look_every(LOOK, why, &mut look)
}

/// The same, for something that exists only for a moment.
#[track_caller]
pub(crate) fn closely<T>(why: &str, mut look: impl FnMut() -> Option<T>) -> T {
    look_every(Duration::from_millis(1), || why.to_owned(), &mut look)
}

#[track_caller]
fn look_every<T>(every: Duration, why: impl Fn() -> String, look: &mut dyn FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} for {}", why());
        std::thread::sleep(every);
    }
}
