//! What decisions need to know of a conversation.

use crate::ids::{ConversationId, EngineName};
use crate::time::Wall;

/// What is known of a conversation that an engine keeps on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The id that the engine gave it.
    pub id: ConversationId,
    /// The engine it belongs to.
    pub engine: EngineName,
    /// When its last turn was. `None`: unknown.
    pub last_turn: Option<Wall>,
    /// The turns that a user took in it. An engine can't resume one that has none.
    pub turns: Turns,
    /// The tokens in its context at the last answer. `None`: unknown.
    pub context_tokens: Option<u64>,
    /// Where it is kept. `None`: unknown.
    pub transcript: Option<Transcript>,
    /// The state of the transcript on disk.
    pub on_disk: OnDisk,
}

/// Where an engine keeps a conversation: a file, or a database that has others in it too. Only that engine can read
/// it, so there is no path for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    of: EngineName,
    path: String,
}

impl Transcript {
    /// What the engine `of` keeps at `path`.
    #[must_use]
    pub fn new(of: EngineName, path: String) -> Self {
        Self { of, path }
    }

    /// The path for `reader` to read. `None`: another engine keeps it.
    #[must_use]
    pub fn for_reader(&self, reader: &EngineName) -> Option<&str> {
        (self.of == *reader).then_some(self.path.as_str())
    }

    /// The path, to be shown or stored.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.path
    }
}

/// The turns that a user took in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turns {
    /// So many.
    Counted(u32),
    /// There are some, and nothing shows how many.
    Uncounted,
}

impl Turns {
    /// No turn.
    pub const NONE: Self = Self::Counted(0);

    /// Whether there are some.
    #[must_use]
    pub fn any(self) -> bool {
        self != Self::NONE
    }

    /// How many. `None`: there are some, and nothing shows how many.
    #[must_use]
    pub fn counted(self) -> Option<u32> {
        match self {
            Self::Counted(number) => Some(number),
            Self::Uncounted => None,
        }
    }
}

/// The state of a conversation's transcript on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDisk {
    /// It exists and holds turns.
    There,
    /// It exists and holds no turn.
    Blank,
    /// It exists, but what was asked in it can't be read.
    Unreadable,
    /// It doesn't exist, or not yet.
    Gone,
}

/// The result of looking into a conversation's transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The conversation that was read.
    Read(Conversation),
    /// The transcript exists, but what was asked in it can't be read.
    Unreadable,
    /// There is no transcript.
    Nothing,
}

impl Conversation {
    /// A conversation that an engine has just begun. `transcript`: the path where it keeps it.
    #[must_use]
    pub fn begun(id: ConversationId, engine: EngineName, transcript: Option<String>) -> Self {
        let transcript = transcript.map(|path| Transcript::new(engine.clone(), path));
        Self {
            id,
            engine,
            last_turn: None,
            turns: Turns::NONE,
            context_tokens: None,
            transcript,
            on_disk: OnDisk::Gone,
        }
    }

    /// Whether its engine could resume it after its process has ended.
    #[must_use]
    pub fn resumable(&self) -> bool {
        match self.on_disk {
            OnDisk::There => self.turns.any(),
            OnDisk::Blank | OnDisk::Unreadable | OnDisk::Gone => false,
        }
    }

    /// Whether it ended before anything was asked in it, so that its engine kept nothing: a copy, for example, of which
    /// another was made.
    #[must_use]
    pub fn never_was(&self) -> bool {
        match self.on_disk {
            OnDisk::Gone => !self.turns.any(),
            OnDisk::There | OnDisk::Blank | OnDisk::Unreadable => false,
        }
    }

    /// Why it can't be resumed although something was asked in it, in a few words. `None`: it can.
    #[must_use]
    pub fn lost(&self) -> Option<&'static str> {
        match self.on_disk {
            OnDisk::Unreadable => Some("its file can't be read"),
            OnDisk::There | OnDisk::Blank | OnDisk::Gone if !self.turns.any() => None,
            OnDisk::Blank => Some("its file has nothing left in it that was asked"),
            OnDisk::Gone => Some("its file is gone"),
            OnDisk::There => None,
        }
    }

    /// The conversation after a look into its transcript. `known` is what was known before, `begun` a
    /// conversation of which nothing is known. What was known is kept if the transcript no longer shows it:
    /// the file may be brought back.
    #[must_use]
    pub fn looked_at(known: Option<Self>, begun: Self, found: Found) -> Option<Self> {
        let transcript = begun.transcript.clone();
        let stays = |known: Self, on_disk| Self {
            on_disk,
            transcript: known.transcript.clone().or(transcript.clone()),
            ..known
        };
        match (found, known) {
            (Found::Read(read), _) if read.turns.any() => Some(Self { on_disk: OnDisk::There, ..read }),
            (Found::Read(_), Some(known)) if known.turns.any() => Some(stays(known, OnDisk::Blank)),
            (Found::Read(read), _) => Some(Self { on_disk: OnDisk::Blank, ..read }),
            (Found::Unreadable, known) => Some(stays(known.unwrap_or(begun), OnDisk::Unreadable)),
            (Found::Nothing, known) => known.map(|known| Self { on_disk: OnDisk::Gone, ..known }),
        }
    }
}

/// A conversation that was begun as a copy of another. An engine writes a copy to disk only with its first
/// prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The id of the copy.
    pub id: ConversationId,
    /// The id of the original.
    pub of: ConversationId,
}

/// What decisions need to know of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    /// The engine's name.
    pub name: EngineName,
    /// The engine's display name, such as "Claude Code".
    pub title: String,
    /// Whether it keeps conversations that can be resumed.
    pub keeps_conversations: bool,
    /// Whether it can begin a conversation as a copy of another.
    pub forks: bool,
}

/// What happens to a repo's conversation once its process has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeps {
    /// The next open can resume it.
    PickedUp,
    /// It stays on disk but isn't resumed, because the engine as configured would lose it that way.
    Listed(Loss),
    /// Nothing stays: the engine keeps no conversations.
    Nothing,
}

impl Keeps {
    /// Whether Resume brings back this conversation.
    #[must_use]
    pub fn brings_back(&self, conversation: &Conversation) -> bool {
        match self {
            Self::PickedUp => conversation.resumable(),
            Self::Listed(_) | Self::Nothing => false,
        }
    }
}

impl Engine {
    /// What happens to its conversations after an end. `loss`: how it would lose one by resuming it.
    #[must_use]
    pub fn keeps(&self, loss: Option<&Loss>) -> Keeps {
        match (self.keeps_conversations, loss) {
            (false, _) => Keeps::Nothing,
            (true, Some(loss)) => Keeps::Listed(loss.clone()),
            (true, None) => Keeps::PickedUp,
        }
    }
}

/// How a conversation would be lost by resuming it: the engine, as configured, would delete it then or later
/// as a consequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The engine's display name.
    pub engine: String,
    /// What the user can do about it, as a sentence without its full stop.
    pub remedy: String,
}

impl Loss {
    /// What would happen, as a sentence without its full stop.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} would delete the conversation if it were resumed", self.engine)
    }

    /// What would happen to a conversation whose process has ended, and what to do about it.
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
    /// Its process id.
    pub pid: u32,
    /// The terminal it runs in, if it has one: `/dev/pts/3`.
    pub terminal: Option<String>,
    /// Its command line. `None`: unknown.
    pub command: Option<String>,
}

#[cfg(test)]
mod tests;
