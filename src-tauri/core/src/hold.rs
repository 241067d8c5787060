//! Reasons why a live engine must not be let go now.

use crate::signal::Wait;
use crate::time::Wall;
use crate::words;

/// One reason, with since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// Since when it stands.
    pub since: Wall,
    /// The reason.
    pub kind: Kind,
}

/// The reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A turn is in progress.
    Turn,
    /// Work that the engine runs beyond its turns.
    Background(Task),
    /// The engine will wake itself.
    Wakeup(Task),
    /// It waits for a decision.
    Waiting(Wait),
    /// Somebody asked, and has no answer yet.
    Ask,
    /// Something is typed and not sent.
    Typing,
    /// Somebody has it in front of them and used it in the last minutes.
    Client,
    /// A process of its tree works or listens, and wasn't there when the engine got ready.
    Process(Resident),
    /// The user pinned it.
    Pinned,
    /// The engine says something that this version of Repose doesn't know.
    Unknown(String),
}

/// A piece of work that an engine listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The engine's id for it.
    pub id: String,
    /// What it is, in the engine's words: a command, a description, a schedule.
    pub what: String,
    /// It is a process below the engine's, and the engine's level tells whether any runs.
    pub process: bool,
}

/// A process that an engine's tree holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resident {
    /// Its pid.
    pub pid: u32,
    /// Its command line.
    pub command: String,
    /// Since when it runs.
    pub since: Wall,
    /// What makes it work and not furniture.
    pub because: Because,
}

/// Why a process counts as work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// It listens on this port.
    Listens(u16),
    /// It uses the processor.
    Busy,
    /// The engine started it and left it running.
    Left,
}

impl Kind {
    /// The reason's name on every surface.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Background(_) => "background",
            Self::Wakeup(_) => "wakeup",
            Self::Waiting(_) => "waiting",
            Self::Ask => "ask",
            Self::Typing => "typing",
            Self::Client => "client",
            Self::Process(_) => "process",
            Self::Pinned => "pinned",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Whether ending the process now would lose work. A pin or a person who looks is no work.
    #[must_use]
    pub fn is_work(&self) -> bool {
        match self {
            Self::Turn
            | Self::Background(_)
            | Self::Wakeup(_)
            | Self::Waiting(_)
            | Self::Ask
            | Self::Typing
            | Self::Process(_)
            | Self::Unknown(_) => true,
            Self::Client | Self::Pinned => false,
        }
    }

    /// Whether it is for the user to see to: it doesn't come to an end by itself.
    #[must_use]
    pub fn is_the_users(&self) -> bool {
        match self {
            Self::Waiting(_) | Self::Typing => true,
            Self::Turn
            | Self::Background(_)
            | Self::Wakeup(_)
            | Self::Ask
            | Self::Process(_)
            | Self::Unknown(_)
            | Self::Client
            | Self::Pinned => false,
        }
    }

    /// The reason in words that follow "kept because" and "this would lose".
    #[must_use]
    pub fn detail(&self) -> String {
        match self {
            Self::Turn => "a turn in progress".into(),
            Self::Background(task) => format!("the background task `{}`", words::line(&task.what)),
            Self::Wakeup(task) => format!("the scheduled wake-up `{}`", words::line(&task.what)),
            Self::Waiting(wait) => wait.what(),
            Self::Ask => "an ask without its answer yet".into(),
            Self::Typing => "a line that is typed and not sent".into(),
            Self::Client => "somebody who is using it".into(),
            Self::Process(resident) => {
                let command = words::line(&resident.command);
                match resident.because {
                    Because::Listens(port) => format!("`{command}`, which listens on port {port}"),
                    Because::Busy => format!("`{command}`, which is working"),
                    Because::Left => format!("`{command}`, which it left running"),
                }
            }
            Self::Pinned => "you pinned it".into(),
            Self::Unknown(word) => {
                format!("the engine's status `{}`, which this version doesn't know", words::line(word))
            }
        }
    }
}

impl Wait {
    /// What it waits for, in words.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Self::Permission(what) if what.is_empty() => "a permission that it asked for".into(),
            Self::Permission(what) => format!("the permission to {}", words::line(what)),
            Self::Choice(what) if what.is_empty() => "a choice that it offered".into(),
            Self::Choice(what) => format!("the choice \"{}\"", words::line(what)),
            Self::Trust => "your word on whether this folder is trusted".into(),
        }
    }
}

/// The holds that are work, named in one phrase: what an end would lose.
#[must_use]
pub fn work(holds: &[Hold]) -> Vec<String> {
    holds.iter().filter(|hold| hold.kind.is_work()).map(|hold| hold.kind.detail()).collect()
}

#[cfg(test)]
mod tests;
