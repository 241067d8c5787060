//! The verbs. All but `serve` send one or two requests to the runner and print the answer.

mod ask;
mod asks;
mod console;
mod ends;
mod look;
mod open;
mod repos;
mod serve;
mod waiting;

use std::future::Future;

use repose_core::words;
use repose_runner::Home;
use serde_json::{Map, Value};

use crate::args::Verb;
use crate::client::Client;
use crate::failure::Failure;
use crate::print;

/// Carries out a verb.
pub(crate) async fn run(verb: Option<Verb>, home: Home, json: bool) -> Result<(), Failure> {
    let says = Says { json };
    let client = &Client::new(home.socket());
    let Some(verb) = verb else { return look::all(client, says).await };
    match verb {
        Verb::Add(args) => repos::add(args, client, says).await,
        Verb::Rm(args) => {
            let after = after_order(None);
            order(ends::rm(args, client, says), after).await
        }
        Verb::Ls => repos::ls(client, says).await,
        Verb::Status { repo: Some(repo) } => repos::status(&repo, client, says).await,
        Verb::Status { repo: None } => look::status(client, says).await,
        Verb::Ask(args) => ask::ask(args, client, says).await,
        Verb::Asks(args) => asks::asks(&args.repo, client, says).await,
        Verb::Withdraw(args) => asks::withdraw(args, client, says).await,
        Verb::Open(args) => open::open(&args.repo, client, says).await,
        Verb::Log(args) => look::log(args, client, says).await,
        Verb::Pause(args) => {
            let after = after_order(args.which.repo.as_deref());
            order(ends::pause(args, client, says), after).await
        }
        Verb::Resume(args) => {
            let after = after_order(args.which.repo.as_deref());
            order(ends::resume(args, client, says), after).await
        }
        Verb::Fresh(args) => {
            let after = after_order(Some(&args.repo));
            order(ends::fresh(args, client, says), after).await
        }
        Verb::Fork(args) => {
            let after = after_order(Some(&args.repo));
            order(ends::fork(args, client, says), after).await
        }
        Verb::Stop(args) => {
            let after = after_order(Some(&args.repo));
            order(ends::stop(args, client, says), after).await
        }
        Verb::Engine(args) => {
            let after = after_order(Some(&args.repo));
            order(ends::engine(args, client, says), after).await
        }
        Verb::Interrupt(args) => ends::interrupt(&args.repo, client, says).await,
        Verb::Pin(args) => repos::pin(&args.repo, true, client, says).await,
        Verb::Unpin(args) => repos::pin(&args.repo, false, client, says).await,
        Verb::Why(args) => look::why(&args.repo, client, says).await,
        Verb::Conversations(args) => look::conversations(&args.repo, client, says).await,
        Verb::Doctor => look::doctor(client, &home, says).await,
        Verb::Console { print } => console::console(print, client, says).await,
        Verb::Serve(args) => serve::serve(args, home, says).await,
    }
}

/// Carries out an order. Ctrl-C only ends the wait for it; then `after` says what shows its outcome.
async fn order(order: impl Future<Output = Result<(), Failure>>, after: String) -> Result<(), Failure> {
    tokio::select! {
        done = order => done,
        Ok(()) = tokio::signal::ctrl_c() => Err(Failure::BrokenOff(
            format!("The order was given, and goes on without this. {after} will say what became of it."),
            Map::new(),
        )),
    }
}

/// What shows the outcome of an order to this repo. `None`: to all, or to one that is gone then.
fn after_order(repo: Option<&str>) -> String {
    repo.map_or_else(|| "`repose ls`".into(), |repo| format!("`repose status {}`", words::shell_word(repo)))
}

/// How to print answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Says {
    json: bool,
}

impl Says {
    /// Prints the answer, as JSON or in words.
    fn answer(
        self,
        value: Value,
        words: impl FnOnce(Value) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let text = if self.json { value.to_string() } else { words(value)? };
        Ok(print::line(&text)?)
    }

    /// Prints the outcome of a verb whose answer isn't there yet: the JSON to stdout, the words to stderr.
    fn notice(self, value: &Value, words: &str) -> Result<(), Failure> {
        if self.json {
            return Ok(print::line(&value.to_string())?);
        }
        print::aside(words);
        Ok(())
    }

    /// Writes something besides the answer, for people.
    fn aside(self, text: &str) {
        if !self.json {
            print::aside(text);
        }
    }
}
