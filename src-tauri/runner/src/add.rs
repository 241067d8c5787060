//! Adding a repo.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repose_core::conversation::Conversation;
use repose_core::trouble::{Code, Trouble};
use repose_engine::shell::Shell;
use repose_engine::{Engine, EngineRef, Env};
use repose_sys::regular;

use crate::settings::Settings;
use crate::shown::Shown;

/// The most characters of a name; a longer one doesn't fit a row or a menu.
const NAME_MAX: usize = 60;

/// The most bytes to read of `.git/HEAD`: a branch's name has at most 255.
const HEAD_MAX: u64 = 1_024;

/// The most bytes to read of a file `.git`: it names a folder, whose path has at most 4,096.
const LINK_MAX: u64 = 5_000;

/// A repo to be added.
#[derive(Debug, Clone)]
pub struct NewRepo {
    /// Path of its folder.
    pub path: PathBuf,
    /// Its engine. `None`: the one that was used last in the folder, else the first that is installed, else
    /// the shell.
    pub engine: Option<String>,
    /// Its name. `None`: its folder's.
    pub name: Option<String>,
    /// Whether to take over the newest conversation that the engine has for the folder.
    pub adopt: bool,
}

/// The canonical path of a folder.
///
/// # Errors
/// If it isn't there or isn't a folder.
pub(crate) fn folder(path: &Path) -> Result<PathBuf, Trouble> {
    let shown = path.display();
    let real = fs::canonicalize(path).map_err(|error| {
        let (code, why) = if error.kind() == std::io::ErrorKind::NotFound {
            (Code::FolderGone, "it isn't there".to_owned())
        } else {
            (Code::FolderUnreadable, error.to_string())
        };
        Trouble::new(code, format!("The folder {shown} can't be added: {why}."), ["Check the path."])
    })?;
    if !real.is_dir() {
        return Err(Trouble::new(
            Code::FolderUnreadable,
            format!("{shown} is not a folder. Nothing was added."),
            ["Add the folder that it is in."],
        ));
    }
    Ok(real)
}

/// The engine with this name.
///
/// # Errors
/// If there is no such engine.
pub(crate) fn engine_named(name: &str, settings: &Settings) -> Result<EngineRef, Trouble> {
    settings.engine(name).ok_or_else(|| {
        let known: Vec<String> =
            settings.all_engines().iter().map(|engine| engine.name().to_owned()).collect();
        Trouble::new(
            Code::BadRequest,
            format!("There is no engine `{name}`. Nothing was changed."),
            [
                format!("Known engines: {}.", known.join(", ")),
                format!(
                    "To use another one, describe it in the settings: `[engines.{name}] command = \"…\"`."
                ),
            ],
        )
    })
}

/// The engine to use if none was given: the one last used in this folder, else the first that is installed,
/// else the shell.
pub(crate) fn default_engine(path: &Path, env: &Env, settings: &Settings) -> EngineRef {
    let installed: Vec<EngineRef> = repose_engine::built_in()
        .into_iter()
        .filter(|engine| {
            let command = settings.engines.get(engine.name()).and_then(|engine| engine.command.clone());
            engine.locate(env, command.as_deref()).is_ok()
        })
        .collect();
    let used = installed.iter().filter_map(|engine| {
        let newest = newest(&**engine, env, path)?;
        Some((newest.last_turn?, engine))
    });
    let last = used.max_by_key(|(last_turn, _)| *last_turn).map(|(_, engine)| Arc::clone(engine));
    last.or_else(|| installed.first().cloned()).unwrap_or_else(|| Arc::new(Shell))
}

/// A name that no other repo has: the wanted one, or the folder's, made unique with a number.
///
/// # Errors
/// If the wanted name is taken or can't be a name.
pub(crate) fn name(wanted: Option<&str>, path: &Path, repos: &[Shown]) -> Result<String, Trouble> {
    let taken = |name: &str| repos.iter().any(|repo| repo.name == name);
    if let Some(wanted) = wanted {
        let fits = !wanted.is_empty()
            && wanted.chars().count() <= NAME_MAX
            && wanted != "."
            && !wanted.starts_with('-')
            && !wanted.contains('/')
            && wanted.trim() == wanted
            && !wanted.chars().any(char::is_control);
        if !fits {
            return Err(Trouble::new(
                Code::BadRequest,
                format!("{wanted:?} can't be a name. Nothing was added."),
                [format!(
                    "A name is one line of up to {NAME_MAX} characters without `/`, no `-` in front, and not `.`."
                )],
            ));
        }
        if taken(wanted) {
            return Err(Trouble::new(
                Code::AlreadyAdded,
                format!("Another repo has the name {wanted}. Nothing was added."),
                ["Give another one: `--name`."],
            ));
        }
        return Ok(wanted.to_owned());
    }
    let folder = path.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy().into_owned());
    // A name that begins with `-` would be an option to every command.
    let folder = folder.trim_start_matches('-');
    let base: String = folder.chars().filter(|c| !c.is_control()).take(NAME_MAX).collect();
    let base = if base.trim().is_empty() { "repo".to_owned() } else { base.trim().to_owned() };
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    Ok(std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(base))
}

/// The newest conversation that the engine has for the folder, to begin with. Unreadable records are no
/// reason to refuse the repo.
pub(crate) fn newest(engine: &dyn Engine, env: &Env, path: &Path) -> Option<Conversation> {
    match engine.newest(env, path) {
        Ok(listed) => listed.map(|listed| listed.conversation),
        Err(error) => {
            tracing::warn!(%error, "the engine's records of a folder can't be read");
            None
        }
    }
}

/// The branch that is checked out, read from `.git` without starting git. Blocks as long as the file system
/// does.
pub(crate) fn branch(path: &Path) -> Option<String> {
    let dot_git = path.join(".git");
    let git = match short_file(&dot_git, LINK_MAX) {
        // In a worktree or submodule, the file names the folder.
        Some(content) => path.join(content.trim().strip_prefix("gitdir: ")?),
        None => dot_git,
    };
    let head = short_file(&git.join("HEAD"), HEAD_MAX)?;
    let head = head.trim();
    match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => Some(branch.to_owned()),
        None => head.get(..8).map(str::to_owned), // a detached commit
    }
}

/// The text of a short file. `None`: it is something else, or longer.
fn short_file(path: &Path, max: u64) -> Option<String> {
    String::from_utf8(regular::read(path, max).ok()?).ok()
}

#[cfg(test)]
mod tests;
