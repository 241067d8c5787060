//! Stops the programs of a world right after the n-th thing that they write to disk (see
//! `repose_sys::steps`).

use std::fmt::Display;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::World;

/// How long after the end of a verb something more may be written, such as a commit or a row of the log.
const TRAILS_FOR: Duration = Duration::from_millis(400);

const LOOK: Duration = Duration::from_millis(5);

pub(crate) struct Steps {
    folder: PathBuf,
}

impl Steps {
    /// The programs of this world stop at the n-th step from now on, or at the one with this name.
    pub(crate) fn stop_at(world: &World, step: impl Display) -> Self {
        let folder = world.state().join("steps");
        std::fs::create_dir(&folder).expect("a state folder");
        std::fs::write(folder.join("stop"), step.to_string()).expect("a new folder");
        Self { folder }
    }

    /// Lets stopped programs continue.
    pub(crate) fn go_on(&self) {
        std::fs::write(self.folder.join("go"), "").expect("the folder of steps");
    }

    /// What was written before they stopped. `None`: everything was done with fewer writes.
    pub(crate) fn stopped(&self, mut done: impl FnMut() -> bool) -> Option<String> {
        let mut until = None;
        loop {
            if let Ok(name) = std::fs::read_to_string(self.folder.join("at")) {
                return Some(name);
            }
            if until.is_none() && done() {
                until = Some(Instant::now() + TRAILS_FOR);
            }
            if until.is_some_and(|until| Instant::now() > until) {
                return None;
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Steps {
    /// Lets stopped programs continue, and stops none any more.
    fn drop(&mut self) {
        // A program that writes its log in between creates it again.
        let gone = || std::fs::remove_dir_all(&self.folder).is_err() && self.folder.exists();
        let until = Instant::now() + Duration::from_secs(5);
        while gone() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
    }
}
