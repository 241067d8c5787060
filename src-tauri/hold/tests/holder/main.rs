//! A holder as its own process, with a real PTY and real engines.

mod attaching;
mod claude;
mod ending;
mod faults;
mod world;
