//! The real item in the panel: a StatusNotifierItem with its menu, over D-Bus. Only this file touches it.
//!
//! No toolkit is loaded for it: the window has a process of its own, and what it takes stays there.

use ksni::menu::{CheckmarkItem, StandardItem, SubMenu};
use ksni::{Handle, MenuItem, OfflineReason, Status, ToolTip, TrayMethods};

use super::menu::{Action, Icon, Item, Tray};
use super::picture;
use crate::event::{Event, Events};

/// The item, for as long as the app runs.
pub(crate) struct Panel {
    handle: Handle<Shown>,
}

/// Offers the item to whichever panel there is, now or later. What it comes to is told as [`Event::Panel`].
///
/// # Errors
/// If there is no session bus.
pub(crate) async fn offer(tray: Tray, events: Events) -> Result<Panel, ksni::Error> {
    let shown = Shown { tray, events: events.clone() };
    let handle = shown.assume_sni_available(true).spawn().await?;
    Ok(Panel { handle })
}

impl Panel {
    /// Shows this. Only what differs goes over the bus.
    pub(crate) async fn show(&self, tray: Tray) {
        self.handle.update(|shown| shown.tray = tray).await;
    }
}

struct Shown {
    tray: Tray,
    events: Events,
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
        self.events.tell(Event::Chosen(Action::Open(None)));
    }

    fn menu(&self) -> Vec<MenuItem<Self>> {
        self.tray.items.iter().map(line).collect()
    }

    fn watcher_online(&self) {
        self.events.tell(Event::Panel(true));
    }

    fn watcher_offline(&self, _reason: OfflineReason) -> bool {
        self.events.tell(Event::Panel(false));
        true
    }
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

/// In a label one underscore would mark an access key.
fn plain(label: &str) -> String {
    label.replace('_', "__")
}
