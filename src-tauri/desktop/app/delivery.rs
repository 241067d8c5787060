//! What becomes of a notification: a service shows it, or a dialog tells it instead, or it waits for the next service.

use super::{App, TOLD_CLOSED, TOLD_NO_PANEL, keep};
use crate::event::Event;
use crate::notify::instead::{Answer, Shows};
use crate::notify::news::{Note, Press, Told};
use crate::notify::own;
use crate::notify::unshown::Unshown;
use crate::quit::way::Way;
use crate::window::Place;

impl App {
    /// What nobody saw is notified again by a later start, if it is still true.
    pub(super) async fn noted(&mut self, note: Note, shown: bool) {
        // It may be over since it was given to the service, which is told so next.
        if !shown && !self.news.stands(&note) {
            return;
        }
        let key = note.key.clone();
        let differs = if shown { self.untold.remove(&key) } else { self.untold.insert(key.clone()) };
        if differs {
            self.keep_told();
        }
        if shown {
            self.was_said(&key);
            self.dialogs.over(&key);
        } else if differs || Unshown::of(&key) == Unshown::Quits {
            self.told_otherwise(note).await;
        }
    }

    /// No service shows notifications here.
    async fn told_otherwise(&mut self, note: Note) {
        match Unshown::of(&note.key) {
            Unshown::Waits => {}
            Unshown::SaidWithoutIcon if self.seen.now() => {}
            Unshown::SaidWithoutIcon => drop(self.dialogs.tell(note)),
            Unshown::Said => {
                let click = note.click.clone();
                match (self.dialogs.tell(note), click) {
                    (Shows::Dialog, _) => {}
                    (Shows::TooMany, _) => self.open(Place::Any).await,
                    (Shows::Nothing, Some(Press::Open(place))) => self.open(place).await,
                    (Shows::Nothing, _) => {}
                }
            }
            // Nobody can be asked, so the harmless option is taken: agents go on without Repose.
            Unshown::Quits if self.way == Way::Asks && !self.asks.is_up() => self.quits = true,
            Unshown::Quits => {}
        }
    }

    /// A dialog that told a notification was answered. One that has been replaced says only what was pressed.
    pub(super) async fn said(&mut self, Answer { key, number, pressed }: Answer) {
        let is_up = self.dialogs.answered(&key, number);
        match pressed {
            Ok(press) => {
                if is_up {
                    self.was_said(&key);
                    self.untold.remove(&key);
                    self.tell(Told::Over(key)); // no service needs to tell it any more
                }
                press.into_iter().for_each(|press| self.events.tell(Event::Pressed(press)));
            }
            Err(error) => {
                tracing::warn!(error, key, "no dialog tells what no notification could");
                if let (true, Unshown::Said, Press::Open(place)) =
                    (is_up, Unshown::of(&key), crate::notify::news::click(&key))
                {
                    self.open(place).await;
                }
            }
        }
    }

    /// What is said once was.
    fn was_said(&self, key: &str) {
        match key {
            own::CLOSED => keep(&self.runner, TOLD_CLOSED, "1"),
            own::NO_PANEL => keep(&self.runner, TOLD_NO_PANEL, "1"),
            _ => {}
        }
    }
}
