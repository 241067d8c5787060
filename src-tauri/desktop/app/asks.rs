//! What the app tells whoever ordered something here, and asks before it quits.

use repose_core::ids::RepoId;
use repose_core::trouble::{Code, Trouble};
use tokio::sync::mpsc::unbounded_channel;

use super::{App, TOLD_CLOSED, TOLD_NO_PANEL, keep};
use crate::event::Event;
use crate::notify::news::{self, Note, Press, Told};
use crate::notify::own;
use crate::quit::{self, Choice, Question};
use crate::window;

/// Why the question whether to quit is asked again.
const CHANGED: &str = "What runs has changed since you were asked.";

impl App {
    /// Tells what refused an order from here.
    pub(super) fn refused(&mut self, refused: &[(RepoId, Trouble)]) {
        let told = self.news.refused_together(refused, &self.runner.list());
        self.tell_all(told);
    }

    /// All agents are stopped, but for these: work that came up since is another question.
    pub(super) fn stopped(&mut self, refused: &[(RepoId, Trouble)]) {
        let (work, others): (Vec<_>, Vec<_>) =
            refused.iter().cloned().partition(|(_, trouble)| trouble.code == Code::WorkWouldBeLost);
        self.refused(&others);
        let named: Vec<_> = work.into_iter().map(|(repo, trouble)| (repo, trouble.named)).collect();
        match quit::question(&self.runner.list()) {
            Some(now) if !named.is_empty() => self.ask_whether_to_quit(now.with(&named), Some(CHANGED)),
            Some(_) if !others.is_empty() => {}
            Some(_) | None => self.quits = true,
        }
    }

    /// What nobody saw is notified again by a later start, if it is still true.
    pub(super) async fn noted(&mut self, note: Note, shown: bool) {
        match (note.key.as_str(), shown) {
            (own::CLOSED, true) => keep(&self.runner, TOLD_CLOSED, "1"),
            (own::NO_PANEL, true) => keep(&self.runner, TOLD_NO_PANEL, "1"),
            // Nobody can be asked, so the harmless option is taken: agents go on without Repose.
            (news::QUIT, false) if self.asked.is_some() && self.dialog.is_none() => self.quits = true,
            _ => {}
        }
        let key = note.key.clone();
        let differs = if shown { self.untold.remove(&key) } else { self.untold.insert(key.clone()) };
        if differs {
            self.keep_told();
        }
        if shown {
            self.dialogs.over(&key);
        } else if differs {
            self.told_otherwise(note).await;
        }
    }

    /// No service shows notifications here: what somebody waits for or must know is said in a dialog.
    async fn told_otherwise(&mut self, note: Note) {
        let click = note.click.clone();
        if news::is_waited_for(&note.key) {
            if let (false, Some(Press::Open(place))) = (self.dialogs.tell(note), click) {
                self.open(place).await;
            }
        } else if note.key == own::CLOSED && !self.seen.now() {
            self.dialogs.tell(note);
        }
    }

    /// A dialog told the notification with this key.
    pub(super) async fn said(&mut self, key: &str, pressed: Result<Option<Press>, String>) {
        self.dialogs.over(key);
        match pressed {
            Ok(press) => {
                if key == own::CLOSED {
                    keep(&self.runner, TOLD_CLOSED, "1");
                }
                self.untold.remove(key);
                self.tell(Told::Over(key.to_owned())); // no service needs to tell it any more
                press.into_iter().for_each(|press| self.events.tell(Event::Pressed(press)));
            }
            Err(error) => {
                tracing::warn!(error, key, "no dialog tells what no notification could");
                if let (true, Press::Open(place)) = (news::is_waited_for(key), news::click(key)) {
                    self.open(place).await;
                }
            }
        }
    }

    /// Whether to quit was answered.
    pub(super) fn answered(&mut self, choice: Choice) {
        let asked = self.asked.take();
        self.dialog = None;
        let now = quit::question(&self.runner.list());
        match (choice, asked, now) {
            (Choice::Leave, _, _) => self.quits = true,
            (Choice::Stop, _, None) => self.quits = true,
            // Only the work that was named may be cut off.
            (Choice::Stop, Some(asked), Some(now)) if asked.knows(&now) => {
                self.orders.stop_all(asked.about);
            }
            (Choice::Stop, _, Some(now)) => self.ask_whether_to_quit(now, Some(CHANGED)),
            (Choice::Cancel, _, _) => {}
        }
    }

    pub(super) fn quit(&mut self) {
        if self.dialog.as_ref().is_some_and(|dialog| dialog.send(()).is_ok()) {
            return;
        }
        match quit::question(&self.runner.list()) {
            Some(question) => self.ask_whether_to_quit(question, None),
            None => self.quits = true,
        }
    }

    /// `first` precedes the dialog's own text.
    fn ask_whether_to_quit(&mut self, question: Question, first: Option<&str>) {
        self.asked = Some(question.clone());
        let text = first.into_iter().chain([question.text.as_str()]).collect::<Vec<_>>().join(" ");
        let question = Question { text, ..question };
        let Some(program) = self.programs.window.clone() else {
            return self.tell(Told::Note(own::of_quit(question)));
        };
        let (raise, raised) = unbounded_channel();
        self.dialog = Some(raise);
        let events = self.events.clone();
        tokio::spawn(async move {
            events.tell(match window::ask(&program, &question.dialog(), raised).await {
                Ok(at) => Event::Answered(question.choices[at].0),
                Err(error) => {
                    tracing::warn!(%error, "no dialog, so a notification asks whether to quit");
                    Event::NoDialog(question)
                }
            });
        });
    }
}
