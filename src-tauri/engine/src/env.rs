//! The environment that an engine will get, as a value: nothing here reads the process's own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Environment variables by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Env(BTreeMap<OsString, OsString>);

impl Env {
    /// An environment of these variables; if a name is repeated, the last one counts.
    pub fn new<N: Into<OsString>, V: Into<OsString>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// The variable with this name. An empty one counts as unset, as it does for engines.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The home folder.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.get("HOME").map(Path::new)
    }

    /// The folders in which to look for programs, in order.
    #[must_use]
    pub fn path(&self) -> Vec<PathBuf> {
        self.get("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default()
    }

    /// All variables.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}
