//! Adding a repo.

use std::sync::Arc;

use repose_core::ids::RepoId;
use repose_core::repo::Change as RepoChange;
use repose_core::trouble::{About, Code, Trouble};
use repose_engine::EngineRef;
use repose_sys::clock::now;

use super::{Actors, Runner, fault};
use crate::actor::Actor;
use crate::add::NewRepo;
use crate::check::Facts;
use crate::shown::Shown;
use crate::store::{RepoRow, StoreError};
use crate::{add, moved, settings};

/// The most repos that may be added: more than anybody has folders for. The next one is refused.
const REPOS_MAX: usize = 5_000;

impl Runner {
    /// Adds a repo. Its engine may be missing; the repo is then offline.
    ///
    /// # Errors
    /// If the folder isn't one or has already been added, or the name is taken.
    pub async fn add(&self, new: NewRepo) -> Result<Shown, Trouble> {
        let _one_at_a_time = self.inner.adding.lock().await;
        let shared = &self.inner.shared;
        let path = add::folder(&new.path)?;
        let repos = self.list();
        if let Some(known) = self.at(&path, &repos).await {
            return Err(Trouble::new(
                Code::AlreadyAdded,
                format!("This folder was added before, as {}.", known.name),
                [format!(
                    "Ask it something: `repose ask {} \"…\"`.",
                    repose_core::words::shell_word(&known.name)
                )],
            )
            .about(About::Repo { id: known.id.clone(), name: known.name.clone() }));
        }
        if repos.len() >= REPOS_MAX {
            return Err(Trouble::new(
                Code::QueueFull,
                format!("There are {REPOS_MAX} repos already. This one was not added."),
                ["Remove some: `repose rm REPO`."],
            ));
        }
        let name = add::name(new.name.as_deref(), &path, &repos)?;
        let settings = shared.settings();
        let engine = match &new.engine {
            Some(name) => self.engine_named(name).await?,
            None => {
                let env = shared.env.known(&settings::EngineSettings::default()).await;
                let path = path.clone();
                let look = move || add::default_engine(&path, &env, &settings);
                tokio::task::spawn_blocking(look).await.map_err(|error| fault(&error))?
            }
        };
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
                if let Some(mark) = moved::mark(&facts.path) {
                    shared.store.mark(&facts.id, &mark).map_err(refused)?;
                }
                if new.adopt
                    && let Some(conversation) = add::newest(&*facts.engine, &env, &facts.path)
                {
                    shared
                        .store
                        .apply(&facts.id, &[RepoChange::Current(conversation)], wall)
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
        let (handle, begins) = Actor::begin(facts.clone(), Arc::clone(shared), row.stored, gate, None);
        self.actors().insert(id.clone(), Actors { handle, facts });
        let _ = begins.caught_up.await;
        self.look_at_health(&id).await;
        let added = self.after(&id)?;
        if added.conversation.is_some() {
            self.look_for_owners(std::slice::from_ref(&added)).await;
            self.heard(&id).await;
        }
        self.after(&id)
    }

    /// The engine with this name, also if the settings describe it only since a moment ago.
    ///
    /// # Errors
    /// If there is no such engine.
    pub(super) async fn engine_named(&self, name: &str) -> Result<EngineRef, Trouble> {
        let known = self.inner.shared.settings();
        if let Some(engine) = known.engine(name) {
            return Ok(engine);
        }
        // Whoever describes an engine and names it at once is ahead of the watch on the file.
        let file = self.home().config_file();
        match tokio::task::spawn_blocking(move || settings::Settings::load(&file)).await {
            Ok(Ok(now)) => add::engine_named(name, &now),
            Ok(Err(_)) | Err(_) => add::engine_named(name, &known),
        }
    }
}
