//! The colour behind the page: the page's own, from the window's first frame on, so that a dark page isn't
//! preceded by a white window.
//!
//! Which theme somebody chose only the page knows, and only once it runs. So it is written down when they leave the
//! window, for the next one. Nothing is put into the page for it.

use std::fs;
use std::path::{Path, PathBuf};

use gtk::prelude::GtkSettingsExt;
use tauri::webview::{Color, WebviewWindow};

/// The page's `--back`, as its `tokens.css` has it.
const LIGHT: Color = Color(0xf3, 0xf3, 0xf1, 0xff);
const DARK: Color = Color(0x14, 0x15, 0x18, 0xff);

/// What the page follows, as JSON.
const ASKED: &str = "document.documentElement.dataset.theme";

/// The theme as somebody chose it in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Theme {
    System,
    Light,
    Dark,
}

/// The file in which the theme is written down.
#[derive(Debug, Clone)]
pub(crate) struct Back(PathBuf);

impl Back {
    /// In the folder of the window's data.
    pub(crate) fn within(data: &Path) -> Self {
        Self(data.join("theme"))
    }

    /// Gives the window the colour of the page that it will show.
    ///
    /// # Errors
    /// If the window is gone.
    pub(crate) fn paint(&self, window: &WebviewWindow) -> tauri::Result<()> {
        let kept = fs::read_to_string(&self.0).ok();
        let theme = kept.as_deref().and_then(Theme::read).unwrap_or(Theme::System);
        window.set_background_color(Some(colour(theme, desktop_is_dark())))
    }

    /// Writes down the theme that the page has now, and calls `then`. A page that hangs never answers; one that
    /// didn't load has none.
    ///
    /// # Errors
    /// If the window is gone.
    pub(crate) fn keep(&self, window: &WebviewWindow, then: impl Fn() + Send + 'static) -> tauri::Result<()> {
        let (file, page) = (self.0.clone(), window.clone());
        window.eval_with_callback(ASKED, move |answer| {
            let theme = serde_json::from_str::<String>(&answer).ok();
            if let Some(theme) = theme.as_deref().and_then(Theme::read) {
                // Without the file, only the next window's first moment has another colour.
                let _ = repose_sys::private::write_private_for_this_boot(&file, theme.name().as_bytes());
                let _ = page.set_background_color(Some(colour(theme, desktop_is_dark())));
            }
            then();
        })
    }
}

impl Theme {
    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn read(name: &str) -> Option<Self> {
        [Self::System, Self::Light, Self::Dark].into_iter().find(|theme| theme.name() == name)
    }
}

fn colour(theme: Theme, desktop_is_dark: bool) -> Color {
    match theme {
        Theme::Light => LIGHT,
        Theme::Dark => DARK,
        Theme::System if desktop_is_dark => DARK,
        Theme::System => LIGHT,
    }
}

/// Whether the page will find the desktop dark. WebKit judges by the same (`effectiveAppearanceIsDark` of
/// WebKitGTK 2.50's `PageClientImpl`).
fn desktop_is_dark() -> bool {
    let Some(settings) = gtk::Settings::default() else { return false };
    settings.is_gtk_application_prefer_dark_theme()
        || match std::env::var("GTK_THEME") {
            Ok(theme) => names_dark(&theme) || theme.ends_with(":dark"),
            Err(_) => settings.gtk_theme_name().is_some_and(|theme| names_dark(&theme)),
        }
}

fn names_dark(theme: &str) -> bool {
    theme.ends_with("-dark") || theme.ends_with("-Dark")
}

#[cfg(test)]
mod tests {
    use super::{Color, DARK, LIGHT, Theme, colour};

    #[test]
    fn the_colours_are_the_pages() {
        let hex = |Color(red, green, blue, _)| format!("#{red:02x}{green:02x}{blue:02x}");
        let tokens = include_str!("../../../ui/src/styles/tokens.css");
        let back = format!("--back: light-dark({}, {});", hex(LIGHT), hex(DARK));
        assert!(tokens.contains(&back), "{back}");
    }

    #[test]
    fn what_somebody_chose_goes_before_the_desktop() {
        for (theme, on_light, on_dark) in
            [(Theme::System, LIGHT, DARK), (Theme::Light, LIGHT, LIGHT), (Theme::Dark, DARK, DARK)]
        {
            assert_eq!((colour(theme, false), colour(theme, true)), (on_light, on_dark), "{theme:?}");
            assert_eq!(Theme::read(theme.name()), Some(theme));
        }
        assert_eq!(Theme::read("purple"), None);
    }
}
