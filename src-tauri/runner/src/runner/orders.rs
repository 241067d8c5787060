//! What people order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use repose_core::decision::Pick;
use repose_core::ids::{ConversationId, DecisionId, EngineName, RepoId};
use repose_core::repo::{Answer, Change as RepoChange, Event, State, no_such_conversation};
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_core::work::OnWork;
use repose_engine::EngineRef;
use repose_hold::{Attach, Attached};
use repose_sys::clock::now;
use tokio::sync::oneshot;

use super::{Runner, fault, gone, refusal};
use crate::actor::{Order, Wake};
use crate::check::{Facts, hangs, needs, sentence};
use crate::env::may_help;
use crate::may_hang::LOOKS_WITHIN;
use crate::settings::EngineSettings;
use crate::show::Place;
use crate::shown::{ConversationShown, Paused, Shown};

impl Runner {
    /// Makes sure that the repo has a live engine.
    ///
    /// # Errors
    /// The trouble that prevents the repo from opening.
    pub async fn ensure(&self, repo: &RepoId) -> Result<Shown, Trouble> {
        self.order(repo, Order::Ensure).await
    }

    /// Makes sure that the repo has a live engine, waiting until another program lets go of the conversation
    /// if necessary. In that case it returns at once and [`Shown::opens_when_free`] is set.
    ///
    /// # Errors
    /// The trouble that prevents the repo from opening.
    pub async fn ensure_when_free(&self, repo: &RepoId) -> Result<Shown, Trouble> {
        self.order(repo, Order::EnsureWhenFree).await
    }

    /// Continues with a copy of the current conversation, or of another that belongs to the repo or to a
    /// previous place of its folder. The original stays as it is, even if it is open elsewhere.
    ///
    /// # Errors
    /// If there is nothing to copy, work would be lost, or the repo can't open.
    pub async fn fork(&self, repo: &RepoId, conversation: Option<&str>) -> Result<Shown, Trouble> {
        if let Some(id) = conversation {
            let found = self.conversation(repo, id).await?;
            self.is_of_its_engine(repo, &found)?;
            let id = found.conversation.id.clone();
            self.know_conversation(repo, found).await?;
            return self.order(repo, Order::Fork(Some(id))).await;
        }
        self.order(repo, Order::Fork(None)).await
    }

    /// Ends the engine, keeps the conversation, and prevents the repo from opening.
    ///
    /// # Errors
    /// If there is nothing to pause, work would be lost, or the conversation couldn't be resumed.
    pub async fn pause(&self, repo: &RepoId, on_work: OnWork) -> Result<Paused, Trouble> {
        let answer = self.actor(repo)?.handle.order(Order::Pause(on_work)).await;
        match answer {
            Some(Answer::Paused(freed)) => Ok(Paused { freed, shown: self.after(repo)? }),
            answer => Err(refusal(answer)),
        }
    }

    /// Brings back a conversation: the current one, or another of the repo's.
    ///
    /// # Errors
    /// The trouble that prevents the repo from opening.
    pub async fn resume(&self, repo: &RepoId, conversation: Option<&str>) -> Result<Shown, Trouble> {
        if let Some(id) = conversation {
            let found = self.conversation(repo, id).await?;
            if let Some(from) = &found.moved_from {
                return Err(self.only_as_copy(repo, from, id));
            }
            self.is_of_its_engine(repo, &found)?;
            let id = found.conversation.id.clone();
            self.know_conversation(repo, found).await?;
            return self.order(repo, Order::Resume(Some(id))).await;
        }
        self.order(repo, Order::Resume(None)).await
    }

    /// Pauses all live repos and closes the gate: nothing that sleeps opens until [`Runner::resume_all`].
    ///
    /// # Errors
    /// If the store can't record the gate. No repo has been touched then.
    pub async fn pause_all(
        &self,
        on_work: OnWork,
    ) -> Result<Vec<(RepoId, Result<Paused, Trouble>)>, Trouble> {
        self.set_gate(true)?;
        let live = self.list().into_iter().filter(|repo| repo.state.is_live());
        let pauses = live.map(|repo| {
            let (runner, on_work) = (self.clone(), on_work.clone());
            tokio::spawn(async move {
                let paused = runner.pause(&repo.id, on_work).await;
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
        Ok(outcomes)
    }

    /// Opens the gate and lifts every pause. Opens engines only for asks that were queued.
    ///
    /// # Errors
    /// If the store can't record the gate. No repo has been touched then.
    pub async fn resume_all(&self) -> Result<Vec<(RepoId, Result<Shown, Trouble>)>, Trouble> {
        let runner = self.clone();
        self.in_one_piece(async move { runner.all_resumed().await }).await
    }

    async fn all_resumed(&self) -> Result<Vec<(RepoId, Result<Shown, Trouble>)>, Trouble> {
        self.set_gate(false)?;
        let mut outcomes = Vec::new();
        for repo in self.list().into_iter().filter(|repo| repo.state == State::Paused) {
            let lifted = self.order(&repo.id, Order::Lift).await;
            outcomes.push((repo.id, lifted));
        }
        Ok(outcomes)
    }

    /// Begins a new conversation.
    ///
    /// # Errors
    /// If work would be lost, or the repo can't open.
    pub async fn fresh(&self, repo: &RepoId, on_work: OnWork) -> Result<Shown, Trouble> {
        self.order(repo, Order::Fresh(on_work)).await
    }

    /// Ends the engine, and forgets the pause and the queue.
    ///
    /// # Errors
    /// If work would be lost.
    pub async fn stop(&self, repo: &RepoId, on_work: OnWork) -> Result<Shown, Trouble> {
        self.order(repo, Order::Stop(on_work)).await
    }

    /// Carries out an order of several steps to its end, also if whoever gave it is gone before that.
    async fn in_one_piece<T: Send + 'static>(
        &self,
        order: impl Future<Output = Result<T, Trouble>> + Send + 'static,
    ) -> Result<T, Trouble> {
        tokio::spawn(order).await.map_err(|error| fault(&error))?
    }

    /// Removes a repo. Its folder and its engine's files stay. Returns how it was last shown.
    ///
    /// # Errors
    /// If work would be lost.
    pub async fn remove(&self, repo: &RepoId, on_work: OnWork) -> Result<Shown, Trouble> {
        let (runner, repo) = (self.clone(), repo.clone());
        self.in_one_piece(async move { runner.removed(&repo, on_work).await }).await
    }

    async fn removed(&self, repo: &RepoId, on_work: OnWork) -> Result<Shown, Trouble> {
        let actor = self.actor(repo)?;
        let last = self.after(repo)?;
        done(actor.handle.order(Order::Remove(on_work)).await)?;
        self.actors().remove(repo);
        self.inner.shared.hide(repo);
        let images = self.home().images().join(repo.as_str());
        // Leftover pictures are no reason to fail.
        let _ = tokio::task::spawn_blocking(move || crate::images::forget(&images)).await;
        Ok(last)
    }

    /// Changes to another engine. A live engine is ended first; its conversation remains among the repo's.
    ///
    /// # Errors
    /// If there is no such engine, the repo is paused, or work would be lost. A live engine isn't ended for
    /// one that couldn't be opened.
    pub async fn switch(&self, repo: &RepoId, engine: &str, on_work: OnWork) -> Result<Shown, Trouble> {
        let (runner, repo, engine) = (self.clone(), repo.clone(), engine.to_owned());
        self.in_one_piece(async move { runner.switched(&repo, &engine, on_work).await }).await
    }

    async fn switched(&self, repo: &RepoId, engine: &str, on_work: OnWork) -> Result<Shown, Trouble> {
        let shared = &self.inner.shared;
        let engine = self.engine_named(engine).await?;
        let shown = self.after(repo)?;
        if shown.engine.as_str() == engine.name() {
            return Ok(shown);
        }
        if shown.state.is_live() {
            self.could_open(repo, &engine).await?;
            let mut stopped = self.order(repo, Order::Stop(on_work)).await;
            if let Err(trouble) = &mut stopped
                && trouble.code == Code::WorkWouldBeLost
            {
                let (repo, engine) = (words::shell_word(&shown.name), engine.name());
                let all_the_same =
                    format!("Or do it all the same: `repose engine --interrupt {repo} {engine}`.");
                if let Some(last) = trouble.hints.last_mut() {
                    *last = all_the_same;
                }
            }
            stopped?;
        }
        let (store, id, name) = (shared.store.clone(), repo.clone(), EngineName::new(engine.name()));
        let read = tokio::task::spawn_blocking(move || store.current(&id, &name));
        let conversation = read.await.map_err(|error| fault(&error))?.map_err(|error| error.trouble())?;
        let switch = Order::Switch { engine: Arc::clone(&engine), conversation };
        done(self.actor(repo)?.handle.order(switch).await)?;
        self.has_engine(repo, engine);
        self.look_at_health(repo).await;
        self.after(repo)
    }

    async fn could_open(&self, repo: &RepoId, engine: &EngineRef) -> Result<(), Trouble> {
        match self.has_what_it_needs(repo, engine).await {
            // It is among those that the settings describe.
            Err(trouble) if may_help(&trouble, true) => {
                self.inner.shared.env.look_again().await;
                self.has_what_it_needs(repo, engine).await
            }
            seen => seen,
        }
    }

    async fn has_what_it_needs(&self, repo: &RepoId, engine: &EngineRef) -> Result<(), Trouble> {
        let facts = Facts { engine: Arc::clone(engine), ..self.actor(repo)?.facts };
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let settings = shared.engine_settings(&facts);
        let hangs = hangs(&facts.name, &facts.path);
        let inner = Arc::clone(&self.inner);
        let look = move || needs(&facts, &shared, &env, &settings).map(drop);
        inner.shared.looks.look(repo, LOOKS_WITHIN, look).await.unwrap_or(Err(hangs))
    }

    /// Interrupts the turn, as Esc would.
    ///
    /// # Errors
    /// If there is no turn.
    pub async fn interrupt(&self, repo: &RepoId) -> Result<Shown, Trouble> {
        self.order(repo, Order::Interrupt).await
    }

    /// Makes a decision that the engine waits for, by picking one of its options.
    ///
    /// # Errors
    /// If the decision is over, or doesn't take this pick.
    pub async fn decide(&self, repo: &RepoId, decision: DecisionId, pick: Pick) -> Result<Shown, Trouble> {
        self.order(repo, Order::Decide { decision, pick }).await
    }

    /// Pins or unpins the repo: a pinned repo's engine isn't let go for being idle.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn pin(&self, repo: &RepoId, pinned: bool) -> Result<Shown, Trouble> {
        self.order(repo, Order::Pin(pinned)).await
    }

    /// Stores a picture as a file that the repo's engine can read.
    ///
    /// # Errors
    /// If the bytes aren't a picture, or it can't be stored.
    pub async fn keep_image(&self, repo: &RepoId, bytes: Vec<u8>) -> Result<PathBuf, Trouble> {
        self.actor(repo)?;
        let folder = self.home().images().join(repo.as_str());
        let kept = tokio::task::spawn_blocking(move || crate::images::keep(&folder, &bytes)).await;
        kept.map_err(|error| fault(&error))?
    }

    /// A picture that was stored, with its media type, such as `image/png`. `None`: there is none of that
    /// name any more.
    ///
    /// # Errors
    /// If there is no such repo.
    pub async fn image(
        &self,
        repo: &RepoId,
        name: String,
    ) -> Result<Option<(Vec<u8>, &'static str)>, Trouble> {
        self.actor(repo)?;
        let folder = self.home().images().join(repo.as_str());
        let kept = tokio::task::spawn_blocking(move || crate::images::kept(&folder, &name)).await;
        kept.map_err(|error| fault(&error))
    }

    /// Opens the repo's folder on this machine's desktop.
    ///
    /// # Errors
    /// If it can't be shown there.
    pub async fn show(&self, repo: &RepoId, place: Place) -> Result<(), Trouble> {
        let facts = self.actor(repo)?.facts;
        let shared = &self.inner.shared;
        shared.look_at_folder(&facts).await?;
        let env = shared.env.known(&EngineSettings::default()).await;
        let editor = shared.settings().editor.clone();
        let shown = tokio::task::spawn_blocking(move || {
            crate::show::show(place, &facts.path, &env, editor.as_deref())
        });
        shown.await.map_err(|error| fault(&error))?
    }

    /// Attaches a terminal. Opens an engine if there is none.
    ///
    /// # Errors
    /// The trouble that prevents the repo from opening.
    pub async fn attach(&self, repo: &RepoId, attach: Attach) -> Result<Attached, Trouble> {
        let (reply, answer) = oneshot::channel();
        self.actor(repo)?.handle.send(Wake::Attach(reply));
        let dir = answer.await.map_err(|_| gone())??;
        repose_hold::attach(&dir, attach).await.map_err(|error| {
            let hints = ["Try again.", "Check what is left: `repose doctor`."];
            Trouble::new(Code::Internal, sentence(&error.to_string()), hints)
        })
    }

    /// Records a conversation that the engine has for the folder and the store doesn't know yet.
    async fn know_conversation(&self, repo: &RepoId, found: ConversationShown) -> Result<(), Trouble> {
        let (store, repo) = (self.inner.shared.store.clone(), repo.clone());
        let known = tokio::task::spawn_blocking(move || {
            store.apply(&repo, &[RepoChange::Known(found.conversation)], now().wall)
        });
        known.await.map_err(|error| fault(&error))?.map_err(|error| error.trouble())
    }

    /// The conversation with this id, or the only one whose id begins so, among those available to the repo.
    async fn conversation(&self, repo: &RepoId, id: &str) -> Result<ConversationShown, Trouble> {
        let listed = self.conversations(repo).await?;
        let called = words::shell_word(&self.actor(repo)?.facts.name);
        only(listed, id, &called)
    }

    /// # Errors
    /// If the conversation is one with another engine than the repo's present one.
    fn is_of_its_engine(&self, repo: &RepoId, found: &ConversationShown) -> Result<(), Trouble> {
        let Facts { name, engine, .. } = self.actor(repo)?.facts;
        let its = found.conversation.engine.as_str();
        if its == engine.name() {
            return Ok(());
        }
        let id = &found.conversation.id;
        let sentence =
            format!("The conversation {id} is one with {its}, and {name} is with {} now.", engine.name());
        let hint = format!("Go over to it first: `repose engine {} {its}`.", words::shell_word(&name));
        Err(Trouble::new(Code::NotResumable, format!("{sentence} Nothing was started."), [hint]))
    }

    fn only_as_copy(&self, repo: &RepoId, from: &Path, id: &str) -> Trouble {
        let name = self.shown(repo).map(|shown| words::shell_word(&shown.name)).unwrap_or_default();
        Trouble::new(
            Code::NotResumable,
            format!(
                "The conversation {id} is of the folder {}, which is gone. Nothing was started.",
                from.display()
            ),
            [format!("Go on with a copy of it: `repose fork {name} --conversation {id}`.")],
        )
    }

    fn has_engine(&self, repo: &RepoId, engine: EngineRef) {
        if let Some(actor) = self.actors().get_mut(repo) {
            actor.facts.engine = engine;
        }
    }

    pub(super) fn set_gate(&self, closed: bool) -> Result<(), Trouble> {
        self.inner
            .shared
            .store
            .set_gate(closed, repose_sys::clock::now().wall)
            .map_err(|error| error.trouble())?;
        self.inner.shared.set_gate(closed);
        for actor in self.actors().values() {
            actor.handle.send(Wake::Event(Event::Gate(closed)));
        }
        Ok(())
    }

    pub(super) async fn order(&self, repo: &RepoId, order: Order) -> Result<Shown, Trouble> {
        done(self.actor(repo)?.handle.order(order).await)?;
        self.after(repo)
    }
}

fn done(answer: Option<Answer>) -> Result<(), Trouble> {
    match answer {
        Some(Answer::Done) => Ok(()),
        answer => Err(refusal(answer)),
    }
}

/// The fewest characters by which a conversation is named: fewer are easily typed by mistake.
const ID_MIN: usize = 4;

/// The conversation with this id, or the only one whose id begins so. `called` is the repo, as a shell word.
fn only(listed: Vec<ConversationShown>, id: &str, called: &str) -> Result<ConversationShown, Trouble> {
    let is = |exactly: bool| {
        move |listed: &ConversationShown| {
            let own = listed.conversation.id.as_str();
            own == id || (!exactly && id.chars().count() >= ID_MIN && own.starts_with(id))
        }
    };
    let exactly = listed.iter().any(is(true));
    let mut fit = listed.into_iter().filter(is(exactly));
    match (fit.next(), fit.next()) {
        (Some(found), None) => Ok(found),
        (None, _) => Err(no_such_conversation(called, &ConversationId::new(id))),
        (Some(_), Some(_)) => Err(Trouble::new(
            Code::BadRequest,
            format!(
                "More than one conversation of this repo has an id that begins with {id}. Nothing was started."
            ),
            [format!("See their ids: `repose conversations {called}`.")],
        )),
    }
}
