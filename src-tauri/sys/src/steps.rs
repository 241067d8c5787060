//! Points at which a test can stop a program: right after something was written to disk.
//!
//! Every write that a restart reads back reports here, and so does a holder that is about to listen. In a
//! release build that does nothing. In a debug build it has an effect only if the state folder has a folder
//! `steps`: then each step has a number, and the program waits at the one whose number or name is in
//! `steps/stop`, until `steps/go` exists. Meanwhile a test kills what it wants.

use std::fmt::Debug;
use std::path::Path;

/// Reports that `what` is on disk in this state folder.
#[cfg(not(debug_assertions))]
pub fn on_disk(_state: &Path, _what: &dyn Debug) {}

/// Reports that `what` is on disk in this state folder.
#[cfg(debug_assertions)]
pub fn on_disk(state: &Path, what: &dyn Debug) {
    let folder = state.join("steps");
    if folder.is_dir() {
        debug::stand(&folder, what);
    }
}

#[cfg(debug_assertions)]
mod debug {
    use std::fmt::Debug;
    use std::fs::{self, File};
    use std::io::Write;
    use std::path::Path;
    use std::time::Duration;

    /// How often a waiting program checks whether it may continue.
    const LOOK: Duration = Duration::from_millis(2);

    pub(super) fn stand(folder: &Path, what: &dyn Debug) {
        let Some(number) = note(folder, what) else { return };
        let stop = fs::read_to_string(folder.join("stop")).unwrap_or_default();
        if ![number.to_string(), name(what)].iter().any(|step| step == stop.trim()) {
            return;
        }
        // Written at once for whoever waits for it; without it nobody waits.
        let part = folder.join("at.part");
        let _ = fs::write(&part, name(what)).and_then(|()| fs::rename(&part, folder.join("at")));
        while folder.join("stop").exists() && !folder.join("go").exists() {
            std::thread::sleep(LOOK);
        }
    }

    /// Its number among the steps of all programs of this folder.
    fn note(folder: &Path, what: &dyn Debug) -> Option<usize> {
        let path = folder.join("log");
        let mut log = File::options().append(true).create(true).open(&path).ok()?;
        log.lock().ok()?;
        writeln!(log, "{}", name(what)).ok()?;
        Some(fs::read_to_string(&path).ok()?.lines().count())
    }

    /// The name of the variant, or of a list's first one, without its data: `Intent`, `SessionBegins`.
    fn name(what: &dyn Debug) -> String {
        let text = format!("{what:?}");
        text.trim_start_matches(['"', '[']).chars().take_while(|c| c.is_alphanumeric()).collect()
    }
}
