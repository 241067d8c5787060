//! The status file that each of its processes keeps.

use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Said, Signal, Wait};
use repose_core::time::Wall;
use serde::Deserialize;

use crate::told::{Reading, Standing};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    pub(super) pid: u32,
    /// On Linux the start time as `/proc/<pid>/stat` has it, in text.
    #[serde(default)]
    proc_start: Option<String>,
    pub(super) session_id: String,
    /// Not there until the program has opened.
    status: Option<String>,
    waiting_for: Option<String>,
    /// Moves when `status` changes, and stays when only something else does.
    status_updated_at: Option<u64>,
    updated_at: Option<u64>,
}

impl Status {
    /// When its process started. Only Linux's form of that is known.
    pub(super) fn start(&self) -> Option<u64> {
        self.proc_start.as_deref().filter(|_| cfg!(target_os = "linux"))?.parse().ok()
    }
}

/// It is rewritten in place, so half of it can be read: that is no JSON, or lacks what every whole one has.
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

/// Its words say of what kind the wait is; what exactly is waited for, the PermissionRequest hook has said.
fn wait(words: &str) -> Wait {
    match words {
        "permission prompt" | "sandbox request" | "worker request" | "" => Wait::Permission(String::new()),
        "input needed" | "dialog open" => Wait::Choice(String::new()),
        other => Wait::Choice(other.into()),
    }
}

#[cfg(test)]
mod tests;
