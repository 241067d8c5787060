//! Everything that can wake the app's loop.

use repose_core::ids::RepoId;
use repose_core::trouble::Trouble;
use repose_runner::Change;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::notify::instead::Answer;
use crate::notify::news::{Note, Press};
use crate::quit::{Choice, Question};
use crate::tray::menu::Action;
use crate::tray::seen::Wait;
use crate::window::{Number, Place, Said};

/// Something happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// Something happened in a repo, or to all of them.
    Changed(Change),
    /// More changes than could be reported one by one.
    ChangedMuch,
    /// Somebody chose this in the tray.
    Chosen(Action),
    /// Somebody opens the tray's menu.
    MenuOpens,
    /// A panel that shows icons appeared, or disappeared.
    Panel(bool),
    /// The window's process reported this.
    Window(Number, Said),
    /// Somebody pressed this on a notification.
    Pressed(Press),
    /// A notification was shown, or the desktop's service didn't take it.
    Noted { note: Box<Note>, shown: bool },
    /// A dialog that told a notification instead was answered, or there is none.
    Said(Answer),
    /// A notification was held back long enough.
    Due(Box<Note>),
    /// The notifications that can still be seen, as text for the next start.
    Standing(String),
    /// An order from the tray or a notification was refused.
    Refused(RepoId, Trouble),
    /// An order to all repos from the tray was refused by these.
    RefusedTogether(Vec<(RepoId, Trouble)>),
    /// An order to all repos from the tray was refused as a whole, and no repo was touched.
    AllRefused(Trouble),
    /// Another start of the app, or a program, wants the window at this place.
    Show(Place),
    /// The answer to this question whether to quit.
    Answered(Question, Choice),
    /// No dialog can be shown for that question.
    NoDialog(Question),
    /// The console couldn't be opened in a browser, for this reason.
    NoBrowser(String),
    /// All agents that were to be stopped are, but for these.
    Stopped(Vec<(RepoId, Trouble)>),
    /// The time for a panel to appear is over.
    NoPanelYet(Wait),
}

/// The sending side of the loop's events. Sending never blocks: few things happen, and all are small.
#[derive(Debug, Clone)]
pub(crate) struct Events(UnboundedSender<Event>);

impl Events {
    /// Both ends.
    pub(crate) fn new() -> (Self, UnboundedReceiver<Event>) {
        let (sender, events) = unbounded_channel();
        (Self(sender), events)
    }

    /// Sends an event. It doesn't matter if the loop has ended.
    pub(crate) fn tell(&self, event: Event) {
        let _ = self.0.send(event);
    }
}
