//! The keys that are the app's and not the page's: Ctrl+Q. Ctrl+W stays the terminal's: it erases a word there.

use gtk::gdk::ModifierType;
use gtk::gdk::keys::constants as key;
use gtk::glib::Propagation;
use gtk::prelude::WidgetExt;
use tauri::webview::WebviewWindow;

/// Listens from now on. The window gets a key before the page in it does.
///
/// # Errors
/// If the window is gone.
pub(crate) fn listen(window: &WebviewWindow) -> tauri::Result<()> {
    window.gtk_window()?.connect_key_press_event(|_, event| {
        let held =
            event.state() & (ModifierType::CONTROL_MASK | ModifierType::SHIFT_MASK | ModifierType::MOD1_MASK);
        if held != ModifierType::CONTROL_MASK || !matches!(event.keyval(), key::q | key::Q) {
            return Propagation::Proceed;
        }
        crate::say("quit");
        Propagation::Stop
    });
    Ok(())
}
