//! When a runner of this home was last alive: the modification time of a file that a living runner touches.
//! Nothing has to be written for that, so that a full disk doesn't make a runner look absent.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use repose_core::time::Wall;
use repose_sys::clock::now;

/// How often the file is touched. An absence is taken for longer than it was by at most this.
pub(crate) const TOUCH_EVERY: Duration = Duration::from_secs(5);

/// The file's time, while a runner is alive.
#[derive(Debug)]
pub(crate) struct Alive {
    file: File,
}

impl Alive {
    /// Begins to be alive, and returns for how long no runner was. `None`: unknown, since there was none before, or the
    /// clock was set back far.
    ///
    /// # Errors
    /// If the file can't be opened or touched.
    pub(crate) fn begin(path: &Path) -> io::Result<(Self, Option<Duration>)> {
        let before = std::fs::metadata(path).and_then(|file| file.modified()).ok();
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        let alive = Self { file };
        alive.touch()?;
        Ok((alive, before.and_then(absence)))
    }

    /// # Errors
    /// If the file's time can't be set.
    pub(crate) fn touch(&self) -> io::Result<()> {
        self.file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_millis(now().wall.0))
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
        let (first, unknown) = Alive::begin(&path).expect("a file");
        assert_eq!(unknown, None);
        let ago = |seconds| SystemTime::now() - Duration::from_secs(seconds);
        first.file.set_modified(ago(100)).expect("our file");
        first.touch().expect("our file");
        let short = Alive::begin(&path).expect("a file").1.expect("known");
        assert!(short < Duration::from_secs(50), "{short:?}");
        first.file.set_modified(ago(100)).expect("our file");
        let long = Alive::begin(&path).expect("a file").1.expect("known");
        assert!(long >= Duration::from_secs(99), "{long:?}");
        let ahead = SystemTime::now() + SET_BACK + Duration::from_secs(60);
        first.file.set_modified(ahead).expect("our file");
        assert_eq!(Alive::begin(&path).expect("a file").1, None);
    }
}
