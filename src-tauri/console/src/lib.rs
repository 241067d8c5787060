//! The runner's surface: an HTTP API over the CLI's socket and over loopback, and the JSON that it speaks.
//!
//! [`serve`] opens both doors. [`wire`] owns every shape; the routes only translate between it and the
//! runner. This crate decides nothing about repos, and spawns, ends and stores nothing of theirs.

mod assets;
mod auth;
mod listen;
mod routes;
mod serve;
pub mod wire;

pub use auth::{LINK_LASTS, LOGIN_LASTS};
pub use listen::{CLI_CONNECTIONS_MAX, CONSOLE_CONNECTIONS_MAX, FAREWELL, HEAD_MAX, HEAD_WITHIN};
pub use routes::{BODY_MAX, Front, READERS_MAX, TERMINALS_MAX, Wanted};
pub use serve::{Ended, Links, Options, ServeError, Served, TOKEN, open};
pub use tokio_util::sync::CancellationToken;
