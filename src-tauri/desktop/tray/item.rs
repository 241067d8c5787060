//! The real item in the panel: a StatusNotifierItem with its menu, over D-Bus. Only this file touches it.
//!
//! No toolkit is loaded for it: the window is a separate process, with its own memory. It runs beside the
//! app's loop: a panel that is stuck delays nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ksni::menu::{CheckmarkItem, StandardItem, SubMenu};
use ksni::{MenuItem, OfflineReason, Status, ToolTip, TrayMethods};
use tokio::sync::{Notify, watch};

use super::menu::{Action, Icon, Item, Tray};
use super::picture;
use crate::event::{Event, Events};
use crate::window::Place;

/// A panel that takes longer is stuck: the item is offered again. If it recovers, it finds the last offer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);

/// How long to wait before the item is offered again after a panel or the bus has refused it; doubled each
/// time.
const AGAIN_AFTER: Duration = Duration::from_secs(1);
/// The longest such wait.
const AGAIN_AFTER_MAX: Duration = Duration::from_secs(60);

/// The item, for as long as the app runs.
pub(crate) struct Panel(watch::Sender<Tray>);

/// The tray as it is at this moment.
type Now = Arc<dyn Fn() -> Tray + Send + Sync>;

/// Offers the item to any panel, now or later. The result is reported as [`Event::Panel`]. Somebody who opens its menu
/// sees what `now` gives.
pub(crate) fn offer(now: impl Fn() -> Tray + Send + Sync + 'static, events: Events) -> Panel {
    let (shows, trays) = watch::channel(now());
    tokio::spawn(keep(trays, Arc::new(now), events));
    Panel(shows)
}

impl Panel {
    /// Shows this as soon as the panel takes it. Only differences are sent over the bus.
    pub(crate) fn show(&self, tray: Tray) {
        self.0.send_if_modified(|shown| {
            let differs = *shown != tray;
            *shown = tray;
            differs
        });
    }
}

async fn keep(mut trays: watch::Receiver<Tray>, now: Now, events: Events) {
    let mut wait = AGAIN_AFTER;
    loop {
        match offered(&mut trays, &now, &events).await {
            Ok(Over::App) => return,
            Ok(Over::Panel) => wait = AGAIN_AFTER,
            Err(error) => tracing::warn!(%error, "no panel takes the tray's icon"),
        }
        tokio::time::sleep(wait).await;
        wait = AGAIN_AFTER_MAX.min(wait * 2);
    }
}

/// Why the item no longer exists.
enum Over {
    /// The app ends.
    App,
    /// The panel has refused it, or is stuck.
    Panel,
}

async fn offered(trays: &mut watch::Receiver<Tray>, now: &Now, events: &Events) -> Result<Over, ksni::Error> {
    let refused = Arc::new(Notify::new());
    let shown = Shown {
        tray: trays.borrow_and_update().clone(),
        now: Arc::clone(now),
        turned: false,
        seen: AtomicBool::new(true),
        refused: Arc::clone(&refused),
        events: events.clone(),
    };
    let offer = shown.assume_sni_available(true).spawn();
    let Ok(handle) = tokio::time::timeout(ANSWERS_WITHIN, offer).await else { return Ok(Over::Panel) };
    let handle = handle?;
    handle.update(|shown| shown.tell()).await;
    loop {
        tokio::select! {
            () = refused.notified() => return Ok(Over::Panel),
            changed = trays.changed() => if changed.is_err() { return Ok(Over::App) },
        }
        let tray = trays.borrow_and_update().clone();
        if handle.update(|shown| shown.put(tray)).await.is_none() {
            return Ok(Over::Panel);
        }
    }
}

struct Shown {
    tray: Tray,
    now: Now,
    /// Alternates whenever what a line does changes. The menu's structure and the numbers of its lines change
    /// with it, so a click on an older menu finds its own line or none.
    turned: bool,
    /// Whether a panel shows it.
    seen: AtomicBool,
    refused: Arc<Notify>,
    events: Events,
}

impl Shown {
    fn put(&mut self, tray: Tray) {
        self.turned ^= self.tray.does() != tray.does();
        self.tray = tray;
    }

    fn tell(&self) {
        self.events.tell(Event::Panel(self.seen.load(Ordering::Relaxed)));
    }

    fn sees(&self, seen: bool) {
        self.seen.store(seen, Ordering::Relaxed);
        self.tell();
    }
}

impl ksni::Tray for Shown {
    fn id(&self) -> String {
        "repose".into()
    }

    fn title(&self) -> String {
        "Repose".into()
    }

    fn status(&self) -> Status {
        match self.tray.icon {
            Icon::NeedsYou => Status::NeedsAttention,
            Icon::Calm | Icon::AllPaused | Icon::Working | Icon::Trouble => Status::Active,
        }
    }

    fn icon_pixmap(&self) -> Vec<ksni::Icon> {
        picture::of(self.tray.icon)
    }

    fn attention_icon_pixmap(&self) -> Vec<ksni::Icon> {
        picture::of(Icon::NeedsYou)
    }

    fn tool_tip(&self) -> ToolTip {
        ToolTip { title: "Repose".into(), description: self.tray.tip.clone(), ..ToolTip::default() }
    }

    fn activate(&mut self, _x: i32, _y: i32) {
        self.events.tell(Event::Chosen(Action::Open(Place::Any)));
    }

    fn menu(&self) -> Vec<MenuItem<Self>> {
        let unseen = |submenu| MenuItem::from(SubMenu { visible: false, submenu, ..SubMenu::default() });
        let shape = if self.turned { vec![unseen(Vec::new())] } else { Vec::new() };
        self.tray.items.iter().map(line).chain([unseen(shape)]).collect()
    }

    /// Not everything that it shows is reported when it changes: the entry for the login is a file.
    fn menu_about_to_show(&mut self) {
        self.put((self.now)());
        self.events.tell(Event::MenuOpens);
    }

    fn watcher_online(&self) {
        self.sees(true);
    }

    fn watcher_offline(&self, reason: OfflineReason) -> bool {
        self.sees(false);
        if !refuses(&reason) {
            return true; // an event reports it when there is one
        }
        self.refused.notify_one();
        false
    }
}

/// Whether there is a panel that doesn't take it, and would never be asked again.
fn refuses(reason: &OfflineReason) -> bool {
    let nobody =
        |error: &ksni::Error| matches!(error, ksni::Error::Watcher(zbus::fdo::Error::ServiceUnknown(_)));
    matches!(reason, OfflineReason::Error(error) if !nobody(error))
}

fn line(item: &Item) -> MenuItem<Shown> {
    match item {
        Item::Text(text) => {
            StandardItem { label: plain(text), enabled: false, ..StandardItem::default() }.into()
        }
        Item::Line => MenuItem::Separator,
        Item::Does { label, action, can } => StandardItem {
            label: plain(label),
            enabled: *can,
            activate: chosen(action),
            ..StandardItem::default()
        }
        .into(),
        Item::Switch { label, action, on } => CheckmarkItem {
            label: plain(label),
            checked: *on,
            activate: chosen(action),
            ..CheckmarkItem::default()
        }
        .into(),
        Item::Below { label, items } => {
            SubMenu { label: plain(label), submenu: items.iter().map(line).collect(), ..SubMenu::default() }
                .into()
        }
    }
}

fn chosen(action: &Action) -> Box<dyn Fn(&mut Shown) + Send> {
    let action = action.clone();
    Box::new(move |shown| shown.events.tell(Event::Chosen(action.clone())))
}

/// In a label a single underscore would mark an access key.
fn plain(label: &str) -> String {
    label.replace('_', "__")
}
