//! The program that holders and hooks run from: a copy in the state folder, named by build, so that an update
//! or an unmounted image takes nothing away from a session that lives.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use repose_sys::private::create_private_dir;
use sha2::{Digest, Sha256};

/// Characters of the content's hash that name a build: enough to tell any two that a user will ever have
/// apart.
const HASH_CHARS: usize = 12;

/// A copy of a program, and the build that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) build: String,
}

/// The copies.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    folder: PathBuf,
    original: PathBuf,
    /// With the length that its file has.
    made: Arc<Mutex<Option<(Program, u64)>>>,
}

impl Programs {
    pub(crate) fn new(folder: PathBuf, original: PathBuf) -> Self {
        Self { folder, original, made: Arc::default() }
    }

    /// The copy of this build; made at the first call. Blocks while it reads and writes the file.
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
            let mut file = fs::File::create(&part)?;
            file.write_all(&content)?;
            file.set_permissions(fs::Permissions::from_mode(0o700))?;
            // Its content is on the disk before its name is: a power cut leaves no empty program.
            file.sync_all()?;
            drop(file);
            fs::rename(&part, &path)?;
            fs::File::open(&folder)?.sync_all()?;
        }
        let program = Program { path, build };
        *made = Some((program.clone(), length));
        Ok(program)
    }

    /// The build that this runner is. Only the version, while the program can't be read.
    pub(crate) fn build(&self) -> String {
        self.current().map_or_else(|_| env!("CARGO_PKG_VERSION").to_owned(), |program| program.build)
    }

    /// Deletes the copies that no session in `used` runs from. Those of this build stay.
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

/// A file of this length is the copy: it was written under another name first.
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
