//! The services on a desktop's session bus, owned by the test: a panel that shows tray icons, and a
//! notification service.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zbus::blocking::Connection;
use zbus::blocking::connection::Builder;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedValue, Structure, Value};

use crate::support::patience::eventually;

/// A panel: it has the registry of icons, and reads the menu of each one that appears.
pub(crate) struct Panel {
    connection: Connection,
    items: Arc<Mutex<Vec<String>>>,
}

/// A line of a menu.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) id: i32,
    pub(crate) label: String,
    pub(crate) enabled: bool,
    visible: bool,
    pub(crate) on: bool,
    pub(crate) below: Vec<Entry>,
}

/// A line of a menu as it is sent: its number, its properties, the lines below it.
type Node = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

struct Watcher {
    items: Arc<Mutex<Vec<String>>>,
    manner: Manner,
}

/// What a panel does with an icon that appears.
enum Manner {
    Takes,
    /// It refuses this many icons.
    Refuses(AtomicUsize),
    /// It is stuck.
    NeverAnswers,
}

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    async fn register_status_notifier_item(&self, service: String) -> zbus::fdo::Result<()> {
        match &self.manner {
            Manner::Takes => {}
            Manner::Refuses(times) => {
                let less = |times: usize| times.checked_sub(1);
                if times.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok() {
                    return Err(zbus::fdo::Error::Failed("not now".into()));
                }
            }
            Manner::NeverAnswers => std::future::pending().await,
        }
        lock(&self.items).push(service);
        Ok(())
    }

    fn register_status_notifier_host(&self, _service: String) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        lock(&self.items).clone()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

impl Panel {
    /// A panel on this bus.
    pub(crate) fn start(bus: &str) -> Self {
        Self::with(bus, Manner::Takes)
    }

    /// A panel that refuses the first icons.
    pub(crate) fn that_refuses(bus: &str, times: usize) -> Self {
        Self::with(bus, Manner::Refuses(AtomicUsize::new(times)))
    }

    /// A panel that is stuck.
    pub(crate) fn that_never_answers(bus: &str) -> Self {
        Self::with(bus, Manner::NeverAnswers)
    }

    fn with(bus: &str, manner: Manner) -> Self {
        let items = Arc::<Mutex<Vec<String>>>::default();
        let watcher = Watcher { items: Arc::clone(&items), manner };
        let connection = Builder::address(bus)
            .and_then(|builder| builder.serve_at("/StatusNotifierWatcher", watcher))
            .and_then(|builder| builder.name("org.kde.StatusNotifierWatcher"))
            .and_then(|builder| builder.build())
            .expect("a place on the bus");
        Self { connection, items }
    }

    /// Opens the menu of the last icon, as far as its program hears of it.
    pub(crate) fn open_menu(&self) {
        let (item, interface) = (self.item(), Some("com.canonical.dbusmenu"));
        self.connection
            .call_method(Some(item.as_str()), "/MenuBar", interface, "AboutToShow", &0_i32)
            .expect("a menu");
    }

    /// How many icons have appeared.
    pub(crate) fn icons(&self) -> usize {
        lock(&self.items).len()
    }

    /// The menu of the last icon that appeared. Empty if that one is gone.
    pub(crate) fn menu(&self) -> Vec<Entry> {
        self.layout().map(|(_, menu)| menu).unwrap_or_default()
    }

    /// The menu's revision, and what it shows.
    pub(crate) fn layout(&self) -> Option<(u32, Vec<Entry>)> {
        let item = self.item();
        let body = (0_i32, -1_i32, Vec::<String>::new());
        let (menu, interface) = ("/MenuBar", Some("com.canonical.dbusmenu"));
        let reply =
            self.connection.call_method(Some(item.as_str()), menu, interface, "GetLayout", &body).ok()?;
        let (revision, root): (u32, Node) = reply.body().deserialize().expect("a layout");
        Some((revision, entry(root.0, &root.1, &root.2).below))
    }

    /// Waits until the menu has a line that begins with this, and returns it.
    #[track_caller]
    pub(crate) fn line(&self, begins: &str) -> Entry {
        eventually(
            || format!("a line {begins:?} in the tray's menu; it is {:#?}", self.menu()),
            || self.menu().into_iter().find(|entry| entry.label.starts_with(begins)),
        )
    }

    /// Clicks on a line; with `below`, on that line in its submenu.
    #[track_caller]
    pub(crate) fn click(&self, line: &str, below: Option<&str>) {
        // If the menu changes between the look and the click, the number no longer exists, and it looks
        // again.
        eventually(
            || format!("a click on {line:?}, {below:?}; the menu is {:#?}", self.menu()),
            || {
                let mut entry = self.line(line);
                if let Some(below) = below {
                    entry = entry.below.into_iter().find(|entry| entry.label == below)?;
                }
                assert!(entry.enabled, "{entry:?}");
                self.click_on(entry.id).ok()
            },
        );
    }

    /// Clicks on the line with this number, as it was when the menu was drawn.
    pub(crate) fn click_on(&self, number: i32) -> zbus::Result<()> {
        let body = (number, "clicked", Value::from(0_i32), 0_u32);
        let (item, interface) = (self.item(), Some("com.canonical.dbusmenu"));
        self.connection.call_method(Some(item.as_str()), "/MenuBar", interface, "Event", &body).map(drop)
    }

    /// Clicks on the icon itself.
    pub(crate) fn activate(&self) {
        let item = self.item();
        let body = (0_i32, 0_i32);
        self.connection
            .call_method(
                Some(item.as_str()),
                "/StatusNotifierItem",
                Some("org.kde.StatusNotifierItem"),
                "Activate",
                &body,
            )
            .expect("a click");
    }

    /// Whether the icon asks for attention.
    pub(crate) fn status(&self) -> String {
        String::try_from(self.property("Status")).expect("a text")
    }

    /// The pixels of the icon as it is shown now, in all its sizes.
    pub(crate) fn icon(&self) -> Vec<(i32, i32, Vec<u8>)> {
        let shown = if self.status() == "NeedsAttention" { "AttentionIconPixmap" } else { "IconPixmap" };
        self.property(shown).try_into().expect("pictures")
    }

    /// The tooltip of the icon.
    pub(crate) fn tip(&self) -> String {
        type Tip = (String, Vec<(i32, i32, Vec<u8>)>, String, String);
        let tip = Structure::try_from(self.property("ToolTip")).expect("a tip");
        let (_, _, title, text): Tip = Value::from(tip).try_into().expect("a tip");
        if text.is_empty() { title } else { text }
    }

    fn property(&self, name: &str) -> OwnedValue {
        let item = self.item();
        let reply = self
            .connection
            .call_method(
                Some(item.as_str()),
                "/StatusNotifierItem",
                Some("org.freedesktop.DBus.Properties"),
                "Get",
                &("org.kde.StatusNotifierItem", name),
            )
            .expect("a property");
        reply.body().deserialize().expect("a value")
    }

    fn item(&self) -> String {
        eventually(|| "an icon in the panel".into(), || lock(&self.items).last().cloned())
    }
}

fn entry(id: i32, properties: &HashMap<String, OwnedValue>, below: &[OwnedValue]) -> Entry {
    let text = |name: &str| {
        properties.get(name).and_then(|value| <&str>::try_from(value).ok()).unwrap_or_default().to_owned()
    };
    let enabled = properties.get("enabled").and_then(|value| bool::try_from(value).ok()).unwrap_or(true);
    let on = properties.get("toggle-state").and_then(|value| i32::try_from(value).ok()) == Some(1);
    let visible = |entry: &Entry| entry.visible;
    let visible_of = properties.get("visible").and_then(|value| bool::try_from(value).ok()).unwrap_or(true);
    let below = below.iter().map(|value| {
        let structure = Structure::try_from(value.try_clone().expect("a value")).expect("an entry");
        let (id, properties, below): (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>) =
            structure.try_into().expect("an entry");
        entry(id, &properties, &below)
    });
    let (label, below) = (text("label").replace("__", "_"), below.filter(visible).collect());
    Entry { id, label, enabled, visible: visible_of, on, below }
}

/// The service's name.
const NOTIFICATIONS: &str = "org.freedesktop.Notifications";

/// The reasons for closing one, by the Desktop Notifications Specification 1.3.
const DISMISSED: u32 = 2;
const CLOSED_BY_CALL: u32 = 3;

/// A notification as the service got it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) id: u32,
    pub(crate) title: String,
    pub(crate) body: String,
    /// Keys and labels, alternating.
    pub(crate) actions: Vec<String>,
    pub(crate) urgency: u8,
}

/// A notification service.
pub(crate) struct Notifications {
    connection: Connection,
    told: Arc<Mutex<Vec<Note>>>,
    over: Arc<Mutex<Vec<u32>>>,
    stuck: Arc<AtomicBool>,
    /// The label of a button that somebody presses as its notification is about to be replaced.
    press: Arc<Mutex<Option<String>>>,
}

struct Service {
    told: Arc<Mutex<Vec<Note>>>,
    over: Arc<Mutex<Vec<u32>>>,
    stuck: Arc<AtomicBool>,
    /// The label of a button that somebody presses as its notification is about to be replaced.
    press: Arc<Mutex<Option<String>>>,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Service {
    #[expect(clippy::too_many_arguments, reason = "as the specification has it")]
    async fn notify(
        &self,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
        _app: String,
        replaces: u32,
        _icon: String,
        title: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedValue>,
        _expires: i32,
    ) -> zbus::fdo::Result<u32> {
        if let Some(key) = self.pressed(replaces) {
            Self::action_invoked(&emitter, replaces, &key).await?;
        }
        let mut told = lock(&self.told);
        let id = if replaces == 0 { u32::try_from(told.len()).expect("few") + 1 } else { replaces };
        let urgency = hints.get("urgency").and_then(|value| u8::try_from(value).ok()).unwrap_or(9);
        told.push(Note { id, title, body, actions, urgency });
        Ok(id)
    }

    async fn close_notification(
        &self,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
        id: u32,
    ) -> zbus::fdo::Result<()> {
        lock(&self.over).push(id);
        Ok(Self::notification_closed(&emitter, id, CLOSED_BY_CALL).await?)
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, key: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(emitter: &SignalEmitter<'_>, id: u32, reason: u32) -> zbus::Result<()>;

    async fn get_capabilities(&self) -> Vec<String> {
        if self.stuck.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        ["actions", "body", "body-markup"].map(str::to_owned).to_vec()
    }
}

impl Service {
    /// The key of the button that is pressed on this one before it is replaced.
    fn pressed(&self, id: u32) -> Option<String> {
        let mut press = lock(&self.press);
        let label = press.as_ref()?;
        let key = lock(&self.told).iter().rfind(|note| note.id == id)?.key(label)?.to_owned();
        *press = None;
        Some(key)
    }
}

impl Note {
    /// The key of the button with this label.
    fn key(&self, label: &str) -> Option<&str> {
        let at = self.actions.iter().position(|action| action == label)?;
        Some(&self.actions[at - 1])
    }
}

impl Notifications {
    /// A service on this bus.
    pub(crate) fn start(bus: &str) -> Self {
        let (told, over) = (Arc::<Mutex<Vec<Note>>>::default(), Arc::<Mutex<Vec<u32>>>::default());
        let stuck = Arc::<AtomicBool>::default();
        let press = Arc::<Mutex<Option<String>>>::default();
        let service = Service {
            told: Arc::clone(&told),
            over: Arc::clone(&over),
            stuck: Arc::clone(&stuck),
            press: Arc::clone(&press),
        };
        let connection = Builder::address(bus)
            .and_then(|builder| builder.serve_at("/org/freedesktop/Notifications", service))
            .and_then(|builder| builder.name(NOTIFICATIONS))
            .and_then(|builder| builder.build())
            .expect("a place on the bus");
        Self { connection, told, over, stuck, press }
    }

    /// The service disappears, as far as programs can see.
    pub(crate) fn leave(&self) {
        self.connection.release_name(NOTIFICATIONS).expect("our own name");
    }

    /// The service appears again.
    pub(crate) fn come(&self) {
        self.connection.request_name(NOTIFICATIONS).expect("a free name");
    }

    /// The service no longer answers.
    pub(crate) fn stick(&self) {
        self.stuck.store(true, Ordering::Relaxed);
    }

    /// All notifications so far, oldest first.
    pub(crate) fn all(&self) -> Vec<Note> {
        lock(&self.told).clone()
    }

    /// The titles of all notifications so far.
    pub(crate) fn titles(&self) -> Vec<String> {
        self.all().into_iter().map(|note| note.title).collect()
    }

    /// Waits for one with this title.
    #[track_caller]
    pub(crate) fn titled(&self, title: &str) -> Note {
        let why = || format!("a notification {title:?}; there are {:#?}", self.all());
        eventually(why, || self.all().into_iter().find(|note| note.title == title))
    }

    /// Waits until this one was withdrawn.
    #[track_caller]
    pub(crate) fn taken_back(&self, note: &Note) {
        eventually(
            || format!("{note:?} to be taken back"),
            || lock(&self.over).contains(&note.id).then_some(()),
        );
    }

    /// Presses on one: `default` for the notification itself, otherwise a button's key.
    pub(crate) fn press(&self, note: &Note, key: &str) {
        self.signal("ActionInvoked", &(note.id, key));
    }

    /// Presses the button with this label.
    #[track_caller]
    pub(crate) fn press_button(&self, note: &Note, label: &str) {
        let key = note.key(label).unwrap_or_else(|| panic!("no {label:?} on {note:?}"));
        self.press(note, key);
    }

    /// Somebody will press the button with this label just before its notification is replaced.
    pub(crate) fn press_before_replaced(&self, label: &str) {
        *lock(&self.press) = Some(label.to_owned());
    }

    /// Dismisses one, as a user does.
    pub(crate) fn dismiss(&self, note: &Note) {
        self.signal("NotificationClosed", &(note.id, DISMISSED));
    }

    fn signal(&self, name: &str, body: &(impl zbus::zvariant::Type + serde::Serialize)) {
        let (path, interface) = ("/org/freedesktop/Notifications", "org.freedesktop.Notifications");
        self.connection.emit_signal(None::<&str>, path, interface, name, body).expect("a signal");
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
