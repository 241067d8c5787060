//! The doctor: checks everything that Repose needs, and says what to do.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repose_core::ids::SessionId;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_engine::Env;
use repose_engine::told::{Login, Silenced, Version};
use repose_sys::ProcessId;
use repose_sys::lock::{self, LockError};
use rustix::fs::Access;

use crate::check::sentence;
use crate::engines::{self, EngineFound, env_of};
use crate::env::Environment;
use crate::home::Home;
use crate::settings::{EngineSettings, InForce, Settings};
use crate::shared::Shared;
use crate::shown::{Live, Shown};
use crate::store::Store;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Everything is in order.
    Ok,
    /// It works, but somebody should look.
    Warning,
    /// It doesn't work.
    Error,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was checked: `engine claude`, `store`, `leftovers`, …
    pub name: String,
    /// The result.
    pub health: Health,
    /// The trouble's code, if the result is a trouble.
    pub code: Option<Code>,
    /// What was found.
    pub sentence: String,
    /// What to do.
    pub hints: Vec<String>,
}

/// All checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The checks, in a fixed order.
    pub checks: Vec<Check>,
}

impl Report {
    /// The worst result.
    #[must_use]
    pub fn health(&self) -> Health {
        let has = |health| self.checks.iter().any(|check| check.health == health);
        match (has(Health::Error), has(Health::Warning)) {
            (true, _) => Health::Error,
            (false, true) => Health::Warning,
            (false, false) => Health::Ok,
        }
    }
}

/// Runs all checks.
pub(crate) async fn look(shared: &Arc<Shared>, repos: Vec<Shown>, live: Vec<Live>) -> Report {
    shared.env.look_again().await;
    let base = shared.env.known(&EngineSettings::default()).await;
    let shared = Arc::clone(shared);
    let looked = tokio::task::spawn_blocking(move || {
        let mut checks = Vec::new();
        let settings = shared.settings();
        for engine in engines::all(&settings, &base) {
            let used = repos.iter().any(|repo| repo.engine.as_str() == engine.name);
            checks.push(look_at_engine(&engine, used));
        }
        checks.extend(shared.env.without().map(look_at_login_shell));
        checks.push(look_at_settings(&shared.home, shared.settings.borrow().trouble.as_ref()));
        checks.push(look_at_store(&shared));
        checks.push(look_at_disk(&shared.home));
        checks.extend(repos.iter().filter_map(look_at_repo));
        checks.extend(repos.iter().filter_map(|repo| look_at_hooks(repo, &shared, &base)));
        checks.extend(repos.iter().filter_map(|repo| look_at_loss(repo, &shared, &base)));
        checks.push(look_at_holders(&live));
        checks.push(look_at_leftovers(&shared, &live));
        checks
    });
    looked.await.map_or_else(|error| fault(&error), |checks| Report { checks })
}

/// Checks what can be checked without a runner: engines, settings, the store and the disk. Changes nothing.
/// Needs a tokio runtime.
pub async fn without_a_runner(home: &Home) -> Report {
    let env = Environment::begin(std::env::vars_os());
    let base = env.known(&EngineSettings::default()).await;
    let home = home.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let folders = look_at_folders(&home);
        let (settings, trouble) = match Settings::load(&home.config_file()) {
            Ok(settings) => (settings, None),
            Err(error) => (Settings::default(), Some(error.trouble(InForce::Defaults))),
        };
        let engines = engines::all(&settings, &base);
        let mut checks: Vec<Check> = engines.iter().map(|engine| look_at_engine(engine, false)).collect();
        checks.extend(env.without().map(look_at_login_shell));
        // If the folders can't exist, nothing in them is at fault.
        match folders {
            Some(wrong) => checks.push(wrong),
            None => {
                checks.push(look_at_settings(&home, trouble.as_ref()));
                checks.push(look_at_unused_store(&home));
                checks.push(look_at_disk(&home));
            }
        }
        checks
    });
    looked.await.map_or_else(|error| fault(&error), |checks| Report { checks })
}

fn fault(error: &tokio::task::JoinError) -> Report {
    Report { checks: vec![bad("doctor", format!("Looking ended in a fault ({error})."), "Try again.")] }
}

/// At a start, in the background: removes the folders of sessions that no repo has, among those that existed
/// before any session began, and program copies that no session runs from.
pub(crate) fn tidy(shared: &Shared, before: Vec<PathBuf>, known: &BTreeSet<String>) {
    let mut builds = Vec::new();
    for dir in before {
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let spec = repose_hold::Spec::read(&dir);
        if known.contains(&name) {
            builds.extend(spec.map(|spec| spec.build));
            continue;
        }
        // The holder may still be alive, and nobody has ordered the end of its work.
        if alive(&name) {
            tracing::warn!(session = name, "a session of no known repo is live; `repose doctor` shows it");
            builds.extend(spec.map(|spec| spec.build));
            continue;
        }
        crate::adopt::remove(&dir);
    }
    shared.programs.collect(&builds);
}

fn look_at_engine(engine: &EngineFound, used: bool) -> Check {
    let name = format!("engine {}", engine.name);
    let title = &engine.title;
    let version = match &engine.version {
        Version::Told(version) => format!(" {version}"),
        Version::Untold => " (it didn't tell its version)".to_owned(),
        Version::NotAsked => String::new(),
    };
    let at = engine.program.as_ref().map_or(String::new(), |program| format!(" at {}", program.display()));
    match &engine.trouble {
        None => good(
            &name,
            match engine.login {
                Login::Known(_) => format!("{title}{version}{at}, logged in."),
                Login::NotNeeded => format!("{title}{version}{at}."),
                Login::Unknown => format!("{title}{version}{at}. Whether it is logged in can't be told."),
            },
        ),
        Some(Trouble { code: code @ Code::EngineLoggedOut, hints, .. }) => Check {
            name,
            health: Health::Error,
            code: Some(*code),
            sentence: format!("{title}{version}{at} is not logged in."),
            hints: hints.clone(),
        },
        Some(Trouble { code, sentence, hints, .. }) => Check {
            name,
            health: if used { Health::Error } else { Health::Warning },
            code: Some(*code),
            sentence: sentence.clone(),
            hints: hints.clone(),
        },
    }
}

/// `why` is why its environment isn't known, as a sentence. An engine that is found without it works all the same.
fn look_at_login_shell(why: String) -> Check {
    let hint = "Then look again here: the shell is asked anew.";
    Check {
        name: "login shell".into(),
        health: Health::Warning,
        code: Some(Code::LoginShellUnknown),
        sentence: why,
        hints: vec![hint.into()],
    }
}

/// What is in the way of a folder of Repose's, if anything is.
fn look_at_folders(home: &Home) -> Option<Check> {
    let config = home.config_file();
    [Some(home.state()), config.parent()].into_iter().flatten().find_map(look_at_folder)
}

fn look_at_folder(folder: &Path) -> Option<Check> {
    const HINT: &str = "Move it away, or set REPOSE_HOME to a folder of your own.";
    let there = folder.ancestors().find(|at| at.symlink_metadata().is_ok())?;
    let shown = there.display();
    if !there.is_dir() {
        let sentence = format!("{shown} is no folder, and Repose keeps what it keeps in one there.");
        return Some(bad("folders", sentence, HINT));
    }
    let own = there == folder;
    let owner = there.metadata().ok().map(|found| found.uid());
    if let Some(owner) = owner.filter(|owner| own && *owner != rustix::process::geteuid().as_raw()) {
        let sentence = format!("{shown} belongs to user {owner}, so Repose keeps nothing in it.");
        return Some(bad("folders", sentence, HINT));
    }
    match rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK) {
        // A start opens its own folder again.
        Err(rustix::io::Errno::ACCESS) if own => None,
        Err(error) => {
            let sentence = format!("Repose can't write in {shown} ({error}), and keeps what it keeps there.");
            let hint = "Look at its permissions and its disk, or set REPOSE_HOME to a folder of your own.";
            Some(bad("folders", sentence, hint))
        }
        Ok(()) => None,
    }
}

fn look_at_settings(home: &Home, trouble: Option<&Trouble>) -> Check {
    let file = home.config_file();
    let shown = file.display();
    match trouble {
        Some(trouble) => told("settings", trouble),
        None if file.is_file() => good("settings", format!("{shown} is in force.")),
        None => good("settings", format!("There is no {shown}; the defaults are in force.")),
    }
}

fn look_at_store(shared: &Shared) -> Check {
    let shown = shared.home.store();
    match shared.store.check() {
        Ok(()) => good("store", format!("{} is whole.", shown.display())),
        Err(error) => told("store", &error.trouble()),
    }
}

/// Looks at a store that no runner uses, or that one uses that doesn't answer.
fn look_at_unused_store(home: &Home) -> Check {
    match lock::look(&home.lock()) {
        Ok(()) => {}
        Err(held @ LockError::Held { .. }) => {
            let sentence = sentence(&format!("{held}, which doesn't answer, so the store wasn't looked at."));
            return bad("store", sentence, "If that is a Repose that hangs, end it and start Repose again.");
        }
        Err(error @ LockError::Io { .. }) => {
            return bad("store", sentence(&format!("{error}.")), "Look at its permissions.");
        }
    }
    let shown = home.store();
    match Store::look(&shown) {
        Ok(true) => good("store", format!("{} is whole.", shown.display())),
        Ok(false) => good("store", format!("There is no {} yet; the first start makes it.", shown.display())),
        Err(error) => told("store", &error.trouble()),
    }
}

fn look_at_disk(home: &Home) -> Check {
    let known = home.state().ancestors().find(|folder| folder.exists()).unwrap_or(home.state());
    if let Err(trouble) = crate::check::disk(known) {
        return told("disk", &trouble);
    }
    match repose_sys::disk::free(known) {
        Ok(free) => good("disk", format!("{} free where Repose keeps its state.", words::bytes(free))),
        Err(error) => warn("disk", format!("How much is free can't be told ({error})."), "Check the disk."),
    }
}

fn look_at_repo(repo: &Shown) -> Option<Check> {
    // A folder may have disappeared since it was last used.
    let trouble = repo.trouble.clone().or_else(|| crate::check::folder(&repo.name, &repo.path).err())?;
    Some(told(&format!("repo {}", repo.name), &trouble))
}

/// Checks whether an engine's own settings keep it from reporting anything to Repose.
fn look_at_hooks(repo: &Shown, shared: &Shared, base: &Env) -> Option<Check> {
    let engine = repose_engine::find(repo.engine.as_str())?;
    let settings = shared.settings().engines.get(engine.name()).cloned().unwrap_or_default();
    let Silenced { by, key, what, so } = engine.silenced_by(&env_of(base, &settings), &repo.path)?;
    let sentence = format!("{} switches {}'s {what} off, {so}.", by.display(), engine.title());
    let hint = format!(
        "Take `{key}` out there, then let it open anew: `repose stop {}`.",
        words::shell_word(&repo.name)
    );
    let check = warn(&format!("hooks {}", repo.name), sentence, &hint);
    Some(Check { code: Some(Code::HooksSilent), ..check })
}

/// Checks whether an engine's own settings make it lose a conversation that it is told to resume.
fn look_at_loss(repo: &Shown, shared: &Shared, base: &Env) -> Option<Check> {
    let engine = repose_engine::find(repo.engine.as_str())?;
    let settings = shared.settings().engines.get(engine.name()).cloned().unwrap_or_default();
    let loss = engine.would_lose(&env_of(base, &settings), &repo.path)?;
    let sentence = format!("{}, so every open is fresh, and a pause is refused.", loss.words());
    Some(warn(&format!("conversations {}", repo.name), sentence, &loss.hint()))
}

fn look_at_holders(live: &[Live]) -> Check {
    let unwatched: Vec<String> =
        live.iter().filter(|live| !live.watching).map(|live| live.name.clone()).collect();
    let older: Vec<String> =
        live.iter().filter(|live| !live.same_build).map(|live| live.name.clone()).collect();
    let journals: Vec<String> = live
        .iter()
        .filter_map(|live| Some(format!("{} ({})", live.name, live.journal_trouble.as_ref()?)))
        .collect();
    if !journals.is_empty() {
        let sentence = format!("Journals can't be written: {}.", words::list(&journals));
        return bad("holders", sentence, "Make room on the disk.");
    }
    if !unwatched.is_empty() {
        let sentence = format!(
            "Their engines' status can't be watched and is looked at every 2 s instead: {}.",
            words::list(&unwatched)
        );
        return warn("holders", sentence, "Raise `fs.inotify.max_user_watches` or `max_user_instances`.");
    }
    if !older.is_empty() {
        let sentence = format!(
            "{} live; held by another build of Repose until they are let go: {}.",
            live.len(),
            words::list(&older)
        );
        return good("holders", sentence);
    }
    if live.is_empty() {
        return good("holders", "None is live.".into());
    }
    let names: Vec<String> = live.iter().map(|live| live.name.clone()).collect();
    good("holders", format!("{} live, all watched: {}.", live.len(), words::list(&names)))
}

fn look_at_leftovers(shared: &Shared, live: &[Live]) -> Check {
    let mut left = Vec::new();
    for dir in session_dirs(shared) {
        let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let held = live.iter().any(|live| live.session.as_str() == name);
        if held || shared.holds(&SessionId::new(name.clone())) {
            continue;
        }
        let session = SessionId::new(name.clone());
        let pids: Vec<ProcessId> =
            repose_sys::tree::marked(session.as_str()).iter().map(|member| member.id).collect();
        let processes = crate::link::named(&pids);
        if processes.is_empty() {
            // A session that has just ended is about to be tidied up.
            continue;
        }
        left.push(format!("session {name}: {}", words::list(&processes)));
    }
    if left.is_empty() {
        return good("leftovers", "No process and no session is left over.".into());
    }
    let sentence = format!("Sessions that no repo has: {}.", left.join("; "));
    warn("leftovers", sentence, "If nothing of yours runs in them, end those processes.")
}

pub(crate) fn session_dirs(shared: &Shared) -> Vec<PathBuf> {
    let entries = fs::read_dir(shared.home.sessions()).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// Whether any process carries the session's mark.
fn alive(session: &str) -> bool {
    !repose_sys::tree::marked(session).is_empty()
}

/// The result of a check that found a trouble.
fn told(name: &str, trouble: &Trouble) -> Check {
    Check {
        name: name.into(),
        health: Health::Error,
        code: Some(trouble.code),
        sentence: trouble.sentence.clone(),
        hints: trouble.hints.clone(),
    }
}

fn good(name: &str, sentence: String) -> Check {
    Check { name: name.into(), health: Health::Ok, code: None, sentence, hints: Vec::new() }
}

fn warn(name: &str, sentence: String, hint: &str) -> Check {
    Check { name: name.into(), health: Health::Warning, code: None, sentence, hints: vec![hint.into()] }
}

fn bad(name: &str, sentence: String, hint: &str) -> Check {
    Check { name: name.into(), health: Health::Error, code: None, sentence, hints: vec![hint.into()] }
}

#[cfg(test)]
mod tests;
