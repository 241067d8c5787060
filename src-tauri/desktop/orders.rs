//! Carries out what was chosen in the tray or in a notification. Each order goes to the runner separately, so
//! that a slow one delays no other; refusals are notified.

use repose_core::decision::Pick;
use repose_core::ids::{DecisionId, RepoId};
use repose_core::trouble::Trouble;
use repose_core::work::{Named, OnWork};
use repose_runner::Runner;

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
            let outcome = carried_out(&runner, &repo, order).await;
            tell_refused(&events, repo, outcome);
        });
    }

    /// Gives each its order; what several refuse is told together.
    pub(crate) fn give_all(&self, orders: Vec<(RepoId, Order)>) {
        let Self { runner, events } = self.clone();
        tokio::spawn(async move {
            let given: Vec<_> = orders
                .into_iter()
                .map(|(repo, order)| {
                    let runner = runner.clone();
                    tokio::spawn(async move { (carried_out(&runner, &repo, order).await, repo) })
                })
                .collect();
            let mut refused = Vec::new();
            for order in given {
                if let Ok((Err(trouble), repo)) = order.await {
                    refused.push((repo, trouble));
                }
            }
            events.tell(Event::RefusedTogether(refused));
        });
    }

    /// Pauses all repos.
    pub(crate) fn pause_all(&self) {
        let Self { runner, events } = self.clone();
        tokio::spawn(async move {
            match runner.pause_all(OnWork::Refuse).await {
                Ok(outcomes) => {
                    let refused =
                        outcomes.into_iter().filter_map(|(repo, outcome)| Some((repo, outcome.err()?)));
                    events.tell(Event::RefusedTogether(refused.collect()));
                }
                Err(trouble) => events.tell(Event::AllRefused(trouble)),
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
                Err(trouble) => events.tell(Event::AllRefused(trouble)),
            }
        });
    }

    /// Stops the live agents of these repos, where that loses no work but what is named; reports [`Event::Stopped`].
    pub(crate) fn stop_all(&self, about: Vec<(RepoId, Named)>) {
        let Self { runner, events } = self.clone();
        tokio::spawn(async move {
            let stops: Vec<_> = about
                .into_iter()
                .map(|(repo, named)| {
                    let runner = runner.clone();
                    tokio::spawn(async move {
                        let stopped = runner.stop(&repo, OnWork::InterruptAtMost(named)).await;
                        (stopped.map(drop), repo)
                    })
                })
                .collect();
            let mut refused = Vec::new();
            for stop in stops {
                // An agent that was let go in the meantime is no trouble.
                if let Ok((Err(trouble), repo)) = stop.await
                    && runner.shown(&repo).is_some_and(|shown| shown.state.is_live())
                {
                    refused.push((repo, trouble));
                }
            }
            events.tell(Event::Stopped(refused));
        });
    }
}

async fn carried_out(runner: &Runner, repo: &RepoId, order: Order) -> Result<(), Trouble> {
    match order {
        Order::Pause(on_work) => runner.pause(repo, on_work).await.map(drop),
        Order::Stop(on_work) => runner.stop(repo, on_work).await.map(drop),
        Order::Resume => runner.resume(repo, None).await.map(drop),
        Order::Interrupt => runner.interrupt(repo).await.map(drop),
        Order::Decide { decision, pick } => runner.decide(repo, decision, pick).await.map(drop),
    }
}

fn tell_refused(events: &Events, repo: RepoId, outcome: Result<(), Trouble>) {
    let Err(trouble) = outcome else { return };
    events.tell(Event::Refused(repo, trouble));
}
