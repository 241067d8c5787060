//! Folders and files that only their owner can read.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Why something can't be kept private.
#[derive(Debug, thiserror::Error)]
pub enum PrivateError {
    /// The folder is another user's.
    #[error("the folder {} belongs to user {owner}, so Repose keeps nothing in it; move it away or choose another", path.display())]
    NotOurs {
        /// The folder's path.
        path: PathBuf,
        /// User id of its owner.
        owner: u32,
    },
    /// The system refused something.
    #[error("{doing} {} did not work: {source}", path.display())]
    Io {
        /// What was attempted.
        doing: &'static str,
        /// The path concerned.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Makes sure that `path` is a folder of the caller's with mode 0700: creates it and missing ones above it
/// (also with 0700), and corrects the mode of an existing one.
///
/// # Errors
/// [`PrivateError::NotOurs`] for another user's folder, which is left unchanged; otherwise
/// [`PrivateError::Io`], also if something that isn't a folder is there.
pub fn create_private_dir(path: &Path) -> Result<(), PrivateError> {
    let io = |doing| move |source| PrivateError::Io { doing, path: path.to_owned(), source };
    DirBuilder::new().recursive(true).mode(DIR_MODE).create(path).map_err(io("making the folder"))?;
    // The same descriptor is checked and corrected, so the name can't be swapped in between.
    let folder = File::open(path).map_err(io("opening the folder"))?;
    let found = folder.metadata().map_err(io("looking at the folder"))?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(PrivateError::NotOurs { path: path.to_owned(), owner: found.uid() });
    }
    if found.mode() & 0o7777 != DIR_MODE {
        folder
            .set_permissions(Permissions::from_mode(DIR_MODE))
            .map_err(io("closing to others the folder"))?;
    }
    Ok(())
}

/// Replaces the file at `path` with one that has these bytes and mode 0600. Readers see either the old or the
/// new file, even after a crash or a power failure: it is written under another name, flushed to disk, and
/// renamed.
///
/// # Errors
/// [`PrivateError::Io`]; the old file is then unchanged.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), PrivateError> {
    let io = |source| PrivateError::Io { doing: "writing", path: path.to_owned(), source };
    replace(path, bytes, File::sync_all).map_err(io)?;
    File::open(folder_of(path)).and_then(|folder| folder.sync_all()).map_err(io)
}

/// Replaces the file at `path` as [`write_private`] does, but without flushing: for content that a power
/// failure makes worthless, such as the pids of running processes.
///
/// # Errors
/// [`PrivateError::Io`]; the old file is then unchanged.
pub fn write_private_for_this_boot(path: &Path, bytes: &[u8]) -> Result<(), PrivateError> {
    replace(path, bytes, |_| Ok(())).map_err(|source| PrivateError::Io {
        doing: "writing",
        path: path.to_owned(),
        source,
    })
}

fn replace(path: &Path, bytes: &[u8], flush: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let (beside, file) = new_beside(folder_of(path), path)?;
    fill(file, bytes, flush).and_then(|()| std::fs::rename(&beside, path)).inspect_err(|_| {
        let _ = std::fs::remove_file(&beside);
    })
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    }
}

fn fill(mut file: File, bytes: &[u8], flush: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    // The umask narrows the mode given at opening, but not this one.
    file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    file.write_all(bytes)?;
    flush(&file)
}

fn new_beside(folder: &Path, path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
    };
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.{}.new", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let beside = folder.join(hidden);
        match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            // Left behind by an earlier process with the same pid.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
