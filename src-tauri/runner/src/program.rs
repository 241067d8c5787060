//! The program that holders and hooks run from: a copy in the state folder, named by its build, so that an
//! update or an unmounted image doesn't affect live sessions.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use repose_sys::private::create_private_dir;
use sha2::{Digest, Sha256};

/// How many characters of the content's hash name a build: enough to distinguish all builds that a user will
/// ever have.
const HASH_CHARS: usize = 12;

/// A copy of the program, with its build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) build: String,
}

/// The copies of the program.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    folder: PathBuf,
    original: PathBuf,
    /// The copy of this build, with the length of its file.
    made: Arc<Mutex<Option<(Program, u64)>>>,
}

impl Programs {
    pub(crate) fn new(folder: PathBuf, original: PathBuf) -> Self {
        Self { folder, original, made: Arc::default() }
    }

    /// The copy of this build, made at the first call. Blocks while it reads and writes the file.
    pub(crate) fn current(&self) -> io::Result<Program> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((program, _)) = made.as_ref().filter(|(program, length)| is_whole(&program.path, *length))
        {
            return Ok(program.clone());
        }
        let content = fs::read(&self.original)?;
        let hash = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let build = format!("{}-{}", env!("CARGO_PKG_VERSION"), &hash[..HASH_CHARS]);
        let folder = self.folder.join(&build);
        let path = folder.join("repose");
        let length = content.len() as u64;
        if !is_whole(&path, length) {
            create_private_dir(&folder).map_err(io::Error::other)?;
            let part = folder.join(format!("repose.{}", std::process::id()));
            write(&part, &content).and_then(|()| fs::rename(&part, &path)).inspect_err(|_| {
                // On a full disk a torn copy would take the rest of the room.
                let _ = fs::remove_file(&part);
            })?;
            fs::File::open(&folder)?.sync_all()?;
        }
        let program = Program { path, build };
        *made = Some((program.clone(), length));
        Ok(program)
    }

    /// The build of this runner. Only its version, if the program can't be read.
    pub(crate) fn build(&self) -> String {
        self.current().map_or_else(|_| env!("CARGO_PKG_VERSION").to_owned(), |program| program.build)
    }

    /// Deletes the copies that no session in `used` runs from, except those of this build.
    pub(crate) fn collect(&self, used: &[String]) {
        let current = self.current().map(|program| program.build).ok();
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let build = entry.file_name().to_string_lossy().into_owned();
            if Some(&build) == current.as_ref() || used.contains(&build) {
                continue;
            }
            remove(&entry.path());
        }
    }
}

/// Writes a program. Its content is on disk when this returns: a power cut leaves no empty one under its name.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(content)?;
    file.set_permissions(fs::Permissions::from_mode(0o700))?;
    file.sync_all()
}

/// Whether the file has this length. It is then complete, since it was written under another name first.
fn is_whole(path: &Path, length: u64) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == length)
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(folder = %folder.display(), %error, "an unused program copy could not be removed");
    }
}

#[cfg(test)]
mod tests;
