//! Whether a folder is trusted, as the program recorded the user's decision.

use std::path::{Path, PathBuf};

use super::{files, jsonc, settings};
use crate::env::Env;
use crate::setup;

/// The decision about this folder. `None`: there is none yet, and the program asks.
pub(super) fn of(env: &Env, folder: &Path) -> Option<bool> {
    match env.get("GEMINI_CLI_TRUST_WORKSPACE").and_then(|value| value.to_str()) {
        Some("true") => return Some(true),
        Some("false") => return Some(false),
        Some(_) | None => {}
    }
    if !settings::asks_for_trust(env) {
        return Some(true);
    }
    let text = setup::text(&file(env)?)?;
    let real = real(folder);
    let rules = jsonc::value(&text)?;
    let fitting = rules.as_object()?.iter().filter(|(rule, level)| {
        let rule = Path::new(rule);
        let of = if **level == "TRUST_PARENT" { rule.parent().unwrap_or(rule) } else { rule };
        real.starts_with(self::real(of))
    });
    let (_, level) = fitting.max_by_key(|(rule, _)| rule.len())?;
    Some(level != "DO_NOT_TRUST")
}

/// The file with the decisions.
pub(super) fn file(env: &Env) -> Option<PathBuf> {
    let moved = env.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH").map(PathBuf::from);
    moved.or_else(|| Some(files::home(env)?.join("trustedFolders.json")))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
