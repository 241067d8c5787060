//! What the stories are built on: a world for each test, the model stand-in, a user's terminal.

pub(crate) mod claude;
pub(crate) mod cli;
pub(crate) mod clock;
pub(crate) mod codex;
pub(crate) mod engines;
pub(crate) mod gemini;
pub(crate) mod http;
pub(crate) mod model;
pub(crate) mod opencode;
pub(crate) mod patience;
pub(crate) mod processes;
pub(crate) mod steps;
pub(crate) mod terminal;
pub(crate) mod world;

pub(crate) use terminal::Terminal;
pub(crate) use world::World;
