//! What the app tells of itself. Pure.

use repose_core::trouble::Trouble;

use super::news::{Note, Press, QUIT, Urgency, click};
use crate::quit::{Choice, Question};

/// Keys of what is said once.
pub(crate) const CLOSED: &str = "closed";
pub(crate) const NO_PANEL: &str = "no-panel";

/// The key of an order to all repos that was refused as a whole.
pub(crate) const ALL_REFUSED: &str = "refused-by-all";

/// The window was closed. `in_tray`: a panel shows the icon.
pub(crate) fn closed(in_tray: bool) -> Note {
    let way_back = if in_tray {
        "Its icon in the panel opens it again and pauses repos; Quit… there ends it."
    } else {
        "It has no icon here: no panel shows tray icons (StatusNotifierItem). Start Repose again to see it. Ctrl+Q in \
         its window ends it."
    };
    of_app(CLOSED, "Repose goes on without its window", way_back)
}

/// The console could not be opened in a browser.
pub(crate) fn no_browser(why: &str) -> Note {
    let body = format!("{why}. `repose console --print` gives a link to the console, to be opened by hand.");
    let mut note = of_app("browser", "No browser was opened", &body);
    note.click = None; // it could come to the same once more
    note
}

/// There is no panel that shows the icon.
pub(crate) fn no_panel() -> Note {
    of_app(
        NO_PANEL,
        "Repose has no icon on this desktop",
        "No panel here shows tray icons (StatusNotifierItem). Its window is the way in: start Repose again to see it. \
         On GNOME, the extension \"AppIndicator\" adds them.",
    )
}

/// The window ended by itself.
pub(crate) fn window_broke() -> Note {
    of_app(
        "window",
        "The window could not stay open",
        "Repose and its agents go on. \"Open in browser\" in the tray, or `repose console`, shows the same.",
    )
}

/// The entry for the login could not be changed.
pub(crate) fn login_unchanged(body: &str) -> Note {
    of_app("login", "Start at login was not changed", body)
}

/// An order to all repos was refused as a whole. It is always notified, since somebody waits for it.
pub(crate) fn all_refused(trouble: &Trouble) -> Note {
    let hint = trouble.hints.first().map(|hint| format!(" {hint}")).unwrap_or_default();
    of_app(ALL_REFUSED, trouble.code.title(), &format!("{}{hint}", trouble.sentence))
}

/// The question whether to quit, if no dialog can ask it. Doing nothing means cancelling.
pub(crate) fn of_quit(question: &Question) -> Note {
    let mut note = of_app(QUIT, &question.title, &question.text);
    note.urgency = Urgency::Critical;
    let answers = question.choices.iter().filter(|(choice, _)| *choice != Choice::Cancel);
    note.buttons = answers
        .map(|(choice, label)| (label.clone(), Press::Quit(Box::new(question.clone()), *choice)))
        .collect();
    note
}

/// A notification about the app itself.
pub(crate) fn of_app(key: &str, title: &str, body: &str) -> Note {
    Note {
        key: key.into(),
        title: title.into(),
        body: body.into(),
        urgency: Urgency::Normal,
        click: Some(click(key)),
        buttons: Vec::new(),
        may_follow: false,
    }
}
