//! What the app tells whoever ordered something here, and asks before it quits.

use repose_core::ids::RepoId;
use repose_core::trouble::Trouble;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::App;
use crate::event::Event;
use crate::notify::news::{self, Told};
use crate::notify::own;
use crate::quit::way::{self, Next};
use crate::quit::{self, Choice, Question};
use crate::window;

/// Why the question whether to quit is asked again.
const CHANGED: &str = "What runs has changed since you were asked.";

impl App {
    /// Tells what refused an order from here.
    pub(super) fn refused(&mut self, refused: &[(RepoId, Trouble)]) {
        let told = self.news.refused(refused, &self.runner.list());
        self.tell_all(told);
    }

    /// This question whether to quit was answered so. No other is up any more.
    pub(super) fn answered(&mut self, asked: Question, choice: Choice) {
        self.asks.over();
        self.tell(Told::Over(news::QUIT.into()));
        let next = self.way.answered(asked, choice, quit::question(&self.runner.list()));
        self.go(next);
    }

    /// All agents that were to be stopped are, but for these.
    pub(super) fn stopped(&mut self, refused: &[(RepoId, Trouble)]) {
        let others: Vec<_> = refused.iter().filter(|(_, trouble)| !way::is_work(trouble)).cloned().collect();
        self.refused(&others);
        let next = self.way.stopped(refused, quit::question(&self.runner.list()));
        self.go(next);
    }

    pub(super) fn quit(&mut self) {
        if self.asks.raise() {
            return;
        }
        let next = self.way.wanted(quit::question(&self.runner.list()));
        self.go(next);
    }

    fn go(&mut self, next: Next) {
        match next {
            Next::Nothing => {}
            Next::Ask { question, again: false } => self.ask(question),
            Next::Ask { question, again: true } => {
                let text = format!("{CHANGED} {}", question.text);
                self.ask(Question { text, ..question });
            }
            Next::Stop(about) => self.orders.stop_all(about),
            Next::Quit => self.quits = true,
        }
    }

    fn ask(&mut self, question: Question) {
        self.asks.over();
        let Some(program) = self.programs.window.clone() else {
            return self.tell(Told::Note(own::of_quit(&question)));
        };
        let (raise, raised) = unbounded_channel();
        let events = self.events.clone();
        let dialog = tokio::spawn(async move {
            events.tell(match window::ask(&program, &question.dialog(), raised).await {
                Ok(at) => {
                    let choice = question.choices[at].0;
                    Event::Answered(question, choice)
                }
                Err(error) => {
                    tracing::warn!(%error, "no dialog, so a notification asks whether to quit");
                    Event::NoDialog(question)
                }
            });
        });
        self.asks = Asks(Some((raise, dialog)));
    }
}

/// The dialog that asks whether to quit, while there is one.
#[derive(Debug, Default)]
pub(super) struct Asks(Option<(UnboundedSender<()>, JoinHandle<()>)>);

impl Asks {
    /// Brings it to the front. `false`: there is none.
    fn raise(&self) -> bool {
        self.0.as_ref().is_some_and(|(raise, _)| raise.send(()).is_ok())
    }

    pub(super) fn is_up(&self) -> bool {
        self.0.is_some()
    }

    /// Closes it, since its question is answered or another takes its place.
    pub(super) fn over(&mut self) {
        if let Some((_, dialog)) = self.0.take() {
            dialog.abort();
        }
    }
}
