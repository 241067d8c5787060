//! Checks whether repos could open: regularly, and when a repo is added, asked something or given another
//! engine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use repose_core::conversation::Loss;
use repose_core::ids::RepoId;
use repose_core::repo::{Event, State};
use repose_core::trouble::Trouble;
use repose_engine::Env;
use tokio::sync::oneshot;

use super::{Actors, Runner};
use crate::actor::Wake;
use crate::add;
use crate::check::{Facts, folder, hangs, needs};
use crate::may_hang::LOOKS_WITHIN;
use crate::settings::EngineSettings;
use crate::shared::Shared;
use crate::shown::Shown;

/// How often repos with a live engine are checked, of which there are few: a folder that is moved away under one is
/// soon named.
const LIVE_EVERY: Duration = Duration::from_secs(5);

/// Of how many such checks one is of all repos: every 30 s. One takes some twenty file lookups a repo.
const ALL_OF: u64 = 6;

/// What to check besides the branch and whether the engine would lose the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Everything that an open needs.
    Needs,
    /// Only the folder: the engine runs, so it is there.
    Folder,
    /// Nothing more: an open is under way, or comes only on a person's order, and checks everything itself. What this
    /// sees meanwhile would come after the open's own word and contradict it.
    Kept,
}

impl Look {
    fn at(state: State) -> Self {
        match state {
            State::Asleep | State::Offline => Self::Needs,
            State::Ready | State::Working | State::Waiting => Self::Folder,
            State::Opening | State::Paused => Self::Kept,
        }
    }

    /// Whether what a look at a repo in the state `then` found in the way of an open says anything of it in the
    /// state `now`. If not, somebody has opened or paused it since.
    fn stands(then: State, now: State) -> bool {
        Self::at(then) == Self::at(now)
    }
}

/// The result of a check.
#[derive(Debug)]
struct Seen {
    trouble: Option<Trouble>,
    loss: Option<Loss>,
    branch: Option<String>,
}

impl Runner {
    pub(super) async fn sweep_health(self) {
        let mut every = tokio::time::interval(LIVE_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut env = self.inner.shared.env.follow();
        let mut checks = 0;
        loop {
            let all = tokio::select! {
                _ = every.tick() => {
                    checks += 1;
                    of_all(checks)
                }
                () = env.changes() => true,
            };
            let repos = self.list().into_iter().map(|repo| (Look::at(repo.state), repo));
            self.look_at(repos.filter(|(look, _)| all || *look == Look::Folder)).await;
        }
    }

    /// Checks whether a sleeping repo could open; returns once the repo has taken in the result.
    pub(super) async fn look_at_health(&self, repo: &RepoId) {
        self.look_at(self.shown(repo).map(|repo| (Look::Needs, repo))).await;
        self.heard(repo).await;
    }

    /// Checks repos, and tells each the result where it differs from what the repo shows, as soon as it is there.
    async fn look_at(&self, repos: impl IntoIterator<Item = (Look, Shown)>) {
        let shared = &self.inner.shared;
        let mut envs: BTreeMap<String, (Arc<Env>, Arc<EngineSettings>)> = BTreeMap::new();
        let (mut looks, mut known) = (Vec::new(), BTreeMap::new());
        for (look, repo) in repos {
            let Ok(actor) = self.actor(&repo.id) else { continue };
            let engine = actor.facts.engine.name();
            if !envs.contains_key(engine) {
                let settings = shared.engine_settings(&actor.facts);
                let env = shared.env.known(&settings).await;
                envs.insert(engine.to_owned(), (Arc::new(env), Arc::new(settings)));
            }
            let (env, settings) = envs[engine].clone();
            let (facts, shared) = (actor.facts.clone(), Arc::clone(shared));
            looks.push((repo.id.clone(), move || seen(look, &facts, &shared, &env, &settings)));
            known.insert(repo.id, (look, repo.state, actor));
        }
        let tell = |id: RepoId, seen: Option<Seen>| {
            let (Some((look, then, actor)), Some(shown)) = (known.remove(&id), self.shown(&id)) else {
                return;
            };
            let Actors { handle, facts } = actor;
            for wake in news(look, then, &shown, &facts, seen) {
                handle.send(wake);
            }
        };
        shared.looks.look_each(LOOKS_WITHIN, looks, tell).await;
    }

    /// Checks whether a live repo still has its folder.
    pub(super) async fn look_at_folder(&self, actor: &Actors) {
        let live = self.shown(&actor.facts.id).is_some_and(|shown| shown.state.is_live());
        if !live {
            return; // an open checks all that it needs
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

/// Whether the check with this number, the first of which is 1, is of all repos.
fn of_all(check: u64) -> bool {
    check % ALL_OF == 1
}

/// Checks one repo. Blocks for a few milliseconds if nothing hangs.
fn seen(look: Look, facts: &Facts, shared: &Shared, env: &Env, settings: &EngineSettings) -> Seen {
    let trouble = match look {
        Look::Needs => needs(facts, shared, env, settings).err(),
        Look::Folder => folder(&facts.name, &facts.path).err(),
        Look::Kept => None,
    };
    let loss = facts.engine.would_lose(env, &facts.path);
    Seen { trouble, loss, branch: add::branch(&facts.path) }
}

/// What to tell a repo that was in the state `then` and shows this now, given what was seen: whatever it doesn't know
/// yet.
fn news(look: Look, then: State, shown: &Shown, facts: &Facts, seen: Option<Seen>) -> Vec<Wake> {
    let mut news = Vec::new();
    let trouble = match seen {
        None => Some(hangs(&facts.name, &facts.path)),
        Some(Seen { trouble, loss, branch }) => {
            if branch != shown.branch {
                news.push(Wake::Branch(branch));
            }
            if facts.engine.described().keeps(loss.as_ref()) != shown.keeps {
                news.push(Wake::Event(Event::Loses(loss)));
            }
            trouble
        }
    };
    let stands = Look::stands(then, shown.state);
    match look {
        Look::Needs | Look::Folder if stands && trouble != shown.trouble => {
            news.push(Wake::Event(Event::Health(trouble)));
        }
        Look::Needs | Look::Folder | Look::Kept => {}
    }
    news
}

#[cfg(test)]
mod tests;
