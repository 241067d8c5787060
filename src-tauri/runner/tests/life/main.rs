//! The runner with real holders and the engine `shell`: what needs no agent program and no model.

#![expect(clippy::unwrap_used, reason = "a test that meets what it doesn't expect has failed")]

mod ends;
mod opens;
mod restarts;
mod using;
mod versions;
mod world;
