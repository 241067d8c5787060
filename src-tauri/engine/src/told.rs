//! The content of an engine's reports: hooks, levels, last words.

use std::path::PathBuf;

use repose_core::signal::Signal;
use repose_sys::ProcessId;
use serde::de::DeserializeOwned;

/// The most bytes of a payload; a longer one is refused. The longest are prompts and answers, which models
/// keep far below this; the engine's level still says what is going on.
pub(crate) const PAYLOAD_MAX: usize = 4 * 1024 * 1024;

/// Why a hook's payload can't be understood. This doesn't disturb the engine, and its level is still
/// available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPayload {
    /// It is longer than any that the engine sends.
    #[error("a hook sent {size} bytes, more than the {limit} that are read; it was passed over")]
    TooLong {
        /// Its length in bytes.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// It has another form than what the engine sends.
    #[error("a hook's report can't be read ({why}); it was passed over")]
    Malformed {
        /// The parser's error.
        why: String,
    },
    /// The engine has no hooks.
    #[error("this engine sends no hooks; a report was passed over")]
    NoHooks,
}

/// Parses a hook's payload.
///
/// # Errors
/// [`BadPayload`] if it is too long or malformed.
pub(crate) fn payload<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BadPayload> {
    if bytes.len() > PAYLOAD_MAX {
        return Err(BadPayload::TooLong { size: bytes.len(), limit: PAYLOAD_MAX });
    }
    serde_json::from_slice(bytes).map_err(|why| BadPayload::malformed(&why.to_string()))
}

impl BadPayload {
    pub(crate) fn malformed(why: &str) -> Self {
        Self::Malformed { why: why.into() }
    }
}

/// The result of reading an engine's level file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The file was being written and must be read again.
    Torn,
    /// The process exists and hasn't said yet what it does.
    NotYet,
    /// The level.
    Level(Standing),
}

/// A level, and the process that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The level as a signal; `at` is when the engine entered it, on the wall clock. A level from before
    /// another report is older news than that report.
    pub signal: Signal,
    /// The process that wrote it.
    pub pid: u32,
    /// The start of that process, as in [`ProcessId::start`]. `None`: the file doesn't give it in a known
    /// form.
    pub start: Option<u64>,
}

impl Standing {
    /// Whether this process wrote it, rather than an earlier one with the same pid.
    #[must_use]
    pub fn is_of(&self, process: ProcessId) -> bool {
        self.pid == process.pid && self.start.is_none_or(|start| start == process.start)
    }
}

/// Why an engine's process ended, according to the last words on its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCause {
    /// It was told to resume a conversation that it couldn't find.
    NoSuchConversation,
    /// It was told to resume a conversation that it only opens as a copy.
    OnlyAsFork,
    /// It was told to begin a conversation with an id that is in use.
    IdTaken,
    /// The user declined to trust the folder.
    TrustDeclined,
    /// No known cause.
    Unknown,
}

/// A setting of an engine's own that keeps it from reporting to Repose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silenced {
    /// The path of the settings file.
    pub by: PathBuf,
    /// The setting to remove.
    pub key: &'static str,
    /// What the setting switches off.
    pub what: &'static str,
    /// The consequence: "so it reports nothing".
    pub so: &'static str,
}

/// Whether somebody is logged in, as far as files and environment show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// Whether there are credentials.
    Known(bool),
    /// It needs no login.
    NotNeeded,
    /// Unknown without starting the engine.
    Unknown,
}

/// The version of an engine's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// As the program says.
    Told(String),
    /// The program was asked, and said nothing in time.
    Untold,
    /// Nobody knows how to ask it.
    NotAsked,
}

impl Version {
    /// What the program says, if it says something.
    #[must_use]
    pub fn told(&self) -> Option<&str> {
        match self {
            Self::Told(version) => Some(version),
            Self::Untold | Self::NotAsked => None,
        }
    }
}
