//! Time as the decisions see it: handed in, never read.

use std::time::Duration;

/// Milliseconds since the Unix epoch, on the clock that people read. It can be set back or forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Wall(pub u64);

/// Milliseconds on the machine's monotonic clock, which stands still while the machine sleeps. Comparable between
/// processes of one boot.
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

impl Wall {
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
