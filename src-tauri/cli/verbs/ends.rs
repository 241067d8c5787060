//! `pause`, `resume`, `fresh`, `fork`, `stop`, `engine`, `interrupt`, `rm`.

use repose_console::wire;
use repose_core::words;
use serde_json::{Value, json};

use super::{Says, waiting};
use crate::args::{End, Engine, Fork, Pause, Resume};
use crate::client::{Client, of_repo, read};
use crate::failure::Failure;
use crate::print;

/// The exit code of `--all` if a repo refused, the same as for one refusal.
const SOME_REFUSED: u8 = 3;

pub(super) async fn pause(args: Pause, client: &Client, says: Says) -> Result<(), Failure> {
    let body = wire::Interrupt { interrupt: args.interrupt, at_most: None };
    let Some(repo) = args.which.repo else {
        let gate = words::gate_closed("`repose resume --all`");
        return all(
            client.post("/api/pause-all", &body).await?,
            &format!("Everything is paused. {gate}."),
            &format!("Everything else is paused; what refused goes on. {gate}."),
            says,
        );
    };
    let value = client.post(&of_repo(&repo, "pause"), &body).await?;
    says.answer(value, |value| {
        let wire::Paused { freed_bytes, took_ms, repo, .. } = read(value)?;
        let freed = freed_bytes
            .zip(took_ms)
            .map(|(bytes, took_ms)| format!(": {} freed in {took_ms} ms", words::bytes(bytes)));
        let freed = freed.unwrap_or_default();
        let back = match &repo.conversation {
            Some(_) => "brings the same conversation back",
            None => "opens it again",
        };
        Ok(format!(
            "{} is paused{freed}. `repose resume {}` {back}.",
            repo.name,
            words::shell_word(&repo.name)
        ))
    })
}

pub(super) async fn resume(args: Resume, client: &Client, says: Says) -> Result<(), Failure> {
    let Some(repo) = args.which.repo else {
        return all(
            client.post("/api/resume-all", &json!({})).await?,
            "Nothing is paused any more.",
            "What refused is paused still; nothing else is.",
            says,
        );
    };
    let body = wire::Resume { conversation: args.conversation };
    let at = of_repo(&repo, "resume");
    let resumed = client.post(&at, &body);
    changed(waiting::answer(resumed, &repo, None, client, says).await?, says)
}

pub(super) async fn fresh(args: End, client: &Client, says: Says) -> Result<(), Failure> {
    let begun = end(&args, "fresh", client);
    changed(waiting::answer(begun, &args.repo, None, client, says).await?, says)
}

pub(super) async fn fork(args: Fork, client: &Client, says: Says) -> Result<(), Failure> {
    let body = wire::Resume { conversation: args.conversation };
    let at = of_repo(&args.repo, "fork");
    let forked = client.post(&at, &body);
    changed(waiting::answer(forked, &args.repo, None, client, says).await?, says)
}

pub(super) async fn stop(args: End, client: &Client, says: Says) -> Result<(), Failure> {
    changed(end(&args, "stop", client).await?, says)
}

pub(super) async fn engine(args: Engine, client: &Client, says: Says) -> Result<(), Failure> {
    let before: wire::Repo = read(client.get(&of_repo(&args.repo, "")).await?)?;
    let body = wire::Switch { engine: args.engine, interrupt: args.interrupt, at_most: None };
    let value = client.post(&of_repo(&args.repo, "engine"), &body).await?;
    says.answer(value, |value| {
        let repo = read::<wire::Changed>(value)?.repo;
        let when = if repo.engine == before.engine { "already" } else { "from now on" };
        Ok(format!("{} is with {} {when}.", repo.name, repo.engine))
    })
}

pub(super) async fn interrupt(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.post(&of_repo(repo, "interrupt"), &json!({})).await?;
    says.answer(value, |value| Ok(print::now_is(&read::<wire::Changed>(value)?.repo)))
}

pub(super) async fn rm(args: End, client: &Client, says: Says) -> Result<(), Failure> {
    let what = if args.interrupt { "?interrupt=true" } else { "" };
    let value = client.delete(&of_repo(&args.repo, what)).await?;
    says.answer(value, |value| {
        let repo = read::<wire::Changed>(value)?.repo;
        Ok(format!(
            "{} is removed from Repose. The folder and its conversations are as they were.",
            repo.name
        ))
    })
}

async fn end(args: &End, verb: &str, client: &Client) -> Result<Value, Failure> {
    let body = wire::Interrupt { interrupt: args.interrupt, at_most: None };
    Ok(client.post(&of_repo(&args.repo, verb), &body).await?)
}

/// Prints a changed repo: its state, and the statement of its open if the order brought one about.
fn changed(value: Value, says: Says) -> Result<(), Failure> {
    let wire::Changed { repo, opened } = read(value.clone())?;
    let live = match repo.state {
        wire::State::Opening | wire::State::Ready | wire::State::Working | wire::State::Waiting => true,
        wire::State::Asleep | wire::State::Paused | wire::State::Offline => false,
    };
    let statement = repo.continuity.as_ref().filter(|_| live && opened);
    if let Some(continuity) = statement {
        says.aside(&continuity.sentence);
    }
    if let Some(asked) = print::goes_to_it(&repo).filter(|_| live && opened) {
        says.aside(&asked);
    }
    says.answer(value, |_| Ok(print::now_is(&repo)))
}

/// The result of an order to all repos: `done`, or `partly` if one refused.
fn all(value: Value, done: &str, partly: &str, says: Says) -> Result<(), Failure> {
    let wire::Outcomes { results, freed_bytes } = read(value.clone())?;
    let refused = results.iter().any(|outcome| outcome.error.is_some());
    says.answer(value, |_| {
        let mut lines: Vec<String> = results
            .iter()
            .map(|outcome| match &outcome.error {
                Some(error) => {
                    let hints = error.hints.iter().map(|hint| format!("\n  {hint}"));
                    format!("{}: {}{}", outcome.repo.name, error.message, hints.collect::<String>())
                }
                None => print::now_is(&outcome.repo),
            })
            .collect();
        lines.push(if refused { partly } else { done }.to_owned());
        if freed_bytes > 0 {
            lines.push(format!("Freed {}.", words::bytes(freed_bytes)));
        }
        Ok(lines.join("\n"))
    })?;
    if refused {
        return Err(Failure::Printed(SOME_REFUSED));
    }
    Ok(())
}
