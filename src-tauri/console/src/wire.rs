//! The JSON of Repose: the answers of the HTTP API and the output of `--json`.
//!
//! These types define the names and shapes; the types below never serialise themselves. Times are RFC 3339 in
//! UTC with milliseconds ([`Time`]), sizes are bytes, spans are milliseconds with `_ms` in the name. A field
//! without a value is `null`, never missing. This module knows nothing of HTTP.

mod ask;
mod conversation;
mod decision;
mod desk;
mod diagnostics;
mod doctor;
mod end;
mod event;
mod folder;
mod kind;
mod log;
mod repo;
mod runner;
mod settings;
mod shown;
mod terminal;
mod time;
mod trouble;

#[cfg(test)]
mod tests;

pub use ask::{ANSWER_WITHIN_MAX, Answered, Ask, Asks, Unanswered};
pub use conversation::{
    Author, Conversations, Entry, EntryKind, Found, Hit, Listed, Page, Reply, Text, ToolEnd,
};
pub use decision::{Choice, ChoiceKind, Decided, Decision, DecisionKind};
pub use desk::{Kept, Place, Show};
pub use diagnostics::{Diagnostics, MemoryOf, Point, RunnerLog, Session};
pub use doctor::{Check, Engine, Engines, Level, Report};
pub use end::{Added, Changed, Ensure, Interrupt, New, Outcome, Outcomes, Paused, Resume, Switch, Used};
pub use event::{Delta, Snapshot};
pub use folder::{Folder, Folders, Matches};
pub use kind::{HappenedKind, HoldKind};
pub use log::{Log, LogEntry, Recent, RecentEntry};
pub use repo::{
    AskShown, AskStage, Continuity, ContinuityKind, Conversation, Happened, Hold, Interrupted, Keeps,
    Measured, Memory, Owner, Repo, State, Why,
};
pub use runner::{Link, Repos, Runner, ShowApp, Status, Totals};
pub use settings::{Budget, Notify, Settings, SettingsPatch};
pub use terminal::{FromClient, FromServer, Garbled};
pub use time::Time;
pub use trouble::{About, Failure, Trouble, exit_code};
