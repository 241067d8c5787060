//! The environment that the user's login shell makes. A program started from a desktop gets the
//! session's PATH and not the one of the user's terminals, where agents are installed.
//!
//! Finds it, bounded in time and size, and merges it. Must not know who wants it, nor keep it: the caller
//! asks once and keeps the answer, since each call starts a shell.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod merge;
mod shell;
#[cfg(test)]
mod tests;

pub use merge::merge;

/// An environment: names and values.
pub type Env = BTreeMap<OsString, OsString>;

/// How long a login shell may take: 3 s, which slow start-up files (version managers, prompts) stay
/// under. At the limit the shell is ended with everything it started, and there is no login environment.
pub const TIME_LIMIT: Duration = Duration::from_secs(3);

/// How much a login shell may print, noise and environment together: 1 MiB, some hundred times what
/// they need. At the limit it is ended like one that takes too long.
pub const SIZE_LIMIT: usize = 1024 * 1024;

/// Set in the shell's environment, so that start-up files can leave out what is slow.
pub const ASKING: &str = "REPOSE_RESOLVING_ENVIRONMENT";

/// Why there is no login environment. The caller goes on with its own.
#[derive(Debug, thiserror::Error)]
pub enum LoginEnvError {
    /// The shell couldn't be started.
    #[error("the login shell {} could not be started, so its PATH is not known: {source}", shell.display())]
    NotStarted {
        /// The shell's path.
        shell: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It didn't finish in time.
    #[error("the login shell {} was not done after {bound:?} and was ended, so its PATH is not known; look for what is slow or waits in its start-up files", shell.display())]
    TookTooLong {
        /// The shell's path.
        shell: PathBuf,
        /// The time limit.
        bound: Duration,
    },
    /// It printed more than [`SIZE_LIMIT`].
    #[error("the login shell {} printed more than {SIZE_LIMIT} bytes and was ended, so its PATH is not known; look for what prints in its start-up files", shell.display())]
    TooMuch {
        /// The shell's path.
        shell: PathBuf,
    },
    /// It ended without printing its environment.
    #[error("the login shell {} ended without telling its environment, so its PATH is not known; see whether its start-up files call exit or exec", shell.display())]
    NoAnswer {
        /// The shell's path.
        shell: PathBuf,
    },
}

/// The user's login shell: `SHELL` if it is an absolute path, else the one in `/etc/passwd`, else
/// `/bin/sh`.
#[must_use]
pub fn login_shell(own: &Env) -> PathBuf {
    let named = own.get(&OsString::from("SHELL")).map(PathBuf::from).filter(|shell| shell.is_absolute());
    named.or_else(shell_of_user).unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// The environment that `shell` has as an interactive login shell, started with the environment
/// `own` in the user's home folder, in a session of its own without a terminal. Blocks for at most
/// about [`TIME_LIMIT`].
///
/// Programs that the start-up files leave running (an ssh-agent) live on, as they do after any
/// login, unless a limit was reached: then the shell, its session and all below it are ended.
///
/// # Errors
/// If the shell does not start, reaches a limit, or ends without an answer.
pub fn find(shell: &Path, own: &Env) -> Result<Env, LoginEnvError> {
    find_within(shell, own, TIME_LIMIT)
}

/// [`find`] with another time limit than [`TIME_LIMIT`].
///
/// # Errors
/// As [`find`].
pub fn find_within(shell: &Path, own: &Env, bound: Duration) -> Result<Env, LoginEnvError> {
    shell::ask(shell, own, bound)
}

fn shell_of_user() -> Option<PathBuf> {
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    shell_in_passwd(&passwd, rustix::process::getuid().as_raw())
}

/// Seventh field of the line whose third is `uid` (passwd(5)).
fn shell_in_passwd(passwd: &str, uid: u32) -> Option<PathBuf> {
    let uid = uid.to_string();
    let line = passwd.lines().find(|line| line.split(':').nth(2) == Some(&uid))?;
    let shell = PathBuf::from(line.split(':').nth(6)?);
    shell.is_absolute().then_some(shell)
}
