//! One-time codes, in memory; and logins, kept in a file so that they survive restarts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::time::Wall;
use repose_sys::private::{self, PrivateError};

use super::secret::Secret;
use super::{LINK_LASTS, LOGIN_LASTS};

/// One-time links that are good at a time. The oldest goes for a new one.
const CODES_MAX: usize = 16;

/// Browsers that are logged in at a time: more than a person has. The oldest login goes for a new one.
const LOGINS_MAX: usize = 32;

/// Codes that are still good.
#[derive(Debug, Default)]
pub(super) struct Codes(Vec<(Secret, Wall)>);

impl Codes {
    /// A new one, and until when it is good.
    pub(super) fn issue(&mut self, now: Wall) -> (Secret, Wall) {
        self.0.retain(|(_, issued)| fresh(*issued, now, LINK_LASTS));
        if self.0.len() >= CODES_MAX {
            self.0.remove(0);
        }
        let code = Secret::new();
        self.0.push((code.clone(), now));
        let lasts = u64::try_from(LINK_LASTS.as_millis()).unwrap_or(u64::MAX);
        (code, Wall(now.0.saturating_add(lasts)))
    }

    /// Uses a code up. Whether it was good.
    pub(super) fn redeem(&mut self, shown: &str, now: Wall) -> bool {
        let found = self.0.iter().rposition(|(code, _)| code.is(shown));
        found.is_some_and(|at| fresh(self.0.remove(at).1, now, LINK_LASTS))
    }
}

/// The browsers that are logged in.
#[derive(Debug)]
pub(super) struct Logins {
    path: PathBuf,
    known: Vec<(Secret, Wall)>,
}

impl Logins {
    /// Those of the file: one a line, the secret and since when. A line that can't be read is a login lost.
    pub(super) fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let known = text.lines().filter_map(|line| {
            let (secret, since) = line.split_once(' ')?;
            Some((Secret::read(secret)?, Wall(since.parse().ok()?)))
        });
        Self { path: path.to_owned(), known: known.take(LOGINS_MAX).collect() }
    }

    /// A new one, on disk before it is told.
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

    /// Whether `shown` is one that is still good. Every one is compared, whichever fits.
    pub(super) fn has(&self, shown: &str, now: Wall) -> bool {
        self.known
            .iter()
            .fold(false, |found, (login, since)| found | (login.is(shown) & fresh(*since, now, LOGIN_LASTS)))
    }
}

fn fresh(since: Wall, now: Wall, lasts: Duration) -> bool {
    now.since(since) < lasts
}
