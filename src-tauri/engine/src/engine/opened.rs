//! What is visible of an engine's process, and what it shows to be open there.

use std::path::{Path, PathBuf};

use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Source};
use repose_core::time::Wall;

use crate::env::Env;

/// What is visible of a process that is opening.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// Its environment.
    pub env: &'a Env,
    /// The folder it works in.
    pub folder: &'a Path,
    /// The process ids of its tree.
    pub tree: &'a [u32],
    /// The conversation that it was told to open.
    pub asked: Option<&'a ConversationId>,
    /// Whether it was told to resume that conversation rather than to begin it.
    pub resumes: bool,
    /// Whether it was told to begin a copy of an earlier one.
    pub forks: bool,
    /// When its process was started.
    pub since: Wall,
    /// When this was observed.
    pub now: Wall,
    /// Its terminal's title.
    pub title: Option<&'a str>,
    /// The level that the title shows; if events say more, only once they are heard.
    pub level: Option<&'a Level>,
}

/// What is visible of a process that has ended a turn.
#[derive(Debug, Clone, Copy)]
pub struct Turned<'a> {
    /// Its environment.
    pub env: &'a Env,
    /// The folder it works in.
    pub folder: &'a Path,
    /// The process ids of its tree.
    pub tree: &'a [u32],
    /// The conversation that it was in.
    pub conversation: &'a ConversationId,
    /// When the turn began.
    pub began: Wall,
    /// When its prompt was sent, if Repose did that: it is written after that, however long the engine takes to
    /// show its work.
    pub sent: Option<Wall>,
    /// When the previous turn was over: nothing in this turn is older.
    pub after: Wall,
}

/// How many milliseconds before the title shows it a prompt of somebody's own may be written.
const BEFORE: u64 = 2_000;

impl Turned<'_> {
    /// The earliest moment at which the turn's prompt may have been written.
    #[must_use]
    pub fn since(&self) -> Wall {
        self.sent.unwrap_or(Wall(self.began.0.saturating_sub(BEFORE))).max(self.after)
    }
}

/// What an engine was observed to have opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The conversation's id. `None`: it keeps none, or begins and names it with the first prompt.
    pub conversation: Option<ConversationId>,
    /// How the conversation came to be open.
    pub source: Source,
    /// Its transcript, if that exists.
    pub transcript: Option<PathBuf>,
}
