//! Where OpenCode keeps its files.

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::setup;
use crate::told::{Login, Silenced};

/// The folder with everything except the settings.
fn data(env: &Env) -> Option<PathBuf> {
    let data = match env.get("XDG_DATA_HOME") {
        Some(moved) => PathBuf::from(moved),
        None => env.home()?.join(".local/share"),
    };
    Some(data.join("opencode"))
}

/// The database with all conversations. `None`: the user keeps it in memory only.
pub(super) fn database(env: &Env) -> Option<PathBuf> {
    match env.get("OPENCODE_DB") {
        Some(name) if name == ":memory:" => None,
        // A relative path is relative to the folder.
        Some(moved) => Some(data(env)?.join(moved)),
        None => Some(data(env)?.join("opencode.db")),
    }
}

/// The file that is written first when something is said; it is moved into the database later.
pub(super) fn log(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// It records what its user chose in it. If the terminal's title is off, it never shows that it accepts keys.
pub(super) fn silenced_by(env: &Env) -> Option<Silenced> {
    const KEY: &str = "terminal_title_enabled";
    let state = match env.get("XDG_STATE_HOME") {
        Some(moved) => PathBuf::from(moved),
        None => env.home()?.join(".local/state"),
    };
    let by = state.join("opencode/kv.json");
    let chosen = setup::json(&by)?;
    let so = "so Repose never hears that it is ready, and it stays opening";
    (chosen[KEY] == false).then_some(Silenced { by, key: KEY, what: "terminal title", so })
}

/// It works without a login, with models of its makers or of the user's own; a key may also be in its
/// settings, in the environment and in a project's own settings.
pub(super) fn login(env: &Env) -> Login {
    let accounts = data(env).and_then(|data| setup::json(&data.join("auth.json")));
    match accounts.as_ref().and_then(serde_json::Value::as_object) {
        Some(accounts) if !accounts.is_empty() => Login::Known(true),
        Some(_) | None => Login::Unknown,
    }
}
