//! What the app finds of the desktop, for `repose doctor`.

use std::path::{Path, PathBuf};

use repose_runner::{Check, Health};
use tokio::sync::oneshot::Sender;
use zbus::fdo::DBusProxy;
use zbus::names::BusName;

use crate::notify::bus::{ANSWERS_WITHIN, SERVICE};

/// Whether a service shows notifications, or can be started to; or why there is no session bus.
type Bus = Result<bool, String>;

/// Looks beside the app's loop, and gives what it finds to `found`.
pub(crate) fn look(window: Option<PathBuf>, panel: bool, found: Sender<Vec<Check>>) {
    tokio::spawn(async move {
        // The asker may have given up.
        let _ = found.send(checks(window.as_deref(), panel, &bus().await));
    });
}

/// The checks: the window's program, the session bus, whether a `panel` shows the icon, and notifications.
fn checks(window: Option<&Path>, panel: bool, bus: &Bus) -> Vec<Check> {
    let window = match window {
        Some(program) => good("window", &format!("{} shows the console.", program.display())),
        None => warn(
            "window",
            "repose-window is missing, so the console opens in the browser.",
            "Install Repose whole: it belongs beside repose-desktop.",
        ),
    };
    let tray = match panel {
        true => good("tray", "A panel shows the icon."),
        false => warn(
            "tray",
            "No panel shows tray icons (StatusNotifierItem), so the window is the way in.",
            "On GNOME, the extension \"AppIndicator\" adds them; elsewhere, a panel with a tray.",
        ),
    };
    match bus {
        Err(why) => {
            let sentence = format!("There is none ({why}): no tray, no notifications.");
            let hint = "Start the app within a desktop session, in which DBUS_SESSION_BUS_ADDRESS is set.";
            vec![window, warn("session bus", &sentence, hint)]
        }
        Ok(notes) => {
            let notes = match notes {
                true => good("notifications", "The desktop shows them."),
                false => warn(
                    "notifications",
                    "Nothing on this desktop shows them; what needs you is in the tray and in the window.",
                    "Start a service that does (org.freedesktop.Notifications): `dunst` and `mako` are small.",
                ),
            };
            vec![window, good("session bus", "It answers."), tray, notes]
        }
    }
}

/// Looks at the session bus. A bus that is stuck counts as none.
async fn bus() -> Bus {
    match tokio::time::timeout(ANSWERS_WITHIN, shows_notifications()).await {
        Ok(shows) => shows.map_err(|error| error.to_string()),
        Err(_) => Err("it doesn't answer".into()),
    }
}

async fn shows_notifications() -> zbus::Result<bool> {
    let bus = zbus::Connection::session().await?;
    let names = DBusProxy::new(&bus).await?;
    let startable = names.list_activatable_names().await?;
    Ok(names.name_has_owner(BusName::try_from(SERVICE)?).await?
        || startable.iter().any(|name| name.as_str() == SERVICE))
}

fn good(name: &str, sentence: &str) -> Check {
    Check {
        name: format!("app {name}"),
        health: Health::Ok,
        code: None,
        sentence: sentence.into(),
        hints: Vec::new(),
    }
}

/// Repose works without it.
fn warn(name: &str, sentence: &str, hint: &str) -> Check {
    Check { health: Health::Warning, hints: vec![hint.into()], ..good(name, sentence) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use repose_runner::Health;

    use super::{Bus, checks};

    /// The name and the result of each; every one that isn't in order says what to do.
    fn found(window: bool, panel: bool, bus: &Bus) -> Vec<(String, bool)> {
        let program = window.then_some(Path::new("/usr/bin/repose-window"));
        let checks = checks(program, panel, bus);
        assert!(
            checks.iter().all(|check| (check.health == Health::Ok) == check.hints.is_empty()),
            "{checks:?}"
        );
        let of = |name: &str| name.trim_start_matches("app ").to_owned();
        checks.iter().map(|check| (of(&check.name), check.health == Health::Ok)).collect()
    }

    #[test]
    fn each_part_of_the_desktop_has_a_line_and_what_is_missing_a_way_on() {
        let named =
            |all: &[(&str, bool)]| all.iter().map(|(name, ok)| ((*name).to_owned(), *ok)).collect::<Vec<_>>();
        let all = [("window", true), ("session bus", true), ("tray", true), ("notifications", true)];
        assert_eq!(found(true, true, &Ok(true)), named(&all));
        let none = [("window", false), ("session bus", true), ("tray", false), ("notifications", false)];
        assert_eq!(found(false, false, &Ok(false)), named(&none));
        let bus = [("window", true), ("session bus", false)];
        assert_eq!(found(true, false, &Err("no address".into())), named(&bus));
    }
}
