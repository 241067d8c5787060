//! One-time codes, in memory, and logins, kept in a file so that they survive restarts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::time::Wall;
use repose_sys::private::{self, PrivateError};

use super::secret::Secret;
use super::{LINK_LASTS, LOGIN_LASTS};

/// The most one-time links that are valid at a time. The oldest makes room for a new one.
const CODES_MAX: usize = 16;

/// The most browsers that are logged in at a time: more than a person has. The oldest login makes room for a
/// new one.
const LOGINS_MAX: usize = 32;

/// Who a one-time link lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guest {
    /// A browser, whose login is kept.
    Browser,
    /// The app's own window, of which there is one. Its login ends with this runner.
    Window,
}

/// Codes that are still valid.
#[derive(Debug, Default)]
pub(super) struct Codes(Vec<(Secret, Wall, Guest)>);

impl Codes {
    /// Creates a code, and says until when it is valid.
    pub(super) fn issue(&mut self, guest: Guest, now: Wall) -> (Secret, Wall) {
        self.0.retain(|(_, issued, _)| fresh(*issued, now, LINK_LASTS));
        if self.0.len() >= CODES_MAX {
            self.0.remove(0);
        }
        let code = Secret::new();
        self.0.push((code.clone(), now, guest));
        let lasts = u64::try_from(LINK_LASTS.as_millis()).unwrap_or(u64::MAX);
        (code, Wall(now.0.saturating_add(lasts)))
    }

    /// Uses up a code. Returns who it lets in, if it was valid.
    pub(super) fn redeem(&mut self, shown: &str, now: Wall) -> Option<Guest> {
        let found = self.0.iter().rposition(|(code, _, _)| code.is(shown))?;
        let (_, issued, guest) = self.0.remove(found);
        fresh(issued, now, LINK_LASTS).then_some(guest)
    }
}

/// Logins of browsers.
#[derive(Debug)]
pub(super) struct Logins {
    path: PathBuf,
    known: Vec<(Secret, Wall)>,
    /// The login of the app's own window. It isn't on disk, since the window returns with a new link.
    window: Option<Secret>,
}

impl Logins {
    /// Reads the logins from the file: one per line, the secret and its time. A line that can't be read loses
    /// that login.
    pub(super) fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let known = text.lines().filter_map(|line| {
            let (secret, since) = line.split_once(' ')?;
            Some((Secret::read(secret)?, Wall(since.parse().ok()?)))
        });
        Self { path: path.to_owned(), known: known.take(LOGINS_MAX).collect(), window: None }
    }

    /// Creates a login, which is on disk before it is returned.
    pub(super) fn begin(&mut self, now: Wall) -> Result<Secret, PrivateError> {
        self.known.retain(|(_, since)| fresh(*since, now, LOGIN_LASTS));
        if self.known.len() >= LOGINS_MAX {
            self.known.remove(0);
        }
        let login = Secret::new();
        self.known.push((login.clone(), now));
        let lines = self.known.iter().map(|(secret, since)| format!("{} {}\n", secret.text(), since.0));
        if let Err(error) = private::write_private(&self.path, lines.collect::<String>().as_bytes()) {
            self.known.pop();
            return Err(error);
        }
        Ok(login)
    }

    /// Creates a login for the app's own window; the previous one is no longer valid.
    pub(super) fn begin_window(&mut self) -> Secret {
        self.window.insert(Secret::new()).clone()
    }

    /// Whether `shown` is a valid login. All are compared, even after a match.
    pub(super) fn has(&self, shown: &str, now: Wall) -> bool {
        let windows = self.window.as_ref().is_some_and(|login| login.is(shown));
        self.known.iter().fold(windows, |found, (login, since)| {
            found | (login.is(shown) & fresh(*since, now, LOGIN_LASTS))
        })
    }
}

fn fresh(since: Wall, now: Wall, lasts: Duration) -> bool {
    now.since(since) < lasts
}
