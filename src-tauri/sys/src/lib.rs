//! What Repose asks of the operating system: processes and their trees, memory, clocks, private
//! files, locks and the environment of the login shell.
//!
//! Owns every question whose answer differs between platforms; `platform/` has one file for each,
//! behind the same few functions. Must not know what a repo, an engine or a session is: it
//! answers, and ends what it is told to end, and decides nothing.
//!
//! Everything here blocks the calling thread, usually for milliseconds; each item says so if it can be
//! longer.

pub mod clock;
pub mod detached;
pub mod disk;
pub mod end;
pub mod exec;
pub mod files;
pub mod lock;
pub mod login_env;
pub mod memory;
pub mod peer;
mod platform;
pub mod private;
mod process;
pub mod regular;
pub mod sockets;
pub mod steps;
pub mod tree;

pub use process::{ProcessId, State};
