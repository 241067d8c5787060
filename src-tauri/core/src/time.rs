//! Time as the decisions see it: handed in, never read.

use std::time::Duration;

/// Milliseconds since the Unix epoch, on the clock that people read. It can be set back or forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Wall(pub u64);

/// Milliseconds on the machine's monotonic clock, which stands still while the machine sleeps. Comparable
/// between processes of one boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Awake(pub u64);

/// One reading of the clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Now {
    /// What people read.
    pub wall: Wall,
    /// What idle time is measured on.
    pub awake: Awake,
    /// Milliseconds that the machine has slept since it booted: a jump of it is a waking.
    pub slept: u64,
}

/// A clock that was set back by more than this makes ages of before unknown. By less, as a time server does
/// it, what lies ahead counts as now.
pub const SET_BACK: Duration = Duration::from_secs(300);

impl Wall {
    /// The age of what was then. `None`: the clock was set back since, and nobody can tell.
    #[must_use]
    pub fn age_of(self, then: Self) -> Option<Duration> {
        (then.since(self) <= SET_BACK).then(|| self.since(then))
    }

    /// Time from `earlier` to this; nothing if the clock was set back in between.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// This moment and `span` more.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }
}

impl Awake {
    /// Time awake from `earlier` to this.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// This moment and `span` of waking time more.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }
}

/// A moment by which what was said is put in order. Nobody sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

/// Puts in order what others say with a time of the clock that people read, also where that clock is set in
/// between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    clock: Clock,
    last: Now,
    /// As it was set before, and its last reading then.
    before: Option<(Clock, Now)>,
}

/// How far the clock that people read is ahead of the time since the machine booted, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clock(i64);

/// A clock that differs by more than this from what it was has been set. Less is what a time server makes of
/// it bit by bit, and what two readings differ by.
const WAS_SET: u64 = 1_000;

impl Clock {
    fn of(now: Now) -> Self {
        Self(signed(now.wall.0).saturating_sub(booted(now).0))
    }

    fn moment(self, at: Wall) -> Moment {
        Moment(signed(at.0).saturating_sub(self.0))
    }
}

impl Order {
    /// Begins with this reading.
    #[must_use]
    pub fn new(now: Now) -> Self {
        Self { clock: Clock::of(now), last: now, before: None }
    }

    /// Takes in a reading, and with it whether the clock was set since the last one.
    pub fn read(&mut self, now: Now) {
        let clock = Clock::of(now);
        if clock.0.abs_diff(self.clock.0) > WAS_SET {
            self.before = Some((self.clock, self.last));
            self.clock = clock;
        }
        self.last = now;
    }

    /// When this was, of what was said by now. What can't have been said since the clock was set was said
    /// before.
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

/// How long ago the machine booted, asleep or not.
fn booted(now: Now) -> Moment {
    Moment(signed(now.awake.0.saturating_add(now.slept)))
}

fn signed(millis: u64) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}

impl Now {
    /// The same reading after `span` awake.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self { wall: self.wall.after(span), awake: self.awake.after(span), slept: self.slept }
    }
}

/// Whole milliseconds of a span, capped at what 64 bits hold.
#[must_use]
pub fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
