//! The handle that surfaces speak to.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use repose_core::ask::{Ask, Stage};
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId, SessionId};
use repose_core::repo::{Answer, Change as RepoChange, Event, Intent, State};
use repose_core::time::Wall;
use repose_core::trouble::{Code, Trouble};
use repose_engine::transcript::Page;
use repose_hold::{Attach, Attached};
use repose_sys::clock::now;
use repose_sys::lock::{self, LockError, Locked};
use tokio::sync::{broadcast, oneshot};

use crate::actor::{Actor, Handle, Order, Wake};
use crate::add::{self, NewRepo};
use crate::check::{Facts, needs, sentence};
use crate::env::Environment;
use crate::home::{Home, HomeError};
use crate::program::Programs;
use crate::settings::{self, BadSettings, Settings};
use crate::shared::Shared;
use crate::shown::{
    AskOutcome, AskTrouble, Change, ConversationShown, Info, Live, LogEntry, NewAsk, Paused, Shown, Totals,
};
use crate::store::{RepoRow, SessionRow, Store, StoreError};

/// At a start, a holder is waited for so long; after that its repo shows as opening until it has been heard.
const ADOPTED_WITHIN: Duration = Duration::from_secs(2);

/// Repos that sleep are looked at this often for whether they could open. One look costs a few file lookups.
const HEALTH_EVERY: Duration = Duration::from_secs(30);

/// Repos that may be added. More than anybody has folders for; the next one is refused.
const REPOS_MAX: usize = 5_000;

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
    /// Another one is at work on this state folder.
    #[error("another runner{} is at work on {}; this one was not started", pid.map_or(String::new(), |pid| format!(" (pid {pid})")), path.display())]
    Running {
        /// Its process, if it has said so.
        pid: Option<u32>,
        /// The lock.
        path: PathBuf,
    },
    /// The folders can't be made.
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
    /// As a trouble.
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

/// The runner. Cheap to clone: a handle.
#[derive(Debug, Clone)]
pub struct Runner {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    actors: Mutex<HashMap<RepoId, Actors>>,
    /// Only one repo is added at a time, so that names and folders stay unique.
    adding: tokio::sync::Mutex<()>,
    started: Wall,
    _lock: Locked,
}

#[derive(Debug, Clone)]
struct Actors {
    handle: Handle,
    facts: Facts,
}

impl Runner {
    /// Starts the runner of this home: lock, store, settings, and the holders that live. It answers from then on.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(home: Home, options: Options) -> Result<Self, StartError> {
        home.create()?;
        let lock = lock::exclusive(&home.lock()).map_err(|error| match error {
            LockError::Held { path, pid } => StartError::Running { pid, path },
            error @ LockError::Io { .. } => StartError::Lock(error.to_string()),
        })?;
        let store = Store::open(&home.store())?;
        let settings = settings::watch(&home.config_file());
        let env = Environment::begin(options.env);
        let programs = Programs::new(home.programs(), options.program);
        let shared = Shared::new(home, store, settings, env, programs);
        let inner = Inner {
            shared,
            actors: Mutex::default(),
            adding: tokio::sync::Mutex::default(),
            started: now().wall,
            _lock: lock,
        };
        let runner = Self { inner: Arc::new(inner) };
        runner.begin_repos().await?;
        tokio::spawn(runner.clone().follow_settings());
        tokio::spawn(runner.clone().sweep_health());
        Ok(runner)
    }

    /// Ends the actors. Holders, and the engines that they hold, stay.
    pub fn shutdown(&self) {
        for actor in self.actors().values() {
            actor.handle.send(Wake::Leave);
        }
    }

    /// The runner itself.
    #[must_use]
    pub fn info(&self) -> Info {
        Info {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            started: self.inner.started,
        }
    }

    /// The folders.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.inner.shared.home
    }

    /// The settings in force, and what is wrong with the file, if something is.
    #[must_use]
    pub fn settings(&self) -> (Arc<Settings>, Option<Trouble>) {
        let loaded = self.inner.shared.settings.borrow();
        (Arc::clone(&loaded.settings), loaded.trouble.clone())
    }

    /// Writes settings. They are in force once the file's change has been seen.
    ///
    /// # Errors
    /// If they don't make sense; then the file stays as it is.
    pub fn set_settings(&self, settings: &Settings) -> Result<(), BadSettings> {
        settings.write(&self.inner.shared.home.config_file())
    }

    /// A value that a surface wants to find again after a restart.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn value(&self, key: &str) -> Result<Option<String>, Trouble> {
        self.inner.shared.store.value(key).map_err(|error| error.trouble())
    }

    /// Keeps such a value.
    ///
    /// # Errors
    /// If the store refuses.
    pub fn set_value(&self, key: &str, value: &str) -> Result<(), Trouble> {
        self.inner.shared.store.set_value(key, value).map_err(|error| error.trouble())
    }

    /// Every repo, in the order of adding. Opens nothing.
    #[must_use]
    pub fn list(&self) -> Vec<Shown> {
        self.inner.shared.list()
    }

    /// One repo. Opens nothing.
    #[must_use]
    pub fn shown(&self, repo: &RepoId) -> Option<Shown> {
        self.inner.shared.shown(repo)
    }

    /// Numbers over all repos.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.inner.shared.totals()
    }

    /// Whatever changes from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.inner.shared.subscribe()
    }

    /// The repo that people call so: by id, name or folder.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn find(&self, reference: &str, cwd: Option<&Path>) -> Result<RepoId, Trouble> {
        add::find(&self.list(), reference, cwd)
    }

    /// Adds a repo. Works without its engine: it is then offline.
    ///
    /// # Errors
    /// If the folder isn't one, was added before, or the name is taken.
    pub async fn add(&self, new: NewRepo) -> Result<Shown, Trouble> {
        let _one_at_a_time = self.inner.adding.lock().await;
        let shared = &self.inner.shared;
        let path = add::folder(&new.path)?;
        let repos = self.list();
        if let Some(known) = repos.iter().find(|repo| repo.path == path) {
            return Err(Trouble::new(
                Code::AlreadyAdded,
                format!("This folder was added before, as {}.", known.name),
                [format!("Ask it something: `repose ask {} \"…\"`.", known.name)],
            ));
        }
        if repos.len() >= REPOS_MAX {
            return Err(Trouble::new(
                Code::QueueFull,
                format!("There are {REPOS_MAX} repos already. This one was not added."),
                ["Remove some: `repose rm`."],
            ));
        }
        let name = add::name(new.name.as_deref(), &path, &repos)?;
        let settings = shared.settings();
        let env = shared.env.known(&settings::EngineSettings::default()).await;
        let command = |engine: &str| settings.engines.get(engine).and_then(|engine| engine.command.clone());
        let engine = add::engine(new.engine.as_deref(), &env, command)?;
        let id = RepoId::new(uuid::Uuid::now_v7().to_string());
        let facts = Facts { id: id.clone(), name, path, engine };
        let env = shared.env_for(&facts).await;
        let write = {
            let (facts, shared) = (facts.clone(), Arc::clone(shared));
            move || -> Result<RepoRow, Trouble> {
                let refused = |error: StoreError| error.trouble();
                let wall = now().wall;
                shared
                    .store
                    .add_repo(&facts.id, &facts.name, &facts.path, &facts.engine_name(), wall)
                    .map_err(refused)?;
                if new.adopt
                    && let Some(conversation) = add::newest(facts.engine, &env, &facts.path)
                {
                    shared
                        .store
                        .apply(&facts.id, &RepoChange::Current(conversation), wall)
                        .map_err(refused)?;
                }
                let row = shared.store.repos().map_err(refused)?.into_iter().find(|row| row.id == facts.id);
                row.ok_or_else(|| {
                    Trouble::new(Code::StoreFailed, "The repo was not kept.", ["Add it again."])
                })
            }
        };
        let row = tokio::task::spawn_blocking(write).await.map_err(|error| fault(&error))??;
        let gate = self.gate()?;
        let (handle, begun) = Actor::begin(facts.clone(), Arc::clone(shared), row.stored, gate, None);
        self.actors().insert(id.clone(), Actors { handle, facts });
        let _ = begun.await;
        self.look_at_health(&id).await;
        self.after(&id)
    }

    /// Makes sure that the repo has a live engine.
    ///
    /// # Errors
    /// What keeps it from opening.
    pub async fn ensure(&self, repo: &RepoId) -> Result<Shown, Trouble> {
        self.order(repo, Order::Ensure).await
    }

    /// Asks. With `wait` the answer is the engine's; without, that the ask is kept.
    ///
    /// # Errors
    /// [`AskTrouble`].
    pub async fn ask(&self, repo: &RepoId, new: NewAsk) -> Result<AskOutcome, AskTrouble> {
        let actor = self.actor(repo).map_err(|trouble| self.ask_trouble(repo, None, trouble))?;
        if let Err(unfit) = actor.facts.engine.keys(&new.text) {
            let trouble = Trouble::new(Code::UnfitText, sentence(&unfit.to_string()), [""; 0]);
            return Err(self.ask_trouble(repo, None, trouble));
        }
        let id = AskId::new(uuid::Uuid::now_v7().to_string());
        let ask = Ask {
            id: id.clone(),
            text: new.text,
            queued: new.queue,
            fresh: new.fresh,
            at: now().wall,
            stage: Stage::Waiting,
            told: None,
        };
        let answer = actor.handle.order(Order::Ask { ask, wait: new.wait }).await;
        self.asked(repo, id, answer)
    }

    /// The answer of an ask that was accepted before. It may have come already.
    ///
    /// # Errors
    /// [`AskTrouble`].
    pub async fn await_ask(&self, ask: &AskId) -> Result<AskOutcome, AskTrouble> {
        let store = self.inner.shared.store.clone();
        let id = ask.clone();
        let row = tokio::task::spawn_blocking(move || store.ask(&id)).await;
        let nobody = |trouble| AskTrouble { trouble, ask: Some(ask.clone()), continuity: None, shown: None };
        let row = match row {
            Ok(Ok(Some(row))) => row,
            Ok(Ok(None)) => return Err(nobody(no_such_ask(ask))),
            Ok(Err(error)) => return Err(nobody(error.trouble())),
            Err(error) => return Err(nobody(fault(&error))),
        };
        if let Stage::Over(result) = row.ask.stage {
            return self.over(&row.repo, ask.clone(), result, row.ask.told);
        }
        let actor = self.actor(&row.repo).map_err(nobody)?;
        let answer = actor.handle.order(Order::Await(ask.clone())).await;
        if let Some(Answer::Refused(Trouble { code: Code::NoSuchAsk, .. })) = &answer {
            // It came to its end between the two looks.
            let (store, id) = (self.inner.shared.store.clone(), ask.clone());
            if let Ok(Ok(Some(row))) = tokio::task::spawn_blocking(move || store.ask(&id)).await
                && let Stage::Over(result) = row.ask.stage
            {
                return self.over(&row.repo, ask.clone(), result, row.ask.told);
            }
        }
        self.asked(&row.repo, ask.clone(), answer)
    }

    /// Takes back an ask that waits.
    ///
    /// # Errors
    /// If it doesn't wait.
    pub async fn withdraw(&self, repo: &RepoId, ask: &AskId) -> Result<Shown, Trouble> {
        self.order(repo, Order::Withdraw(ask.clone())).await
    }

    /// Ends the engine, keeps the conversation, and keeps the repo from opening.
    ///
    /// # Errors
    /// If there is nothing to pause, work would be lost, or it would be a one-way trip.
    pub async fn pause(&self, repo: &RepoId, interrupt: bool) -> Result<Paused, Trouble> {
        let answer = self.actor(repo)?.handle.order(Order::Pause { interrupt }).await;
        match answer {
            Some(Answer::Paused(freed)) => Ok(Paused { freed, shown: self.after(repo)? }),
            answer => Err(refusal(answer)),
        }
    }

    /// Brings a conversation back: the current one, or another of the repo's.
    ///
    /// # Errors
    /// What keeps it from opening.
    pub async fn resume(&self, repo: &RepoId, conversation: Option<&str>) -> Result<Shown, Trouble> {
        if let Some(id) = conversation {
            self.know_conversation(repo, &ConversationId::new(id)).await?;
        }
        self.order(repo, Order::Resume(conversation.map(ConversationId::new))).await
    }

    /// Pauses every live repo, and closes the gate: nothing that sleeps opens until [`Runner::resume_all`].
    pub async fn pause_all(&self, interrupt: bool) -> Vec<(RepoId, Result<Paused, Trouble>)> {
        let closed = self.set_gate(true).err();
        let live = self.list().into_iter().filter(|repo| repo.state.is_live());
        let pauses = live.map(|repo| {
            let (runner, closed) = (self.clone(), closed.clone());
            tokio::spawn(async move {
                let paused = match closed {
                    Some(trouble) => Err(trouble),
                    None => runner.pause(&repo.id, interrupt).await,
                };
                (repo.id, paused)
            })
        });
        let pauses: Vec<_> = pauses.collect();
        let mut outcomes = Vec::with_capacity(pauses.len());
        for pause in pauses {
            if let Ok(outcome) = pause.await {
                outcomes.push(outcome);
            }
        }
        outcomes
    }

    /// Opens the gate and lifts every pause. Opens nothing, except for asks that were queued.
    pub async fn resume_all(&self) -> Vec<(RepoId, Result<Shown, Trouble>)> {
        let opened = self.set_gate(false).err();
        let mut outcomes = Vec::new();
        for repo in self.list().into_iter().filter(|repo| repo.state == State::Paused) {
            let lifted = match &opened {
                Some(trouble) => Err(trouble.clone()),
                None => self.order(&repo.id, Order::Lift).await,
            };
            outcomes.push((repo.id, lifted));
        }
        outcomes
    }

    /// Begins a new conversation.
    ///
    /// # Errors
    /// If work would be lost, or what keeps it from opening.
    pub async fn fresh(&self, repo: &RepoId, interrupt: bool) -> Result<Shown, Trouble> {
        self.order(repo, Order::Fresh { interrupt }).await
    }

    /// Ends the engine, and forgets pause and queue.
    ///
    /// # Errors
    /// If work would be lost.
    pub async fn stop(&self, repo: &RepoId, interrupt: bool) -> Result<Shown, Trouble> {
        self.order(repo, Order::Stop { interrupt }).await
    }

    /// Removes a repo. Its folder and its engine's files stay. The answer is how it was last shown.
    ///
    /// # Errors
    /// If work would be lost.
    pub async fn remove(&self, repo: &RepoId, interrupt: bool) -> Result<Shown, Trouble> {
        let actor = self.actor(repo)?;
        let last = self.after(repo)?;
        done(actor.handle.order(Order::Remove { interrupt }).await)?;
        self.actors().remove(repo);
        self.inner.shared.hide(repo);
        Ok(last)
    }

    /// Ends the turn, as Esc would.
    ///
    /// # Errors
    /// If there is none.
    pub async fn interrupt(&self, repo: &RepoId) -> Result<Shown, Trouble> {
        self.order(repo, Order::Interrupt).await
    }

    /// Pins or unpins it: a pinned repo's engine isn't let go for being idle.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn pin(&self, repo: &RepoId, pinned: bool) -> Result<Shown, Trouble> {
        self.order(repo, Order::Pin(pinned)).await
    }

    /// Attaches a terminal. Opens the engine if there is none.
    ///
    /// # Errors
    /// What keeps it from opening.
    pub async fn attach(&self, repo: &RepoId, attach: Attach) -> Result<Attached, Trouble> {
        let (reply, answer) = oneshot::channel();
        self.actor(repo)?.handle.send(Wake::Attach(reply));
        let dir = answer.await.map_err(|_| gone())??;
        repose_hold::attach(&dir, attach).await.map_err(|error| {
            let hints = ["Try again.", "Check what is left: `repose doctor`."];
            Trouble::new(Code::Internal, sentence(&error.to_string()), hints)
        })
    }

    /// The repo's conversations, newest first: those of its history, and those that its engine has for its folder.
    ///
    /// # Errors
    /// If they can't be read.
    pub async fn conversations(&self, repo: &RepoId) -> Result<Vec<ConversationShown>, Trouble> {
        let facts = self.actor(repo)?.facts;
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let listed = tokio::task::spawn_blocking(move || conversations(&facts, &shared, &env)).await;
        listed.map_err(|error| fault(&error))?
    }

    /// Some entries of a conversation: the last ones, or those before `before`.
    ///
    /// # Errors
    /// If there is no such conversation, or it can't be read.
    pub async fn conversation_page(
        &self,
        repo: &RepoId,
        conversation: Option<&str>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Page, Trouble> {
        let facts = self.actor(repo)?.facts;
        let current =
            self.shown(repo).and_then(|shown| shown.conversation).map(|conversation| conversation.id);
        let Some(id) = conversation.map(ConversationId::new).or(current) else { return Ok(Page::default()) };
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let read = move || {
            let known = crate::check::read(&facts, &shared, &env, &id)?;
            let transcript = known.as_ref().and_then(|known| known.transcript.as_ref()).map(PathBuf::from);
            let path = transcript.or_else(|| facts.engine.transcript_path(&env, &facts.path, &id));
            let Some(path) = path.filter(|path| path.is_file()) else {
                return if known.is_some() { Ok(Page::default()) } else { Err(no_such_conversation(&id)) };
            };
            facts.engine.entries(&path, before, limit).map_err(|error| {
                let hints = ["Check that file's permissions."];
                Trouble::new(
                    Code::FolderUnreadable,
                    format!("{} can't be read: {error}.", path.display()),
                    hints,
                )
            })
        };
        tokio::task::spawn_blocking(read).await.map_err(|error| fault(&error))?
    }

    /// What happened in a repo, oldest first: the last `limit` entries, or those after `after`.
    ///
    /// # Errors
    /// If the store can't be read.
    pub async fn log(
        &self,
        repo: &RepoId,
        after: Option<i64>,
        limit: usize,
    ) -> Result<Vec<LogEntry>, Trouble> {
        let (store, repo) = (self.inner.shared.store.clone(), repo.clone());
        let read = tokio::task::spawn_blocking(move || store.log(&repo, after, limit)).await;
        read.map_err(|error| fault(&error))?.map_err(|error| error.trouble())
    }

    /// Every live session.
    pub async fn diagnostics(&self) -> Vec<Live> {
        let handles: Vec<Handle> = self.actors().values().map(|actor| actor.handle.clone()).collect();
        let mut live = Vec::new();
        for handle in handles {
            let (reply, answer) = oneshot::channel();
            handle.send(Wake::Live(reply));
            live.extend(answer.await.ok().flatten().map(|live| *live));
        }
        live.sort_by(|a, b| a.name.cmp(&b.name));
        live
    }

    /// Looks at everything that Repose needs, and says what to do.
    pub async fn doctor(&self) -> crate::doctor::Report {
        let live = self.diagnostics().await;
        crate::doctor::look(&self.inner.shared, self.list(), live).await
    }

    async fn begin_repos(&self) -> Result<(), StartError> {
        let shared = &self.inner.shared;
        let mut sessions = shared.store.sessions()?;
        let gate = shared.store.gate()?;
        let mut begins = Vec::new();
        let mut known = BTreeSet::new();
        for row in shared.store.repos()? {
            let Some(engine) = repose_engine::find(row.engine.as_str()) else {
                tracing::error!(
                    repo = row.name,
                    engine = row.engine.as_str(),
                    "a repo's engine is not known to this build"
                );
                continue;
            };
            let before = take_session(&mut sessions, &row);
            known.extend(before.iter().map(|row| row.session.as_str().to_owned()));
            let facts = Facts { id: row.id.clone(), name: row.name, path: row.path, engine };
            let (handle, begun) = Actor::begin(facts.clone(), Arc::clone(shared), row.stored, gate, before);
            self.actors().insert(row.id, Actors { handle, facts });
            begins.push(begun);
        }
        let all = async {
            for begun in begins {
                let _ = begun.await;
            }
        };
        if tokio::time::timeout(ADOPTED_WITHIN, all).await.is_err() {
            tracing::warn!("a holder has not answered yet; its repo shows as opening until it does");
        }
        let shared = Arc::clone(shared);
        tokio::task::spawn_blocking(move || crate::doctor::tidy(&shared, &known));
        Ok(())
    }

    async fn follow_settings(self) {
        let mut settings = self.inner.shared.settings.clone();
        while settings.changed().await.is_ok() {
            for actor in self.actors().values() {
                actor.handle.send(Wake::Settings);
            }
            self.inner.shared.tell(Change::Settings);
        }
    }

    async fn sweep_health(self) {
        let mut every = tokio::time::interval(HEALTH_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            for repo in self.list() {
                match repo.state {
                    State::Asleep | State::Offline => self.look_at_health(&repo.id).await,
                    State::Opening | State::Ready | State::Working | State::Waiting | State::Paused => {}
                }
            }
        }
    }

    /// Looks whether a repo that sleeps could open.
    async fn look_at_health(&self, repo: &RepoId) {
        let Ok(Actors { handle, facts }) = self.actor(repo) else { return };
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let settings = shared.engine_settings(&facts);
        let looked = tokio::task::spawn_blocking(move || needs(&facts, &shared, &env, &settings).err()).await;
        let Ok(trouble) = looked else { return };
        let shown = self.shown(repo).and_then(|shown| shown.trouble).map(|trouble| trouble.code);
        // Why an engine didn't start stands until the next try: this look doesn't try.
        if trouble.is_none() && shown == Some(Code::EngineFailedToStart) {
            return;
        }
        handle.send(Wake::Event(Event::Health(trouble)));
        let (reply, seen) = oneshot::channel();
        handle.send(Wake::Live(reply)); // answered after it
        let _ = seen.await;
    }

    /// A conversation that the engine has for the folder and the store doesn't know yet, made known.
    async fn know_conversation(&self, repo: &RepoId, id: &ConversationId) -> Result<(), Trouble> {
        let listed = self.conversations(repo).await?;
        let Some(found) = listed.into_iter().find(|listed| listed.conversation.id == *id) else {
            return Err(no_such_conversation(id));
        };
        let (store, repo) = (self.inner.shared.store.clone(), repo.clone());
        let known = tokio::task::spawn_blocking(move || {
            store.apply(&repo, &RepoChange::Known(found.conversation), now().wall)
        });
        known.await.map_err(|error| fault(&error))?.map_err(|error| error.trouble())
    }

    fn gate(&self) -> Result<bool, Trouble> {
        self.inner.shared.store.gate().map_err(|error| error.trouble())
    }

    fn set_gate(&self, closed: bool) -> Result<(), Trouble> {
        self.inner.shared.store.set_gate(closed).map_err(|error| error.trouble())?;
        for actor in self.actors().values() {
            actor.handle.send(Wake::Event(Event::Gate(closed)));
        }
        Ok(())
    }

    async fn order(&self, repo: &RepoId, order: Order) -> Result<Shown, Trouble> {
        done(self.actor(repo)?.handle.order(order).await)?;
        self.after(repo)
    }

    fn after(&self, repo: &RepoId) -> Result<Shown, Trouble> {
        self.shown(repo).ok_or_else(gone)
    }

    fn actor(&self, repo: &RepoId) -> Result<Actors, Trouble> {
        self.actors().get(repo).filter(|actor| !actor.handle.is_gone()).cloned().ok_or_else(gone)
    }

    fn asked(&self, repo: &RepoId, id: AskId, answer: Option<Answer>) -> Result<AskOutcome, AskTrouble> {
        match answer {
            Some(Answer::Answered { ask, text, continuity }) => self.over(repo, ask, Ok(text), continuity),
            Some(Answer::Unanswered { ask, trouble, continuity }) => {
                self.over(repo, ask, Err(trouble), continuity)
            }
            Some(Answer::Accepted(ask)) => {
                let shown = self.after(repo).map_err(|trouble| self.ask_trouble(repo, Some(id), trouble))?;
                let waits_for_resume = shown.state == State::Paused || self.gate().unwrap_or_default();
                Ok(AskOutcome::Accepted { ask, waits_for_resume, shown: Box::new(shown) })
            }
            answer => Err(self.ask_trouble(repo, None, refusal(answer))),
        }
    }

    fn over(
        &self,
        repo: &RepoId,
        ask: AskId,
        result: Result<String, Trouble>,
        continuity: Option<repose_core::continuity::Continuity>,
    ) -> Result<AskOutcome, AskTrouble> {
        let shown = self.shown(repo).map(Box::new);
        match (result, shown) {
            (Ok(text), Some(shown)) => Ok(AskOutcome::Answered { ask, text, continuity, shown }),
            (Ok(_), None) => Err(AskTrouble { trouble: gone(), ask: Some(ask), continuity, shown: None }),
            (Err(trouble), shown) => Err(AskTrouble { trouble, ask: Some(ask), continuity, shown }),
        }
    }

    fn ask_trouble(&self, repo: &RepoId, ask: Option<AskId>, trouble: Trouble) -> AskTrouble {
        AskTrouble { trouble, ask, continuity: None, shown: self.shown(repo).map(Box::new) }
    }

    fn actors(&self) -> std::sync::MutexGuard<'_, HashMap<RepoId, Actors>> {
        self.inner.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// The settings of a repo's engine.
    pub(crate) fn engine_settings(&self, facts: &Facts) -> settings::EngineSettings {
        self.settings().engines.get(facts.engine.name()).cloned().unwrap_or_default()
    }

    /// The environment that a repo's engine gets.
    pub(crate) async fn env_for(&self, facts: &Facts) -> repose_engine::Env {
        self.env.known(&self.engine_settings(facts)).await
    }
}

/// The session of a repo that the store doesn't know to be over. There is one at most; should there be more, only the
/// newest can be the repo's process, and the others are leftovers.
fn take_session(sessions: &mut Vec<SessionRow>, row: &RepoRow) -> Option<SessionRow> {
    let wanted: Option<SessionId> = match &row.stored.intent {
        Intent::Leaving { session, .. } => Some(session.clone()),
        Intent::Open | Intent::Paused { .. } => None,
    };
    let of_repo = |session: &SessionRow| session.repo == row.id;
    let at = sessions
        .iter()
        .rposition(|session| of_repo(session) && Some(&session.session) == wanted.as_ref())
        .or_else(|| sessions.iter().rposition(of_repo))?;
    Some(sessions.remove(at))
}

fn conversations(
    facts: &Facts,
    shared: &Shared,
    env: &repose_engine::Env,
) -> Result<Vec<ConversationShown>, Trouble> {
    let listed = facts.engine.conversations(env, &facts.path).map_err(|error| {
        let hints = ["Check the permissions of its folder in your home."];
        Trouble::new(
            Code::FolderUnreadable,
            format!("{}'s records can't be read: {error}.", facts.engine.title()),
            hints,
        )
    })?;
    let known = shared.store.conversations(&facts.id).map_err(|error| error.trouble())?;
    let engine = EngineName::new(facts.engine.name());
    let current = known
        .iter()
        .find(|(known, current)| *current && known.engine == engine)
        .map(|(known, _)| known.id.clone());
    let mut shown: Vec<ConversationShown> = listed
        .into_iter()
        .map(|listed| ConversationShown {
            current: Some(&listed.conversation.id) == current.as_ref(),
            conversation: listed.conversation,
            title: listed.title,
            size: listed.size,
        })
        .collect();
    for (conversation, is_current) in known {
        if shown.iter().any(|shown| shown.conversation.id == conversation.id) {
            continue;
        }
        shown.push(ConversationShown { conversation, title: None, size: 0, current: is_current });
    }
    shown.sort_by_key(|shown| std::cmp::Reverse(shown.conversation.last_turn));
    Ok(shown)
}

fn done(answer: Option<Answer>) -> Result<(), Trouble> {
    match answer {
        Some(Answer::Done) => Ok(()),
        answer => Err(refusal(answer)),
    }
}

fn refusal(answer: Option<Answer>) -> Trouble {
    match answer {
        Some(Answer::Refused(trouble) | Answer::Unanswered { trouble, .. }) => trouble,
        Some(Answer::Done | Answer::Accepted(_) | Answer::Answered { .. } | Answer::Paused(_)) => {
            Trouble::new(Code::Internal, "The repo gave an answer that doesn't fit.", ["Report it."])
        }
        None => gone(),
    }
}

fn gone() -> Trouble {
    Trouble::new(Code::NoSuchRepo, "This repo is gone.", ["See what there is: `repose ls`."])
}

fn no_such_ask(ask: &AskId) -> Trouble {
    Trouble::new(
        Code::NoSuchAsk,
        format!("There is no ask {ask}."),
        ["What was answered stands in `repose log`."],
    )
}

fn no_such_conversation(id: &ConversationId) -> Trouble {
    Trouble::new(
        Code::NoSuchConversation,
        format!("This repo has no conversation {id}. Nothing was started."),
        ["List them: `repose conversations`."],
    )
}

fn fault(error: &tokio::task::JoinError) -> Trouble {
    Trouble::new(
        Code::Internal,
        format!("The order ended in a fault ({error})."),
        ["Try again.", "If it comes back, report it."],
    )
}
