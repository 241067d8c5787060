//! Says what a slow verb is waiting for, if a person can do something about it.

use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;

use repose_console::wire;
use repose_core::words;

use super::Says;
use crate::client::{Client, of_repo, read};

/// When to check first what is waited for: an ask that can be handed over has been by then.
const LOOKS_AFTER: Duration = Duration::from_millis(200);

/// How often to check afterwards.
const LOOKS_EVERY: Duration = Duration::from_secs(3);

/// Waits for an answer, and says meanwhile what delays it. `ask`: the ask whose answer it is.
pub(super) async fn answer<T>(
    answer: impl Future<Output = T>,
    repo: &str,
    ask: Option<&str>,
    client: &Client,
    says: Says,
) -> T {
    tokio::select! {
        answer = answer => answer,
        never = say_why(repo, ask, client, says) => match never {},
    }
}

/// Says what the delay is, and again when that changes.
async fn say_why(repo: &str, ask: Option<&str>, client: &Client, says: Says) -> Infallible {
    let mut said = None;
    let mut looks_in = LOOKS_AFTER;
    loop {
        tokio::time::sleep(looks_in).await;
        let first = looks_in == LOOKS_AFTER;
        looks_in = LOOKS_EVERY;
        // Waiting for a missing runner is handled elsewhere.
        let Ok(value) = client.get(&of_repo(repo, "")).await else { continue };
        let Ok(repo) = read::<wire::Repo>(value) else { continue };
        if first && repo.state == wire::State::Opening {
            continue; // most opens are over before the second look
        }
        let why = stands_in_the_way(&repo, ask);
        if let Some(why) = &why
            && said != Some(why.clone())
        {
            says.aside(why);
        }
        said = why.or(said);
    }
}

fn stands_in_the_way(repo: &wire::Repo, ask: Option<&str>) -> Option<String> {
    if let Some(hold) = repo.holds.iter().find(|hold| hold.kind == wire::HoldKind::Waiting) {
        let word = words::shell_word(&repo.name);
        return Some(format!("{} waits for {}. Answer it: `repose open {word}`.", repo.name, hold.detail));
    }
    let asked = repo.asks.iter().find(|asked| Some(asked.id.as_str()) == ask)?;
    asked.reason.clone()
}
