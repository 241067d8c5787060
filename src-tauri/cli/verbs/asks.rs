//! `asks` and `withdraw`: what waits for an answer, and taking it back.

use repose_console::wire::{AskShown, AskStage, Asks, Changed, Repo};
use repose_core::trouble::Code;
use repose_core::words;
use serde_json::{Value, json};

use super::Says;
use crate::args::Withdraw;
use crate::client::{Client, NoAnswer, encoded, of_repo, read};
use crate::failure::Failure;
use crate::print;

pub(super) async fn asks(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let repo: Repo = read(client.get(&of_repo(repo, "")).await?)?;
    let all = all(&repo, client).await?;
    let asks = json!({ "asks": all, "queued": repo.queued });
    says.answer(asks, |_| Ok(print::asks(&repo.name, &all)))
}

/// All asks of the repo that have no answer yet: the repo itself shows only the first.
async fn all(repo: &Repo, client: &Client) -> Result<Vec<AskShown>, Failure> {
    Ok(read::<Asks>(client.get(&of_repo(&repo.id, "asks")).await?)?.asks)
}

pub(super) async fn withdraw(args: Withdraw, client: &Client, says: Says) -> Result<(), Failure> {
    let repo: Repo = read(client.get(&of_repo(&args.repo, "")).await?)?;
    let Some(named) = args.ask else { return withdraw_all(repo, client, says).await };
    let all = all(&repo, client).await?;
    let id = only(&repo, &all, &named)?;
    let value = client.delete(&of_ask(&repo, id)).await?;
    says.answer(value, |_| Ok("Taken back: the agent didn't have it yet.".into()))
}

/// Takes back every ask that waits. A repo shows only the first of many, so it is looked at until none is left.
/// One that the agent gets meanwhile stays.
async fn withdraw_all(mut repo: Repo, client: &Client, says: Says) -> Result<(), Failure> {
    let (mut withdrawn, mut kept): (Vec<AskShown>, Vec<String>) = Default::default();
    let waits = |ask: &&AskShown, kept: &[String]| ask.stage == AskStage::Waiting && !kept.contains(&ask.id);
    while let Some(ask) = repo.asks.iter().find(|ask| waits(ask, &kept)).cloned() {
        match client.delete(&of_ask(&repo, &ask.id)).await {
            Ok(changed) => {
                repo = read::<Changed>(changed)?.repo;
                withdrawn.push(ask);
            }
            Err(NoAnswer::Refused(trouble, _))
                if [Code::NoSuchAsk, Code::AskTaken].iter().any(|code| trouble.code == code.as_str()) =>
            {
                kept.push(ask.id);
                repo = read(client.get(&of_repo(&repo.id, "")).await?)?;
            }
            Err(error) => {
                if !withdrawn.is_empty() {
                    says.aside(&taken_back(&repo, withdrawn.len()));
                }
                return Err(error.into());
            }
        }
    }
    let value: Value = json!({ "withdrawn": withdrawn, "repo": repo });
    says.answer(value, |_| Ok(taken_back(&repo, withdrawn.len())))
}

fn taken_back(repo: &Repo, asks: usize) -> String {
    match asks {
        0 => format!("No ask waits in {}.", repo.name),
        1 => "1 ask was taken back: the agent didn't have it yet.".into(),
        many => format!("{many} asks were taken back: the agent didn't have them yet."),
    }
}

/// The id of the ask whose id is this or ends so.
fn only<'a>(repo: &Repo, all: &'a [AskShown], named: &str) -> Result<&'a str, Failure> {
    let word = words::shell_word(&repo.name);
    let hint = [format!("`repose asks {word}` lists them.")];
    if named.chars().count() < print::ASK_ID {
        let sentence =
            format!("An ask is named by the last {} characters of its id, or more.", print::ASK_ID);
        return Err(Failure::new(Code::BadRequest, sentence, hint));
    }
    let mut fit = all.iter().filter(|ask| ask.id.ends_with(named));
    match (fit.next(), fit.next()) {
        (Some(ask), None) => Ok(&ask.id),
        (None, _) => {
            let sentence = format!("No ask {named} waits in {}.", repo.name);
            Err(Failure::new(Code::NoSuchAsk, sentence, hint))
        }
        (Some(_), Some(_)) => {
            let sentence = format!("More than one ask in {} ends in {named}.", repo.name);
            Err(Failure::new(Code::BadRequest, sentence, hint))
        }
    }
}

fn of_ask(repo: &Repo, ask: &str) -> String {
    of_repo(&repo.id, &format!("asks/{}", encoded(ask)))
}
