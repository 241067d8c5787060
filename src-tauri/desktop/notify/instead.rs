//! What tells a notification where no service shows any: a dialog, one per key.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;

use super::news::{Note, Press};
use crate::event::{Event, Events};
use crate::window::{self, Dialog};

/// The most dialogs at once: each stays above everything else. Of more, the window opens, whose log has what was refused.
const UP_MAX: usize = 3;

/// The dialogs that are up.
#[derive(Debug)]
pub(crate) struct Dialogs {
    program: Option<PathBuf>,
    events: Events,
    up: BTreeMap<String, Up>,
    /// How many there were.
    shown: Number,
}

/// The number of a dialog in this app's life: one that was replaced can still be answered.
type Number = u64;

#[derive(Debug)]
struct Up {
    note: Note,
    number: Number,
    shows: JoinHandle<()>,
}

/// What shows a notification that is told here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    Dialog,
    /// Nothing: as many as there may be are up.
    TooMany,
    /// Nothing: there is no program for that.
    Nothing,
}

/// The end of a dialog.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The key of the notification that it told.
    pub(crate) key: String,
    pub(crate) number: Number,
    /// What was pressed there, or why there is no dialog.
    pub(crate) pressed: Result<Option<Press>, String>,
}

impl Dialogs {
    /// None yet. `program` is the window's, if it is installed.
    pub(crate) fn new(program: Option<PathBuf>, events: Events) -> Self {
        Self { program, events, up: BTreeMap::new(), shown: 0 }
    }

    /// Tells it in a dialog, in place of an older one with its key; reports [`Event::Said`].
    pub(crate) fn tell(&mut self, note: Note) -> Shows {
        let Some(program) = self.program.clone() else { return Shows::Nothing };
        if self.up.get(&note.key).is_some_and(|up| up.note == note) {
            return Shows::Dialog;
        }
        self.over(&note.key);
        if self.up.len() >= UP_MAX {
            return Shows::TooMany;
        }
        self.shown += 1;
        let number = self.shown;
        let (told, events) = (note.clone(), self.events.clone());
        let shows = tokio::spawn(async move {
            let answers = answers(&told);
            let dialog = Dialog {
                name: "Repose",
                title: &told.title,
                text: &told.body,
                choices: answers.iter().map(|(label, _)| label.as_str()).collect(),
                ends: answers.iter().position(|(_, press)| matches!(press, Some(Press::Anyway(_)))),
            };
            let (_raise, raised) = unbounded_channel();
            let pressed = window::ask(&program, &dialog, raised).await;
            let pressed = pressed.map(|at| answers.into_iter().nth(at).and_then(|(_, press)| press));
            let pressed = pressed.map_err(|error| error.to_string());
            events.tell(Event::Said(Answer { key: told.key, number, pressed }));
        });
        self.up.insert(note.key.clone(), Up { note, number, shows });
        Shows::Dialog
    }

    /// This one was answered, and is gone. `false`: another has taken its place, or it is over.
    pub(crate) fn answered(&mut self, key: &str, number: Number) -> bool {
        let is_up = self.up.get(key).is_some_and(|up| up.number == number);
        if is_up {
            self.over(key);
        }
        is_up
    }

    /// It is over, or told in another way: the dialog closes.
    pub(crate) fn over(&mut self, key: &str) {
        if let Some(up) = self.up.remove(key) {
            up.shows.abort();
        }
    }
}

/// What a dialog offers for it, each with what it does. The first is harmless, since Return chooses it; the last
/// does nothing.
fn answers(note: &Note) -> Vec<(String, Option<Press>)> {
    if note.buttons.is_empty() {
        return vec![("OK".into(), None)];
    }
    let click = note.click.iter().map(|press| ("Open".to_owned(), press.clone()));
    let buttons = note.buttons.iter().filter(|(_, press)| Some(press) != note.click.as_ref()).cloned();
    let all = click.chain(buttons).map(|(label, press)| (label, Some(press)));
    all.chain([("Close".into(), None)]).collect()
}

#[cfg(test)]
mod tests {
    use repose_core::ids::RepoId;
    use repose_core::work::OnWork;

    use super::{Dialogs, Shows, UP_MAX, answers};
    use crate::event::Events;
    use crate::notify::news::{Note, Press};
    use crate::notify::own::of_app;
    use crate::orders::Order;
    use crate::window::Place;

    #[test]
    fn what_return_chooses_ends_nothing_and_what_closes_does_nothing() {
        let plain = of_app("closed", "", "");
        assert_eq!(answers(&plain), [("OK".to_owned(), None)]);
        let stop = Press::Anyway(vec![(RepoId::new("id-shop"), Order::Stop(OnWork::Interrupt))]);
        let buttons = vec![("Open".to_owned(), Press::Open(Place::Any)), ("Stop".to_owned(), stop.clone())];
        let offered = answers(&Note { buttons, ..plain });
        let opens = Some(Press::Open(Place::Any));
        assert_eq!(
            offered,
            [("Open".to_owned(), opens), ("Stop".to_owned(), Some(stop)), ("Close".to_owned(), None)]
        );
    }

    /// Dialogs that are never answered.
    fn dialogs() -> Dialogs {
        Dialogs::new(Some("/bin/cat".into()), Events::new().0)
    }

    #[tokio::test]
    async fn the_answer_to_a_dialog_that_was_replaced_closes_no_other() {
        let note = |body| of_app("refused id-shop", "shop: work would be lost", body);
        let mut dialogs = dialogs();
        assert_eq!(dialogs.tell(note("A turn.")), Shows::Dialog);
        let first = dialogs.shown;
        assert_eq!(dialogs.tell(note("Another turn.")), Shows::Dialog);
        assert!(!dialogs.answered("refused id-shop", first));
        assert!(dialogs.answered("refused id-shop", dialogs.shown));
        assert!(!dialogs.answered("refused id-shop", dialogs.shown), "it is gone");
    }

    #[tokio::test]
    async fn there_are_few_at_once() {
        let note = |at: usize| of_app(&format!("refused id-{at}"), "", "");
        let mut dialogs = dialogs();
        let told: Vec<_> = (0..5).map(|at| dialogs.tell(note(at))).collect();
        assert_eq!(told.iter().filter(|shows| **shows == Shows::Dialog).count(), UP_MAX);
        assert_eq!(told.last(), Some(&Shows::TooMany));
        let body = "Another.".to_owned();
        assert_eq!(dialogs.tell(Note { body, ..note(0) }), Shows::Dialog, "it takes a place that it had");
        dialogs.over("refused id-1");
        assert_eq!(dialogs.tell(note(4)), Shows::Dialog);
    }
}
