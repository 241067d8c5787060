//! The handle through which surfaces use the runner.

mod adding;
mod asking;
mod begin;
mod finding;
mod health;
mod looking;
mod orders;
mod rivals;
mod sweep;
mod using;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use repose_core::ids::RepoId;
use repose_core::repo::Answer;
use repose_core::time::Wall;
use repose_core::trouble::{Code, Trouble};
use repose_engine::own::Own;
use repose_sys::clock::now;
use repose_sys::lock::{self, LockError, Locked, LockedFolder};
use tokio::sync::broadcast;

use crate::actor::{Handle, Wake};
use crate::alive::Alive;
use crate::check::{Facts, sentence};
use crate::env::Environment;
use crate::home::{Home, HomeError};
use crate::program::Programs;
use crate::settings::{self, BadSettings, Settings};
use crate::shared::Shared;
use crate::shown::{Change, Info, Shown};
use crate::store::{Store, StoreError};

pub use using::{USED_FOR, Use};

/// How a runner is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program that holders run a copy of.
    pub program: PathBuf,
    /// The runner's own environment.
    pub env: Vec<(OsString, OsString)>,
}

/// Why a runner doesn't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another runner uses this state folder.
    #[error("another runner{} is at work on {}; this one was not started", pid.map_or(String::new(), |pid| format!(" (pid {pid})")), path.display())]
    Running {
        /// Its process id, if known.
        pid: Option<u32>,
        /// The path of the lock file.
        path: PathBuf,
    },
    /// The folders can't be created.
    #[error("{0}")]
    Home(#[from] HomeError),
    /// The lock can't be taken.
    #[error("{0}")]
    Lock(String),
    /// The store can't be opened.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl StartError {
    /// The error as a trouble.
    #[must_use]
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Running { .. } => Trouble::new(
                Code::RunnerElsewhere,
                sentence(&self.to_string()),
                [
                    "It serves every `repose` verb; there is nothing to start.",
                    "To replace it, end that process first.",
                ],
            ),
            Self::Home(error) => {
                Trouble::new(Code::StoreFailed, sentence(&error.to_string()), ["Check its permissions."])
            }
            Self::Lock(words) => {
                Trouble::new(Code::StoreFailed, sentence(words), ["Check the state folder."])
            }
            Self::Store(error) => error.trouble(),
        }
    }
}

/// The runner. Cheap to clone, since it is a handle.
#[derive(Debug, Clone)]
pub struct Runner {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    actors: Mutex<HashMap<RepoId, Actors>>,
    /// Held while a repo is added, so that names and folders stay unique.
    adding: tokio::sync::Mutex<()>,
    /// Held while settings are changed, so that no change is lost.
    changing: Mutex<()>,
    started: Wall,
    /// The lock whose file says which process is the runner.
    lock: Mutex<Locked>,
    /// Keeps other runners out also where that file is removed.
    _folder: LockedFolder,
}

#[derive(Debug, Clone)]
struct Actors {
    handle: Handle,
    facts: Facts,
}

impl Runner {
    /// Starts the runner of this home: takes the lock, opens the store, reads the settings and adopts live
    /// holders. It answers requests from then on.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(home: Home, options: Options) -> Result<Self, StartError> {
        Self::start_heard(home, options).await.map(|(runner, _)| runner)
    }

    /// Starts the runner, and also returns all changes from its first moment on, including those that are
    /// reported during the start.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start_heard(
        home: Home,
        options: Options,
    ) -> Result<(Self, broadcast::Receiver<Change>), StartError> {
        home.create()?;
        let not_taken = |error| match error {
            LockError::Held { path, pid } => StartError::Running { pid, path },
            error @ LockError::Io { .. } => StartError::Lock(error.to_string()),
        };
        let lock = lock::exclusive(&home.lock()).map_err(not_taken)?;
        let folder = lock::folder(home.state()).map_err(not_taken)?;
        let store = Store::open(&home.store())?;
        if let Some(boot) = repose_sys::clock::boot() {
            store.of_boot(&boot)?;
        }
        let settings = settings::watch(&home.config_file());
        let env = Environment::begin(options.env);
        let programs = Programs::new(home.programs(), options.program);
        let (alive, absence) = Alive::begin(&home.alive());
        let shared = Shared::new(home, store, settings, env, programs, absence);
        let changes = shared.subscribe();
        let inner = Inner {
            shared,
            actors: Mutex::default(),
            adding: tokio::sync::Mutex::default(),
            changing: Mutex::default(),
            started: now().wall,
            lock: Mutex::new(lock),
            _folder: folder,
        };
        let runner = Self { inner: Arc::new(inner) };
        runner.begin_repos().await?;
        tokio::spawn(runner.clone().stay_alive(alive));
        tokio::spawn(runner.clone().follow_settings());
        tokio::spawn(runner.clone().sweep_health());
        tokio::spawn(runner.clone().sweep_rivals());
        tokio::spawn(runner.clone().sweep_room());
        Ok((runner, changes))
    }

    /// Stops the actors. Holders and their engines stay.
    pub fn shutdown(&self) {
        for actor in self.actors().values() {
            actor.handle.send(Wake::Leave);
        }
    }

    /// Facts about the runner itself.
    #[must_use]
    pub fn info(&self) -> Info {
        Info {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            started: self.inner.started,
        }
    }

    /// The runner's folders.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.inner.shared.home
    }

    /// The settings in force, and what is wrong with the settings file, if anything.
    #[must_use]
    pub fn settings(&self) -> (Arc<Settings>, Option<Trouble>) {
        let loaded = self.inner.shared.settings.borrow();
        (Arc::clone(&loaded.settings), loaded.trouble.clone())
    }

    /// Changes settings in their file, based on its present content; comments stay. Returns the new content,
    /// which takes effect a moment later.
    ///
    /// # Errors
    /// If the file can't be read or written, or the values don't make sense together. The file is then left
    /// as it is.
    pub fn change_settings(&self, change: impl FnOnce(Settings) -> Settings) -> Result<Settings, Trouble> {
        let _one_at_a_time = self.inner.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.home().config_file();
        let changed = || {
            let settings = change(Settings::load(&file)?);
            settings.write(&file)?;
            Ok(settings)
        };
        let in_force = self.inner.shared.settings.borrow().in_force;
        changed().map_err(|bad: BadSettings| bad.trouble(in_force))
    }

    /// A value that a surface stored, across restarts.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn value(&self, key: &str) -> Result<Option<String>, Trouble> {
        self.inner.shared.store.value(key).map_err(|error| error.trouble())
    }

    /// Stores a value for a surface, across restarts.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_value(&self, key: &str, value: &str) -> Result<(), Trouble> {
        self.inner.shared.store.set_value(key, value).map_err(|error| error.trouble())
    }

    fn gate(&self) -> Result<bool, Trouble> {
        self.inner.shared.store.gate().map_err(|error| error.trouble())
    }

    fn after(&self, repo: &RepoId) -> Result<Shown, Trouble> {
        self.shown(repo).ok_or_else(gone)
    }

    fn actor(&self, repo: &RepoId) -> Result<Actors, Trouble> {
        let Actors { handle, facts } =
            self.actors().get(repo).filter(|actor| !actor.handle.is_gone()).cloned().ok_or_else(gone)?;
        Ok(Actors { handle, facts: self.inner.shared.with_engine(facts) })
    }

    fn actors(&self) -> std::sync::MutexGuard<'_, HashMap<RepoId, Actors>> {
        self.inner.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// These facts with the engine as the settings describe it now. An engine that they no longer describe
    /// can't be found.
    pub(crate) fn with_engine(&self, facts: Facts) -> Facts {
        if facts.engine.own().is_none() {
            return facts;
        }
        let name = facts.engine.name();
        let engine = self.settings().engine(name).unwrap_or_else(|| Arc::new(Own::undescribed(name)));
        Facts { engine, ..facts }
    }

    /// Whether the settings describe a repo's engine.
    pub(crate) fn describes(&self, facts: &Facts) -> bool {
        self.settings().engine(facts.engine.name()).is_some()
    }

    /// The settings of a repo's engine.
    pub(crate) fn engine_settings(&self, facts: &Facts) -> settings::EngineSettings {
        self.settings().engines.get(facts.engine.name()).cloned().unwrap_or_default()
    }

    /// The environment in which a repo's engine runs.
    pub(crate) async fn env_for(&self, facts: &Facts) -> repose_engine::Env {
        self.env.known(&self.engine_settings(facts)).await
    }
}

fn refusal(answer: Option<Answer>) -> Trouble {
    match answer {
        Some(Answer::Refused(trouble) | Answer::Unanswered { trouble, .. }) => trouble,
        Some(Answer::Done | Answer::Accepted { .. } | Answer::Answered { .. } | Answer::Paused(_)) => {
            Trouble::new(Code::Internal, "The repo gave an answer that doesn't fit.", ["Report it."])
        }
        None => gone(),
    }
}

fn gone() -> Trouble {
    Trouble::new(Code::NoSuchRepo, "This repo is gone.", ["See what there is: `repose ls`."])
}

fn fault(error: &tokio::task::JoinError) -> Trouble {
    Trouble::new(
        Code::Internal,
        format!("The order ended in a fault ({error})."),
        ["Try again.", "If it comes back, report it."],
    )
}
