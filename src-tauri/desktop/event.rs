//! All that can wake the app's loop, on one screen.

use repose_core::ids::RepoId;
use repose_core::trouble::Trouble;
use repose_runner::Change;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::notify::news::{Note, Press};
use crate::quit::{Choice, Question};
use crate::tray::menu::Action;
use crate::window::{Number, Said};

/// Something happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// In a repo, or to all of them.
    Changed(Change),
    /// More than could be told one by one.
    ChangedMuch,
    /// Somebody chose it in the tray.
    Chosen(Action),
    /// There is a panel that shows icons, or there is none any more.
    Panel(bool),
    /// The window's process said it.
    Window(Number, Said),
    /// Somebody pressed it on a notification.
    Pressed(Press),
    /// A notification was shown, or the desktop's service didn't take it.
    Noted { key: String, shown: bool },
    /// A notification was held back long enough.
    Due(Box<Note>),
    /// What can be seen of them now, as text for the next start.
    Standing(String),
    /// An order from the tray or a notification was refused.
    Refused(RepoId, Trouble),
    /// Another start of the app wants the window, or a program wants it with this repo.
    Show(Option<RepoId>),
    /// The answer to whether to quit.
    Answered(Choice),
    /// There is no dialog to be had for that question.
    NoDialog(Question),
    /// The console could not be opened in a browser, and why.
    NoBrowser(String),
    /// Every agent that was to be stopped is, or this is why not.
    Stopped(Result<(), (RepoId, Trouble)>),
    /// The time to wait for a panel is over.
    NoPanelYet,
}

/// Where to tell it. Nothing that tells waits: few things happen, and all are small.
#[derive(Debug, Clone)]
pub(crate) struct Events(UnboundedSender<Event>);

impl Events {
    /// Both ends.
    pub(crate) fn new() -> (Self, UnboundedReceiver<Event>) {
        let (sender, events) = unbounded_channel();
        (Self(sender), events)
    }

    /// Tells it. A loop that has ended doesn't care.
    pub(crate) fn tell(&self, event: Event) {
        let _ = self.0.send(event);
    }
}
