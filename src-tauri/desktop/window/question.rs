//! One question in a dialog of the desktop's own.

use std::fmt;

use gtk::prelude::{DialogExt, GtkWindowExt, WidgetExt};
use gtk::{MessageDialog, MessageType, ResponseType};

/// Why nothing can be shown.
#[derive(Debug)]
pub(crate) struct NoDisplay;

impl fmt::Display for NoDisplay {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("there is no display here that a window could be shown on (DISPLAY, WAYLAND_DISPLAY)")
    }
}

impl std::error::Error for NoDisplay {}

/// Makes sure that there is a display. Without one the toolkit would end this program.
///
/// # Errors
/// If there is none.
pub(crate) fn display() -> Result<(), NoDisplay> {
    gtk::init().map_err(|_| NoDisplay)
}

/// Asks, and says the number of what was chosen, from 0. A dialog that is closed chooses the last.
///
/// # Errors
/// If there is no display.
pub(crate) fn ask(title: &str, text: &str, choices: &[&str]) -> Result<(), NoDisplay> {
    display()?;
    let dialog = MessageDialog::builder()
        .title("Quit Repose")
        .message_type(MessageType::Question)
        .text(title)
        .secondary_text(text)
        .build();
    dialog.set_keep_above(true);
    for (at, choice) in (0_u16..).zip(choices) {
        dialog.add_button(choice, ResponseType::Other(at));
    }
    dialog.set_default_response(ResponseType::Other(0));
    dialog.show_all();
    let last = choices.len().saturating_sub(1);
    let chosen = if let ResponseType::Other(at) = dialog.run() { usize::from(at) } else { last };
    crate::say(&chosen.to_string());
    Ok(())
}
