//! When a runner of this home was last alive: the modification time of a file that a living runner touches.
//! Nothing has to be written for that, so that a full disk doesn't make a runner look absent.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use repose_core::time::Wall;
use repose_sys::clock::now;

/// How often the file is touched. An absence is taken for longer than it was by at most this.
pub(crate) const TOUCH_EVERY: Duration = Duration::from_secs(5);

/// The file, and its time while a runner is alive.
#[derive(Debug)]
pub(crate) struct Alive {
    path: PathBuf,
    file: Option<File>,
    /// Whether the last touch worked. That one doesn't is logged once.
    touched: bool,
}

impl Alive {
    /// Returns for how long no runner was alive. The file isn't touched yet: a start that fails is no runner. `None`:
    /// unknown, since there was none before, the clock was set back far, or the file can't be used, so that nobody has
    /// touched it either.
    pub(crate) fn begin(path: &Path) -> (Self, Option<Duration>) {
        let before = std::fs::metadata(path).and_then(|file| file.modified()).ok();
        let mut alive = Self { path: path.to_owned(), file: None, touched: true };
        let absence = match alive.open() {
            Ok(_) => before.and_then(absence),
            Err(error) => {
                alive.failed(&error);
                None
            }
        };
        (alive, absence)
    }

    fn open(&mut self) -> io::Result<&File> {
        if self.file.is_none() {
            let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
            return Ok(self.file.insert(opened));
        }
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Says that a runner is alive now.
    pub(crate) fn touch(&mut self) {
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now().wall.0);
        match self.open().and_then(|file| file.set_modified(now)) {
            Ok(()) => self.touched = true,
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&mut self, error: &io::Error) {
        if std::mem::take(&mut self.touched) {
            let path = self.path.display();
            tracing::warn!(%path, %error, "the next runner won't know until when this one was alive");
        }
    }
}

fn absence(last: SystemTime) -> Option<Duration> {
    let last = last.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    now().wall.age_of(Wall(u64::try_from(last.as_millis()).ok()?))
}

#[cfg(test)]
mod tests {
    use repose_core::time::SET_BACK;

    use super::*;

    #[test]
    fn an_absence_lasts_from_the_last_touch() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("alive");
        let (mut first, unknown) = Alive::begin(&path);
        assert_eq!(unknown, None);
        let set = |at: SystemTime| File::options().append(true).open(&path)?.set_modified(at);
        let ago = |seconds| SystemTime::now() - Duration::from_secs(seconds);
        set(ago(100)).expect("our file");
        first.touch();
        let short = Alive::begin(&path).1.expect("known");
        assert!(short < Duration::from_secs(50), "{short:?}");
        set(ago(100)).expect("our file");
        for start in ["one that fails", "the next"] {
            let long = Alive::begin(&path).1.expect("known");
            assert!(long >= Duration::from_secs(99), "{start}: {long:?}");
        }
        set(SystemTime::now() + SET_BACK + Duration::from_secs(60)).expect("our file");
        assert_eq!(Alive::begin(&path).1, None);
    }

    #[test]
    fn a_file_that_cant_be_used_leaves_it_unknown_and_is_used_once_it_can_be() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("alive");
        std::fs::create_dir(&path).expect("our folder");
        let (mut alive, unknown) = Alive::begin(&path);
        alive.touch();
        assert_eq!(unknown, None);
        std::fs::remove_dir(&path).expect("our folder");
        alive.touch();
        assert!(Alive::begin(&path).1.is_some_and(|short| short < Duration::from_secs(50)));
    }
}
