//! Whether Claude Code's settings allow hooks at all.

use std::path::{Path, PathBuf};

use super::{files, login};
use crate::env::Env;
use crate::setup;
use crate::told::Silenced;

/// The settings that allow no hooks, or only an administrator's.
const DISABLED: &str = "disableAllHooks";
const MANAGED_ONLY: &str = "allowManagedHooksOnly";

/// The settings file in force that says `disableAllHooks`. If several mention it, the nearest to the work
/// counts: an administrator's, then the folder's own, then the folder's shared one, then the user's. An
/// administrator's can also allow only its own hooks.
pub(super) fn silenced_by(env: &Env, folder: &Path) -> Option<Silenced> {
    let managed = PathBuf::from(login::MANAGED);
    if says(&managed, MANAGED_ONLY) == Some(true) {
        return Some(silenced(managed, MANAGED_ONLY));
    }
    let (path, off) =
        files::settings(env, folder).find_map(|path| says(&path, DISABLED).map(|off| (path, off)))?;
    off.then(|| silenced(path, DISABLED))
}

fn silenced(by: PathBuf, key: &'static str) -> Silenced {
    let so = "so it reports nothing to Repose: answers come later, and some of what it does isn't seen";
    Silenced { by, key, what: "hooks", so }
}

fn says(path: &Path, key: &str) -> Option<bool> {
    setup::json(path)?[key].as_bool()
}

#[cfg(test)]
mod tests;
