//! A holder as its own process, with a real PTY and real engines.

mod attaching;
mod ending;
mod faults;
mod world;
