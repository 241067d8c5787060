//! What the desktop's service shows of ours, and what a press on it does. Pure: it knows no bus.

use super::news::{self, Note, Press};
use super::stood::Stood;

/// The action of a click outside the buttons, fixed by the Desktop Notifications Specification 1.3.
const CLICK: &str = "default";

/// What can be pressed on one: the action's name, its label, and what it does.
type Action = (String, String, Press);

/// Notifications that may still be seen, at most one per key; a repo has few keys.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    now: Vec<One>,
    /// Those that were replaced or put away last, at most one per key: a press on one may still be on its way.
    past: Vec<One>,
    /// How many have been shown. Part of their buttons' names, since one that replaces another has its number: a press on
    /// the one must not count for the other.
    count: u64,
}

#[derive(Debug)]
struct One {
    is: Stood,
    presses: Vec<(String, Press)>,
    /// `None`: an earlier start told it.
    note: Option<Note>,
}

impl One {
    fn is(&self, service: &str, id: u32) -> bool {
        self.is.id == id && self.is.service == service
    }

    /// Whether it has an answer that only this start of the app can carry out.
    fn asks(&self) -> bool {
        self.presses.iter().any(|(action, _)| action != CLICK)
    }
}

impl Standing {
    /// Those that may still be seen.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Stood> {
        self.now.iter().map(|one| &one.is)
    }

    /// Those of this service that ask something.
    pub(crate) fn asking(&self, service: &str) -> Vec<u32> {
        let here = self.now.iter().filter(|one| one.is.service == service && one.asks());
        here.map(|one| one.is.id).collect()
    }

    /// The number of the one with this key.
    pub(crate) fn number(&self, key: &str) -> Option<u32> {
        self.all().find(|is| is.key == key).map(|is| is.id)
    }

    /// One that an earlier start told: a click opens what it is about.
    pub(crate) fn take_up(&mut self, is: Stood) {
        let presses = vec![(CLICK.to_owned(), news::click(&is.key))];
        self.now.push(One { is, presses, note: None });
    }

    /// What can be pressed on this one, which is about to be shown.
    pub(crate) fn actions(&mut self, note: &Note) -> Vec<Action> {
        self.count += 1;
        let click = note.click.clone().map(|press| (CLICK.to_owned(), "Open".to_owned(), press));
        let buttons = note.buttons.iter().cloned().enumerate();
        let named = |at: usize| format!("button-{}-{at}", self.count);
        click.into_iter().chain(buttons.map(|(at, (label, press))| (named(at), label, press))).collect()
    }

    /// This one is shown, instead of the one with its key or its number.
    pub(crate) fn shows(&mut self, is: Stood, actions: Vec<Action>, note: Note) {
        self.leave(|one| one.is.key == is.key || one.is(&is.service, is.id));
        let presses = actions.into_iter().map(|(action, _, press)| (action, press)).collect();
        self.now.push(One { is, presses, note: Some(note) });
    }

    /// The service no longer shows this one. Returns whether it was one of ours: its signals are about all programs'.
    pub(crate) fn closed(&mut self, service: &str, id: u32) -> bool {
        self.leave(|one| one.is(service, id))
    }

    /// What the one with this key tells is over. Returns what is to be withdrawn.
    pub(crate) fn over(&mut self, key: &str) -> Option<Stood> {
        self.past.retain(|one| one.is.key != key);
        let at = self.now.iter().position(|one| one.is.key == key)?;
        Some(self.now.swap_remove(at).is)
    }

    /// What another service than this showed is gone with it. Returns what still asks for somebody.
    pub(crate) fn only_of(&mut self, service: &str) -> Vec<Note> {
        self.past.retain(|one| one.is.service == service);
        let gone: Vec<One> = self.now.extract_if(.., |one| one.is.service != service).collect();
        gone.into_iter().filter_map(|one| one.note).filter(news::still_asks).collect()
    }

    /// What this press does.
    pub(crate) fn pressed(&self, service: &str, id: u32, action: &str) -> Option<Press> {
        let here = self.now.iter().chain(&self.past).filter(|one| one.is(service, id));
        let mut presses = here.flat_map(|one| &one.presses);
        presses.find(|(name, _)| name == action).map(|(_, press)| press.clone())
    }

    fn leave(&mut self, which: impl Fn(&One) -> bool) -> bool {
        let left: Vec<One> = self.now.extract_if(.., |one| which(one)).collect();
        let any = !left.is_empty();
        for one in left {
            self.past.retain(|other| other.is.key != one.is.key);
            self.past.push(one);
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use repose_core::ids::{DecisionId, RepoId};

    use super::Standing;
    use crate::notify::news::{Note, Press, Urgency};
    use crate::notify::stood::Stood;
    use crate::window::Place;

    fn stood(id: u32, key: &str) -> Stood {
        Stood { service: ":1.7".into(), id, key: key.into() }
    }

    /// One that can be allowed.
    fn asks(decision: &str) -> (Note, Press) {
        let allow = Press::Decide(RepoId::new("shop"), DecisionId::new(decision), "allow".into());
        let note = Note {
            key: "waits shop".into(),
            title: "shop needs you".into(),
            body: decision.into(),
            urgency: Urgency::Critical,
            click: Some(Press::Open(Place::Any)),
            buttons: vec![("Allow".into(), allow.clone())],
            may_follow: false,
        };
        (note, allow)
    }

    /// Shows it under this number. Returns the name of its button.
    fn show(standing: &mut Standing, id: u32, note: &Note) -> String {
        let actions = standing.actions(note);
        let button = actions.last().expect("a button").0.clone();
        standing.shows(stood(id, &note.key), actions, note.clone());
        button
    }

    #[test]
    fn a_press_on_one_that_is_replaced_meanwhile_does_what_that_one_said() {
        let mut standing = Standing::default();
        let ((first, allows_first), (second, allows_second)) = (asks("d1"), asks("d2"));
        let before = show(&mut standing, 4, &first);
        let now = show(&mut standing, 4, &second);
        assert_eq!(standing.pressed(":1.7", 4, &before), Some(allows_first.clone()));
        assert_eq!(standing.pressed(":1.7", 4, &now), Some(allows_second));
        // Some services close one that was pressed, and show what is to replace it beside the others.
        let now = show(&mut standing, 5, &first);
        assert_ne!(now, before);
        assert!(!standing.closed(":1.7", 4), "it was replaced before");
        assert_eq!(standing.pressed(":1.7", 5, &now), Some(allows_first));
        assert_eq!(standing.all().cloned().collect::<Vec<_>>(), [stood(5, &first.key)]);
    }

    #[test]
    fn one_that_is_closed_as_it_is_pressed_is_pressed_and_one_that_is_over_is_not() {
        let mut standing = Standing::default();
        let (note, allows) = asks("d");
        let button = show(&mut standing, 4, &note);
        assert!(standing.closed(":1.7", 4));
        assert_eq!(standing.pressed(":1.7", 4, &button), Some(allows));
        assert_eq!(standing.pressed(":1.8", 4, &button), None, "another program's word");
        assert_eq!(standing.over(&note.key), None, "nothing is left to withdraw");
        assert_eq!(standing.pressed(":1.7", 4, &button), None);
    }
}
