//! The decisions of Repose, without the means to carry them out.
//!
//! Everything here is a value or a pure function of values: what a repo does next ([`repo`]), what a session
//! does next ([`session`]), whether an open resumes or starts fresh ([`continuity`]), what holds a live
//! engine ([`hold`]). Time is an argument, effects are data. This crate must not know of clocks, files,
//! processes, sockets, threads or serialisation; the crates above it do what it decides and tell it what came
//! of it.

pub mod ask;
pub mod budget;
pub mod continuity;
pub mod conversation;
pub mod decision;
pub mod hold;
pub mod ids;
pub mod memory;
pub mod policy;
pub mod repo;
pub mod session;
pub mod signal;
pub mod time;
pub mod trouble;
pub mod typing;
pub mod words;
pub mod work;
