//! Verbs that only look: `status`, `log`, `why`, `conversations`, `doctor`, and `repose` without a verb.

use std::time::Duration;

use repose_console::wire;
use repose_core::trouble::{Code, Trouble};
use repose_runner::Home;
use serde_json::{Value, json};

use super::Says;
use crate::args::{Line, Log};
use crate::client::{Away, Client, NoAnswer, not_running, of_repo, read, silent};
use crate::failure::Failure;
use crate::print;

/// The exit code of `doctor` if something doesn't work.
const SOMETHING_MISSING: u8 = 4;

/// How long one request waits for news of a log before the next one is sent.
const NEWS_WITHIN: Duration = Duration::from_secs(25);

/// `repose` without a verb: lists the repos, or says how to begin.
pub(super) async fn all(client: &Client, says: Says) -> Result<(), Failure> {
    match client.get("/api/repos").await {
        Ok(value) => {
            says.answer(value, |value| {
                let wire::Repos { repos, totals } = read(value)?;
                Ok(format!("{}\n`repose --help` says what can be done.", print::repos(&repos, &totals)))
            })?;
            settings(client, says).await
        }
        Err(NoAnswer::NotRunning) if !says.json => {
            let help = <Line as clap::CommandFactory>::command().render_help();
            print::line(help.to_string().trim_end())?;
            Err(not_running().into())
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn status(client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get("/api/status").await?;
    says.answer(value, |value| Ok(print::status(&read(value)?)))?;
    settings(client, says).await
}

/// Says besides what is wrong with the settings, if anything is.
pub(super) async fn settings(client: &Client, says: Says) -> Result<(), Failure> {
    if says.json {
        return Ok(());
    }
    let settings: wire::Settings = read(client.get("/api/settings").await?)?;
    if let Some(trouble) = settings.trouble {
        says.aside(&trouble.message);
    }
    Ok(())
}

pub(super) async fn log(args: Log, client: &Client, says: Says) -> Result<(), Failure> {
    if args.follow {
        return follow(args, client, says).await;
    }
    let value = client.get(&of_repo(&args.repo, &format!("log?limit={}", args.limit))).await?;
    says.answer(value, |value| {
        let entries = read::<wire::Log>(value)?.entries;
        if entries.is_empty() {
            return Ok("Nothing happened here yet.".into());
        }
        Ok(entries.iter().map(print::entry).collect::<Vec<_>>().join("\n"))
    })
}

/// Prints what comes, across restarts of the runner, until the repo is removed.
async fn follow(args: Log, client: &Client, says: Says) -> Result<(), Failure> {
    let repo: wire::Repo = read(client.get(&of_repo(&args.repo, "")).await?)?;
    let wait = NEWS_WITHIN.as_millis();
    let (mut part, mut last, mut away) = (format!("log?limit={}", args.limit), 0, Away::default());
    loop {
        let entries = match client.get(&of_repo(&repo.id, &part)).await {
            Ok(value) => read::<wire::Log>(value)?.entries,
            Err(NoAnswer::Refused(trouble, _)) if trouble.code == Code::NoSuchRepo.as_str() => {
                says.aside(&format!("{} was removed, so its log ends here.", repo.name));
                return Ok(());
            }
            Err(error) => {
                away.wait(error).await.map_err(|error| match error {
                    NoAnswer::NotRunning | NoAnswer::Broken => cut_off(),
                    NoAnswer::Silent(_) | NoAnswer::Refused(..) | NoAnswer::Strange(_) => error.into(),
                })?;
                continue;
            }
        };
        away = Away::default();
        for entry in &entries {
            last = last.max(entry.id);
            print::line(&if says.json { json!(entry).to_string() } else { print::entry(entry) })?;
        }
        part = format!("log?after={last}&wait_ms={wait}");
    }
}

/// The runner went away, and with it what there is to follow.
fn cut_off() -> Failure {
    Failure::new(
        Code::RunnerNotRunning,
        "Repose went away and didn't come back, so the log ends here. Agents go on.",
        ["Start it again: `repose serve`, or the app."],
    )
}

pub(super) async fn why(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get(&of_repo(repo, "why")).await?;
    says.answer(value, |value| Ok(print::why(&read::<wire::Why>(value)?.repo)))
}

pub(super) async fn conversations(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get(&of_repo(repo, "conversations")).await?;
    says.answer(value, |value| {
        let wire::Conversations { conversations, repo } = read(value)?;
        Ok(print::conversations(&conversations, &repo))
    })
}

pub(super) async fn doctor(client: &Client, home: &Home, says: Says) -> Result<(), Failure> {
    let value = match client.get("/api/doctor").await {
        Ok(value) => value,
        Err(NoAnswer::NotRunning) => {
            let missing = "Repose isn't running, so its repos and live agents weren't looked at.";
            without_a_runner(home, Trouble { sentence: missing.into(), ..not_running() }).await
        }
        Err(NoAnswer::Silent(pid)) => without_a_runner(home, silent(pid)).await,
        Err(error) => return Err(error.into()),
    };
    let checks = read::<wire::Report>(value.clone())?.checks;
    let errors = checks.iter().filter(|check| check.level == wire::Level::Error).count();
    says.answer(value, |_| {
        let verdict = match errors {
            0 => "Everything that Repose needs is there.".to_owned(),
            1 => "One thing doesn't work.".to_owned(),
            many => format!("{many} things don't work."),
        };
        Ok(format!("{}\n{verdict}", print::checks(&checks)))
    })?;
    if errors > 0 { Err(Failure::Printed(SOMETHING_MISSING)) } else { Ok(()) }
}

/// What this program can look at itself. `runner`: what keeps it from asking the runner.
async fn without_a_runner(home: &Home, runner: Trouble) -> Value {
    let mut report = wire::Report::from(&repose_runner::without_a_runner(home).await);
    let check = wire::Check {
        name: "runner".into(),
        level: wire::Level::Error,
        code: Some(runner.code.as_str().into()),
        sentence: runner.sentence,
        hints: runner.hints,
    };
    report.checks.push(check);
    json!(report)
}
