//! One question in a native dialog of the desktop.

use std::fmt;

use gtk::gdk_pixbuf::Pixbuf;
use gtk::glib::{self, ControlFlow, IOCondition};
use gtk::prelude::{BoxExt, ContainerExt, DialogExt, GtkWindowExt, LabelExt, StyleContextExt, WidgetExt};
use gtk::{Dialog, Label, ResponseType, gdk};
use serde::Deserialize;

/// How many characters a line of the dialog takes.
const WIDTH: i32 = 56;

/// Pixels between its parts, and around them.
const SPACING: i32 = 12;
const MARGIN: u32 = 18;

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

/// What is asked. The app gives it as JSON.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    /// What the title bar says.
    name: String,
    title: String,
    text: String,
    /// Return chooses the first; closing the dialog chooses the last.
    choices: Vec<String>,
    /// The number of the choice that is shown to end something.
    ends: Option<usize>,
}

/// Asks this, and writes the number of the chosen answer, from 0. Each line on stdin brings it to the front; it ends
/// when stdin does.
///
/// # Errors
/// If there is no display.
pub(crate) fn ask(question: &Question) -> Result<(), NoDisplay> {
    display()?;
    let dialog = Dialog::builder().title(question.name.as_str()).resizable(false).build();
    dialog.set_icon(icon().as_ref());
    dialog.set_keep_above(true);
    let content = dialog.content_area();
    content.set_spacing(SPACING);
    content.set_border_width(MARGIN);
    content.pack_start(
        &words(&format!("<b>{}</b>", glib::markup_escape_text(&question.title))),
        false,
        false,
        0,
    );
    content.pack_start(&words(&glib::markup_escape_text(&question.text)), false, false, 0);
    for (at, choice) in (0_u16..).zip(&question.choices) {
        let button = dialog.add_button(choice, ResponseType::Other(at));
        button.set_margin_start(SPACING);
        button.set_margin_top(SPACING);
        if let Some(class) = class(at, question.ends) {
            button.style_context().add_class(class);
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
    let last = question.choices.len().saturating_sub(1);
    let chosen = if let ResponseType::Other(at) = dialog.run() { usize::from(at) } else { last };
    crate::say(&chosen.to_string());
    Ok(())
}

/// The class by which a theme colours the button of this choice: red for the one that ends something, and
/// the accent for the first, which Return chooses.
fn class(at: u16, ends: Option<usize>) -> Option<&'static str> {
    match (ends == Some(usize::from(at)), at) {
        (true, _) => Some("destructive-action"),
        (false, 0) => Some("suggested-action"),
        (false, _) => None,
    }
}

/// Lines of this text, which is marked up.
fn words(text: &str) -> Label {
    let label = Label::builder().use_markup(true).label(text).wrap(true).xalign(0.0).build();
    label.set_max_width_chars(WIDTH);
    label.set_width_chars(WIDTH);
    label
}

/// The app's own, for the title bar.
fn icon() -> Option<Pixbuf> {
    Pixbuf::from_read(include_bytes!("../../../icons/64x64.png").as_slice()).ok()
}

#[cfg(test)]
mod tests {
    use super::class;

    #[test]
    fn what_ends_something_is_red_and_what_return_chooses_has_the_accent() {
        let (red, accent) = (Some("destructive-action"), Some("suggested-action"));
        let classes = |ends| [0, 1, 2].map(|at| class(at, ends));
        assert_eq!(classes(Some(1)), [accent, red, None], "before Quit");
        assert_eq!(classes(None), [accent, None, None], "a message");
        assert_eq!(classes(Some(0)), [red, None, None]);
    }
}
