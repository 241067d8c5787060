//! One question in a native dialog of the desktop.

use std::fmt;

use gtk::glib::{self, ControlFlow, IOCondition};
use gtk::prelude::{DialogExt, GtkWindowExt, StyleContextExt, WidgetExt};
use gtk::{MessageDialog, MessageType, ResponseType, gdk};

/// Why nothing can be shown.
#[derive(Debug)]
pub(crate) struct NoDisplay;

impl fmt::Display for NoDisplay {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("there is no display here that a window could be shown on (DISPLAY, WAYLAND_DISPLAY)")
    }
}

impl std::error::Error for NoDisplay {}

/// Fails without a display, since the toolkit would then end this program.
///
/// # Errors
/// If there is no display.
pub(crate) fn display() -> Result<(), NoDisplay> {
    glib::set_prgname(Some(crate::APP));
    gtk::init().map_err(|_| NoDisplay)?;
    gdk::set_program_class(crate::APP);
    Ok(())
}

/// Asks, and writes the number of the chosen answer, from 0. Return chooses the first; the one numbered `ends` is
/// shown to end something. Closing the dialog chooses the last. Each line on stdin brings it to the front; it
/// ends when stdin does.
///
/// # Errors
/// If there is no display.
pub(crate) fn ask(title: &str, text: &str, ends: &str, choices: &[&str]) -> Result<(), NoDisplay> {
    display()?;
    let dialog = MessageDialog::builder()
        .title("Quit Repose")
        .message_type(MessageType::Question)
        .text(title)
        .secondary_text(text)
        .build();
    dialog.set_keep_above(true);
    for (at, choice) in (0_u16..).zip(choices) {
        let button = dialog.add_button(choice, ResponseType::Other(at));
        if ends == at.to_string() {
            button.style_context().add_class("destructive-action");
        } else if at == 0 {
            button.style_context().add_class("suggested-action");
        }
    }
    dialog.set_default_response(ResponseType::Other(0));
    dialog.show_all();
    let asked = dialog.clone();
    glib::unix_fd_add_local(0, IOCondition::IN | IOCondition::HUP, move |_, _| {
        let mut words = [0; 64];
        match rustix::io::read(std::io::stdin(), &mut words) {
            Ok(1..) => {
                asked.present();
                ControlFlow::Continue
            }
            Ok(0) | Err(_) => {
                asked.response(ResponseType::DeleteEvent);
                ControlFlow::Break
            }
        }
    });
    let last = choices.len().saturating_sub(1);
    let chosen = if let ResponseType::Other(at) = dialog.run() { usize::from(at) } else { last };
    crate::say(&chosen.to_string());
    Ok(())
}
