//! One-time codes, in memory, and logins, kept in a file so that they survive restarts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::time::Wall;
use repose_sys::private::{self, PrivateError};

use super::secret::Secret;
use super::{LINK_LASTS, LOGIN_LASTS};

/// The most one-time links to know at a time. The oldest that no longer lets anybody in makes room for a new one, or
/// else the oldest.
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

/// Why a one-time link lets nobody in. Only who has a link of this runner learns more than that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadLink {
    /// It was used.
    Used,
    /// It is too old.
    Expired,
    /// This runner didn't create it, or has forgotten it.
    Unknown,
}

/// The last codes, also those that were used or are too old.
#[derive(Debug, Default)]
pub(super) struct Codes(Vec<OneTime>);

#[derive(Debug)]
struct OneTime {
    code: Secret,
    issued: Wall,
    guest: Guest,
    used: bool,
}

impl OneTime {
    fn lets_in(&self, now: Wall) -> Result<Guest, BadLink> {
        if self.used {
            return Err(BadLink::Used);
        }
        if fresh(self.issued, now, LINK_LASTS) { Ok(self.guest) } else { Err(BadLink::Expired) }
    }
}

impl Codes {
    /// Creates a code, and says until when it is valid.
    pub(super) fn issue(&mut self, guest: Guest, now: Wall) -> (Secret, Wall) {
        if self.0.len() >= CODES_MAX {
            let over = self.0.iter().position(|known| known.lets_in(now).is_err());
            self.0.remove(over.unwrap_or(0));
        }
        let code = Secret::new();
        self.0.push(OneTime { code: code.clone(), issued: now, guest, used: false });
        let lasts = u64::try_from(LINK_LASTS.as_millis()).unwrap_or(u64::MAX);
        (code, Wall(now.0.saturating_add(lasts)))
    }

    /// Uses up a code. Returns who it lets in.
    pub(super) fn redeem(&mut self, shown: &str, now: Wall) -> Result<Guest, BadLink> {
        let known = self.0.iter_mut().rfind(|known| known.code.is(shown)).ok_or(BadLink::Unknown)?;
        let guest = known.lets_in(now)?;
        known.used = true;
        Ok(guest)
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
