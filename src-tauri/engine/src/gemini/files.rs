//! Where Gemini CLI keeps its files.

use std::path::{Path, PathBuf};

use super::settings;
use crate::env::Env;
use crate::lines;
use crate::setup;
use crate::told::Login;

/// The file in a project's folder that names the project.
const PROJECT: &str = ".project_root";

/// Variables that count as a login.
const KEYS: [&str; 4] =
    ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"];

/// The folder with everything.
pub(super) fn home(env: &Env) -> Option<PathBuf> {
    let home = env.get("GEMINI_CLI_HOME").map(Path::new).or_else(|| env.home())?;
    Some(home.join(".gemini"))
}

/// The folder with the transcripts of this folder, if there is one.
pub(super) fn chats(env: &Env, folder: &Path) -> Option<PathBuf> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    projects(env).into_iter().find(|(project, _)| *project == real).map(|(_, chats)| chats)
}

/// All folders in which it was used, each with the folder of its transcripts.
pub(super) fn projects(env: &Env) -> Vec<(PathBuf, PathBuf)> {
    let Some(home) = home(env) else { return Vec::new() };
    let folders = lines::listed(&home.join("tmp")).unwrap_or_default().into_iter();
    folders
        .filter_map(|folder| {
            let project = setup::text(&folder.join(PROJECT))?;
            Some((PathBuf::from(project.trim()), folder.join("chats")))
        })
        .collect()
}

/// A key may also be in the system's keyring, or in a file of variables.
pub(super) fn login(env: &Env) -> Login {
    let Some(home) = home(env) else { return Login::Unknown };
    if KEYS.iter().any(|name| env.get(name).is_some()) || home.join("oauth_creds.json").is_file() {
        return Login::Known(true);
    }
    let elsewhere = home.join(".env").is_file() || env.home().is_some_and(|home| home.join(".env").is_file());
    if elsewhere || settings::names_login(env) { Login::Unknown } else { Login::Known(false) }
}
