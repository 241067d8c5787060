//! Where Codex keeps its files.

use std::path::PathBuf;

use crate::env::Env;
use crate::setup;
use crate::told::Login;

/// The folder with everything.
pub(super) fn home(env: &Env) -> Option<PathBuf> {
    match env.get("CODEX_HOME") {
        Some(moved) => Some(PathBuf::from(moved)),
        None => Some(env.home()?.join(".codex")),
    }
}

/// The folder of transcripts, sorted by year, month and day.
pub(super) fn sessions(env: &Env) -> Option<PathBuf> {
    Some(home(env)?.join("sessions"))
}

/// The folder with a lock for each open conversation.
pub(super) fn locks(env: &Env) -> Option<PathBuf> {
    Some(home(env)?.join("thread-writer-locks"))
}

/// Whether a login is needed isn't visible from here with a provider of the user's own, and neither is a
/// login in the system's keyring.
pub(super) fn login(env: &Env) -> Login {
    let Some(home) = home(env) else { return Login::Unknown };
    let keys = ["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"];
    if keys.iter().any(|name| env.get(name).is_some()) || home.join("auth.json").is_file() {
        return Login::Known(true);
    }
    let settings = setup::text(&home.join("config.toml")).unwrap_or_default();
    let elsewhere = ["model_provider", "cli_auth_credentials_store", "openai_base_url", "oss_provider"];
    let says = |line: &str| elsewhere.iter().any(|key| line.trim_start().starts_with(key));
    if settings.lines().any(says) { Login::Unknown } else { Login::Known(false) }
}
