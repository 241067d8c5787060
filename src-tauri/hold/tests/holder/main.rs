//! A holder as a separate process, with a real PTY and real engines.

#![expect(clippy::unwrap_used, reason = "what a test can't go on without fails it, in its helpers too")]

mod attaching;
mod claude;
mod ending;
mod faults;
mod world;
