//! The program's own settings, as far as a conversation's life hangs on them.
//!
//! They are read where the program reads them: what comes with the system first, the user's over it, the
//! workspace's over that if its folder is trusted, and the system's own over all.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use repose_core::conversation::Loss;
use serde_json::Value;

use super::{TITLE, files, jsonc, trust};
use crate::env::Env;
use crate::told::Silenced;

/// Where the system's settings are, unless a variable says otherwise.
const SYSTEM: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/GeminiCli/settings.json"
} else {
    "/etc/gemini-cli/settings.json"
};

/// The setting that the loss below hangs on.
const RETENTION: &str = "/general/sessionRetention/enabled";

/// What says how it is logged in.
const LOGIN: &str = "/security/auth/selectedType";

/// Taking a conversation up makes it write a second file of the same id, with nothing said in it. While it
/// tidies up old conversations, which is its default, any later start in that folder takes such a file for a
/// broken one and deletes every file of that id: the conversation itself. No argument and no variable
/// prevents that for one process.
pub(super) fn would_lose(env: &Env, folder: &Path) -> Option<Loss> {
    if tidies_up(env, folder) == Some(false) {
        return None;
    }
    let file = match env.get("GEMINI_CLI_HOME") {
        Some(_) => files::home(env)?.join("settings.json").display().to_string(),
        None => "~/.gemini/settings.json".to_owned(),
    };
    let remedy = format!("Set general.sessionRetention.enabled to false in {file}");
    Some(Loss { engine: TITLE.into(), remedy })
}

/// A title that is off, or never changes, tells nothing. Of all files that say something the strongest
/// counts.
pub(super) fn silenced_by(env: &Env, folder: &Path) -> Option<Silenced> {
    let workspace = workspace_file(folder);
    let trusted = trust::of(env, folder) != Some(false);
    let files = [
        (system_file(env), system(env)),
        (workspace, if trusted { self::workspace(folder) } else { Value::Null }),
        (files::home(env)?.join("settings.json"), user(env)),
        (defaults_file(env), defaults(env)),
    ];
    let off = |(key, off): (&'static str, bool)| {
        let pointer = format!("/{}", key.replace('.', "/"));
        let says =
            |(file, settings): &(PathBuf, Value)| Some((file.clone(), settings.pointer(&pointer)?.clone()));
        let (by, said) = files.iter().find_map(says)?;
        (said == Value::Bool(off)).then_some((by, key))
    };
    let (by, key) =
        [("ui.hideWindowTitle", true), ("ui.dynamicWindowTitle", false)].into_iter().find_map(off)?;
    let so = "so Repose never hears that it is ready, and it stays opening";
    Some(Silenced { by, key, what: "terminal title", so })
}

/// Whether some setting says how it is logged in.
pub(super) fn names_login(env: &Env) -> bool {
    [defaults(env), user(env), system(env)].into_iter().any(|settings| settings.pointer(LOGIN).is_some())
}

/// Whether a folder's trust is asked for at all. A workspace has no say in that.
pub(super) fn asks_for_trust(env: &Env) -> bool {
    let says = |settings: Value| settings.pointer("/security/folderTrust/enabled").and_then(Value::as_bool);
    [system(env), user(env), defaults(env)].into_iter().find_map(says).unwrap_or(true)
}

/// What is said of tidying up. Only a plain `false` keeps it off.
fn tidies_up(env: &Env, folder: &Path) -> Option<bool> {
    let says = |settings: Value| settings.pointer(RETENTION).map(|value| *value != Value::Bool(false));
    let workspace = match (says(workspace(folder)), trust::of(env, folder)) {
        // It is passed over now, and counts once the folder is trusted.
        (Some(false), Some(false) | None) => None,
        (said, _) => said,
    };
    says(system(env)).or(workspace).or_else(|| says(user(env))).or_else(|| says(defaults(env)))
}

fn user(env: &Env) -> Value {
    files::home(env).map_or(Value::Null, |home| read(&home.join("settings.json")))
}

fn workspace(folder: &Path) -> Value {
    read(&workspace_file(folder))
}

fn workspace_file(folder: &Path) -> PathBuf {
    folder.join(".gemini/settings.json")
}

fn system(env: &Env) -> Value {
    of_the_system(&system_file(env))
}

fn defaults(env: &Env) -> Value {
    of_the_system(&defaults_file(env))
}

fn defaults_file(env: &Env) -> PathBuf {
    let beside = || system_file(env).with_file_name("system-defaults.json");
    env.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH").map_or_else(beside, PathBuf::from)
}

fn system_file(env: &Env) -> PathBuf {
    env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH").map_or_else(|| SYSTEM.into(), PathBuf::from)
}

/// A file of the system's that others than root could have written is passed over by the program.
fn of_the_system(file: &Path) -> Value {
    let safe = |path: &Path| path.metadata().is_ok_and(|meta| meta.uid() == 0 && meta.mode() & 0o022 == 0);
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if file.ancestors().chain(real.ancestors()).all(safe) { read(file) } else { Value::Null }
}

/// A file that isn't there says nothing; with one that can't be understood the program doesn't start.
fn read(file: &Path) -> Value {
    fs::read_to_string(file).ok().and_then(|text| jsonc::value(&text)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
