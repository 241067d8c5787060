//! The keys that belong to the app rather than the page: Ctrl+Q. Ctrl+W remains the terminal's, where it
//! erases a word.

use gtk::gdk::{self, EventKey, Keymap, ModifierType};
use gtk::glib::Propagation;
use gtk::prelude::WidgetExt;
use tauri::Manager;
use tauri::webview::WebviewWindow;

/// Listens from now on. The window gets a key before its page. `led`: the app is running and is asked;
/// otherwise only the window ends.
///
/// # Errors
/// If the window is gone.
pub(crate) fn listen(window: &WebviewWindow, led: bool) -> tauri::Result<()> {
    let app = window.app_handle().clone();
    window.gtk_window()?.connect_key_press_event(move |_, event| {
        let held =
            event.state() & (ModifierType::CONTROL_MASK | ModifierType::SHIFT_MASK | ModifierType::MOD1_MASK);
        if held != ModifierType::CONTROL_MASK || latin(event) != Some('q') {
            return Propagation::Proceed;
        }
        if led {
            crate::say("quit");
        } else {
            app.exit(0);
        }
        Propagation::Stop
    });
    Ok(())
}

/// The letter on that key. If the current layout has no Latin letter there, that of the first layout that
/// has.
fn latin(event: &EventKey) -> Option<char> {
    let letter = |key: gdk::keys::Key| key.to_unicode().filter(|char| char.is_ascii_graphic());
    let own = letter(event.keyval());
    let other = || {
        let map = gdk::Display::default().and_then(|display| Keymap::for_display(&display))?;
        let mut on_key = map.entries_for_keycode(u32::from(event.hardware_keycode()));
        on_key.sort_by_key(|(key, _)| (key.group(), key.level()));
        on_key.into_iter().find_map(|(_, value)| letter(value.into()))
    };
    own.or_else(other).map(|letter| letter.to_ascii_lowercase())
}
