//! Orders, answers and news on the wire.

use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::decision::Pick;
use repose_core::hold::Resident;
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId, SessionId};
use repose_core::session::{Fact, NotNow, Verdict, View};
use repose_core::time::Wall;
use repose_sys::ProcessId;
use repose_sys::memory::Memory;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use repose_core::session::Params;

use super::carry::{Carry, carry_enum, carry_struct};

/// The state of a holder and its session.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its build, as named in its spec.
    pub build: String,
    /// The session's id.
    pub session: SessionId,
    /// The id of the repo that the session serves.
    pub repo: RepoId,
    /// The engine's name.
    pub engine: EngineName,
    /// The holder's process id.
    pub holder_pid: u32,
    /// The engine's process id. `None`: it couldn't be started, or has ended.
    pub engine_pid: Option<u32>,
    /// When the engine was started.
    pub started: Wall,
    /// The session's view.
    pub view: View,
    /// The parameters in force.
    pub params: Params,
    /// The runner's opaque data from the spec.
    pub plan: Value,
    /// The path of the current conversation's transcript, according to the engine.
    pub transcript: Option<String>,
    /// The memory of the engine's tree and when it was measured: at most half a second before the answer to
    /// `state`.
    pub memory: Option<(Memory, Wall)>,
    /// The engine's tree at the last scan.
    pub tree: Vec<ProcessId>,
    /// Columns of the screen.
    pub cols: u16,
    /// Lines of the screen.
    pub rows: u16,
    /// The terminal's title, with printable characters only.
    pub title: Option<String>,
    /// Whether the engine's status file is watched. Otherwise it is read every 2 s.
    pub watching: bool,
    /// What prevents the journal from being written, in words.
    pub journal_trouble: Option<String>,
    /// The number of attached terminals.
    pub terminals: usize,
    /// The bytes and the lines of scrollback.
    pub scrollback: (usize, usize),
    /// The last ask that it was to type, and whether the outcome is still to be reported. `None`: there was
    /// none, or this build doesn't say.
    pub asked: Option<(AskId, bool)>,
    /// The number of the last entry in the journal. 0: there is none.
    pub last_seq: u64,
    /// How the session ended, if it has.
    pub ended: Option<Ended>,
}

/// The record of a session's end, written to its folder and the journal, and sent to everyone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Why it ended.
    pub how: How,
    /// The session's last conversation.
    pub conversation: Option<ConversationId>,
    /// The memory of the tree just before the end, which was given back if nothing is `left`. `None`: there
    /// was no process.
    pub freed: Option<Memory>,
    /// Processes that survived the end: another user's, or stuck in the kernel.
    pub left: Vec<ProcessId>,
    /// Whether the transcript's last line is complete. `None`: there is no transcript.
    pub transcript_whole: Option<bool>,
    /// The time from the order, or from the engine's own end, until the tree was verified gone.
    pub took: Duration,
    /// When it ended.
    pub at: Wall,
    /// The machine's boot in which it ended ([`repose_sys::clock::boot`]). `None`: that build or the machine
    /// doesn't say.
    pub boot: Option<String>,
}

impl Ended {
    /// Whether the machine was rebooted since: then what was left is gone, and what was freed no longer
    /// counts.
    #[must_use]
    pub fn before_this_boot(&self) -> bool {
        self.boot.is_some() && self.boot != repose_sys::clock::boot()
    }
}

/// Why a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It was let go because nobody needed it.
    Reaped {
        /// How long it had been idle.
        idle: Duration,
    },
    /// Somebody ordered its end.
    Ended,
    /// The engine ended on its own.
    Exited {
        /// Its exit code.
        code: Option<u32>,
        /// The signal that ended it.
        signal: Option<u32>,
        /// The last lines on its screen.
        words: String,
    },
    /// The engine couldn't be started.
    Failed {
        /// The reason, in words.
        words: String,
    },
}

/// An entry of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A fact that the session reported.
    Fact(Fact),
    /// The session is over. This is the last entry.
    Ended(Ended),
}

/// An entry of the journal with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// Its number. The first entry has 1, and each further one is one higher.
    pub seq: u64,
    /// When it was written.
    pub at: Wall,
    /// The entry.
    pub entry: Entry,
}

/// News that a holder sends unrequested.
#[derive(Debug, Clone, PartialEq)]
pub enum Pushed {
    /// A new entry of the journal. The end of the session is also reported this way.
    Journal(Numbered),
    /// The session's new view.
    View(View),
}

/// The outcome of an order to submit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submitted {
    /// The ask is being typed. The outcome is reported as [`Fact::Taken`], [`Fact::NotTaken`] or
    /// [`Fact::GivenBack`].
    Accepted,
    /// It can't be typed now.
    NotNow(NotNow),
    /// It can't be typed at all, for the reason in this sentence.
    Unfit(String),
}

/// The hello of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attach {
    /// Its columns, clamped to 1 to 500.
    pub cols: u16,
    /// Its lines, clamped to 1 to 200.
    pub rows: u16,
    /// Whether it wants the scrollback; it is reset before it gets it. A person's own terminal keeps its own
    /// scrollback and gets only the screen.
    pub scrollback: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) cols: u16,
    pub(crate) rows: u16,
}

/// An order. The answer carries the same number.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Asked<T> {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) op: T,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Op {
    Hello {
        protocol: u32,
        build: String,
    },
    State,
    JournalFrom {
        seq: u64,
    },
    Freeze {
        interrupt: bool,
        must_resume: bool,
        /// When it was ordered, in milliseconds on the machine's monotonic clock. An older runner doesn't
        /// send it.
        #[serde(default)]
        ordered: u64,
    },
    End {
        /// The freeze that it follows; it is refused if that has lapsed. An older runner doesn't send it.
        #[serde(default)]
        freeze: Option<u64>,
    },
    Thaw,
    Submit {
        ask: String,
        text: String,
    },
    Interrupt,
    Decide {
        decision: String,
        pick: <Pick as Carry>::Wire,
    },
    Lease {
        lease: <repose_core::session::Lease as Carry>::Wire,
        held: bool,
    },
    Params {
        params: <Params as Carry>::Wire,
    },
    Evict {
        over: <Excess as Carry>::Wire,
    },
    Memory,
    Scan,
    Commit {
        seq: u64,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ok: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Refusal>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

/// The answer to an order.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Hello(Begin),
    State(Box<State>),
    Journal(Vec<Numbered>),
    Gap(Box<State>),
    Verdict(Verdict),
    Ended(Ended),
    Submitted(Submitted),
    Memory(Memory),
    Residents(Vec<Resident>),
    /// Whether the decision was still open.
    Decided(bool),
    Done,
}

/// The first message of a connection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Begin {
    pub(crate) protocol: u32,
    pub(crate) build: String,
}

#[derive(Debug, Clone)]
pub(crate) enum Push {
    Journal(Numbered),
    View(View),
}

carry_struct!(State as StateWire {
    protocol: u32,
    build: String,
    session: SessionId,
    repo: RepoId,
    engine: EngineName,
    holder_pid: u32,
    engine_pid: Option<u32>,
    started: Wall,
    view: View,
    params: Params,
    plan: Value,
    transcript: Option<String>,
    memory: Option<(Memory, Wall)>,
    tree: Vec<ProcessId>,
    cols: u16,
    rows: u16,
    title: Option<String>,
    watching: bool,
    journal_trouble: Option<String>,
    terminals: usize,
    scrollback: (usize, usize),
    #[serde(default)]
    asked: Option<(AskId, bool)>,
    last_seq: u64,
    ended: Option<Ended>,
});
carry_struct!(Ended as EndedWire {
    how: How,
    conversation: Option<ConversationId>,
    freed: Option<Memory>,
    left: Vec<ProcessId>,
    transcript_whole: Option<bool>,
    took: Duration,
    at: Wall,
    #[serde(default)]
    boot: Option<String>,
});
carry_enum!(How as HowWire {
    Ended,;
    ;
    Reaped { idle: Duration },
    Exited { code: Option<u32>, signal: Option<u32>, words: String },
    Failed { words: String },
});
carry_enum!(Entry as EntryWire { ; Fact(Fact), Ended(Ended),; });
carry_struct!(Numbered as NumberedWire { seq: u64, at: Wall, entry: Entry });
carry_enum!(Submitted as SubmittedWire { Accepted,; NotNow(NotNow), Unfit(String),; });
carry_enum!(Push as PushWire { ; Journal(Numbered), View(View),; });

impl<A: Carry, B: Carry> Carry for (A, B) {
    type Wire = (A::Wire, B::Wire);

    fn out(&self) -> Self::Wire {
        (self.0.out(), self.1.out())
    }

    fn back((a, b): Self::Wire) -> Self {
        (A::back(a), B::back(b))
    }
}

impl Answer {
    /// The answer as JSON.
    pub(crate) fn json(&self) -> Value {
        let value = match self {
            Self::Hello(begin) => serde_json::to_value(begin),
            Self::State(state) => serde_json::to_value(state.out()),
            Self::Journal(entries) => Ok(serde_json::json!({ "entries": entries.out() })),
            Self::Gap(state) => Ok(serde_json::json!({ "gap": state.out() })),
            Self::Verdict(verdict) => serde_json::to_value(verdict.out()),
            Self::Ended(ended) => serde_json::to_value(ended.out()),
            Self::Submitted(submitted) => serde_json::to_value(submitted.out()),
            Self::Memory(memory) => serde_json::to_value(memory.out()),
            Self::Residents(residents) => serde_json::to_value(residents.out()),
            Self::Decided(stood) => Ok(Value::Bool(*stood)),
            Self::Done => Ok(Value::Bool(true)),
        };
        value.unwrap_or_default()
    }
}

impl From<Push> for Pushed {
    fn from(push: Push) -> Self {
        match push {
            Push::Journal(entry) => Self::Journal(entry),
            Push::View(view) => Self::View(view),
        }
    }
}

#[cfg(test)]
mod tests;
