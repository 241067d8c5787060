//! The holder, the process that owns a session's terminal and outlives the app, and the means to talk to it.
//!
//! [`serve`] is the holder, with its PTY, its screen, the engine's signals and the journal. It decides
//! nothing: it feeds the core's session machine and carries out its effects. [`Client`] and [`attach`] are
//! the runner's end of the protocol; [`hook::run`] is what the engine's hooks start. This crate must not know
//! of other repos, the store or pauses.

mod client;
mod folder;
mod holder;
pub mod hook;
pub mod journal;
mod pty;
mod screen;
mod wire;

pub use client::{
    Attached, CallError, Client, ConnectError, GREETS_WITHIN, Journal, Keys, Shown, Shows, Standing, attach,
};
pub use folder::{Spec, Unreadable, end, leftovers, socket_path, socket_removed};
pub use holder::{ServeError, serve};
pub use wire::{Attach, Ended, Entry, How, Numbered, PROTOCOL, Params, Pushed, State, Submitted};
