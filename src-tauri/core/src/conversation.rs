//! A conversation, as far as decisions need to know it.

use crate::ids::{ConversationId, EngineName};
use crate::time::Wall;

/// What is known of a conversation that an engine keeps on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The engine's own id.
    pub id: ConversationId,
    /// Whose it is.
    pub engine: EngineName,
    /// When its last turn was. `None`: it can't be told.
    pub last_turn: Option<Wall>,
    /// How many turns a user took in it. An engine can't resume one without any.
    pub turns: u32,
    /// Tokens of its context at the last answer.
    pub context_tokens: Option<u64>,
    /// Where its transcript is.
    pub transcript: Option<String>,
    /// What there is of the transcript.
    pub on_disk: OnDisk,
}

/// What there is of a conversation's transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDisk {
    /// It has turns.
    There,
    /// It has none.
    Blank,
    /// It is there, and nobody can read what was asked in it.
    Unreadable,
    /// It isn't there, or not yet.
    Gone,
}

/// What a look into a conversation's transcript came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// This.
    Read(Conversation),
    /// It is there, and nobody can read what was asked in it.
    Unreadable,
    /// There is none.
    Nothing,
}

impl Conversation {
    /// A conversation that an engine has just begun.
    #[must_use]
    pub fn begun(id: ConversationId, engine: EngineName, transcript: Option<String>) -> Self {
        Self {
            id,
            engine,
            last_turn: None,
            turns: 0,
            context_tokens: None,
            transcript,
            on_disk: OnDisk::Gone,
        }
    }

    /// Whether its engine could bring it back after its process has ended.
    #[must_use]
    pub fn resumable(&self) -> bool {
        match self.on_disk {
            OnDisk::There => self.turns > 0,
            OnDisk::Blank | OnDisk::Unreadable | OnDisk::Gone => false,
        }
    }

    /// Why it can't be taken up though something was asked in it, in a few words.
    #[must_use]
    pub fn lost(&self) -> Option<&'static str> {
        match self.on_disk {
            OnDisk::Unreadable => Some("its file can't be read"),
            OnDisk::There | OnDisk::Blank | OnDisk::Gone if self.turns == 0 => None,
            OnDisk::Blank => Some("its file has nothing left in it that was asked"),
            OnDisk::Gone => Some("its file is gone"),
            OnDisk::There => None,
        }
    }

    /// A conversation after a look into its transcript, of which this was `known`; `begun` is one of which
    /// nothing is. What was known of one stays where its transcript doesn't show it any more: the file may be
    /// brought back.
    #[must_use]
    pub fn looked_at(known: Option<Self>, begun: Self, found: Found) -> Option<Self> {
        let transcript = begun.transcript.clone();
        let stays = |known: Self, on_disk| Self {
            on_disk,
            transcript: known.transcript.clone().or(transcript.clone()),
            ..known
        };
        match (found, known) {
            (Found::Read(read), _) if read.turns > 0 => Some(Self { on_disk: OnDisk::There, ..read }),
            (Found::Read(_), Some(known)) if known.turns > 0 => Some(stays(known, OnDisk::Blank)),
            (Found::Read(read), _) => Some(Self { on_disk: OnDisk::Blank, ..read }),
            (Found::Unreadable, known) => Some(stays(known.unwrap_or(begun), OnDisk::Unreadable)),
            (Found::Nothing, known) => known.map(|known| Self { on_disk: OnDisk::Gone, ..known }),
        }
    }
}

/// A conversation that was begun as a copy of another. An engine writes it only with the first ask in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The copy.
    pub copy: ConversationId,
    /// What it is a copy of.
    pub of: ConversationId,
}

/// What decisions need to know of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    /// Its name.
    pub name: EngineName,
    /// How people call it: "Claude Code".
    pub title: String,
    /// Whether it keeps conversations that can be resumed.
    pub keeps_conversations: bool,
    /// Whether it can begin a conversation as a copy of another.
    pub copies: bool,
}

/// What becomes of a repo's conversation once its process has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeps {
    /// Its engine takes it up again.
    PickedUp,
    /// It stays on disk. As its engine is set now, it isn't taken up: the engine would lose it so.
    Listed(Loss),
    /// Its engine keeps none.
    Nothing,
}

impl Keeps {
    /// Whether Resume brings this conversation back.
    #[must_use]
    pub fn brings_back(&self, conversation: &Conversation) -> bool {
        match self {
            Self::PickedUp => conversation.resumable(),
            Self::Listed(_) | Self::Nothing => false,
        }
    }
}

impl Engine {
    /// What becomes of its conversations, where it would lose one so by taking it up.
    #[must_use]
    pub fn keeps(&self, loss: Option<&Loss>) -> Keeps {
        match (self.keeps_conversations, loss) {
            (false, _) => Keeps::Nothing,
            (true, Some(loss)) => Keeps::Listed(loss.clone()),
            (true, None) => Keeps::PickedUp,
        }
    }
}

/// A conversation would be lost by taking it up: as its engine is set, the engine would delete it then, or
/// later because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// How people call the engine.
    pub engine: String,
    /// What its user can do so that it doesn't, as a sentence without its full stop.
    pub remedy: String,
}

impl Loss {
    /// What would happen.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} would delete the conversation if it were resumed", self.engine)
    }

    /// The same of a conversation whose process has ended, with what to do about it.
    #[must_use]
    pub fn kept(&self) -> String {
        format!("The conversation stays on disk, but {}. {}", self.words(), self.hint())
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        format!("{}, and it can be.", self.remedy)
    }
}

/// A program outside Repose that has a conversation open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Its process.
    pub pid: u32,
    /// The terminal it runs in, if it has one: `/dev/pts/3`.
    pub terminal: Option<String>,
    /// Its command line. `None`: it can't be told.
    pub command: Option<String>,
}

#[cfg(test)]
mod tests;
