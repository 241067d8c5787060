//! A lock on a path with at most one holder, known by its pid. It is never stale: the kernel releases it when
//! its process ends, however that happens. A folder can be locked too, which nobody undoes by removing a file in it.

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

/// A folder that is locked until this is dropped or the process ends. `None`: its file system locks no folders.
#[derive(Debug)]
pub struct LockedFolder(#[expect(dead_code, reason = "it is locked for as long as it is open")] Option<File>);

/// Why the lock couldn't be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process, or another part of this one, holds it.
    #[error("{} is held by {}", path.display(), holder(*pid))]
    Held {
        /// The lock file's path.
        path: PathBuf,
        /// The holder's pid as written by the holder; `None` in the instant before that.
        pid: Option<u32>,
    },
    /// The file couldn't be created, opened or written.
    #[error("the lock {} can't be used: {source}", path.display())]
    Io {
        /// The lock file's path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// How long to wait for the lock of a dead or dying holder. One that was killed keeps it until its last
/// thread has ended, and may have forked a child that keeps it until it executes another program:
/// milliseconds, or more on a busy machine.
const OUTLIVES_ITS_HOLDER: Duration = Duration::from_secs(5);

/// The pause between two attempts.
const TRY_AGAIN: Duration = Duration::from_millis(10);

/// Takes the lock on `path` without waiting for a holder that lives on, and writes the caller's pid into the
/// file, which is created with mode 0600 if it doesn't exist. Blocks for up to 5 s for the lock of a dead or
/// dying holder, or of one that hasn't written its pid yet.
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

/// Takes the lock on a folder, as [`exclusive`] takes one on a file. Nobody can tell who holds it.
///
/// # Errors
/// [`LockError::Held`] without a pid, or [`LockError::Io`].
pub fn folder(path: &Path) -> Result<LockedFolder, LockError> {
    let io = |source| LockError::Io { path: path.to_owned(), source };
    let folder = File::open(path).map_err(io)?;
    let until = Instant::now() + OUTLIVES_ITS_HOLDER;
    loop {
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(LockedFolder(Some(folder))),
            // A file system over a network may lock only what is open for writing, which a folder never is.
            Err(rustix::io::Errno::BADF | rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOLCK) => {
                return Ok(LockedFolder(None));
            }
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(TRY_AGAIN),
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(LockError::Held { path: path.to_owned(), pid: None });
            }
            Err(error) => return Err(io(error.into())),
        }
    }
}

impl Locked {
    /// Makes the file again, and locks that, if it isn't at `path` any more. Its pid says who holds the lock.
    ///
    /// # Errors
    /// If another process holds the lock on the file that is there now, or the file can't be made.
    pub fn renew(&mut self, path: &Path) -> Result<(), LockError> {
        let io = |source| LockError::Io { path: path.to_owned(), source };
        if still_there(path, &self.file).map_err(io)? {
            return Ok(());
        }
        match take(path).map_err(io)? {
            Ok(locked) => *self = locked,
            Err(pid) => return Err(LockError::Held { path: path.to_owned(), pid }),
        }
        Ok(())
    }
}

/// Looks whether the lock on `path` is free, without taking it and without changing the file.
///
/// # Errors
/// [`LockError::Held`] with the holder's pid, or [`LockError::Io`].
pub fn look(path: &Path) -> Result<(), LockError> {
    let io = |source| LockError::Io { path: path.to_owned(), source };
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(io)?,
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => flock(&file, FlockOperation::Unlock).map_err(|error| io(error.into())),
        Err(rustix::io::Errno::WOULDBLOCK) => {
            Err(LockError::Held { path: path.to_owned(), pid: read_pid(&mut file) })
        }
        Err(error) => Err(io(error.into())),
    }
}

/// `again` waits, and returns whether another attempt at a dead holder's lock is worthwhile.
fn patiently(path: &Path, mut again: impl FnMut() -> bool) -> Result<Locked, LockError> {
    loop {
        match take(path).map_err(|source| LockError::Io { path: path.to_owned(), source })? {
            Ok(locked) => return Ok(locked),
            Err(pid) if pid.is_none_or(|pid| !stays(pid)) && again() => {}
            Err(pid) => return Err(LockError::Held { path: path.to_owned(), pid }),
        }
    }
}

/// Whether the process of this pid lives, and goes on to.
fn stays(pid: u32) -> bool {
    ProcessId::of(pid).is_some_and(|process| !process.ending())
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Emptied first, so that the next reader doesn't take the old pid for the holder's.
        let _ = self.file.set_len(0);
        // Closing alone would leave the lock with a child that another thread is just starting.
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
        // Removed between opening and locking: this lock is on a file that nobody else will find.
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
