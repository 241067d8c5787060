//! The means by which an engine reports what it does, and is asked to end.

/// How an engine is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndBy {
    /// SIGTERM to its process: it ends on its own and leaves its files intact.
    Terminate,
    /// SIGHUP to its process group, as when a terminal closes.
    HangUp,
    /// Not at all: it is killed with its tree. For an engine that would do harm by ending on its own.
    Kill,
}

/// The means by which an engine reports what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speaks {
    /// How to tell whether it is at work now.
    pub level: LevelBy,
    /// How to tell which prompt was taken and how its turn ended.
    pub turns: TurnsBy,
}

/// How to tell whether an engine is at work now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelBy {
    /// By a file that it keeps for each of its processes: [`crate::Engine::level_file`].
    File,
    /// By its terminal's title: [`crate::Engine::title_level`].
    Title,
    /// By events that it serves on a port: [`crate::Engine::feed`]. The title says when it accepts keys.
    Events,
    /// It is at work while another process is in the foreground of its terminal.
    Foreground,
}

/// How to tell which prompt was taken and how its turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnsBy {
    /// By its hooks, or by its transcript if one was lost.
    Hooks,
    /// By its events, or by its transcript if one was lost.
    Events,
    /// The level says when, and the transcript says how.
    Transcript,
    /// The level says when, and the screen shows how.
    Screen,
}
