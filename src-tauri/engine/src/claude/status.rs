//! The status file that each Claude Code process keeps.

use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Said, Signal, Wait};
use repose_core::time::Wall;
use serde::Deserialize;

use crate::told::{Reading, Standing};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    pub(super) pid: u32,
    /// On Linux the start time from `/proc/<pid>/stat`, as text.
    #[serde(default)]
    proc_start: Option<String>,
    pub(super) session_id: String,
    /// Missing until the program has opened.
    status: Option<String>,
    waiting_for: Option<String>,
    /// The time of the last change of `status`, unaffected by other changes.
    status_updated_at: Option<u64>,
    updated_at: Option<u64>,
}

impl Status {
    /// The start time of its process. Only Linux's form is known.
    pub(super) fn start(&self) -> Option<u64> {
        self.proc_start.as_deref().filter(|_| cfg!(target_os = "linux"))?.parse().ok()
    }
}

/// The file is rewritten in place, so it may be read incomplete: then it isn't JSON, or lacks fields that
/// every complete one has.
pub(super) fn parsed(content: &[u8]) -> Option<Status> {
    serde_json::from_slice(content).ok()
}

pub(super) fn reading(content: &[u8]) -> Reading {
    let Some(status) = parsed(content) else { return Reading::Torn };
    let start = status.start();
    let Some(word) = status.status else { return Reading::NotYet };
    let level = match word.as_str() {
        "idle" => Level::Idle,
        "busy" => Level::Busy,
        "shell" => Level::Shell,
        "waiting" => Level::Waiting(wait(status.waiting_for.as_deref().unwrap_or_default())),
        _ => Level::Unknown(word),
    };
    let signal = Signal {
        conversation: Some(ConversationId::new(status.session_id)),
        at: Wall(status.status_updated_at.or(status.updated_at).unwrap_or_default()),
        said: Said::Level(level),
    };
    Reading::Level(Standing { signal, pid: status.pid, start })
}

/// The file gives only the kind of wait; the PermissionRequest hook has told what exactly is waited for.
fn wait(words: &str) -> Wait {
    match words {
        "permission prompt" | "sandbox request" | "worker request" | "" => Wait::Permission(String::new()),
        "input needed" | "dialog open" => Wait::Choice(String::new()),
        other => Wait::Choice(other.into()),
    }
}

#[cfg(test)]
mod tests;
