//! How far a wish to quit is: what follows from it, from the answer to the question, and from the stop. Pure.

use repose_core::ids::RepoId;
use repose_core::trouble::{Code, Trouble};
use repose_core::work::Named;

use super::{Choice, Question};

/// How far it is. Nobody is asked while the agents are being stopped: what comes of that ends the app, or asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nobody wants to quit.
    #[default]
    None,
    /// Somebody is asked.
    Asks,
    /// The agents that the question named are being stopped.
    Stops,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    Nothing,
    /// Ask this, in place of a question that is up. `again`: because something else runs than was asked about.
    Ask {
        question: Question,
        again: bool,
    },
    /// Stop these, cutting off no other work of each than is named.
    Stop(Vec<(RepoId, Named)>),
    Quit,
}

impl Way {
    /// Somebody chose Quit. `now` is the question about what is live now, as in the others.
    pub(crate) fn wanted(&mut self, now: Option<Question>) -> Next {
        match (&self, now) {
            (Self::Stops, _) => Next::Nothing,
            (Self::None | Self::Asks, None) => Next::Quit,
            (Self::None | Self::Asks, Some(question)) => self.ask(question, false),
        }
    }

    /// This was answered to the question `asked`. Only what that one named, and only where it is still live, is stopped:
    /// to stop what somebody has paused meanwhile would lift the pause.
    pub(crate) fn answered(&mut self, asked: Question, choice: Choice, now: Option<Question>) -> Next {
        match (choice, &self, now) {
            (Choice::Leave, _, _) => Next::Quit,
            (Choice::Stop | Choice::Cancel, Self::Stops, _) => Next::Nothing, // a question that came too late
            (Choice::Stop, Self::None | Self::Asks, None) => Next::Quit,
            (Choice::Stop, Self::None | Self::Asks, Some(now)) if asked.knows(&now) => {
                *self = Self::Stops;
                Next::Stop(asked.about.into_iter().filter(|(repo, _)| now.is_about(repo)).collect())
            }
            (Choice::Stop, Self::None | Self::Asks, Some(now)) => self.ask(now, true),
            (Choice::Cancel, Self::None | Self::Asks, _) => {
                *self = Self::None;
                Next::Nothing
            }
        }
    }

    /// The agents are stopped, but for these, which refused: work that came up since is another question.
    pub(crate) fn stopped(&mut self, refused: &[(RepoId, Trouble)], now: Option<Question>) -> Next {
        *self = Self::None;
        let (work, others): (Vec<_>, Vec<_>) = refused.iter().partition(|(_, trouble)| is_work(trouble));
        let named: Vec<_> =
            work.into_iter().map(|(repo, trouble)| (repo.clone(), trouble.named.clone())).collect();
        match now {
            Some(now) if !named.is_empty() => self.ask(now.with(&named), true),
            Some(_) if !others.is_empty() => Next::Nothing, // whoever wanted to quit is told what refused
            Some(_) | None => Next::Quit,
        }
    }

    fn ask(&mut self, question: Question, again: bool) -> Next {
        *self = Self::Asks;
        Next::Ask { question, again }
    }
}

/// Whether that is refused because it would lose work.
pub(crate) fn is_work(trouble: &Trouble) -> bool {
    trouble.code == Code::WorkWouldBeLost
}

#[cfg(test)]
mod tests;
