//! A runner's start, and what it does on its own from then on.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use repose_core::ids::SessionId;
use repose_core::repo::Intent;
use repose_engine::own::Own;

use super::{Actors, Runner, StartError};
use crate::actor::{Actor, Begins, Wake};
use crate::alive::{Alive, TOUCH_EVERY};
use crate::check::Facts;
use crate::moved;
use crate::shown::Change;
use crate::store::{RepoRow, SessionRow};

/// How long a start waits for a holder. After that its repo shows as opening until the holder has been heard.
const ADOPTED_WITHIN: Duration = Duration::from_secs(2);

impl Runner {
    pub(super) async fn begin_repos(&self) -> Result<(), StartError> {
        let shared = &self.inner.shared;
        let mut sessions = shared.store.sessions()?;
        let gate = shared.store.gate()?;
        shared.set_gate(gate);
        let mut begins = Vec::new();
        // Session folders that begin from here on aren't leftovers.
        let before = crate::doctor::session_dirs(shared);
        let (mut known, mut folders) = (BTreeSet::new(), Vec::new());
        for row in shared.store.repos()? {
            // A repo whose engine the settings no longer describe is offline.
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
        // A repo that isn't shown yet would be taken for one that was never added.
        let mut catch_up = Vec::new();
        for Begins { shown, caught_up } in begins {
            let _ = shown.await;
            catch_up.push(caught_up);
        }
        let all = async {
            for caught_up in catch_up {
                let _ = caught_up.await;
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
                    // Without the mark, moving this folder is noticed only by its name.
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

    /// Keeps the files that say that this runner is there: the one whose time is when it was last alive, and the lock's.
    pub(super) async fn stay_alive(self, mut alive: Alive) {
        let mut every = tokio::time::interval(TOUCH_EVERY);
        loop {
            every.tick().await;
            alive.touch();
            let renewed =
                self.inner.lock.lock().unwrap_or_else(PoisonError::into_inner).renew(&self.home().lock());
            if let Err(error) = renewed {
                tracing::warn!(%error, "the lock's file doesn't say that this runner is there");
            }
        }
    }
}

/// Takes the session of a repo that isn't over according to the store. There is at most one; if there are
/// more, only the newest can be the repo's process, and the others are leftovers.
fn take_session(sessions: &mut Vec<SessionRow>, row: &RepoRow) -> Option<SessionRow> {
    let wanted: Option<SessionId> = match &row.stored.intent {
        Intent::Ending { session, .. } => Some(session.clone()),
        Intent::Open | Intent::Paused { .. } => None,
    };
    let of_repo = |session: &SessionRow| session.repo == row.id;
    let at = sessions
        .iter()
        .rposition(|session| of_repo(session) && Some(&session.session) == wanted.as_ref())
        .or_else(|| sessions.iter().rposition(of_repo))?;
    Some(sessions.remove(at))
}
