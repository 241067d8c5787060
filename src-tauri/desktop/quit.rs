//! Whether to quit, and what happens to live agents. Pure.

use repose_core::hold;
use repose_core::ids::RepoId;
use repose_core::repo::State;
use repose_core::words;
use repose_runner::Shown;

/// The question before the app ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) title: String,
    pub(crate) text: String,
    /// The answers, each with the text of its button.
    pub(crate) choices: [(Choice, String); 3],
    /// What it is about: each repo with a live agent, whether that works, and how many asks wait for it. Two
    /// questions with the same words can differ in that.
    pub(crate) about: Vec<(RepoId, bool, usize)>,
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

impl Choice {
    /// Whether it ends what somebody may want to go on.
    pub(crate) fn ends_agents(self) -> bool {
        match self {
            Self::Stop => true,
            Self::Leave | Self::Cancel => false,
        }
    }
}

/// The question about these repos. `None`: no agent is live, so there is nothing to ask.
pub(crate) fn question(repos: &[Shown]) -> Option<Question> {
    let live: Vec<&Shown> = repos.iter().filter(|repo| repo.state.is_live()).collect();
    let about = live.iter().map(|repo| (repo.id.clone(), works(repo), repo.queued)).collect();
    let asks: usize = live.iter().map(|repo| repo.queued).sum();
    let (busy, rest): (Vec<&Shown>, Vec<&Shown>) = live.into_iter().partition(|repo| works(repo));
    let working: Vec<String> = busy.into_iter().map(at_work).collect();
    let idle: Vec<String> = rest.into_iter().map(|repo| repo.name.clone()).collect();
    let all = working.len() + idle.len();
    if all == 0 {
        return None;
    }
    let them = if all == 1 { "it" } else { "them" };
    let title = match (working.len(), idle.len()) {
        (0, idle) => format!("{} open, and idle.", repos_are(idle)),
        (working, _) => format!("{} working.", repos_are(working)),
    };
    let mut text = Vec::new();
    if !working.is_empty() {
        text.push(format!("At work: {}.", named(&working)));
    }
    if !idle.is_empty() {
        text.push(format!("Idle: {}.", named(&idle)));
    }
    match asks {
        0 => {}
        1 => text.push(format!("Stopping {them} drops the ask that waits.")),
        asks => text.push(format!("Stopping {them} drops the {asks} asks that wait.")),
    }
    text.push("Agents go on without Repose, and their conversations stay either way.".into());
    Some(Question {
        title,
        text: text.join(" "),
        choices: [
            (Choice::Leave, format!("Leave {them} running")),
            (Choice::Stop, format!("Stop {them} and quit")),
            (Choice::Cancel, "Cancel".into()),
        ],
        about,
    })
}

/// Whether an end would cut something off. An engine that is ready can still have work.
fn works(repo: &Shown) -> bool {
    match repo.state {
        State::Opening | State::Working | State::Waiting => true,
        State::Ready | State::Asleep | State::Paused | State::Offline => !hold::work(&repo.holds).is_empty(),
    }
}

/// The repo's name, with the work if the state doesn't show it.
fn at_work(repo: &Shown) -> String {
    match repo.state {
        State::Opening | State::Working | State::Waiting => repo.name.clone(),
        State::Ready | State::Asleep | State::Paused | State::Offline => {
            format!("{} ({})", repo.name, words::list(&hold::work(&repo.holds)))
        }
    }
}

fn repos_are(count: usize) -> String {
    if count == 1 { "1 repo is".into() } else { format!("{count} repos are") }
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
