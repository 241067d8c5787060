//! The program `repose-window`: the console in a window, or one question in a dialog.
//!
//! Ending it ends only the window: it holds no repo and knows none. Its page has no access to the system: no
//! command is exposed to it, and it can't leave the console's address.
//!
//! `repose-window -` reads a link from the first line of stdin, and then `show` and `go #PLACE`; it writes
//! `front`, `behind`, `shown` and `quit`, and ends with its stdin. `repose-window URL` only shows that, and
//! writes nothing. `repose-window --ask` reads a question from the first line of stdin and writes the number of the
//! choice; each further line brings it to the front, and it ends with its stdin. What is asked is no argument, since
//! any user of the machine can read those.

mod back;
mod keys;
mod question;
mod web;

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use repose_runner::Home;
use tauri::webview::{NewWindowResponse, WebviewWindow, WebviewWindowBuilder};
use tauri::{Manager, Url, WebviewUrl, WindowEvent};

use crate::back::Back;

/// The window's name within this program.
const WINDOW: &str = "console";

/// The title until the page sets one.
const NAME: &str = "Repose";

/// The name by which the desktop knows it, the same as in the app's desktop entry (`StartupWMClass`).
const APP: &str = "repose-desktop";

/// Its initial and its smallest size: below that the page's two columns don't fit.
const SIZE: (f64, f64) = (1180.0, 780.0);
const SIZE_MIN: (f64, f64) = (420.0, 320.0);

/// How long the page may take to say what is remembered of it once its window is closed. After this it hangs.
const LEAVES_WITHIN: Duration = Duration::from_millis(500);

type Failed = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["--ask"] => first_line().and_then(|line| Ok(question::ask(&serde_json::from_str(&line)?)?)),
        ["-"] => first_line().and_then(|link| show(&link, true)),
        [url] if url.starts_with("http") => show(url, false),
        _ => Err("`repose-desktop` starts this program; there is nothing to do with it by hand".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody reads the message, there is still the exit code.
            let _ = writeln!(std::io::stderr(), "repose-window: {error}");
            ExitCode::FAILURE
        }
    }
}

fn first_line() -> Result<String, Failed> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

/// Shows the console behind this link. `led`: the app controls it over stdin.
fn show(link: &str, led: bool) -> Result<(), Failed> {
    question::display()?;
    let link: Url = link.parse()?;
    let data = Home::from_env()?.state().join("window");
    let place = place(std::env::var_os("REPOSE_HOME"), std::env::var_os("HOME"));
    let back = Back::within(&data);
    let painted = back.clone();
    let leaving = Leaving::default();
    let leaves = leaving.clone();
    let app = tauri::Builder::default()
        .setup(move |app| {
            let console = link.origin();
            let window = WebviewWindowBuilder::new(app, WINDOW, WebviewUrl::External(link))
                .title(named("", place.as_deref()))
                .inner_size(SIZE.0, SIZE.1)
                .min_inner_size(SIZE_MIN.0, SIZE_MIN.1)
                .data_directory(data)
                .disable_drag_drop_handler()
                .on_document_title_changed(move |window, title| {
                    // The window may have been closed meanwhile.
                    let _ = window.set_title(&named(&title, place.as_deref()));
                })
                .on_navigation(move |to| to.origin() == console || elsewhere(to))
                .on_new_window(|to, _| {
                    elsewhere(&to);
                    NewWindowResponse::Deny
                })
                .build()?;
            painted.paint(&window)?;
            web::tame(&window)?;
            keys::listen(&window, led)?;
            if led {
                say("shown");
                follow(window, leaving);
            }
            Ok(())
        })
        .on_window_event(move |window, event| {
            let window = window.app_handle().get_webview_window(WINDOW);
            match (event, window) {
                (WindowEvent::Focused(front), window) => {
                    if led {
                        say(if *front { "front" } else { "behind" });
                    }
                    if let (false, Some(window)) = (front, window) {
                        // It may be about to close, which asks as well.
                        let _ = back.keep(&window, || ());
                    }
                }
                (WindowEvent::CloseRequested { api, .. }, Some(window)) => {
                    api.prevent_close();
                    leave(&window, &back, &leaves);
                }
                (_, _) => {}
            }
        })
        .build(tauri::generate_context!())?;
    app.run(|_, _| {});
    Ok(())
}

/// Whether the window was closed, so that it is about to end: it can't be shown any more, and whoever wants it gets
/// another.
type Leaving = Arc<AtomicBool>;

/// Closes the window at once for whoever looks, and ends it when the page has said what is remembered of it.
fn leave(window: &WebviewWindow, back: &Back, leaving: &Leaving) {
    leaving.store(true, Ordering::SeqCst);
    let (left, late) = (window.clone(), window.clone());
    // Each of these is done already if the window is gone.
    let _ = window.hide();
    let _ = back.keep(window, move || drop(left.destroy()));
    std::thread::spawn(move || {
        std::thread::sleep(LEAVES_WITHIN);
        let _ = late.destroy();
    });
}

/// The window's title: the page's, with the app's place. A page that is being loaded has none yet.
fn named(title: &str, place: Option<&str>) -> String {
    let title = if title.is_empty() { NAME } else { title };
    place.map_or_else(|| title.to_owned(), |place| format!("{title} ({place})"))
}

/// Where the app's state is, if somebody has put that elsewhere: by this, two apps are told apart. Shortened
/// as in a shell if it is in the user's `home`.
fn place(state: Option<OsString>, home: Option<OsString>) -> Option<String> {
    let state = state.filter(|state| !state.is_empty()).map(PathBuf::from)?;
    let home = home.filter(|home| !home.is_empty()).map(PathBuf::from);
    Some(match home.and_then(|home| state.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(below) => format!("~/{}", below.display()),
        None => state.display().to_string(),
    })
}

/// A link that leads away from the console opens in the browser, never here.
fn elsewhere(to: &Url) -> bool {
    if matches!(to.scheme(), "http" | "https" | "mailto") {
        let mut opener = Command::new("xdg-open");
        let opened = opener.arg(to.as_str()).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        if let Ok(mut child) = opened {
            std::thread::spawn(move || child.wait());
        }
    }
    false
}

/// Carries out the app's orders until there are no more.
fn follow(window: WebviewWindow, leaving: Leaving) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            let done = match line.split_once(' ') {
                None if line == "show" => front(&window, &leaving),
                Some(("go", place)) => go(&window, place),
                Some(_) | None => Ok(()),
            };
            if let Err(error) = done {
                let _ = writeln!(std::io::stderr(), "repose-window: {error}");
            }
        }
        window.app_handle().exit(0);
    });
}

fn front(window: &WebviewWindow, leaving: &Leaving) -> tauri::Result<()> {
    let (shown, leaving) = (window.clone(), Arc::clone(leaving));
    // On the thread that draws windows and closes them, in order.
    window.run_on_main_thread(move || {
        if leaving.load(Ordering::SeqCst) {
            return;
        }
        if shown.unminimize().and_then(|()| shown.show()).and_then(|()| shown.set_focus()).is_ok() {
            say("shown");
        }
    })
}

/// Goes to a place in the page, given by the part after `#`.
fn go(window: &WebviewWindow, place: &str) -> tauri::Result<()> {
    let place = serde_json::to_string(place)?;
    window.eval(format!("location.hash = {place}"))
}

/// Writes a line to the app. Nobody reads it if the window was started by hand.
fn say(what: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{what}").and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::{named, place};

    #[test]
    fn a_title_names_the_place_of_an_app_whose_state_is_elsewhere() {
        let of = |state: &str| place(Some(state.into()), Some("/home/me".into()));
        assert_eq!(place(None, Some("/home/me".into())), None);
        assert_eq!(of(""), None);
        assert_eq!(of("/srv/two").as_deref(), Some("/srv/two"));
        assert_eq!(of("/home/me/two").as_deref(), Some("~/two"));
        assert_eq!(of("/home/men/two").as_deref(), Some("/home/men/two"));
        assert_eq!(named("shop – Repose", Some("~/two")), "shop – Repose (~/two)");
        assert_eq!((named("", None), named("", Some("/srv"))), ("Repose".into(), "Repose (/srv)".into()));
    }
}
