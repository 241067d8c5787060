//! How a test waits: it looks again and again for what must come, until a deadline that only a broken program
//! meets.

use std::time::{Duration, Instant};

/// How long a test waits: far beyond what an engine, a screen or a bus needs on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// How often it looks.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Waits until a look finds something. `why` is asked for once it is too late.
#[track_caller]
pub(crate) fn eventually<T>(why: impl Fn() -> String, mut look: impl FnMut() -> Option<T>) -> T {
    look_every(LOOK, why, &mut look)
}

/// The same for what is there for a moment alone.
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
