//! Handing in asks and fetching their answers.

use repose_core::ask::{Ask, Stage};
use repose_core::ids::{AskId, RepoId};
use repose_core::repo::Answer;
use repose_core::trouble::{About, Code, Trouble};
use repose_sys::clock::now;

use super::{Runner, fault, gone, refusal};
use crate::actor::Order;
use crate::check::sentence;
use crate::shown::{AskOutcome, AskTrouble, NewAsk, Shown};

impl Runner {
    /// Hands in an ask. With `wait`, returns the engine's answer, otherwise once the ask has been stored.
    ///
    /// # Errors
    /// [`AskTrouble`].
    pub async fn ask(&self, repo: &RepoId, new: NewAsk) -> Result<AskOutcome, AskTrouble> {
        let actor = self.actor(repo).map_err(|trouble| self.ask_trouble(repo, None, trouble))?;
        if let Err(unfit) = actor.facts.engine.keys(&new.text) {
            let about = unfit.character().map(|(character, at)| About::Character { character, at });
            let trouble = Trouble {
                about: about.map(Box::new),
                ..Trouble::new(Code::UnfitText, sentence(&unfit.to_string()), [""; 0])
            };
            return Err(self.ask_trouble(repo, None, trouble));
        }
        self.look_at_folder(&actor).await;
        let id = AskId::new(uuid::Uuid::now_v7().to_string());
        let ask = Ask {
            id: id.clone(),
            text: new.text,
            queued: new.queue,
            fresh: new.fresh,
            at: now().wall,
            stage: Stage::Waiting,
            told: None,
            over: None,
        };
        let answer = actor.handle.order(Order::Ask { ask, wait: new.wait }).await;
        self.asked(repo, id, answer)
    }

    /// Waits for the answer to an ask that was accepted earlier; it may be there already.
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
            // The ask ended between the two looks.
            let (store, id) = (self.inner.shared.store.clone(), ask.clone());
            if let Ok(Ok(Some(row))) = tokio::task::spawn_blocking(move || store.ask(&id)).await
                && let Stage::Over(result) = row.ask.stage
            {
                return self.over(&row.repo, ask.clone(), result, row.ask.told);
            }
        }
        self.asked(&row.repo, ask.clone(), answer)
    }

    /// Withdraws a waiting ask.
    ///
    /// # Errors
    /// If it isn't waiting.
    pub async fn withdraw(&self, repo: &RepoId, ask: &AskId) -> Result<Shown, Trouble> {
        self.order(repo, Order::Withdraw(ask.clone())).await
    }

    #[expect(clippy::result_large_err, reason = "made once for an ask, and surfaces take it apart")]
    fn asked(&self, repo: &RepoId, id: AskId, answer: Option<Answer>) -> Result<AskOutcome, AskTrouble> {
        match answer {
            Some(Answer::Answered { ask, text, continuity }) => self.over(repo, ask, Ok(text), continuity),
            Some(Answer::Unanswered { ask, trouble, continuity }) => {
                self.over(repo, ask, Err(trouble), continuity)
            }
            Some(Answer::Accepted { ask, waits_for_resume }) => {
                let shown = self.after(repo).map_err(|trouble| self.ask_trouble(repo, Some(id), trouble))?;
                Ok(AskOutcome::Accepted { ask, waits_for_resume, shown: Box::new(shown) })
            }
            answer => Err(self.ask_trouble(repo, None, refusal(answer))),
        }
    }

    #[expect(clippy::result_large_err, reason = "made once for an ask, and surfaces take it apart")]
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
}

fn no_such_ask(ask: &AskId) -> Trouble {
    Trouble::new(
        Code::NoSuchAsk,
        format!("There is no ask {ask}."),
        ["What was answered stands in `repose log REPO`."],
    )
}
