//! Whether an open resumes a conversation or begins a new one, and why.
//!
//! [`decide`] says what an open should ask of the engine; [`confirm`] says what happened, from what the
//! engine confirmed. Only the second is ever reported to anybody.

use std::time::Duration;

use crate::conversation::{Conversation, Engine, Keeps, Loss, OnDisk};
use crate::ids::ConversationId;
use crate::signal::Source;
use crate::time::Wall;
use crate::words;

/// What whoever opens a repo asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Nothing particular: the window decides.
    Nothing,
    /// The same conversation, at any age.
    Resume,
    /// A copy of the same conversation, at any age.
    Fork,
    /// A new one.
    Fresh,
}

/// What to ask of the engine in an open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Resume this conversation.
    Resume {
        /// The conversation's id.
        conversation: ConversationId,
        /// How long ago its last turn was. `None`: unknown.
        idle: Option<Duration>,
    },
    /// Begin a copy of this conversation, which stays as it is.
    Fork {
        /// The id of the conversation to copy.
        conversation: ConversationId,
        /// How long ago its last turn was. `None`: unknown.
        idle: Option<Duration>,
    },
    /// Begin a new conversation, for this reason.
    Fresh(Reason),
}

/// Why a conversation is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The user asked for it.
    AskedFor,
    /// The engine keeps no conversations.
    EngineKeepsNone {
        /// The engine's display name.
        engine: String,
    },
    /// There was no previous conversation.
    First,
    /// The previous conversation belongs to another engine.
    EngineSwitched {
        /// That engine's display name.
        from: String,
    },
    /// Nothing was ever asked in the previous conversation, so its engine kept nothing.
    NeverGotATurn,
    /// The time of the previous conversation's last turn is unknown.
    AgeUnknown,
    /// The previous conversation is older than the window.
    TooOld {
        /// The time since its last turn.
        age: Duration,
    },
    /// The previous conversation's transcript is no longer on this machine.
    FileGone,
    /// The previous conversation's transcript exists and can't be read.
    FileUnreadable {
        /// The transcript's path, if known.
        file: Option<String>,
    },
    /// The previous conversation's transcript exists but holds no prompt, although something was asked.
    FileBlank {
        /// The transcript's path, if known.
        file: Option<String>,
    },
    /// The engine would lose the previous conversation by resuming it.
    WouldBeLost(Loss),
    /// A copy was wanted, and the engine can't make one.
    EngineCopiesNone {
        /// The engine's display name.
        engine: String,
    },
    /// The engine was asked to resume and began a new conversation instead.
    EngineStartedNew,
    /// The engine was asked to resume and said that it doesn't know the conversation.
    EngineLostIt,
}

impl Plan {
    /// The same plan, with ages as of this long after it was made.
    #[must_use]
    pub fn confirmed_after(&self, waited: Duration) -> Self {
        let later = |idle: &Option<Duration>| idle.map(|idle| idle.saturating_add(waited));
        match self {
            Self::Resume { conversation, idle } => {
                Self::Resume { conversation: conversation.clone(), idle: later(idle) }
            }
            Self::Fork { conversation, idle } => {
                Self::Fork { conversation: conversation.clone(), idle: later(idle) }
            }
            Self::Fresh(reason) => Self::Fresh(reason.clone()),
        }
    }
}

/// The statement of an open: what it did, as the engine confirmed it. An engine that goes over to another conversation
/// makes one too: whoever asks next would otherwise take it for the conversation of before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuity {
    /// Whether it resumed a conversation, continued in a copy, or began a new one.
    pub outcome: Outcome,
    /// Interrupted work that this open names, in words.
    pub interrupted: Vec<String>,
    /// When the engine confirmed the conversation.
    pub at: Wall,
}

/// How an open began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The previous conversation goes on.
    Resumed {
        /// How long ago its last turn was. `None`: unknown.
        idle: Option<Duration>,
    },
    /// A copy of the previous conversation goes on.
    Forked {
        /// How long ago the original's last turn was. `None`: unknown.
        idle: Option<Duration>,
    },
    /// A new conversation began, for this reason.
    Fresh(Reason),
    /// The engine went over to another conversation while it was live, by a command of its own.
    WentOver {
        /// Whether the engine said that it picked up an earlier one, or a copy. Not every engine tells that from a new
        /// one.
        picked_up: bool,
    },
}

impl Outcome {
    /// What it is that a live engine reports another conversation, which came to be open like this. `None`: it goes on
    /// with the same one under another id, or names the one that it began.
    #[must_use]
    pub fn of_another(source: &Source) -> Option<Self> {
        match source {
            Source::Resumed | Source::Forked => Some(Self::WentOver { picked_up: true }),
            Source::Cleared | Source::Unsaid => Some(Self::WentOver { picked_up: false }),
            Source::New | Source::Compacted => None,
        }
    }
}

/// A repo's conversation before an open.
#[derive(Debug, Clone, Copy)]
pub struct Previous<'a> {
    /// The conversation as it is on disk.
    pub conversation: &'a Conversation,
    /// The display name of its engine, which may differ from the repo's.
    pub with: &'a str,
}

/// What to ask of `engine` for a repo whose current conversation is `previous`. `loss`: how the engine would
/// lose it by resuming it.
#[must_use]
pub fn decide(
    previous: Option<Previous<'_>>,
    engine: &Engine,
    loss: Option<&Loss>,
    asked: Asked,
    window: Duration,
    now: Wall,
) -> Plan {
    if asked == Asked::Fresh {
        return Plan::Fresh(Reason::AskedFor);
    }
    let keeps = engine.keeps(loss);
    if keeps == Keeps::Nothing {
        return Plan::Fresh(Reason::EngineKeepsNone { engine: engine.title.clone() });
    }
    let Some(Previous { conversation: previous, with }) = previous else {
        return Plan::Fresh(Reason::First);
    };
    if previous.engine != engine.name {
        return Plan::Fresh(Reason::EngineSwitched { from: with.to_owned() });
    }
    let file = || previous.transcript.as_ref().map(|file| file.shown().to_owned());
    match previous.on_disk {
        OnDisk::Unreadable => return Plan::Fresh(Reason::FileUnreadable { file: file() }),
        OnDisk::There | OnDisk::Blank | OnDisk::Gone if !previous.turns.any() => {
            return Plan::Fresh(Reason::NeverGotATurn);
        }
        OnDisk::Blank => return Plan::Fresh(Reason::FileBlank { file: file() }),
        OnDisk::Gone => return Plan::Fresh(Reason::FileGone),
        OnDisk::There => {}
    }
    // If the clock was set back, the age is unknown; for the window it then counts as recent.
    let idle = previous.last_turn.and_then(|last| now.age_of(last));
    let age = previous.last_turn.map(|last| now.since(last));
    let resume = Plan::Resume { conversation: previous.id.clone(), idle };
    let plan = match (asked, age) {
        (Asked::Resume, _) => resume,
        (Asked::Fork, _) if !engine.forks => {
            Plan::Fresh(Reason::EngineCopiesNone { engine: engine.title.clone() })
        }
        (Asked::Fork, _) => Plan::Fork { conversation: previous.id.clone(), idle },
        (Asked::Nothing | Asked::Fresh, None) => Plan::Fresh(Reason::AgeUnknown),
        (Asked::Nothing | Asked::Fresh, Some(age)) if age >= window => Plan::Fresh(Reason::TooOld { age }),
        (Asked::Nothing | Asked::Fresh, Some(_)) => resume,
    };
    match (plan, keeps) {
        (Plan::Resume { .. } | Plan::Fork { .. }, Keeps::Listed(loss)) => {
            Plan::Fresh(Reason::WouldBeLost(loss))
        }
        (plan, Keeps::PickedUp | Keeps::Listed(_) | Keeps::Nothing) => plan,
    }
}

/// The result of an open, from what the engine confirmed.
#[must_use]
pub fn confirm(plan: &Plan, conversation: Option<&ConversationId>, source: &Source) -> Outcome {
    match plan {
        Plan::Fresh(reason) => Outcome::Fresh(reason.clone()),
        Plan::Fork { conversation: from, idle } => {
            if *source == Source::Forked && conversation.is_some_and(|new| new != from) {
                Outcome::Forked { idle: *idle }
            } else {
                Outcome::Fresh(Reason::EngineStartedNew)
            }
        }
        Plan::Resume { conversation: wanted, idle } => {
            let resumed = match source {
                // An engine that couldn't resume it would report another id.
                Source::Resumed | Source::Compacted | Source::Unsaid => true,
                Source::New | Source::Cleared | Source::Forked => false,
            };
            if resumed && conversation == Some(wanted) {
                Outcome::Resumed { idle: *idle }
            } else {
                Outcome::Fresh(Reason::EngineStartedNew)
            }
        }
    }
}

impl Reason {
    /// Whether the conversation's own file is in the way: it may be brought back.
    #[must_use]
    pub fn is_of_its_file(&self) -> bool {
        match self {
            Self::FileGone | Self::FileUnreadable { .. } | Self::FileBlank { .. } => true,
            Self::AskedFor
            | Self::EngineKeepsNone { .. }
            | Self::First
            | Self::EngineSwitched { .. }
            | Self::NeverGotATurn
            | Self::AgeUnknown
            | Self::TooOld { .. }
            | Self::WouldBeLost(_)
            | Self::EngineCopiesNone { .. }
            | Self::EngineStartedNew
            | Self::EngineLostIt => false,
        }
    }
}

impl Continuity {
    /// `resumed` or `fresh`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.outcome {
            Outcome::Resumed { .. } | Outcome::Forked { .. } | Outcome::WentOver { picked_up: true } => {
                "resumed"
            }
            Outcome::Fresh(_) | Outcome::WentOver { picked_up: false } => "fresh",
        }
    }

    /// The reason's name on every surface.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match &self.outcome {
            Outcome::Resumed { .. } => "resumed",
            Outcome::Forked { .. } => "forked",
            Outcome::Fresh(reason) => reason.code(),
            Outcome::WentOver { .. } => "went_over",
        }
    }

    /// The statement, in the words of every surface.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut sentence = match &self.outcome {
            Outcome::Resumed { idle: Some(idle) } => {
                format!("Picked up this repo's previous conversation, last used {} ago.", words::span(*idle))
            }
            Outcome::Resumed { idle: None } => {
                "Picked up this repo's previous conversation, last used at an unknown time.".into()
            }
            Outcome::Forked { idle } => {
                let when =
                    idle.map_or("at an unknown time".into(), |idle| format!("{} ago", words::span(idle)));
                format!(
                    "Picked up this repo's previous conversation as a copy of its own, last used {when}; the other stays as it is."
                )
            }
            Outcome::Fresh(reason) => format!("Started fresh: {}.", reason.words()),
            Outcome::WentOver { picked_up: true } => {
                "Went over to an earlier conversation, or a copy, by a command in the agent's terminal."
                    .into()
            }
            Outcome::WentOver { picked_up: false } => {
                "Went over to another conversation than the one before, by a command in the agent's terminal."
                    .into()
            }
        };
        if !self.interrupted.is_empty() {
            sentence.push_str(&format!(
                " Left unfinished when it was ended: {}.",
                words::list(&self.interrupted)
            ));
        }
        sentence
    }
}

impl Reason {
    /// The reason's name on every surface.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::AskedFor => "asked_for",
            Self::EngineKeepsNone { .. } => "engine_keeps_none",
            Self::First => "first",
            Self::EngineSwitched { .. } => "engine_switched",
            Self::NeverGotATurn => "never_got_a_turn",
            Self::AgeUnknown => "age_unknown",
            Self::TooOld { .. } => "too_old",
            Self::FileGone => "file_gone",
            Self::FileUnreadable { .. } => "file_unreadable",
            Self::FileBlank { .. } => "file_blank",
            Self::WouldBeLost(_) => "would_be_lost",
            Self::EngineCopiesNone { .. } => "engine_copies_none",
            Self::EngineStartedNew => "engine_started_new",
            Self::EngineLostIt => "engine_lost_it",
        }
    }

    pub(crate) fn words(&self) -> String {
        match self {
            Self::AskedFor => "you asked for a fresh start".into(),
            Self::EngineKeepsNone { engine } => format!("{engine} keeps no conversation"),
            Self::First => "this is the first conversation in this repo".into(),
            Self::EngineSwitched { from } => format!("the previous conversation was with {from}"),
            Self::NeverGotATurn => "nothing was ever asked in the previous conversation".into(),
            Self::AgeUnknown => "how old the previous conversation is can't be told".into(),
            Self::TooOld { age } => format!("the previous conversation was {} old", words::span(*age)),
            Self::FileGone => "the previous conversation's file is gone from this machine".into(),
            Self::FileUnreadable { file } => {
                format!("the previous conversation's file can't be read{}", named(file.as_deref()))
            }
            Self::FileBlank { file } => {
                let named = named(file.as_deref());
                format!("the previous conversation's file has nothing left in it that was asked{named}")
            }
            Self::WouldBeLost(Loss { engine, remedy }) => format!(
                "{engine} would delete the previous conversation if it were resumed. {remedy}, and it can be"
            ),
            Self::EngineCopiesNone { engine } => format!("{engine} can't begin a copy of a conversation"),
            Self::EngineStartedNew => "asked to resume, the engine started a new conversation".into(),
            Self::EngineLostIt => "the engine doesn't know the previous conversation any more".into(),
        }
    }
}

fn named(file: Option<&str>) -> String {
    file.map_or(String::new(), |file| format!(" ({file})"))
}

#[cfg(test)]
mod tests;
