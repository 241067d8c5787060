//! The program's own settings, as far as they affect a conversation's life.
//!
//! They are read in the program's order: the system's defaults, then the user's, then the workspace's if its
//! folder is trusted, and finally the system's own, each overriding the one before.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use repose_core::conversation::Loss;
use serde_json::Value;

use super::{TITLE, files, jsonc, trust};
use crate::env::Env;
use crate::setup;
use crate::told::Silenced;

/// Where the system's settings are, unless a variable names another place.
const SYSTEM: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/GeminiCli/settings.json"
} else {
    "/etc/gemini-cli/settings.json"
};

/// The setting that causes the loss below.
const RETENTION: &str = "/general/sessionRetention/enabled";

/// The setting that says how it is logged in.
const LOGIN: &str = "/security/auth/selectedType";

/// Resuming a conversation makes Gemini CLI write a second file with the same id, in which nothing is said.
/// While it tidies up old conversations, which is its default, any later start in that folder takes such a
/// file for a broken one and deletes all files with that id, including the conversation itself. No argument
/// or variable prevents that for one process.
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

/// A title that is off or never changes shows nothing. Of all files that mention it, the strongest counts.
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

/// Whether a setting says how it is logged in.
pub(super) fn names_login(env: &Env) -> bool {
    [defaults(env), user(env), system(env)].into_iter().any(|settings| settings.pointer(LOGIN).is_some())
}

/// Whether it asks at all whether a folder is trusted. A workspace can't decide that.
pub(super) fn asks_for_trust(env: &Env) -> bool {
    let says = |settings: Value| settings.pointer("/security/folderTrust/enabled").and_then(Value::as_bool);
    [system(env), user(env), defaults(env)].into_iter().find_map(says).unwrap_or(true)
}

/// The settings about tidying up. Only a plain `false` turns it off.
fn tidies_up(env: &Env, folder: &Path) -> Option<bool> {
    let says = |settings: Value| settings.pointer(RETENTION).map(|value| *value != Value::Bool(false));
    let workspace = match (says(workspace(folder)), trust::of(env, folder)) {
        // It is ignored now, and counts once the folder is trusted.
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

/// The program ignores a system file that anybody but root could have written.
fn of_the_system(file: &Path) -> Value {
    let safe = |path: &Path| path.metadata().is_ok_and(|meta| meta.uid() == 0 && meta.mode() & 0o022 == 0);
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if file.ancestors().chain(real.ancestors()).all(safe) { read(file) } else { Value::Null }
}

/// A missing file has no settings; with one that can't be understood, the program doesn't start.
fn read(file: &Path) -> Value {
    setup::text(file).and_then(|text| jsonc::value(&text)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
