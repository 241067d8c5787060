//! The durations that a user may choose, and their bounds.

use std::time::Duration;

use crate::words;

/// When engines are let go and when conversations are resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// A live engine without holds is let go after this time without interaction.
    pub idle_after: Duration,
    /// An automatic open resumes a conversation whose last turn is younger than this.
    pub resume_within: Duration,
    /// A working engine without a sign of life for this long is shown as stalled.
    pub stall_after: Duration,
}

/// The shortest `idle_after`. A shorter one would let engines go between two keystrokes.
pub const IDLE_AFTER_MIN: Duration = Duration::from_secs(1);

impl Default for Policy {
    fn default() -> Self {
        Self {
            idle_after: Duration::from_secs(6 * 3_600),
            resume_within: Duration::from_secs(4 * 86_400),
            stall_after: Duration::from_secs(600),
        }
    }
}

/// Why the durations can't be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// An engine that is let go would already be too old to be resumed.
    IdleNotShorter(Policy),
    /// `idle_after` is under [`IDLE_AFTER_MIN`].
    IdleTooShort(Duration),
    /// `stall_after` is zero.
    StallNothing,
}

impl Policy {
    /// These durations, if they make sense together.
    ///
    /// # Errors
    /// [`Unfit`] says which one doesn't, and what to write instead.
    pub fn checked(self) -> Result<Self, Unfit> {
        if self.idle_after < IDLE_AFTER_MIN {
            return Err(Unfit::IdleTooShort(self.idle_after));
        }
        if self.idle_after >= self.resume_within {
            return Err(Unfit::IdleNotShorter(self));
        }
        if self.stall_after.is_zero() {
            return Err(Unfit::StallNothing);
        }
        Ok(self)
    }
}

impl Unfit {
    /// What is wrong and what to write instead.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::IdleNotShorter(policy) => format!(
                "`idle_after` ({}) must be shorter than `resume_within` ({}): an engine would come back blank right \
                 after it was let go. Write a longer `resume_within`, like \"{}d\", or a shorter `idle_after`, like \
                 \"6h\".",
                words::span(policy.idle_after),
                words::span(policy.resume_within),
                policy.idle_after.as_secs() / 86_400 + 1
            ),
            Self::IdleTooShort(span) => format!(
                "`idle_after` ({} ms) must be at least {}. Write for example \"6h\".",
                span.as_millis(),
                words::span(IDLE_AFTER_MIN)
            ),
            Self::StallNothing => "`stall_after` must be more than 0 s. Write for example \"10m\".".into(),
        }
    }
}

#[cfg(test)]
mod tests;
