//! Selects the file for the platform that Repose is built for.
//!
//! Every file has the same functions with the same guarantees. What a platform can't do is an error of kind
//! `Unsupported` with a sentence, never a silent success.

use std::time::Duration;

use crate::process::{ProcessId, State};

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;

#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
pub(crate) use macos::*;

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!(
    "Repose runs on Linux, and in part on macOS. On this platform it has no way yet to end the whole process \
     tree of an agent, and would leave processes behind. A port starts with a file in src-tauri/sys/src/platform/."
);

/// One line of the machine's process table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) id: ProcessId,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    pub(crate) name: String,
    pub(crate) state: State,
    pub(crate) cpu: Duration,
}
