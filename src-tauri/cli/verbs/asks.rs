//! `asks` and `withdraw`: what waits for an answer, and taking it back.

use repose_console::wire::{AskShown, AskStage, Changed, Repo};
use repose_core::trouble::Code;
use repose_core::words;
use serde_json::{Value, json};

use super::Says;
use crate::args::Withdraw;
use crate::client::{Client, encoded, of_repo, read};
use crate::failure::Failure;
use crate::print;

pub(super) async fn asks(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let repo: Repo = read(client.get(&of_repo(repo, "")).await?)?;
    let asks = json!({ "asks": repo.asks, "queued": repo.queued });
    says.answer(asks, |_| Ok(print::asks(&repo)))
}

pub(super) async fn withdraw(args: Withdraw, client: &Client, says: Says) -> Result<(), Failure> {
    let repo: Repo = read(client.get(&of_repo(&args.repo, "")).await?)?;
    let Some(named) = args.ask else { return withdraw_all(repo, client, says).await };
    let ask = only(&repo, &named)?;
    let value = client.delete(&of_ask(&repo, ask)).await?;
    says.answer(value, |_| Ok("Taken back: the agent didn't have it yet.".into()))
}

/// Takes back every ask that waits. A repo shows only the first of many, so it is looked at until none is left.
async fn withdraw_all(mut repo: Repo, client: &Client, says: Says) -> Result<(), Failure> {
    let mut withdrawn: Vec<AskShown> = Vec::new();
    while let Some(ask) = repo.asks.iter().find(|ask| ask.stage == AskStage::Waiting).cloned() {
        repo = read::<Changed>(client.delete(&of_ask(&repo, &ask)).await?)?.repo;
        withdrawn.push(ask);
    }
    let value: Value = json!({ "withdrawn": withdrawn, "repo": repo });
    says.answer(value, |_| {
        Ok(match withdrawn.len() {
            0 => format!("No ask waits in {}.", repo.name),
            1 => "1 ask was taken back: the agent didn't have it yet.".into(),
            many => format!("{many} asks were taken back: the agent didn't have them yet."),
        })
    })
}

/// The ask whose id is this or ends so.
fn only<'a>(repo: &'a Repo, named: &str) -> Result<&'a AskShown, Failure> {
    let mut fit = repo.asks.iter().filter(|ask| ask.id.ends_with(named));
    let word = words::shell_word(&repo.name);
    let hint = [format!("`repose asks {word}` lists them.")];
    match (fit.next(), fit.next()) {
        (Some(ask), None) => Ok(ask),
        (None, _) => {
            let sentence = format!("No ask {named} waits in {}. It may have its answer.", repo.name);
            Err(Failure::new(Code::NoSuchAsk, sentence, hint))
        }
        (Some(_), Some(_)) => {
            let sentence = format!("More than one ask in {} ends in {named}.", repo.name);
            Err(Failure::new(Code::BadRequest, sentence, hint))
        }
    }
}

fn of_ask(repo: &Repo, ask: &AskShown) -> String {
    of_repo(&repo.id, &format!("asks/{}", encoded(&ask.id)))
}
