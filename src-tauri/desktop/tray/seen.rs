//! Whether a panel shows the icon, and when one has been missing for long. Pure.

/// A wait for a panel that isn't there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait(u64);

/// Whether there is a panel.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    now: bool,
    /// Waits are numbered: one whose panel came says nothing of when that went again.
    waits: u64,
}

impl Seen {
    /// Whether one shows the icon now.
    pub(crate) fn now(&self) -> bool {
        self.now
    }

    /// One is waited for from now on, and no earlier wait counts any more.
    pub(crate) fn wait(&mut self) -> Wait {
        self.waits += 1;
        Wait(self.waits)
    }

    /// One came, or went. Then the wait begins for the next.
    pub(crate) fn is_now(&mut self, seen: bool) -> Option<Wait> {
        let went = std::mem::replace(&mut self.now, seen) && !seen;
        went.then(|| self.wait())
    }

    /// Whether none came in the time of this wait.
    pub(crate) fn is_missing(&self, Wait(wait): Wait) -> bool {
        !self.now && wait == self.waits
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    #[test]
    fn a_panel_that_comes_and_goes_is_missed_only_after_a_whole_wait() {
        let mut seen = Seen::default();
        let first = seen.wait();
        assert!(seen.is_missing(first), "it never came");
        assert_eq!(seen.is_now(true), None);
        assert!(!seen.is_missing(first));
        let second = seen.is_now(false).expect("a wait");
        assert_eq!(seen.is_now(false), None, "it is waited for already");
        assert!(!seen.is_missing(first), "that wait was over when it came");
        assert_eq!(seen.is_now(true), None);
        let third = seen.is_now(false).expect("a wait");
        assert!(!seen.is_missing(second), "it was there in between");
        assert!(seen.is_missing(third));
    }
}
