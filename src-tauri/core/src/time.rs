//! Time as decisions see it: an argument, never read from a clock.

use std::time::Duration;

/// Milliseconds since the Unix epoch on the wall clock, which can be set back or forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Wall(pub u64);

/// Milliseconds on the machine's monotonic clock, which stands still while the machine sleeps. Comparable
/// between processes of one boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Awake(pub u64);

/// One reading of the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Now {
    /// The wall clock.
    pub wall: Wall,
    /// The clock that idle time is measured on.
    pub awake: Awake,
    /// Milliseconds that the machine has slept since it booted. It has woken when this jumps.
    pub slept: u64,
}

/// If the wall clock is set back by more than this, earlier ages are unknown. If by less, as a time server
/// does, moments in the future count as now.
pub const SET_BACK: Duration = Duration::from_secs(300);

impl Wall {
    /// The age of `then`. `None`: unknown, because the clock was set back since.
    #[must_use]
    pub fn age_of(self, then: Self) -> Option<Duration> {
        (then.since(self) <= SET_BACK).then(|| self.since(then))
    }

    /// The time from `earlier` to this moment; zero if the clock was set back in between.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The moment `span` after this one.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }
}

impl Awake {
    /// The time awake from `earlier` to this moment.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The moment `span` of waking time after this one.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }
}

/// A moment in the order of what was reported. Setting the wall clock doesn't affect it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

/// Puts reports with wall-clock times in order, even if the wall clock is set in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    clock: Clock,
    last: Now,
    /// The wall clock before it was last set, with its last reading.
    before: Option<(Clock, Now)>,
}

/// How far the wall clock is ahead of the time since boot, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clock(i64);

/// The wall clock has been set if it is off by more than this, in milliseconds. Less comes from a time
/// server's small corrections, or from reading two clocks.
const WAS_SET: u64 = 1_000;

impl Clock {
    fn of(now: Now) -> Self {
        Self(signed(now.wall.0).saturating_sub(booted(now).0))
    }

    fn moment(self, at: Wall) -> Moment {
        Moment(signed(at.0).saturating_sub(self.0))
    }
}

impl Timeline {
    /// Begins with this reading of the clocks.
    #[must_use]
    pub fn new(now: Now) -> Self {
        Self { clock: Clock::of(now), last: now, before: None }
    }

    /// Takes in a reading, and notices whether the wall clock was set since the last one.
    pub fn read(&mut self, now: Now) {
        let clock = Clock::of(now);
        if clock.0.abs_diff(self.clock.0) > WAS_SET {
            self.before = Some((self.clock, self.last));
            self.clock = clock;
        }
        self.last = now;
    }

    /// The moment of a report that has arrived by now and names this time. If that time isn't possible since
    /// the clock was set, the report is from before.
    #[must_use]
    pub fn moment(&self, at: Wall) -> Moment {
        let moment = self.clock.moment(at);
        match self.before {
            Some((clock, last)) if at > self.last.wall || moment < booted(last) => {
                clock.moment(at).min(booted(last))
            }
            Some(_) | None => moment.min(self.clock.moment(self.last.wall)),
        }
    }
}

/// The time since boot, including sleep.
fn booted(now: Now) -> Moment {
    Moment(signed(now.awake.0.saturating_add(now.slept)))
}

fn signed(millis: u64) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}

impl Now {
    /// The reading after `span` of waking time.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self { wall: self.wall.after(span), awake: self.awake.after(span), slept: self.slept }
    }
}

/// A span in whole milliseconds, capped at `u64::MAX`.
#[must_use]
pub fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
