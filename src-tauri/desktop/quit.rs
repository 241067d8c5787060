//! Whether to quit, and what happens to live agents. Pure.

use repose_core::hold::{self, Hold, Kind};
use repose_core::ids::{AskId, RepoId};
use repose_core::repo::State;
use repose_core::words;
use repose_core::work::{Named, Work};
use repose_runner::{AskStage, Shown};

use crate::turn::is_in_turn;
use crate::window::Dialog;

pub(crate) mod way;

/// The question before the app ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) title: String,
    pub(crate) text: String,
    /// The answers, each with the text of its button.
    pub(crate) choices: [(Choice, String); 3],
    /// What it is about: each repo with a live agent, and the work that stopping it would lose. Two questions with the
    /// same words can differ in that. Only this may be cut off.
    pub(crate) about: Vec<(RepoId, Named)>,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// End only the app; its agents go on.
    Leave,
    /// End the agents too. Their conversations stay.
    Stop,
    /// Do nothing.
    Cancel,
}

impl Question {
    /// Whether it named all repos that this later one is about.
    fn knows(&self, later: &Self) -> bool {
        later.about.iter().all(|(repo, _)| self.is_about(repo))
    }

    /// Whether it named this repo.
    fn is_about(&self, repo: &RepoId) -> bool {
        self.about.iter().any(|(known, _)| known == repo)
    }

    /// The same, about work that was `refused` to be cut off as well.
    fn with(mut self, refused: &[(RepoId, Named)]) -> Self {
        for (repo, named) in &mut self.about {
            if let Some((_, more)) = refused.iter().find(|(of, _)| of == repo) {
                *named = more.clone();
            }
        }
        self
    }

    /// The dialog that asks it.
    pub(crate) fn dialog(&self) -> Dialog<'_> {
        let choices = self.choices.iter().map(|(_, label)| label.as_str()).collect();
        Dialog { name: "Quit Repose", title: &self.title, text: &self.text, choices, ends: self.ends() }
    }

    /// The number of the answer that ends what somebody may want to go on, from 0.
    pub(crate) fn ends(&self) -> Option<usize> {
        self.choices.iter().position(|(choice, _)| choice.ends_agents())
    }
}

impl Choice {
    /// Whether it ends what somebody may want to go on.
    fn ends_agents(self) -> bool {
        match self {
            Self::Stop => true,
            Self::Leave | Self::Cancel => false,
        }
    }
}

/// The question about these repos. `None`: no agent is live, so there is nothing to ask.
pub(crate) fn question(repos: &[Shown]) -> Option<Question> {
    let live: Vec<&Shown> = repos.iter().filter(|repo| repo.state.is_live()).collect();
    let about = live.iter().map(|repo| (repo.id.clone(), work(repo).named())).collect();
    let asks: usize = live.iter().map(|repo| repo.queued).sum();
    let turns = live.iter().filter(|repo| is_in_turn(repo)).count();
    let others = live.iter().any(|repo| repo.state == State::Opening || !beside(repo).is_empty());
    let (waiting, rest): (Vec<&Shown>, Vec<&Shown>) =
        live.into_iter().partition(|repo| repo.state == State::Waiting);
    let (busy, rest): (Vec<&Shown>, Vec<&Shown>) = rest.into_iter().partition(|repo| works(repo));
    let working: Vec<String> = busy.into_iter().map(at_work).collect();
    let waiting: Vec<String> = waiting.into_iter().map(at_work).collect();
    let idle: Vec<String> = rest.into_iter().map(|repo| repo.name.clone()).collect();
    let all = working.len() + waiting.len() + idle.len();
    if all == 0 {
        return None;
    }
    let them = if all == 1 { "it" } else { "them" };
    let title = match (working.len(), waiting.len()) {
        (0, 0) => format!("{} open, and idle.", counted(idle.len(), "is", "are")),
        (0, waiting) => format!("{} for you.", counted(waiting, "waits", "wait")),
        (working, 0) => format!("{} working.", counted(working, "is", "are")),
        (working, 1) => format!("{} working, and 1 waits for you.", counted(working, "is", "are")),
        (working, waiting) => {
            format!("{} working, and {waiting} wait for you.", counted(working, "is", "are"))
        }
    };
    let mut text = Vec::new();
    for (what, names) in [("At work", &working), ("Waiting for you", &waiting), ("Idle", &idle)] {
        if !names.is_empty() {
            text.push(format!("{what}: {}.", named(names)));
        }
    }
    text.extend(cost(them, turns, others, asks));
    text.push("Agents go on without Repose, and their conversations stay either way.".into());
    Some(Question {
        title,
        text: text.join(" "),
        choices: [
            (Choice::Leave, format!("Quit and leave {them} running")),
            (Choice::Stop, format!("Stop {them} and quit")),
            (Choice::Cancel, "Cancel".into()),
        ],
        about,
    })
}

/// What stopping them would cost: answers of turns, other work, and asks that wait.
fn cost(them: &str, turns: usize, others: bool, asks: usize) -> Option<String> {
    let answers = match turns {
        0 => None,
        1 => Some("the answer of the turn in progress".to_owned()),
        turns => Some(format!("the answers of {turns} turns in progress")),
    };
    let others =
        others.then(|| if turns == 0 { "what is at work" } else { "what else is at work" }.to_owned());
    let asks = match asks {
        0 => None,
        1 => Some("the ask that waits".to_owned()),
        asks => Some(format!("the {asks} asks that wait")),
    };
    let costs: Vec<String> = [answers, others, asks].into_iter().flatten().collect();
    (!costs.is_empty()).then(|| format!("Stopping {them} loses {}.", words::list(&costs)))
}

/// What stopping it would lose.
fn work(repo: &Shown) -> Work {
    let asks = |stages: &[AskStage]| -> Vec<AskId> {
        let those = repo.asks.iter().filter(|ask| stages.contains(&ask.stage));
        those.map(|ask| ask.id.clone()).collect()
    };
    let unsent = asks(&[AskStage::Waiting]).into_iter().chain(repo.further_asks.iter().cloned());
    let in_flight = repo.holds.iter().any(|hold| hold.kind == Kind::Ask);
    let begun = if in_flight { asks(&[AskStage::Typed, AskStage::Taken]) } else { Vec::new() };
    Work::new(&repo.holds, begun, unsent.collect())
}

/// The work beside a turn, in words.
fn beside(repo: &Shown) -> Vec<String> {
    let of_the_turn = |hold: &&Hold| match hold.kind {
        Kind::Turn | Kind::Ask | Kind::Waiting(_) => true,
        Kind::Background(_)
        | Kind::Wakeup(_)
        | Kind::Typing
        | Kind::Client
        | Kind::Process(_)
        | Kind::Pinned
        | Kind::Unknown(_)
        | Kind::Unseen(_) => false,
    };
    let others: Vec<Hold> = repo.holds.iter().filter(|hold| !of_the_turn(hold)).cloned().collect();
    hold::work(&others)
}

/// Whether an end would cut something off. An engine that is ready can still have work.
fn works(repo: &Shown) -> bool {
    match repo.state {
        State::Opening | State::Working | State::Waiting => true,
        State::Ready | State::Asleep | State::Paused | State::Offline => !hold::work(&repo.holds).is_empty(),
    }
}

/// The repo's name, with the work that its state doesn't show.
fn at_work(repo: &Shown) -> String {
    let unshown = match repo.state {
        State::Opening | State::Working | State::Waiting => beside(repo),
        State::Ready | State::Asleep | State::Paused | State::Offline => hold::work(&repo.holds),
    };
    match (unshown.is_empty(), is_in_turn(repo)) {
        (true, _) => repo.name.clone(),
        (false, true) => format!("{} (a turn, and {})", repo.name, words::list(&unshown)),
        (false, false) => format!("{} ({})", repo.name, words::list(&unshown)),
    }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("1 repo {one}") } else { format!("{count} repos {several}") }
}

/// As many names as fit into a dialog.
fn named(names: &[String]) -> String {
    const NAMED_MAX: usize = 5; // a line or two; more is a number
    if names.len() <= NAMED_MAX {
        return words::list(names);
    }
    let more = names.len() - NAMED_MAX;
    format!("{} and {more} more", names.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests;
