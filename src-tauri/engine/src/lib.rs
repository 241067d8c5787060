//! What an engine is: how its program is found and started, how it is asked, what it reports about itself,
//! and what it keeps on disk.
//!
//! There is one folder for each engine, one for those that users describe in their settings ([`own`]), and
//! one trait, [`Engine`], that everything above uses: nobody outside this crate asks which engine it is.
//! Everything here reads, and blocks while it does; nothing here owns a process, a watch or a clock, decides
//! about a repo, or writes to an engine's files.

pub mod ask;
pub mod claude;
pub mod codex;
mod decide;
pub mod engine;
pub mod env;
pub mod feed;
pub mod gemini;
#[cfg(test)]
mod harm;
pub mod launch;
pub mod lines;
pub mod locate;
pub mod opencode;
pub mod own;
mod owner;
mod pages;
mod setup;
pub mod shell;
pub mod told;
pub mod transcript;

pub use engine::{Engine, EngineRef, built_in, find};
pub use env::Env;
