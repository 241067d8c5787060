//! One holder of a path at a time, known by pid, and never a stale one: the kernel lets go of the
//! lock when its process ends, however it ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::process::ProcessId;

/// A lock that is held until this is dropped or the process ends. The file stays where it is.
#[derive(Debug)]
pub struct Locked {
    file: File,
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process, or another part of this one, has it.
    #[error("{} is held by {}", path.display(), holder(*pid))]
    Held {
        /// The lock's file.
        path: PathBuf,
        /// The holder's pid as it wrote it; `None` in the instant before it has.
        pid: Option<u32>,
    },
    /// The file could not be made, opened or written.
    #[error("the lock {} can't be used: {source}", path.display())]
    Io {
        /// The lock's file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A holder that was killed may have forked a child that has the lock until it starts another program:
/// milliseconds, on a busy machine more. The lock of a holder that is dead is waited for so long.
const OUTLIVES_ITS_HOLDER: Duration = Duration::from_secs(5);

/// Between two tries.
const TRY_AGAIN: Duration = Duration::from_millis(10);

/// Takes the lock on `path`, without waiting for a holder that lives, and writes the caller's pid into the
/// file, which is made with mode 0600 if it does not exist. Blocks up to 5 s for the lock of one that is
/// dead.
///
/// # Errors
/// [`LockError::Held`] with the holder's pid, or [`LockError::Io`].
pub fn exclusive(path: &Path) -> Result<Locked, LockError> {
    let until = Instant::now() + OUTLIVES_ITS_HOLDER;
    patiently(path, || {
        std::thread::sleep(TRY_AGAIN);
        Instant::now() < until
    })
}

/// `again` waits, and says whether the lock of a dead holder is worth another try.
fn patiently(path: &Path, mut again: impl FnMut() -> bool) -> Result<Locked, LockError> {
    loop {
        match take(path).map_err(|source| LockError::Io { path: path.to_owned(), source })? {
            Ok(locked) => return Ok(locked),
            Err(Some(pid)) if ProcessId::of(pid).is_none() && again() => {}
            Err(pid) => return Err(LockError::Held { path: path.to_owned(), pid }),
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Emptied first, so that the next reader does not take the old pid for a holder's.
        let _ = self.file.set_len(0);
        // Closing alone would leave it with a child that another thread is just starting, until that has
        // begun.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

fn take(path: &Path) -> io::Result<Result<Locked, Option<u32>>> {
    loop {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(Err(read_pid(&mut file))),
            Err(error) => return Err(error.into()),
        }
        // Removed between open and lock: this lock is on a file that nobody else will find.
        if !still_there(path, &file)? {
            continue;
        }
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", std::process::id())?;
        return Ok(Ok(Locked { file }));
    }
}

fn still_there(path: &Path, file: &File) -> io::Result<bool> {
    let locked = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(named) => Ok(named.ino() == locked.ino() && named.dev() == locked.dev()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

#[cfg(test)]
mod tests;
