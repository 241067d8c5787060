//! Carries out what was chosen in the tray or in a notification. Each order goes to the runner separately, so
//! that a slow one delays no other; refusals are notified.

use repose_core::decision::Pick;
use repose_core::ids::{DecisionId, RepoId};
use repose_core::repo::State;
use repose_core::trouble::Trouble;
use repose_core::work::OnWork;
use repose_runner::{Runner, Shown};

use crate::event::{Event, Events};

/// An order to one repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Order {
    Pause(OnWork),
    /// Ends it.
    Stop(OnWork),
    /// Brings back its conversation.
    Resume,
    /// Interrupts its turn.
    Interrupt,
    /// Makes the decision that it waits for.
    Decide {
        decision: DecisionId,
        pick: Pick,
    },
}

/// Orders for the runner.
#[derive(Debug, Clone)]
pub(crate) struct Orders {
    runner: Runner,
    events: Events,
}

impl Orders {
    pub(crate) fn new(runner: Runner, events: Events) -> Self {
        Self { runner, events }
    }

    /// Gives the order.
    pub(crate) fn give(&self, repo: RepoId, order: Order) {
        let Self { runner, events } = self.clone();
        tokio::spawn(async move {
            let outcome = match order {
                Order::Pause(on_work) => runner.pause(&repo, on_work).await.map(drop),
                Order::Stop(on_work) => runner.stop(&repo, on_work).await.map(drop),
                Order::Resume => runner.resume(&repo, None).await.map(drop),
                Order::Interrupt => runner.interrupt(&repo).await.map(drop),
                Order::Decide { decision, pick } => runner.decide(&repo, decision, pick).await.map(drop),
            };
            tell_refused(&events, repo, outcome);
        });
    }

    /// Pauses all repos.
    pub(crate) fn pause_all(&self) {
        let Self { runner, events } = self.clone();
        tokio::spawn(async move {
            match runner.pause_all(OnWork::Refuse).await {
                Ok(outcomes) => outcomes
                    .into_iter()
                    .for_each(|(repo, outcome)| tell_refused(&events, repo, outcome.map(drop))),
                Err(trouble) => tell_refused_by_all(&events, &runner, &trouble),
            }
        });
    }

    /// Lifts all pauses.
    pub(crate) fn resume_all(&self) {
        let Self { runner, events } = self.clone();
        tokio::spawn(async move {
            match runner.resume_all().await {
                Ok(outcomes) => outcomes
                    .into_iter()
                    .for_each(|(repo, outcome)| tell_refused(&events, repo, outcome.map(drop))),
                Err(trouble) => tell_refused_by_all(&events, &runner, &trouble),
            }
        });
    }

    /// Stops all live agents; reports [`Event::Stopped`].
    pub(crate) fn stop_all(&self) {
        let Self { runner, events } = self.clone();
        tokio::spawn(async move {
            let live: Vec<_> = runner.list().into_iter().filter(|repo| repo.state.is_live()).collect();
            let stops: Vec<_> = live
                .into_iter()
                .map(|repo| {
                    let runner = runner.clone();
                    tokio::spawn(async move {
                        let stopped = runner.stop(&repo.id, OnWork::Interrupt).await;
                        (stopped.map(drop), repo.id)
                    })
                })
                .collect();
            let mut outcome = Ok(());
            for stop in stops {
                // An agent that was let go in the meantime is no trouble.
                if let Ok((Err(trouble), repo)) = stop.await
                    && runner.shown(&repo).is_some_and(|shown| shown.state.is_live())
                {
                    outcome = Err((repo, trouble));
                }
            }
            events.tell(Event::Stopped(outcome));
        });
    }
}

fn tell_refused(events: &Events, repo: RepoId, outcome: Result<(), Trouble>) {
    let Err(trouble) = outcome else { return };
    events.tell(Event::Refused(repo, trouble));
}

/// No repo was touched. Notifies about each repo concerned, or in general if there is none.
fn tell_refused_by_all(events: &Events, runner: &Runner, trouble: &Trouble) {
    let concerned = |repo: &Shown| repo.state.is_live() || repo.state == State::Paused;
    let (concerned, others): (Vec<Shown>, Vec<Shown>) = runner.list().into_iter().partition(concerned);
    let first = others.into_iter().take(usize::from(concerned.is_empty()));
    for repo in concerned.into_iter().chain(first) {
        tell_refused(events, repo.id, Err(trouble.clone()));
    }
}
