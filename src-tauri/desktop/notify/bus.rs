//! The desktop's notification service, `org.freedesktop.Notifications`. It decides nothing.
//!
//! It runs beside the app's loop: a service that is stuck delays nothing else.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use zbus::fdo::{DBusProxy, NameOwnerChangedStream};
use zbus::names::BusName;
use zbus::zvariant::Value;

use super::news::{Note, Told, Urgency};
use super::standing::Standing;
use super::stood::{self, Stood};
use super::unshown::Unshown;
use crate::event::{Event, Events};

/// The service's name.
pub(crate) const SERVICE: &str = "org.freedesktop.Notifications";

/// Leaves it to the service how long a notification is shown.
const AS_USUAL: i32 = -1;

/// A service that takes longer than this is stuck: the notification is kept for the next one.
pub(crate) const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// How long the end of the app waits for all notifications that are to be withdrawn.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

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

/// The sending side of the service. Sending never blocks.
#[derive(Debug)]
pub(crate) struct Bus(UnboundedSender<Order>);

/// What the app wants of it.
#[derive(Debug)]
enum Order {
    Tell(Told),
    /// It ends: reports what can still be seen then, and the keys of what nobody saw, once what only this app
    /// can answer has been withdrawn.
    End(oneshot::Sender<(String, BTreeSet<String>)>, oneshot::Sender<()>),
}

impl Bus {
    /// Connects to the session bus, if there is one. `before` is the last [`Event::Standing`] of an earlier
    /// start. Whether there is a service shows when it is needed; what one didn't take is given to the next.
    ///
    /// Reports [`Event::Pressed`], [`Event::Noted`] for each notification, and [`Event::Standing`].
    pub(crate) fn begin(before: Option<String>, events: Events) -> Self {
        let (orders, ordered) = unbounded_channel();
        tokio::spawn(run(before, ordered, events));
        Self(orders)
    }

    /// Shows a notification, or withdraws one that is over.
    pub(crate) fn tell(&self, told: Told) {
        let _ = self.0.send(Order::Tell(told));
    }

    /// Withdraws what only this app can answer, before it ends, since its buttons would do nothing. `keep` is
    /// given what could be seen until then, and the keys of what nobody saw. Takes at most two seconds.
    pub(crate) async fn end(&self, keep: impl FnOnce(&str, &BTreeSet<String>)) {
        let (standing, stood) = oneshot::channel();
        let (done, ended) = oneshot::channel();
        let _ = self.0.send(Order::End(standing, done));
        let all = async {
            if let Ok((stood, untold)) = stood.await {
                keep(&stood, &untold);
            }
            let _ = ended.await;
        };
        if tokio::time::timeout(ENDS_WITHIN, all).await.is_err() {
            tracing::warn!("the desktop's notification service is stuck, so nothing was taken back");
        }
    }
}

async fn run(before: Option<String>, mut orders: UnboundedReceiver<Order>, events: Events) {
    let (mut service, mut heard) = match Service::connect(before.as_deref(), events.clone()).await {
        Ok(connected) => connected,
        Err(error) => {
            tracing::warn!(%error, "there is no session bus: no notifications");
            while let Some(order) = orders.recv().await {
                // What goes on where nobody saw it is no news.
                if let Order::Tell(Told::Note(note)) = order {
                    events.tell(Event::Noted { note: Box::new(note), shown: false });
                }
            }
            return;
        }
    };
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(Order::Tell(told)) => service.tell(told).await,
                Some(Order::End(standing, done)) => {
                    let untold = service.untold.iter().map(|note| note.key.clone()).collect();
                    let _ = standing.send((service.standing(), untold));
                    service.take_back_questions().await;
                    let _ = done.send(());
                }
                None => return,
            },
            Some(signal) = heard.invoked.next() => {
                let Ok(args) = signal.args() else { continue };
                service.invoked(&sender(signal.message()), args.id, &args.action_key);
            }
            Some(signal) = heard.closed.next() => {
                let Ok(args) = signal.args() else { continue };
                service.closed(&sender(signal.message()), args.id);
            }
            Some(signal) = heard.owners.next() => {
                let Ok(args) = signal.args() else { continue };
                if args.new_owner.is_some() {
                    service.tell_again().await;
                }
            }
        }
    }
}

/// A message from the bus.
struct Heard {
    invoked: ActionInvokedStream,
    closed: NotificationClosedStream,
    owners: NameOwnerChangedStream,
}

/// The service's connection to the session bus.
#[derive(Debug)]
struct Service {
    names: DBusProxy<'static>,
    service: NotificationsProxy<'static>,
    events: Events,
    /// The id of the bus, which another bus doesn't share.
    guid: String,
    standing: Standing,
    /// Notifications that no service has taken yet, oldest first, at most one per key.
    untold: Vec<Note>,
}

impl Service {
    async fn connect(before: Option<&str>, events: Events) -> zbus::Result<(Self, Heard)> {
        let connection = zbus::connection::Builder::session()?.method_timeout(ANSWERS_WITHIN).build().await?;
        let guid = connection.server_guid().to_string();
        let names = DBusProxy::new(&connection).await?;
        let service = NotificationsProxy::builder(&connection)
            .cache_properties(zbus::proxy::CacheProperties::No)
            .build()
            .await?;
        let heard = Heard {
            invoked: service.receive_action_invoked().await?,
            closed: service.receive_notification_closed().await?,
            owners: names.receive_name_owner_changed_with_args(&[(0, SERVICE)]).await?,
        };
        let mut it = Self { names, service, events, guid, standing: Standing::default(), untold: Vec::new() };
        it.take_up(before).await;
        Ok((it, heard))
    }

    fn standing(&self) -> String {
        let standing: Vec<Stood> = self.standing.all().cloned().collect();
        stood::text(&self.guid, &standing)
    }

    fn invoked(&self, from: &str, id: u32, action: &str) {
        if let Some(press) = self.standing.pressed(from, id, action) {
            self.events.tell(Event::Pressed(press));
        }
    }

    fn closed(&mut self, from: &str, id: u32) {
        if self.standing.closed(from, id) {
            self.tell_standing();
        }
    }

    fn tell_standing(&self) {
        self.events.tell(Event::Standing(self.standing()));
    }

    async fn take_back_questions(&self) {
        let Ok(service) = self.owner().await else { return };
        self.close(self.standing.asking(&service)).await;
    }

    async fn close(&self, notes: Vec<u32>) {
        for id in notes {
            if let Err(error) = self.service.close_notification(id).await {
                tracing::warn!(%error, "a notification was not taken back");
            }
        }
    }

    /// Takes over notifications of an earlier start that this service still knows. A click opens what they
    /// are about; nobody waits any longer for answers to that start's own questions.
    async fn take_up(&mut self, before: Option<&str>) {
        let (bus, stood) = stood::read(before.unwrap_or_default());
        if stood.is_empty() || bus != self.guid {
            return;
        }
        let Ok(service) = self.owner().await else { return };
        let known = stood.into_iter().filter(|one| one.service == service);
        let (over, known): (Vec<_>, Vec<_>) =
            known.partition(|one| Unshown::of(&one.key).ends_with_the_app());
        self.close(over.into_iter().map(|one| one.id).collect()).await;
        known.into_iter().for_each(|is| self.standing.take_up(is));
    }

    async fn owner(&self) -> zbus::Result<String> {
        let name = BusName::try_from(SERVICE)?;
        Ok(self.names.get_name_owner(name).await?.to_string())
    }

    async fn tell(&mut self, told: Told) {
        match told {
            Told::Note(note) => {
                self.note(note).await;
            }
            Told::Instead(note) => {
                let standing = self.standing.all().map(|is| &is.key);
                let untold = self.untold.iter().map(|other| &other.key);
                if standing.chain(untold).any(|key| *key == note.key) {
                    self.note(note).await;
                }
            }
            Told::Over(key) => {
                self.untold.retain(|other| other.key != key);
                if let Err(error) = self.take_back(&key).await {
                    tracing::warn!(%error, "a notification was not taken back");
                }
            }
        }
        self.tell_standing();
    }

    /// Another service has appeared: it is told what none has taken yet, and what still asks for somebody.
    async fn tell_again(&mut self) {
        let Ok(service) = self.owner().await else { return };
        self.only_of(&service);
        for note in std::mem::take(&mut self.untold) {
            self.note(note).await;
        }
        self.tell_standing();
    }

    /// What another service than this showed is gone with it.
    fn only_of(&mut self, service: &str) {
        for note in self.standing.only_of(service) {
            if self.untold.iter().all(|other| other.key != note.key) {
                self.untold.push(note);
            }
        }
    }

    async fn note(&mut self, note: Note) {
        let shown = self.show(&note).await;
        if let Err(error) = &shown {
            let key = &note.key;
            tracing::warn!(%error, key, "a notification was not shown: the desktop's service doesn't take it");
            self.untold.retain(|other| other.key != note.key);
            self.untold.push(note.clone());
        }
        self.events.tell(Event::Noted { note: Box::new(note), shown: shown.is_ok() });
    }

    async fn show(&mut self, note: &Note) -> zbus::Result<()> {
        let marked_up = self.service.get_capabilities().await?.iter().any(|can| can == "body-markup");
        let body = if marked_up { escaped(&note.body) } else { note.body.clone() };
        let presses = self.standing.actions(note);
        let actions: Vec<&str> = presses.iter().flat_map(|(key, label, _)| [key.as_str(), label]).collect();
        let urgency: u8 = match note.urgency {
            Urgency::Low => 0,
            Urgency::Normal => 1,
            Urgency::Critical => 2,
        };
        let hints =
            HashMap::from([("urgency", Value::from(urgency)), ("desktop-entry", Value::from("Repose"))]);
        // It runs by now. If it was restarted, it knows nothing of earlier notifications.
        let service = self.owner().await?;
        self.only_of(&service);
        self.untold.retain(|other| other.key != note.key);
        let replaced = self.standing.number(&note.key).unwrap_or_default();
        let id = self
            .service
            .notify("Repose", replaced, "repose-desktop", &note.title, &body, &actions, hints, AS_USUAL)
            .await?;
        self.standing.shows(Stood { service, id, key: note.key.clone() }, presses, note.clone());
        Ok(())
    }

    async fn take_back(&mut self, key: &str) -> zbus::Result<()> {
        let Some(Stood { service, id, .. }) = self.standing.over(key) else { return Ok(()) };
        // It disappeared with the other service long ago, and the number belongs to somebody else.
        if self.owner().await? == service {
            self.service.close_notification(id).await?;
        }
        Ok(())
    }
}

/// Compares the sender, since another program can send the same signal.
fn sender(message: &zbus::Message) -> String {
    message.header().sender().map(ToString::to_string).unwrap_or_default()
}

/// What an agent or a file says is shown as text, whatever it looks like.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
