//! The settings: `config.toml`, read, checked and watched.
//!
//! A file that can't be understood changes nothing: the last good settings stay in force, and the error is
//! reported with its line.

mod engines;
mod parse;
mod plain;
mod watch;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use repose_core::policy::Policy;
use repose_core::trouble::{Code, Trouble};
use repose_engine::EngineRef;
use repose_engine::own::{Description, Own};
use repose_sys::private::write_private;
use repose_sys::regular;
use toml_edit::{DocumentMut, Item, TableLike, Value, value};

pub(crate) use watch::watch;

/// The most links to follow to the settings file. More are a loop, which the system refuses.
const LINKS_MAX: usize = 16;

/// A longer file is no settings file: all that can be said takes some kilobytes.
const FILE_MAX: u64 = 1024 * 1024;

/// What the user may choose.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// The durations that govern engines and conversations.
    pub policy: Policy,
    /// How much memory live engines may hold. Beyond it, idle engines without holds are let go.
    pub memory_budget: Budget,
    /// How many engines may be live. `None`: any number.
    pub max_live: Option<u32>,
    /// The console's port on loopback. 0: a port is chosen once and reused.
    pub console_port: u16,
    /// The editor in which to show a folder: a name to look for on `PATH`, or a path. `None`: the first known
    /// editor that is found.
    pub editor: Option<String>,
    /// What to notify about.
    pub notify: Notify,
    /// The settings of engines, by name.
    pub engines: BTreeMap<String, EngineSettings>,
}

/// A limit on memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Budget {
    /// No limit.
    #[default]
    Off,
    /// A limit in bytes.
    Bytes(u64),
    /// A limit in percent of the machine's memory.
    Percent(f64),
}

/// What to notify about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notify {
    /// Notify when an idle engine is let go.
    pub reaped: bool,
    /// Notify when a conversation begins fresh without being asked to.
    pub fresh: bool,
    /// Notify when somebody has to decide.
    pub needs_you: bool,
    /// Notify when a turn is over.
    pub finished: bool,
    /// Notify when something is wrong.
    pub trouble: bool,
}

impl Default for Notify {
    fn default() -> Self {
        Self { reaped: true, fresh: true, needs_you: true, finished: true, trouble: true }
    }
}

/// The user's settings for an engine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineSettings {
    /// Its program: a name to look for on `PATH`, or a path.
    pub command: Option<String>,
    /// Further arguments.
    pub args: Vec<String>,
    /// Environment variables, which override all others.
    pub env: BTreeMap<String, String>,
    /// The description of an engine that isn't built in.
    pub own: Option<Description>,
}

/// Settings that can't be accepted. The sentence says where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct BadSettings {
    sentence: String,
}

/// The settings in force, and what is wrong with the settings file.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) settings: Arc<Settings>,
    pub(crate) trouble: Option<Trouble>,
    pub(crate) in_force: InForce,
}

/// Which settings are in force while the file can't be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InForce {
    /// The last ones that could be accepted.
    LastGood,
    /// The defaults, since there were no others yet.
    Defaults,
}

impl Settings {
    /// The engine with this name, built in or described in these settings.
    #[must_use]
    pub fn engine(&self, name: &str) -> Option<EngineRef> {
        repose_engine::find(name).or_else(|| {
            let own = self.engines.get(name)?.own.clone()?;
            Some(Arc::new(Own::new(own)))
        })
    }

    /// All engines: the built-in ones, then the user's own.
    #[must_use]
    pub fn all_engines(&self) -> Vec<EngineRef> {
        let own = self.engines.values().filter_map(|engine| engine.own.clone());
        let own = own.map(|own| Arc::new(Own::new(own)) as EngineRef);
        repose_engine::built_in().into_iter().chain(own).collect()
    }

    /// Parses settings.
    ///
    /// # Errors
    /// If they can't be understood, or don't make sense together.
    pub fn parse(text: &str) -> Result<Self, BadSettings> {
        parse::parse(text)
    }

    /// Reads the settings file. A missing file counts as empty.
    ///
    /// # Errors
    /// If the file can't be read or understood, or the settings don't make sense together.
    pub fn load(path: &Path) -> Result<Self, BadSettings> {
        let text = read(path)?.unwrap_or_default();
        Self::parse(&text).map_err(|error| BadSettings::new(format!("{}: {error}", path.display())))
    }

    /// Writes these settings to the file, where they differ from its content. Comments, order and engine
    /// tables stay.
    ///
    /// # Errors
    /// If the settings don't make sense, or the file can't be read or written. The file is then left as it
    /// is.
    pub fn write(&self, path: &Path) -> Result<(), BadSettings> {
        self.policy.checked().map_err(|unfit| BadSettings::new(unfit.sentence()))?;
        let before = Self::load(path)?;
        let text = read(path)?.unwrap_or_default();
        let mut file: DocumentMut =
            text.parse().map_err(|error| BadSettings::new(format!("{}: {error}", path.display())))?;
        let mut set = |table: Option<&str>, key: &str, new: Item| match table {
            Some(table) => {
                let place = file.entry(table).or_insert(Item::Table(toml_edit::Table::new()));
                if let Some(place) = place.as_table_like_mut() {
                    put(place, key, new);
                }
            }
            None => put(file.as_table_mut(), key, new),
        };
        let span = |span: Duration| value(humantime::format_duration(span).to_string());
        let (old, new) = (&before.policy, &self.policy);
        for (key, old, new) in [
            ("idle_after", old.idle_after, new.idle_after),
            ("resume_within", old.resume_within, new.resume_within),
            ("stall_after", old.stall_after, new.stall_after),
        ] {
            if old != new {
                set(None, key, span(new));
            }
        }
        if before.memory_budget != self.memory_budget {
            set(None, "memory_budget", value(self.memory_budget.text()));
        }
        if before.max_live != self.max_live {
            set(None, "max_live", self.max_live.map_or_else(|| value("off"), |max| value(i64::from(max))));
        }
        if before.console_port != self.console_port {
            set(Some("console"), "port", value(i64::from(self.console_port)));
        }
        let (old, new) = (&before.notify, &self.notify);
        for (key, old, new) in [
            ("reaped", old.reaped, new.reaped),
            ("fresh", old.fresh, new.fresh),
            ("needs_you", old.needs_you, new.needs_you),
            ("finished", old.finished, new.finished),
            ("trouble", old.trouble, new.trouble),
        ] {
            if old != new {
                set(Some("notify"), key, value(new));
            }
        }
        let text = file.to_string();
        Self::parse(&text)?;
        write_private(&behind_links(path), text.as_bytes())
            .map_err(|error| BadSettings::new(error.to_string()))
    }
}

impl Budget {
    /// The form in which it is written: `off`, `4 GB`, `50%`.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Off => "off".into(),
            Self::Bytes(bytes) if bytes % 1_000_000_000 == 0 => format!("{} GB", bytes / 1_000_000_000),
            Self::Bytes(bytes) if bytes % 1_000_000 == 0 => format!("{} MB", bytes / 1_000_000),
            Self::Bytes(bytes) => format!("{bytes} B"),
            Self::Percent(percent) => format!("{percent}%"),
        }
    }
}

impl BadSettings {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into() }
    }

    /// The error as a trouble.
    #[must_use]
    pub fn trouble(&self, in_force: InForce) -> Trouble {
        let stands = match in_force {
            InForce::LastGood => "The last good settings stay in force",
            InForce::Defaults => "The defaults are in force",
        };
        Trouble::new(
            Code::BadSettings,
            format!("{} {stands}.", crate::check::sentence(&self.sentence)),
            ["Mend the file; it is read again at once."],
        )
    }
}

/// The file that a link leads to, whether it exists or not. People keep their settings elsewhere and link to
/// them.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().map_or(target.clone(), |folder| folder.join(&target));
    }
    path
}

/// The text of the file, if there is one.
fn read(path: &Path) -> Result<Option<String>, BadSettings> {
    match regular::read(path, FILE_MAX) {
        Ok(bytes) => parse::text(bytes)
            .map(Some)
            .map_err(|error| BadSettings::new(format!("{}: {error}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(BadSettings::new(format!("{} can't be read: {error}", path.display()))),
    }
}

/// Sets a value. An existing one is replaced in its place, and the comments around it stay.
fn put(table: &mut dyn TableLike, key: &str, mut new: Item) {
    match (table.get_mut(key), new.as_value_mut()) {
        (Some(Item::Value(old)), Some(value)) => {
            *value.decor_mut() = old.decor().clone();
            std::mem::swap::<Value>(old, value);
        }
        _ => drop(table.insert(key, new)),
    }
}
