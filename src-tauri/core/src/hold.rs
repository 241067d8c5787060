//! Reasons why a live engine must not be let go now.

use crate::signal::Wait;
use crate::time::Wall;
use crate::words;

/// One reason, and since when it has applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// Since when it has applied.
    pub since: Wall,
    /// The reason.
    pub kind: Kind,
    /// When the turn began that it came up in and that shows as nothing else: an engine that waits for a decision
    /// doesn't show its turn. `None`: there is no such turn, or an older holder doesn't say.
    pub turn: Option<Wall>,
}

impl Hold {
    /// A reason beside which a turn would show by itself.
    #[must_use]
    pub fn new(since: Wall, kind: Kind) -> Self {
        Self { since, kind, turn: None }
    }

    /// When the turn began that it stands for.
    #[must_use]
    pub fn turn(&self) -> Option<Wall> {
        match &self.kind {
            Kind::Turn => Some(self.since),
            Kind::Waiting(_) | Kind::Unknown(_) => self.turn,
            Kind::Background(_)
            | Kind::Wakeup(_)
            | Kind::Ask
            | Kind::Typing
            | Kind::Client
            | Kind::Process(_)
            | Kind::Pinned
            | Kind::Unseen(_) => None,
        }
    }
}

/// The reasons to hold an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A turn is in progress.
    Turn,
    /// Work that the engine runs beyond its turns.
    Background(Task),
    /// The engine will wake itself.
    Wakeup(Task),
    /// The engine waits for a decision.
    Waiting(Wait),
    /// Somebody asked and has no answer yet.
    Ask,
    /// Something has been typed and not sent.
    Typing,
    /// Somebody has the repo in view and used it in the last few minutes.
    Client,
    /// A process of the tree works or listens, and didn't exist when the engine became ready.
    Process(Resident),
    /// The user pinned it.
    Pinned,
    /// The engine reports something that this version of Repose doesn't know.
    Unknown(String),
    /// What it does can't be seen from here, and why.
    Unseen(String),
}

/// A piece of background work that an engine lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The engine's id for it.
    pub id: String,
    /// What it is, in the engine's words: a command, a description, a schedule.
    pub what: String,
    /// Whether it is a process below the engine's, so that the engine's level tells whether any runs.
    pub process: bool,
}

/// A process in an engine's tree that counts as work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resident {
    /// Its process id.
    pub pid: u32,
    /// When it started, in the kernel's own count: it tells it from another process with its id. 0: an older holder
    /// doesn't say.
    pub start: u64,
    /// Its command line.
    pub command: String,
    /// Since when it has counted as work. That starts over once it didn't for a while.
    pub since: Wall,
    /// Why it counts as work.
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
            Self::Unseen(_) => "unseen",
        }
    }

    /// Whether ending the process now would lose work. A pin or an onlooker doesn't count.
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
            | Self::Unknown(_)
            | Self::Unseen(_) => true,
            Self::Client | Self::Pinned => false,
        }
    }

    /// Whether it says only that nobody can see what there is.
    #[must_use]
    pub fn is_unseen(&self) -> bool {
        match self {
            Self::Unseen(_) => true,
            Self::Turn
            | Self::Background(_)
            | Self::Wakeup(_)
            | Self::Waiting(_)
            | Self::Ask
            | Self::Typing
            | Self::Process(_)
            | Self::Unknown(_)
            | Self::Client
            | Self::Pinned => false,
        }
    }

    /// Whether the user has to act on it, because it doesn't end on its own.
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
            | Self::Unseen(_)
            | Self::Client
            | Self::Pinned => false,
        }
    }

    /// What it is about, in one line of the engine's or a program's own words: a command, a description, a question.
    /// `None`: the kind says all, or nobody said.
    #[must_use]
    pub fn subject(&self) -> Option<String> {
        let words = match self {
            Self::Background(task) | Self::Wakeup(task) => words::subject(&task.what),
            Self::Waiting(Wait::Permission(what)) => words::subject(what),
            Self::Waiting(Wait::Choice(what)) => words::subject(&words::unmarked(what)),
            Self::Process(resident) => words::subject(&resident.command),
            Self::Unknown(word) => words::subject(word),
            Self::Turn
            | Self::Waiting(Wait::Trust)
            | Self::Ask
            | Self::Typing
            | Self::Unseen(_)
            | Self::Client
            | Self::Pinned => return None,
        };
        Some(words).filter(|line| !line.is_empty())
    }

    /// What goes on beside an engine that is ready, in words that follow "ready, ".
    #[must_use]
    pub fn beside(&self) -> Option<&'static str> {
        match self {
            Self::Background(_) => Some("a background task runs"),
            Self::Wakeup(_) => Some("it will wake by itself"),
            Self::Process(_) => Some("a process runs"),
            Self::Typing => Some("something is typed"),
            Self::Turn
            | Self::Waiting(_)
            | Self::Ask
            | Self::Client
            | Self::Pinned
            | Self::Unknown(_)
            | Self::Unseen(_) => None,
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
            Self::Pinned => "your pin".into(),
            Self::Unknown(word) => {
                format!("the engine's status `{}`, which this version doesn't know", words::line(word))
            }
            Self::Unseen(why) => format!("whatever it does now, for {}", words::line(why)),
        }
    }
}

/// How the words for a permission begin.
const PERMISSION: &str = "the permission to ";
/// The words for one of which nobody knows what it is for.
const UNTOLD_PERMISSION: &str = "a permission that it asked for";

impl Wait {
    /// Whether the engine has told what it is about.
    #[must_use]
    pub fn is_told(&self) -> bool {
        match self {
            Self::Permission(what) | Self::Choice(what) => !what.is_empty(),
            Self::Trust => true,
        }
    }

    /// The subject of the wait, in words. A question is told without the marks of its Markdown.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Self::Permission(what) if what.is_empty() => UNTOLD_PERMISSION.into(),
            Self::Permission(what) => format!("{PERMISSION}{}", words::subject(what)),
            Self::Choice(what) if what.is_empty() => "a choice that it offered".into(),
            Self::Choice(what) => format!("the choice \"{}\"", words::subject(&words::unmarked(what))),
            Self::Trust => "your word on whether this folder is trusted".into(),
        }
    }

    /// Whether these are the words of [`Wait::what`] for a permission.
    #[must_use]
    pub fn is_permission(what: &str) -> bool {
        what == UNTOLD_PERMISSION || what.starts_with(PERMISSION)
    }
}

/// The holds that are work, each as a phrase: what an end would lose. An ask and the turn that answers it are
/// one piece of work, and are named once.
#[must_use]
pub fn work(holds: &[Hold]) -> Vec<String> {
    let in_turn = holds.iter().any(|hold| matches!(hold.kind, Kind::Turn | Kind::Waiting(_)));
    let named = |hold: &&Hold| hold.kind.is_work() && !(in_turn && hold.kind == Kind::Ask);
    holds.iter().filter(named).map(|hold| hold.kind.detail()).collect()
}

#[cfg(test)]
mod tests;
