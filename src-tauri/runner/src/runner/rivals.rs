//! Watches who else has a repo's conversation open. Beside a live engine that is trouble; for a sleeping repo
//! it is shown before anybody asks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use repose_core::repo::{Event, State};
use repose_core::trouble::Code;
use tokio::sync::oneshot;

use super::{Actors, Runner};
use crate::actor::Wake;
use crate::shown::Shown;

/// How often to look for conversations that are open elsewhere: whoever opened one there needs longer than
/// this to write a first prompt. One look reads the engine's few status files.
const RIVALS_EVERY: Duration = Duration::from_secs(3);

impl Runner {
    pub(super) async fn sweep_rivals(self) {
        let mut every = tokio::time::interval(RIVALS_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            let mut sleeping: HashMap<String, Vec<Shown>> = HashMap::new();
            for repo in self.list().into_iter().filter(|repo| repo.conversation.is_some()) {
                match repo.state {
                    State::Ready | State::Working | State::Waiting => self.look_for_rivals(&repo).await,
                    State::Asleep | State::Offline | State::Paused => {
                        sleeping.entry(repo.engine.as_str().to_owned()).or_default().push(repo);
                    }
                    State::Opening => {}
                }
            }
            for repos in sleeping.into_values() {
                self.look_for_owners(&repos).await;
            }
        }
    }

    /// Looks once for all of these repos, which share one engine and so one set of status files.
    pub(super) async fn look_for_owners(&self, repos: &[Shown]) {
        let Some(first) = repos.first() else { return };
        let Ok(Actors { facts, .. }) = self.actor(&first.id) else { return };
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let looked = tokio::task::spawn_blocking(move || facts.engine.opened(&env, &shared.engine_pids()));
        let Ok(Ok(opened)) = looked.await else { return };
        for repo in repos {
            let conversation = repo.conversation.as_ref().map(|conversation| &conversation.id);
            let owner =
                opened.iter().find(|(id, _)| Some(id) == conversation).map(|(_, owner)| owner.clone());
            if owner != repo.owner
                && let Ok(Actors { handle, .. }) = self.actor(&repo.id)
            {
                handle.send(Wake::Event(Event::Elsewhere { session: None, owner }));
            }
        }
    }

    async fn look_for_rivals(&self, repo: &Shown) {
        let Some(conversation) = repo.conversation.as_ref().map(|conversation| conversation.id.clone())
        else {
            return;
        };
        let Ok(Actors { handle, facts }) = self.actor(&repo.id) else { return };
        let (reply, live) = oneshot::channel();
        handle.send(Wake::Live(reply));
        let Ok(Some(live)) = live.await else { return };
        let session = live.session;
        let mark = session.clone();
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let looked = tokio::task::spawn_blocking(move || {
            let mut owners = facts.engine.owners(&env, &conversation, &shared.engine_pids())?;
            if !owners.is_empty() {
                // If the engine was started through another program, it isn't the process that the holder
                // started.
                let ours = repose_sys::tree::marked(mark.as_str());
                owners.retain(|owner| ours.iter().all(|member| member.id.pid != owner.pid));
            }
            std::io::Result::Ok(owners.into_iter().next())
        });
        let Ok(Ok(owner)) = looked.await else { return };
        let known = repo.trouble.as_ref().is_some_and(|trouble| trouble.code == Code::OwnedElsewhere);
        if known || owner.is_some() {
            handle.send(Wake::Event(Event::Elsewhere { session: Some(session), owner }));
        }
    }
}
