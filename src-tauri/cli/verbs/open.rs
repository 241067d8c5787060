//! `open`: attaches the user's terminal to a repo's engine.

mod keys;
mod raw;
mod wire;

use std::io::{self, IsTerminal};
use std::pin::pin;
use std::time::{Duration, Instant};

use repose_console::wire::{Changed, Repo, State};
use repose_core::trouble::Code;
use repose_core::words;
use serde_json::{Value, json};

use super::Says;
use crate::client::{Away, Client, LOOK, NoAnswer, of_repo, read};
use crate::failure::Failure;
use crate::print;

/// How long to wait for a confirmation before the engine is shown as it is. A cold one on a busy machine
/// takes 3 s.
const CONFIRMS_WITHIN: Duration = Duration::from_secs(5);

/// Why this terminal is no longer attached.
#[derive(Debug)]
enum Left {
    /// The user detached.
    Detached,
    /// A signal arrived, or the terminal is gone.
    Told,
    /// The session is over, for this reason.
    Over(String),
    /// The runner is gone.
    RunnerGone,
}

pub(super) async fn open(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let shown: Repo = read(client.get(&of_repo(repo, "")).await?)?; // fails without a runner or such a repo
        if shown.state == State::Paused {
            ensure(repo, client).await?; // is refused with what to do
        }
        let word = words::shell_word(repo);
        return Err(Failure::new(
            Code::BadRequest,
            "This is no terminal, so there is nothing to attach. Nothing was opened.",
            [
                format!("Run `repose open {word}` in a terminal."),
                format!("A script asks: `repose ask {word} \"…\"`."),
            ],
        ));
    }
    let (shown, confirmed) = there(repo, client).await?;
    let name = &shown.name;
    let word = words::shell_word(name);
    match &shown.continuity {
        // The last statement belongs to an earlier open.
        _ if !confirmed => {
            print::aside(&format!("It is still opening; what it remembers, `repose status {word}` will say."))
        }
        Some(continuity) => print::aside(&continuity.sentence),
        None => {}
    }
    print::aside("Leave with Ctrl-\\ Ctrl-d; the agent goes on.");
    let left = stay(&shown.id, client).await?;
    match left {
        Left::Detached => {
            print::aside(&format!("Left {name}. Its agent goes on; `repose open {word}` comes back."))
        }
        Left::Told => {}
        Left::Over(why) => print::aside(&format!("{name}: {why}")),
        Left::RunnerGone => {
            return Err(Failure::new(
                Code::RunnerNotRunning,
                format!("Repose went away, and {name} with it from this terminal. Its agent goes on."),
                [format!("Start it again: `repose serve`. Then `repose open {word}`.")],
            ));
        }
    }
    if says.json {
        let repo = client.get(&of_repo(&shown.id, "")).await?;
        print::line(&json!({ "repo": repo }).to_string())?;
    }
    Ok(())
}

/// The repo with an engine, and whether the engine has confirmed its conversation. An engine that shows a
/// dialog confirms nothing until somebody answers, and one that hangs never does: both need to be looked at.
async fn there(repo: &str, client: &Client) -> Result<(Repo, bool), Failure> {
    let asked = Instant::now();
    let mut ensured = pin!(ensure(repo, client));
    loop {
        match tokio::time::timeout(LOOK, &mut ensured).await {
            Ok(opened) => {
                let Changed { repo, .. } = read(opened?)?;
                return Ok((repo, true));
            }
            Err(_) => {
                let repo: Repo = read(client.get(&of_repo(repo, "")).await?)?;
                let look = match repo.state {
                    State::Waiting => true,
                    State::Opening => asked.elapsed() >= CONFIRMS_WITHIN,
                    State::Asleep | State::Ready | State::Working | State::Paused | State::Offline => false,
                };
                if look {
                    return Ok((repo, false));
                }
            }
        }
    }
}

async fn ensure(repo: &str, client: &Client) -> Result<Value, NoAnswer> {
    client.post(&of_repo(repo, "ensure"), &json!({})).await
}

/// Stays attached across restarts of the runner.
async fn stay(id: &str, client: &Client) -> Result<Left, Failure> {
    let mut terminal = wire::Terminal::begin()?;
    let mut away = Away::default();
    loop {
        // The engine keeps running while the runner is away.
        let none = match terminal.attach(id, client).await {
            Ok(Left::RunnerGone) => NoAnswer::Broken,
            Ok(left) => return Ok(left),
            Err(error @ (NoAnswer::NotRunning | NoAnswer::Broken)) => error,
            Err(error @ NoAnswer::Silent(_)) => return Err(error.into()),
            Err(error @ (NoAnswer::Refused(..) | NoAnswer::Strange(_))) => {
                // The WebSocket's refusal carries no words; the same request without an upgrade does.
                drop(terminal);
                ensure(id, client).await?;
                return Err(error.into());
            }
        };
        if away.wait(none).await.is_err() {
            return Ok(Left::RunnerGone);
        }
    }
}
