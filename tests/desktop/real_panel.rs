//! A real panel: Xfce's, with nothing but the tray's icons.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use zbus::blocking::Connection;
use zbus::blocking::connection::Builder;
use zbus::zvariant::OwnedValue;

use crate::screen::Screen;
use crate::support::patience::eventually;

/// Along the screen's upper edge, with one plugin: the icons, at its left end.
const SETTINGS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="26"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
    </property>
  </property>
</channel>
"#;

/// The middle of the first icon, in pixels from the top left.
pub(crate) const ICON: (u32, u32) = (13, 13);

/// The panel's process, until dropped.
pub(crate) struct RealPanel {
    panel: Child,
    bus: Connection,
}

impl RealPanel {
    /// Starts it on this screen, with `home` for its files, and waits until it accepts icons.
    pub(crate) fn start(screen: &Screen, home: PathBuf) -> Self {
        let settings = home.join(".config/xfce4/xfconf/xfce-perchannel-xml");
        std::fs::create_dir_all(&settings).expect("a writable home");
        std::fs::write(settings.join("xfce4-panel.xml"), SETTINGS).expect("a writable home");
        let bus = Builder::address(screen.bus.as_str()).and_then(Builder::build).expect("a place on the bus");
        // Its settings are in another program, which the bus starts.
        let home_there = HashMap::from([("HOME", home.to_str().expect("UTF-8"))]);
        let (name, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus");
        bus.call_method(Some(name), path, Some(name), "UpdateActivationEnvironment", &home_there)
            .expect("the bus takes it");
        let panel = Command::new("xfce4-panel")
            .env_clear()
            .envs(screen.env())
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("xfce4-panel: `scripts/setup.sh desktop-tests` installs it");
        let it = Self { panel, bus };
        eventually(|| "the panel to take icons".into(), || it.icons());
        it
    }

    /// How many icons it shows. `None`: it isn't ready.
    pub(crate) fn icons(&self) -> Option<usize> {
        let (name, path) = ("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher");
        let body = (name, "RegisteredStatusNotifierItems");
        let properties = Some("org.freedesktop.DBus.Properties");
        let reply = self.bus.call_method(Some(name), path, properties, "Get", &body).ok()?;
        let value: OwnedValue = reply.body().deserialize().expect("a value");
        Vec::<String>::try_from(value).ok().map(|items| items.len())
    }
}

impl Drop for RealPanel {
    fn drop(&mut self) {
        let _ended = self.panel.kill().and_then(|()| self.panel.wait());
    }
}
