//! What tells a notification where no service shows any: a dialog, one per key.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;

use super::news::{Note, Press};
use crate::event::{Event, Events};
use crate::window::{self, Dialog};

/// The dialogs that are up.
#[derive(Debug)]
pub(crate) struct Dialogs {
    program: Option<PathBuf>,
    events: Events,
    up: BTreeMap<String, (Note, JoinHandle<()>)>,
}

impl Dialogs {
    /// None yet. `program` is the window's, if it is installed.
    pub(crate) fn new(program: Option<PathBuf>, events: Events) -> Self {
        Self { program, events, up: BTreeMap::new() }
    }

    /// Tells it in a dialog, in place of an older one with its key; reports [`Event::Said`]. `false`: there is no program
    /// that shows one.
    pub(crate) fn tell(&mut self, note: Note) -> bool {
        let Some(program) = self.program.clone() else { return false };
        if self.up.get(&note.key).is_some_and(|(up, _)| *up == note) {
            return true;
        }
        self.over(&note.key);
        let (told, events) = (note.clone(), self.events.clone());
        let shown = tokio::spawn(async move {
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
            events.tell(Event::Said { key: told.key, pressed: pressed.map_err(|error| error.to_string()) });
        });
        self.up.insert(note.key.clone(), (note, shown));
        true
    }

    /// It is over, or told in another way: the dialog closes.
    pub(crate) fn over(&mut self, key: &str) {
        if let Some((_, shown)) = self.up.remove(key) {
            shown.abort();
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
    use super::answers;
    use crate::notify::news::{Note, Press};
    use crate::notify::own::of_app;
    use crate::quit::Choice;
    use crate::window::Place;

    #[test]
    fn what_return_chooses_ends_nothing_and_what_closes_does_nothing() {
        let plain = of_app("closed", "", "");
        assert_eq!(answers(&plain), [("OK".to_owned(), None)]);
        let stop = Press::Quit(Choice::Stop);
        let buttons = vec![("Open".to_owned(), Press::Open(Place::Any)), ("Stop".to_owned(), stop.clone())];
        let offered = answers(&Note { buttons, ..plain });
        let opens = Some(Press::Open(Place::Any));
        assert_eq!(
            offered,
            [("Open".to_owned(), opens), ("Stop".to_owned(), Some(stop)), ("Close".to_owned(), None)]
        );
    }
}
