//! The runner with real holders and the engine `shell`: what needs no agent program and no model.

mod ends;
mod opens;
mod restarts;
mod world;
