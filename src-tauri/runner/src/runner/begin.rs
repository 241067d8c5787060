//! A runner's start, and what it does by itself from then on.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use repose_core::ids::{RepoId, SessionId};
use repose_core::repo::{Event, Intent, State};
use repose_core::trouble::Code;
use repose_engine::own::Own;
use tokio::sync::oneshot;

use super::{Actors, Runner, StartError};
use crate::actor::{Actor, Wake};
use crate::check::{Facts, hangs, needs};
use crate::looking::LOOKS_WITHIN;
use crate::moved;
use crate::shown::{Change, Shown};
use crate::store::{RepoRow, SessionRow};

/// At a start, a holder is waited for so long; after that its repo shows as opening until it has been heard.
const ADOPTED_WITHIN: Duration = Duration::from_secs(2);

/// Repos that sleep are looked at this often for whether they could open. One look costs a few file lookups.
const HEALTH_EVERY: Duration = Duration::from_secs(30);

impl Runner {
    pub(super) async fn begin_repos(&self) -> Result<(), StartError> {
        let shared = &self.inner.shared;
        let mut sessions = shared.store.sessions()?;
        let gate = shared.store.gate()?;
        shared.set_gate(gate);
        let mut begins = Vec::new();
        // Those that begin from here on are none of the leftovers.
        let before = crate::doctor::session_dirs(shared);
        let (mut known, mut folders) = (BTreeSet::new(), Vec::new());
        for row in shared.store.repos()? {
            // One that the settings describe no more is a repo that is offline.
            let engine = shared
                .settings()
                .engine(row.engine.as_str())
                .unwrap_or_else(|| Arc::new(Own::undescribed(row.engine.as_str())));
            let before = take_session(&mut sessions, &row);
            known.extend(before.iter().map(|row| row.session.as_str().to_owned()));
            let facts = Facts { id: row.id.clone(), name: row.name, path: row.path, engine };
            let (handle, begun) = Actor::begin(facts.clone(), Arc::clone(shared), row.stored, gate, before);
            folders.push((row.id.clone(), facts.path.clone()));
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
        tokio::task::spawn_blocking(move || {
            crate::doctor::tidy(&shared, before, &known);
            for (repo, folder) in folders {
                if let Some(mark) = moved::mark(&folder) {
                    // Without it a move of this folder is noticed by its name alone.
                    let _ = shared.store.mark(&repo, &mark);
                }
            }
        });
        Ok(())
    }

    pub(super) async fn follow_settings(self) {
        let mut settings = self.inner.shared.settings.clone();
        while settings.changed().await.is_ok() {
            for actor in self.actors().values() {
                actor.handle.send(Wake::Settings);
            }
            self.inner.shared.room.limits_changed();
            self.inner.shared.tell(Change::Settings);
        }
    }

    pub(super) async fn sweep_health(self) {
        let mut every = tokio::time::interval(HEALTH_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            for repo in self.list() {
                match repo.state {
                    State::Asleep | State::Offline => self.look_at_health(&repo.id).await,
                    State::Opening | State::Ready | State::Working | State::Waiting => {
                        self.look_at_loss(&repo).await;
                        if let Ok(actor) = self.actor(&repo.id) {
                            self.look_at_folder(&actor).await;
                        }
                    }
                    State::Paused => self.look_at_loss(&repo).await,
                }
            }
        }
    }

    /// Looks whether a repo that sleeps could open.
    pub(super) async fn look_at_health(&self, repo: &RepoId) {
        if let Some(shown) = self.shown(repo) {
            self.look_at_loss(&shown).await;
        }
        let Ok(Actors { handle, facts }) = self.actor(repo) else { return };
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let settings = shared.engine_settings(&facts);
        let hangs = hangs(&facts.name, &facts.path);
        let looking = Arc::clone(&shared);
        let look = move || needs(&facts, &shared, &env, &settings).err();
        let trouble = looking.looking.look(repo, LOOKS_WITHIN, look).await.unwrap_or(Some(hangs));
        let shown = self.shown(repo).and_then(|shown| shown.trouble).map(|trouble| trouble.code);
        // Why an engine didn't start stands until the next try: this look doesn't try.
        if trouble.is_none() && shown == Some(Code::EngineFailedToStart) {
            return;
        }
        handle.send(Wake::Event(Event::Health(trouble)));
        self.heard(repo).await;
    }

    /// Looks whether its engine, as it is set now, would lose a conversation that it takes up.
    async fn look_at_loss(&self, repo: &Shown) {
        let Ok(Actors { handle, facts }) = self.actor(&repo.id) else { return };
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let engine = facts.engine.described();
        let looked = tokio::task::spawn_blocking(move || facts.engine.would_lose(&env, &facts.path)).await;
        let Ok(loss) = looked else { return };
        if engine.keeps(loss.as_ref()) != repo.keeps {
            handle.send(Wake::Event(Event::Loses(loss)));
        }
    }

    /// Looks whether a live repo still has its folder.
    pub(super) async fn look_at_folder(&self, actor: &Actors) {
        let live = self.shown(&actor.facts.id).is_some_and(|shown| shown.state.is_live());
        if !live {
            return; // an open looks at all that it needs
        }
        let trouble = self.inner.shared.look_at_folder(&actor.facts).await.err();
        actor.handle.send(Wake::Event(Event::Health(trouble)));
    }

    /// Returns once the repo has taken in what was sent to it before.
    pub(super) async fn heard(&self, repo: &RepoId) {
        let Ok(Actors { handle, .. }) = self.actor(repo) else { return };
        let (reply, seen) = oneshot::channel();
        handle.send(Wake::Live(reply)); // answered after it
        let _ = seen.await;
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
