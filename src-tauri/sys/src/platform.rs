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

/// What a clock says, since boot.
///
/// It is asked through the C library, as the standard library asks for `Instant`: moments on the one are added
/// to moments on the other, so both have to come from the same place, whatever a library that is loaded before
/// it makes of time.
#[expect(unsafe_code, reason = "no safe wrapper asks the C library")]
fn since_boot(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live local.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
