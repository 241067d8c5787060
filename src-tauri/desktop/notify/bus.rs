//! The desktop's own notification service, `org.freedesktop.Notifications`. It decides nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::Mutex;
use zbus::fdo::DBusProxy;
use zbus::names::BusName;
use zbus::zvariant::Value;

use super::news::{self, Note, Press, Told, Urgency};
use super::stood::{self, Stood};
use crate::event::{Event, Events};

/// The name of a click beside the buttons, fixed by the Desktop Notifications Specification 1.3.
const CLICK: &str = "default";

/// The service's name.
const SERVICE: &str = "org.freedesktop.Notifications";

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
    names: DBusProxy<'static>,
    service: NotificationsProxy<'static>,
    /// The bus: another one has another.
    guid: String,
    /// Held while one is shown, so that no press and no end of it is heard before its number is known.
    standing: Arc<Mutex<Vec<Standing>>>,
}

/// One that may still be seen. There is one at most for each key, and keys are few for each repo.
#[derive(Debug)]
struct Standing {
    is: Stood,
    presses: Vec<(String, Press)>,
}

impl Bus {
    /// Connects, and tells of what is pressed or goes away from then on. `before` is what [`Bus::standing`] gave at an
    /// earlier start. Whether there is a service shows when it is needed.
    ///
    /// # Errors
    /// If there is no session bus.
    pub(crate) async fn connect(before: Option<&str>, events: Events) -> zbus::Result<Self> {
        let connection = zbus::connection::Builder::session()?.method_timeout(ANSWERS_WITHIN).build().await?;
        let guid = connection.server_guid().to_string();
        let names = DBusProxy::new(&connection).await?;
        let service = NotificationsProxy::builder(&connection)
            .cache_properties(zbus::proxy::CacheProperties::No)
            .build()
            .await?;
        let mut bus = Self { names, service: service.clone(), guid, standing: Arc::default() };
        bus.take_up(before).await;
        let mut invoked = service.receive_action_invoked().await?;
        let mut closed = service.receive_notification_closed().await?;
        let seen = Arc::clone(&bus.standing);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    Some(signal) = invoked.next() => {
                        let Ok(args) = signal.args() else { continue };
                        let from = sender(signal.message());
                        if let Some(press) = press(&seen.lock().await, &from, args.id, &args.action_key) {
                            events.tell(Event::Pressed(press));
                        }
                    }
                    Some(signal) = closed.next() => {
                        let Ok(args) = signal.args() else { continue };
                        let from = sender(signal.message());
                        let mut seen = seen.lock().await;
                        let before = seen.len();
                        seen.retain(|one| one.is.id != args.id || one.is.service != from);
                        // The service tells everybody of every program's.
                        if seen.len() < before {
                            events.tell(Event::NoteClosed);
                        }
                    }
                    else => break,
                }
            }
        });
        Ok(bus)
    }

    /// What can still be seen, for the next start.
    pub(crate) async fn standing(&self) -> String {
        let standing: Vec<Stood> = self.standing.lock().await.iter().map(|one| one.is.clone()).collect();
        stood::text(&self.guid, &standing)
    }

    /// Takes back what only this app can answer, before it ends: its buttons would do nothing.
    pub(crate) async fn end(&self) {
        let Ok(service) = self.owner().await else { return };
        let standing = self.standing.lock().await;
        let here = standing.iter().filter(|one| one.is.service == service);
        let asking = here.filter(|one| one.presses.iter().any(|(key, _)| key != CLICK));
        let asking: Vec<u32> = asking.map(|one| one.is.id).collect();
        drop(standing);
        self.close(asking).await;
    }

    async fn close(&self, notes: impl IntoIterator<Item = u32>) {
        for id in notes {
            if let Err(error) = self.service.close_notification(id).await {
                tracing::warn!(%error, "a notification was not taken back");
            }
        }
    }

    /// Those of an earlier start that this service still knows. A click opens what they speak of; what that start
    /// asked for itself, nobody waits for any more.
    async fn take_up(&mut self, before: Option<&str>) {
        let (bus, stood) = stood::read(before.unwrap_or_default());
        if stood.is_empty() || bus != self.guid {
            return;
        }
        let Ok(service) = self.owner().await else { return };
        let known = stood.into_iter().filter(|one| one.service == service);
        let (over, known): (Vec<_>, Vec<_>) = known.partition(|one| news::ends_with_the_app(&one.key));
        self.close(over.into_iter().map(|one| one.id)).await;
        let clicked = |is: &Stood| vec![(CLICK.to_owned(), news::click(&is.key))];
        self.standing.lock().await.extend(known.into_iter().map(|is| Standing { presses: clicked(&is), is }));
    }

    async fn owner(&self) -> zbus::Result<String> {
        let name = BusName::try_from(SERVICE)?;
        Ok(self.names.get_name_owner(name).await?.to_string())
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
        // It runs by now. One that has been started anew knows nothing of what stood before.
        let service = self.owner().await?;
        let same = |one: &&Standing| one.is.key == note.key && one.is.service == service;
        let mut standing = self.standing.lock().await;
        let replaced = standing.iter().find(same).map_or(0, |one| one.is.id);
        let id = self
            .service
            .notify("Repose", replaced, "repose-desktop", &note.title, &body, &actions, hints, AS_USUAL)
            .await?;
        let presses = presses.into_iter().map(|(key, _, press)| (key, press)).collect();
        standing.retain(|one| one.is.service == service && one.is.key != note.key && one.is.id != id);
        standing.push(Standing { is: Stood { service, id, key: note.key }, presses });
        Ok(())
    }

    async fn take_back(&self, key: &str) -> zbus::Result<()> {
        let mut standing = self.standing.lock().await;
        let Some(at) = standing.iter().position(|one| one.is.key == key) else { return Ok(()) };
        let Stood { service, id, .. } = standing.swap_remove(at).is;
        drop(standing);
        // With another service it went long ago, and the number is somebody else's.
        if self.owner().await? == service {
            self.service.close_notification(id).await?;
        }
        Ok(())
    }
}

fn press(standing: &[Standing], from: &str, id: u32, action: &str) -> Option<Press> {
    let one = standing.iter().find(|one| one.is.id == id && one.is.service == from)?;
    one.presses.iter().find(|(key, _)| key == action).map(|(_, press)| press.clone())
}

/// Who said it: another program can send the same signal.
fn sender(message: &zbus::Message) -> String {
    message.header().sender().map(ToString::to_string).unwrap_or_default()
}

/// What an agent or a file says is text, whatever it looks like.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
