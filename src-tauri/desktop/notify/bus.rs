//! The desktop's own notification service, `org.freedesktop.Notifications`. It decides nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use zbus::zvariant::Value;

use super::news::{Note, Press, Told, Urgency};
use crate::event::{Event, Events};

/// The name of a click beside the buttons, fixed by the Desktop Notifications Specification 1.3.
const CLICK: &str = "default";

/// Leaves it to the service how long one stands.
const AS_USUAL: i32 = -1;

/// A service that takes longer is stuck: that notification is not shown, and the log says so. Everything else the app
/// does waits meanwhile.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

#[zbus::proxy(
    interface = "org.freedesktop.Notifications",
    default_service = "org.freedesktop.Notifications",
    default_path = "/org/freedesktop/Notifications",
    gen_blocking = false
)]
trait Notifications {
    #[expect(clippy::too_many_arguments, reason = "as the specification has it")]
    fn notify(
        &self,
        app_name: &str,
        replaces_id: u32,
        app_icon: &str,
        summary: &str,
        body: &str,
        actions: &[&str],
        hints: HashMap<&str, Value<'_>>,
        expire_timeout: i32,
    ) -> zbus::Result<u32>;

    fn close_notification(&self, id: u32) -> zbus::Result<()>;

    fn get_capabilities(&self) -> zbus::Result<Vec<String>>;

    #[zbus(signal)]
    fn action_invoked(&self, id: u32, action_key: String) -> zbus::Result<()>;

    #[zbus(signal)]
    fn notification_closed(&self, id: u32, reason: u32) -> zbus::Result<()>;
}

/// The service, as far as the session bus.
#[derive(Debug)]
pub(crate) struct Bus {
    service: NotificationsProxy<'static>,
    standing: Arc<Mutex<Vec<Standing>>>,
}

/// One that may still be seen. There is one at most for each key, and keys are few for each repo.
#[derive(Debug)]
struct Standing {
    id: u32,
    key: String,
    presses: Vec<(String, Press)>,
}

impl Bus {
    /// Connects, and tells of what is pressed from then on. Whether there is a service shows when it is needed.
    ///
    /// # Errors
    /// If there is no session bus.
    pub(crate) async fn connect(events: Events) -> zbus::Result<Self> {
        let connection = zbus::connection::Builder::session()?.method_timeout(ANSWERS_WITHIN).build().await?;
        let service = NotificationsProxy::builder(&connection)
            .cache_properties(zbus::proxy::CacheProperties::No)
            .build()
            .await?;
        let standing = Arc::<Mutex<Vec<Standing>>>::default();
        let mut invoked = service.receive_action_invoked().await?;
        let mut closed = service.receive_notification_closed().await?;
        let seen = Arc::clone(&standing);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    Some(signal) = invoked.next() => {
                        let Ok(args) = signal.args() else { continue };
                        if let Some(press) = press(&seen, args.id, &args.action_key) {
                            events.tell(Event::Pressed(press));
                        }
                    }
                    Some(signal) = closed.next() => {
                        let Ok(args) = signal.args() else { continue };
                        lock(&seen).retain(|one| one.id != args.id);
                    }
                    else => break,
                }
            }
        });
        Ok(Self { service, standing })
    }

    /// Shows it, or takes back what is over.
    pub(crate) async fn tell(&self, told: Told) {
        let done = match told {
            Told::Note(note) => self.show(note).await,
            Told::Over(key) => self.take_back(&key).await,
        };
        if let Err(error) = done {
            tracing::warn!(%error, "a notification was not shown: the desktop's service doesn't take it");
        }
    }

    async fn show(&self, note: Note) -> zbus::Result<()> {
        let marked_up = self.service.get_capabilities().await?.iter().any(|can| can == "body-markup");
        let body = if marked_up { escaped(&note.body) } else { note.body };
        let click = note.click.map(|press| (CLICK.to_owned(), "Open".to_owned(), press));
        let buttons = note.buttons.into_iter().enumerate();
        let buttons = buttons.map(|(at, (label, press))| (format!("button-{at}"), label, press));
        let presses: Vec<(String, String, Press)> = click.into_iter().chain(buttons).collect();
        let actions: Vec<&str> = presses.iter().flat_map(|(key, label, _)| [key.as_str(), label]).collect();
        let urgency: u8 = match note.urgency {
            Urgency::Low => 0,
            Urgency::Normal => 1,
            Urgency::Critical => 2,
        };
        let hints =
            HashMap::from([("urgency", Value::from(urgency)), ("desktop-entry", Value::from("Repose"))]);
        let replaced = lock(&self.standing).iter().find(|one| one.key == note.key).map_or(0, |one| one.id);
        let id = self
            .service
            .notify("Repose", replaced, "repose-desktop", &note.title, &body, &actions, hints, AS_USUAL)
            .await?;
        let presses = presses.into_iter().map(|(key, _, press)| (key, press)).collect();
        let mut standing = lock(&self.standing);
        standing.retain(|one| one.key != note.key && one.id != id);
        standing.push(Standing { id, key: note.key, presses });
        Ok(())
    }

    async fn take_back(&self, key: &str) -> zbus::Result<()> {
        let found = lock(&self.standing).iter().find(|one| one.key == key).map(|one| one.id);
        match found {
            Some(id) => self.service.close_notification(id).await,
            None => Ok(()),
        }
    }
}

fn press(standing: &Mutex<Vec<Standing>>, id: u32, action: &str) -> Option<Press> {
    let standing = lock(standing);
    let one = standing.iter().find(|one| one.id == id)?;
    one.presses.iter().find(|(key, _)| key == action).map(|(_, press)| press.clone())
}

fn lock(standing: &Mutex<Vec<Standing>>) -> std::sync::MutexGuard<'_, Vec<Standing>> {
    standing.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an agent or a file says is text, whatever it looks like.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
