//! The log of a running Repose: stderr, and a file of bounded size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use repose_runner::Home;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// The size in bytes at which the file is put aside and a new one begun. Only one old file is kept, so the
/// two stay below twice this: some days of a busy Repose, and little for a disk.
const FILE_MAX: u64 = 4 * 1024 * 1024;

/// The log level unless `RUST_LOG` says otherwise. Prompts and output are never written above `debug`.
const WHAT: &str = "info";

/// Writes to stderr and to this home's log from now on.
///
/// # Errors
/// If the file can't be opened.
pub(crate) fn begin(home: &Home) -> io::Result<()> {
    let file = Rotating::open(home.log(), home.log_put_aside())?;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(WHAT));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(Both(Mutex::new(file)));
    // A second call in a process would be a bug; the first one stays in force.
    let _ = subscriber.try_init();
    Ok(())
}

/// A file that is put aside when it is full.
struct Rotating {
    path: PathBuf,
    put_aside: PathBuf,
    file: File,
    written: u64,
}

impl Rotating {
    fn open(path: PathBuf, put_aside: PathBuf) -> io::Result<Self> {
        let file = append(&path)?;
        let written = file.metadata()?.len();
        Ok(Self { path, put_aside, file, written })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.written + bytes.len() as u64 > FILE_MAX {
            fs::rename(&self.path, &self.put_aside)?;
            self.file = append(&self.path)?;
            self.written = 0;
        }
        self.file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

struct Both(Mutex<Rotating>);

impl<'a> MakeWriter<'a> for Both {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}

/// A failure of one output must not affect the other.
impl Write for &Both {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let filed = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes);
        let shown = io::stderr().lock().write_all(bytes);
        filed.or(shown).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
