//! What Claude Code's files say about login and trust.

use std::path::Path;

use serde_json::Value;

use super::files;
use crate::env::Env;
use crate::setup;
use crate::told::Login;

/// Variables of which one is enough to be logged in: a key, a token, or a cloud with its own login.
const ENOUGH: [&str; 6] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_VERTEX",
];

/// A variable for another server, which may need no login or one that isn't visible from here.
const ELSEWHERE: &str = "ANTHROPIC_BASE_URL";

/// An administrator's settings, which can include a login.
pub(super) const MANAGED: &str = "/etc/claude-code/managed-settings.json";

pub(super) fn login(env: &Env) -> Login {
    if ENOUGH.iter().any(|name| env.get(name).is_some()) {
        return Login::Known(true);
    }
    let (Some(config), Some(state)) = (files::config(env), files::state(env)) else { return Login::Unknown };
    let settings = setup::json(&config.join("settings.json")).unwrap_or_default();
    let set = |name: &str| settings["env"][name].as_str().is_some_and(|value| !value.is_empty());
    if says(&settings["apiKeyHelper"]) || ENOUGH.iter().any(|name| set(name)) {
        return Login::Known(true);
    }
    if setup::json(&config.join(".credentials.json")).is_some_and(|kept| says(&kept["claudeAiOauth"])) {
        return Login::Known(true);
    }
    let state = setup::json(&state).unwrap_or_default();
    if says(&state["oauthAccount"]) || says(&state["primaryApiKey"]) {
        return Login::Known(true);
    }
    // On macOS the credentials are in the keychain.
    let unseen = cfg!(target_os = "macos") || Path::new(MANAGED).exists();
    if unseen || env.get(ELSEWHERE).is_some() || set(ELSEWHERE) {
        Login::Unknown
    } else {
        Login::Known(false)
    }
}

/// Claude Code asks whether it may trust a folder until the user allows it for this folder or one above it,
/// up to the root of the Git work tree that contains the folder.
pub(super) fn trusts(env: &Env, folder: &Path) -> Option<bool> {
    let state = files::state(env)?;
    if !state.exists() {
        return Some(false);
    }
    let state = setup::json(&state)?;
    let folder = files::real(folder);
    for folder in folder.ancestors() {
        if state["projects"][&*folder.to_string_lossy()]["hasTrustDialogAccepted"] == Value::Bool(true) {
            return Some(true);
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Some(false)
}

fn says(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Array(_) => true,
    }
}

#[cfg(test)]
mod tests;
