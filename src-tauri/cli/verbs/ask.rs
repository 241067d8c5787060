//! `ask`: hands in the text, then waits for the answer by the ask's id, even if the runner is restarted
//! meanwhile.

use std::io::Read;
use std::time::Instant;

use repose_console::wire;
use repose_core::trouble::Code;
use serde_json::{Map, Value, json};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{Says, waiting};
use crate::args::Ask;
use crate::client::{Away, Client, NoAnswer, encoded, of_repo, read};
use crate::failure::Failure;

/// The most bytes to read from stdin. More is refused before anything is asked; the runner's own limit is
/// lower.
const STDIN_MAX: u64 = 16 * 1024 * 1024;

pub(super) async fn ask(args: Ask, client: &Client, says: Says) -> Result<(), Failure> {
    let Ask { repo, text, fresh, queue, no_wait, timeout } = args;
    let text = if text == "-" { from_stdin()? } else { text };
    let deadline = Instant::now() + timeout;
    let ask = wire::Ask { text, fresh, queue, wait: false, timeout_ms: None };
    let mut ctrl_c = signal(SignalKind::interrupt())?;
    let at = of_repo(&repo, "ask");
    let value = tokio::select! {
        value = client.post(&at, &ask) => value?,
        _ = ctrl_c.recv() => return Err(unheard(&repo)),
    };
    let accepted: wire::Answered = read(value.clone())?;
    if no_wait || accepted.waits_for_resume {
        return says.notice(&value, &accepted_words(&accepted));
    }
    let answer = answer(&accepted.repo.name, &accepted.ask, deadline, client);
    let value = tokio::select! {
        value = waiting::answer(answer, &accepted.repo.id, Some(&accepted.ask), client, says) => value?,
        _ = ctrl_c.recv() => return Err(broken_off(&accepted, &mut ctrl_c, client).await),
    };
    let answered: wire::Answered = read(value.clone())?;
    if let Some(continuity) = &answered.continuity {
        says.aside(&continuity.sentence);
    }
    says.answer(value, |_| Ok(answered.answer.unwrap_or_default()))
}

/// Waits for the answer.
async fn answer(repo: &str, ask: &str, deadline: Instant, client: &Client) -> Result<Value, Failure> {
    let mut away = Away::default();
    loop {
        let left = deadline.saturating_duration_since(Instant::now()).as_millis();
        match client.get(&format!("/api/asks/{}?timeout_ms={left}", encoded(ask))).await {
            Ok(value) => return Ok(value),
            Err(error) => away.wait(error).await.map_err(|error| match error {
                NoAnswer::NotRunning | NoAnswer::Broken => lost_runner(repo),
                NoAnswer::Silent(_) | NoAnswer::Refused(..) | NoAnswer::Strange(_) => error.into(),
            })?,
        }
    }
}

/// Ctrl-C withdraws an ask that the agent doesn't have yet. One that it has goes on. A second Ctrl-C doesn't wait for
/// the runner's word.
async fn broken_off(accepted: &wire::Answered, ctrl_c: &mut Signal, client: &Client) -> Failure {
    let wire::Answered { ask, repo, .. } = accepted;
    let word = repose_core::words::shell_word(&repo.name);
    let at = of_repo(&repo.id, &format!("asks/{}", encoded(ask)));
    let withdrawn = tokio::select! {
        withdrawn = client.delete(&at) => withdrawn.is_ok(),
        _ = ctrl_c.recv() => false,
    };
    let words = match withdrawn {
        true => "Taken back: the agent didn't have it yet.".into(),
        false => format!(
            "The ask goes on, and its answer will be in `repose log {word}`. `repose interrupt {word}` ends the turn."
        ),
    };
    let fields = [("ask", json!(ask)), ("withdrawn", json!(withdrawn))];
    let fields: Map<String, Value> =
        fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    Failure::BrokenOff(words, fields)
}

/// Ctrl-C before the runner has said that it has the ask.
fn unheard(repo: &str) -> Failure {
    let word = repose_core::words::shell_word(repo);
    let words = format!("Whether it is asked all the same, `repose asks {word}` will say.");
    Failure::BrokenOff(words, Map::new())
}

fn accepted_words(accepted: &wire::Answered) -> String {
    let name = &accepted.repo.name;
    let word = repose_core::words::shell_word(name);
    if accepted.waits_for_resume {
        let paused = accepted.repo.state == wire::State::Paused;
        let (what, all) =
            if paused { (name.as_str(), "") } else { ("everything", " or `repose resume --all`") };
        return format!(
            "Queued: {what} is paused, and this is asked once you say `repose resume {word}`{all}. After `repose \
             fresh {word}` it goes to the new conversation."
        );
    }
    let held =
        accepted.repo.trouble.as_ref().map_or(String::new(), |trouble| format!(" {}", trouble.message));
    format!(
        "Asked. The answer will be in `repose log {word}`; until it is sent, `repose asks {word}` says what it waits \
         for.{held}"
    )
}

fn lost_runner(repo: &str) -> Failure {
    let word = repose_core::words::shell_word(repo);
    Failure::new(
        Code::RunnerNotRunning,
        "Repose went away while the ask was in flight and didn't come back. The agent goes on with it.",
        [format!("Start it again: `repose serve`. The answer will be in `repose log {word}`.")],
    )
}

fn from_stdin() -> Result<String, Failure> {
    let unfit = |why: String| Failure::new(Code::BadRequest, why, ["Nothing was asked."]);
    let mut text = String::new();
    std::io::stdin()
        .take(STDIN_MAX + 1)
        .read_to_string(&mut text)
        .map_err(|error| unfit(format!("The text on stdin can't be read ({error}).")))?;
    if text.len() as u64 > STDIN_MAX {
        return Err(unfit(format!("The text on stdin is longer than {} MB.", STDIN_MAX / 1_000_000)));
    }
    Ok(text)
}
