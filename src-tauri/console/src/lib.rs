//! The runner's surface: an HTTP API over the CLI's socket and over loopback, and the JSON that it speaks.
//!
//! [`serve`] opens both doors. [`wire`] owns every shape; the routes only translate between it and the runner. This
//! crate decides nothing about repos, and spawns, ends and stores nothing of theirs.

mod auth;
mod listen;
pub mod wire;
