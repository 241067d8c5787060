//! The runner: each repo with its actor, the store, the settings, and the live holders.
//!
//! [`Runner`] is the handle that surfaces use. One actor owns one repo: it feeds the core's state machine and
//! carries out its effects, and nothing else opens, ends or asks, or writes that repo's rows. This crate must
//! not know of HTTP, pages or the command line.

mod actor;
mod add;
mod adopt;
mod alive;
mod check;
mod doctor;
mod effects;
mod engines;
mod env;
mod folders;
mod found;
mod growth;
mod home;
mod images;
mod link;
mod logs;
mod may_hang;
mod measures;
mod moved;
mod passages;
mod program;
mod room;
mod runner;
mod settings;
mod shared;
mod show;
mod shown;
mod spawn;
mod store;

pub use add::NewRepo;
pub use doctor::{Check, Health, Report, without_a_runner};
pub use engines::EngineFound;
pub use folders::Folder;
pub use found::{Found, Hit};
pub use home::{Home, HomeError};
pub use images::IMAGE_MAX;
pub use measures::Measure;
pub use passages::{Open, Passage, Passages};
pub use repose_engine::told::Login;
pub use runner::{Options, Runner, StartError, USED_FOR, Use};
pub use settings::{Budget, EngineSettings, Notify, Settings};
pub use show::Place;
pub use shown::{
    ASK_TEXT_SHOWN, ASKS_SHOWN, AskOutcome, AskShown, AskStage, AskTrouble, Change, ConversationShown,
    Happened, Info, Live, LogEntry, LogEntryOf, LogWhat, Measured, Memory, NewAsk, Paused, Shown, Totals,
};
pub use store::StoreError;
