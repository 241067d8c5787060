//! Verbs that only look: `status`, `log`, `why`, `conversations`, `doctor`, and `repose` without a verb.

use std::time::Duration;

use repose_console::wire;
use repose_core::trouble::Code;
use repose_runner::Home;
use serde_json::{Value, json};

use super::Says;
use crate::args::{Line, Log};
use crate::client::{Client, NoAnswer, not_running, of_repo, read};
use crate::failure::Failure;
use crate::print;

/// The exit code of `doctor` if something doesn't work.
const SOMETHING_MISSING: u8 = 4;

/// How long one request waits for news of a log before the next one is sent.
const NEWS_WITHIN: Duration = Duration::from_secs(25);

/// `repose` without a verb: lists the repos, or says how to begin.
pub(super) async fn all(client: &Client, says: Says) -> Result<(), Failure> {
    match client.get("/api/repos").await {
        Ok(value) => says.answer(value, |value| {
            let wire::Repos { repos, totals } = read(value)?;
            Ok(format!("{}\n`repose --help` says what can be done.", print::repos(&repos, &totals)))
        }),
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
    says.answer(value, |value| Ok(print::status(&read(value)?)))
}

pub(super) async fn log(args: Log, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get(&of_repo(&args.repo, &format!("log?limit={}", args.limit))).await?;
    if !args.follow {
        return says.answer(value, |value| {
            let entries = read::<wire::Log>(value)?.entries;
            if entries.is_empty() {
                return Ok("Nothing happened here yet.".into());
            }
            Ok(entries.iter().map(print::entry).collect::<Vec<_>>().join("\n"))
        });
    }
    let mut entries = read::<wire::Log>(value)?.entries;
    let mut last = 0;
    loop {
        for entry in &entries {
            last = last.max(entry.id);
            print::line(&if says.json { json!(entry).to_string() } else { print::entry(entry) })?;
        }
        let wait = NEWS_WITHIN.as_millis();
        let next = client.get(&of_repo(&args.repo, &format!("log?after={last}&wait_ms={wait}"))).await?;
        entries = read::<wire::Log>(next)?.entries;
    }
}

pub(super) async fn why(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get(&of_repo(repo, "why")).await?;
    says.answer(value, |value| Ok(print::why(&read::<wire::Why>(value)?.repo)))
}

pub(super) async fn conversations(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get(&of_repo(repo, "conversations")).await?;
    says.answer(value, |value| Ok(print::conversations(&read::<wire::Conversations>(value)?.conversations)))
}

pub(super) async fn doctor(client: &Client, home: &Home, says: Says) -> Result<(), Failure> {
    let value = match client.get("/api/doctor").await {
        Ok(value) => value,
        Err(NoAnswer::NotRunning) => without_a_runner(home).await,
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

async fn without_a_runner(home: &Home) -> Value {
    let mut report = wire::Report::from(&repose_runner::without_a_runner(home).await);
    let check = wire::Check {
        name: "runner".into(),
        level: wire::Level::Error,
        code: Some(Code::RunnerNotRunning.as_str().into()),
        sentence: "Repose isn't running, so its repos and live agents weren't looked at.".into(),
        hints: not_running().hints,
    };
    report.checks.push(check);
    json!(report)
}
