//! Turns off what WebKit does like a browser and an app must not, and handles the death of a page's process.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Write;
use std::time::{Duration, Instant};

use tauri::Manager;
use tauri::webview::WebviewWindow;
use webkit2gtk::{
    ContextMenu, ContextMenuAction, ContextMenuExt, ContextMenuItemExt, DownloadExt,
    HardwareAccelerationPolicy, SettingsExt, WebContextExt, WebViewExt,
};

/// How many times within [`RELOADS_WITHIN`] to reload a page whose process died. If it dies more often, the
/// window ends, and the app says so.
const RELOADS_MAX: usize = 3;
const RELOADS_WITHIN: Duration = Duration::from_secs(60);

/// Applies all of this to a window.
///
/// # Errors
/// If the window is gone.
pub(crate) fn tame(window: &WebviewWindow) -> tauri::Result<()> {
    let app = window.app_handle().clone();
    window.with_webview(move |page| {
        let view = page.inner();
        if let Some(settings) = WebViewExt::settings(&view) {
            // A page of text gains little from a compositor, which holds 60 MB (measured without a GPU,
            // WebKitGTK 2.50), and which some drivers leave blank.
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
        if let Some(context) = view.context() {
            // A download would go into the folder in which the app was started.
            context.connect_download_started(|_, download| download.cancel());
        }
        view.connect_context_menu(|_, menu, _, _| {
            shorten(menu);
            menu.n_items() == 0
        });
        let reloads = RefCell::new(Reloads::default());
        view.connect_web_process_terminated(move |view, reason| {
            let again = reloads.borrow_mut().again(Instant::now());
            let then = if again { "it is loaded again" } else { "too often, so the window ends" };
            // Nobody reads it if the app runs without a terminal.
            let _ =
                writeln!(std::io::stderr(), "repose-window: the page's process ended ({reason:?}): {then}");
            if again {
                view.reload();
            } else {
                app.exit(1);
            }
        });
    })
}

/// When the page was last reloaded.
#[derive(Debug, Default)]
struct Reloads(VecDeque<Instant>);

impl Reloads {
    /// Whether to reload it once more.
    fn again(&mut self, now: Instant) -> bool {
        self.0.retain(|at| now.duration_since(*at) < RELOADS_WITHIN);
        let again = self.0.len() < RELOADS_MAX;
        if again {
            self.0.push_back(now);
        }
        again
    }
}

fn shorten(menu: &ContextMenu) {
    let items = menu.items();
    let actions: Vec<_> =
        items.iter().map(|item| (!item.is_separator()).then(|| item.stock_action())).collect();
    for (item, stays) in items.iter().zip(stay(&actions)) {
        if !stays {
            menu.remove(item);
        }
    }
}

/// Which lines of a browser's menu remain. `None` is a separator, which remains between groups.
fn stay(lines: &[Option<ContextMenuAction>]) -> Vec<bool> {
    let mut stays: Vec<bool> = lines.iter().map(|line| line.is_some_and(of_text)).collect();
    let (mut above, mut rule) = (false, None);
    for at in 0..lines.len() {
        match lines.get(at) {
            Some(None) if above => rule = Some(at),
            Some(Some(_)) if stays.get(at) == Some(&true) => {
                if let Some(rule) = rule.take().and_then(|at: usize| stays.get_mut(at)) {
                    *rule = true;
                }
                above = true;
            }
            Some(None | Some(_)) | None => {}
        }
    }
    stays
}

/// What one does with text. Going back, reloading and saving belong to a browser; a debug build can inspect
/// the page.
fn of_text(action: ContextMenuAction) -> bool {
    use ContextMenuAction::{
        Copy, CopyImageToClipboard, CopyLinkToClipboard, Cut, Delete, IgnoreGrammar, IgnoreSpelling,
        InputMethods, InsertEmoji, InspectElement, LearnSpelling, NoGuessesFound, Paste, PasteAsPlainText,
        SelectAll, SpellingGuess, Unicode,
    };
    let text =
        [Copy, Cut, Paste, PasteAsPlainText, Delete, SelectAll, CopyLinkToClipboard, CopyImageToClipboard];
    let words = [SpellingGuess, NoGuessesFound, IgnoreSpelling, LearnSpelling, IgnoreGrammar];
    let letters = [InputMethods, Unicode, InsertEmoji];
    let inside = cfg!(debug_assertions) && action == InspectElement;
    text.contains(&action) || words.contains(&action) || letters.contains(&action) || inside
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use webkit2gtk::ContextMenuAction::{
        Copy, CopyLinkToClipboard, Cut, DownloadLinkToDisk, GoBack, GoForward, OpenLink, OpenLinkInNewWindow,
        Paste, Reload, SelectAll, Stop,
    };

    use super::{RELOADS_MAX, RELOADS_WITHIN, Reloads, stay};

    #[test]
    fn a_menu_keeps_what_one_does_with_text() {
        let kept = |lines: &[_]| -> Vec<_> {
            let stays = stay(lines);
            lines.iter().zip(stays).filter(|(_, stays)| *stays).map(|(line, _)| *line).collect()
        };
        assert_eq!(kept(&[Some(GoBack), Some(GoForward), Some(Stop), Some(Reload)]), []);
        let link =
            [Some(OpenLink), Some(OpenLinkInNewWindow), Some(DownloadLinkToDisk), Some(CopyLinkToClipboard)];
        assert_eq!(kept(&link), [Some(CopyLinkToClipboard)]);
        let selected = [Some(OpenLink), None, Some(Copy), None, Some(DownloadLinkToDisk), None];
        assert_eq!(kept(&selected), [Some(Copy)], "no rule parts one line from nothing");
        let field = [Some(Cut), Some(Copy), Some(Paste), None, None, Some(SelectAll)];
        assert_eq!(kept(&field), [Some(Cut), Some(Copy), Some(Paste), None, Some(SelectAll)]);
    }

    #[test]
    fn a_page_that_keeps_dying_is_not_loaded_for_ever() {
        let (mut reloads, start) = (Reloads::default(), Instant::now());
        for _ in 0..RELOADS_MAX {
            assert!(reloads.again(start));
        }
        assert!(!reloads.again(start + RELOADS_WITHIN - Duration::from_millis(1)));
        assert!(reloads.again(start + RELOADS_WITHIN), "what was long ago doesn't count");
    }
}
