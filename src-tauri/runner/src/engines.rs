//! The engines as installed on this machine: where, in which version, and whether logged in.

use std::path::PathBuf;

use repose_core::trouble::{Code, Trouble};
use repose_engine::locate::Missing;
use repose_engine::told::{Login, Version};
use repose_engine::{Engine, Env};

use crate::settings::{EngineSettings, Settings};

/// An engine that a repo can have, as found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineFound {
    /// Its name, as `repose add --engine` takes it.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// Whether its conversations can be resumed.
    pub keeps_conversations: bool,
    /// The path of its program. `None`: it can't be started, and `trouble` says why.
    pub program: Option<PathBuf>,
    /// The version that the program reports.
    pub version: Version,
    /// Whether somebody is logged in.
    pub login: Login,
    /// What it can't do, in sentences.
    pub cannot: Vec<&'static str>,
    /// What prevents its use, and what to do.
    pub trouble: Option<Trouble>,
}

/// All engines: the built-in ones, then the user's own. Asks all programs for their versions at once; blocks
/// for up to [`repose_engine::locate::VERSION_WAIT`].
pub(crate) fn all(settings: &Settings, base: &Env) -> Vec<EngineFound> {
    std::thread::scope(|scope| {
        let looks: Vec<_> = settings
            .all_engines()
            .into_iter()
            .map(|engine| scope.spawn(move || look(&*engine, settings, base)))
            .collect();
        looks.into_iter().filter_map(|look| look.join().ok()).collect()
    })
}

/// The environment in which this engine is started.
pub(crate) fn env_of(base: &Env, settings: &EngineSettings) -> Env {
    let own = settings.env.iter().map(|(name, value)| (name.into(), value.into()));
    Env::new(base.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).chain(own))
}

fn look(engine: &dyn Engine, settings: &Settings, base: &Env) -> EngineFound {
    let settings = settings.engines.get(engine.name()).cloned().unwrap_or_default();
    let env = env_of(base, &settings);
    let found = EngineFound {
        name: engine.name().into(),
        title: engine.title().into(),
        keeps_conversations: engine.keeps_conversations(),
        program: None,
        version: Version::NotAsked,
        login: engine.login(&env),
        cannot: engine.cannot(),
        trouble: None,
    };
    let program = match engine.locate(&env, settings.command.as_deref()) {
        Ok(program) => program,
        Err(missing) => return EngineFound { trouble: Some(not_there(engine, &missing)), ..found },
    };
    // Some programs append their own name.
    let named = format!("({})", engine.title());
    let version = match engine.version(&program, &env) {
        Version::Told(version) => {
            Version::Told(version.strip_suffix(&named).unwrap_or(&version).trim().to_owned())
        }
        unknown @ (Version::Untold | Version::NotAsked) => unknown,
    };
    let trouble = match found.login {
        Login::Known(false) => Some(Trouble::new(
            Code::EngineLoggedOut,
            format!("{} is not logged in.", engine.title()),
            [format!("Run `{}` once in a terminal and log in.", engine.name())],
        )),
        Login::Known(true) | Login::NotNeeded | Login::Unknown => None,
    };
    EngineFound { program: Some(program.found), version, trouble, ..found }
}

fn not_there(engine: &dyn Engine, missing: &Missing) -> Trouble {
    let code = match missing {
        Missing::NotFound { .. } | Missing::NotDescribed { .. } => Code::EngineMissing,
        Missing::NotExecutable { .. } | Missing::Refused { .. } => Code::EngineNotExecutable,
    };
    let get = match engine.install() {
        Some(command) => format!("Install {}: `{command}`.", engine.title()),
        None => "Install that program.".into(),
    };
    let hint = format!("{get} Or say where it is: `[engines.{}] command`.", engine.name());
    Trouble::new(code, crate::check::sentence(&missing.to_string()), [hint])
}
