//! What an engine's reports come to once they are read: hooks, levels, last words.

use std::path::PathBuf;

use repose_core::signal::Signal;
use repose_sys::ProcessId;
use serde::de::DeserializeOwned;

/// A longer payload is refused. The longest are prompts and answers, which a model keeps far below this; a
/// payload like that is a fault, and the engine's level still says what is going on.
pub(crate) const PAYLOAD_MAX: usize = 4 * 1024 * 1024;

/// A hook's payload that can't be understood. The engine is not disturbed by it; the level signal still
/// stands.
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
    /// It isn't what the engine sends.
    #[error("a hook's report can't be read ({why}); it was passed over")]
    Malformed {
        /// The parser's words.
        why: String,
    },
    /// The engine has no hooks.
    #[error("this engine sends no hooks; a report was passed over")]
    NoHooks,
}

/// Reads a hook's payload.
///
/// # Errors
/// [`BadPayload`] if it is too long, or isn't what the engine sends.
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

/// One reading of a level that an engine keeps in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The file was being written: read it again.
    Torn,
    /// The process is there, and has not said yet what it does.
    NotYet,
    /// What it does.
    Level(Standing),
}

/// A level, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The level as a signal; `at` is when the engine entered it, on its own wall clock. A level that was
    /// entered before something else that the engine said is older news than that.
    pub signal: Signal,
    /// The process that wrote it.
    pub pid: u32,
    /// When that started, as [`ProcessId::start`] has it. `None`: it doesn't say so in a form that is known.
    pub start: Option<u64>,
}

impl Standing {
    /// Whether this process wrote it, and not one that had its pid before.
    #[must_use]
    pub fn is_of(&self, process: ProcessId) -> bool {
        self.pid == process.pid && self.start.is_none_or(|start| start == process.start)
    }
}

/// Why an engine's process ended, read off the last words on its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCause {
    /// It was told to resume a conversation that it doesn't find.
    NoSuchConversation,
    /// It was told to resume a conversation that it opens as a copy alone, and said so.
    OnlyAsCopy,
    /// It was told to begin a conversation with an id that exists.
    IdTaken,
    /// The user declined to trust the folder.
    TrustDeclined,
    /// Nothing that is known.
    Unknown,
}

/// A setting of an engine's own that keeps it from telling Repose what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silenced {
    /// The settings' file.
    pub by: PathBuf,
    /// What to take out of it.
    pub key: &'static str,
    /// What that switches off.
    pub what: &'static str,
    /// What comes of it: "so it reports nothing".
    pub so: &'static str,
}

/// Whether somebody is logged in, as far as files and environment tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// Whether there are credentials.
    Known(bool),
    /// It needs none.
    NotNeeded,
    /// It can't be told without starting the engine.
    Unknown,
}
