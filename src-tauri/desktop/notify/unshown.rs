//! What becomes of a notification that no service shows, by its kind. Pure.

use super::news::{QUIT, REFUSED, TOGETHER};
use super::own::{ALL_REFUSED, CLOSED};

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unshown {
    /// It is kept for the next service, or the next start if it is so still.
    Waits,
    /// A dialog says it, or else the window opens: it answers somebody who has just ordered something.
    Said,
    /// A dialog says it where no panel shows the icon: there the app would seem to have ended.
    SaidWithoutIcon,
    /// The app quits, and its agents go on: nobody can be asked.
    Quits,
}

impl Unshown {
    /// Of the notification with this key.
    pub(crate) fn of(key: &str) -> Self {
        match key.split_once(' ').map_or(key, |(kind, _)| kind) {
            REFUSED | TOGETHER | ALL_REFUSED => Self::Said,
            CLOSED => Self::SaidWithoutIcon,
            QUIT => Self::Quits,
            _ => Self::Waits,
        }
    }

    /// Whether it answers or asks somebody, for this start of the app only.
    pub(crate) fn ends_with_the_app(self) -> bool {
        match self {
            Self::Said | Self::Quits => true,
            Self::Waits | Self::SaidWithoutIcon => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Unshown;

    #[test]
    fn each_kind_has_its_way() {
        let table = [
            ("refused id-shop", Unshown::Said, true),
            ("refused-together", Unshown::Said, true),
            ("refused-by-all", Unshown::Said, true),
            ("quit", Unshown::Quits, true),
            ("closed", Unshown::SaidWithoutIcon, false),
            ("waits id-shop", Unshown::Waits, false),
            ("finished id-shop", Unshown::Waits, false),
            ("no-panel", Unshown::Waits, false),
        ];
        for (key, unshown, ends) in table {
            assert_eq!((Unshown::of(key), Unshown::of(key).ends_with_the_app()), (unshown, ends), "{key}");
        }
    }
}
