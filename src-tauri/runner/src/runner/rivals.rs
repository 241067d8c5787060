//! Watches that no other program writes a live engine's conversation.

use std::sync::Arc;
use std::time::Duration;

use repose_core::repo::{Event, State};
use repose_core::trouble::Code;
use tokio::sync::oneshot;

use super::{Actors, Runner};
use crate::actor::Wake;
use crate::shown::Shown;

/// The conversations of live engines are looked for elsewhere this often: somebody who opened one there needs longer
/// for a first prompt. One look reads the engine's few status files.
const RIVALS_EVERY: Duration = Duration::from_secs(3);

impl Runner {
    pub(super) async fn sweep_rivals(self) {
        let mut every = tokio::time::interval(RIVALS_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            for repo in self.list() {
                match repo.state {
                    State::Ready | State::Working | State::Waiting => self.look_for_rivals(&repo).await,
                    State::Asleep | State::Offline | State::Opening | State::Paused => {}
                }
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
                // An engine that was started through another program isn't the process that the holder started.
                let ours = repose_sys::tree::marked(mark.as_str());
                owners.retain(|owner| ours.iter().all(|member| member.id.pid != owner.pid));
            }
            std::io::Result::Ok(owners.into_iter().next())
        });
        let Ok(Ok(owner)) = looked.await else { return };
        let known = repo.trouble.as_ref().is_some_and(|trouble| trouble.code == Code::OwnedElsewhere);
        if known || owner.is_some() {
            handle.send(Wake::Event(Event::Elsewhere { session, owner }));
        }
    }
}
