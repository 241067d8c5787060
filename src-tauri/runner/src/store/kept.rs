//! How the core's values, which have no serialisation, are stored: each has a serialisable twin.

use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::continuity::{Continuity, Outcome, Plan, Reason};
use repose_core::conversation::{Loss, OnDisk, Turns};
use repose_core::ids::{AskId, ConversationId};
use repose_core::memory::Measured;
use repose_core::repo::{Freed, Purpose};
use repose_core::time::{Wall, millis};
use repose_core::trouble::{Code, Trouble};
use repose_core::work::{Named, OnWork};
use serde::{Deserialize, Serialize};

use super::error::Fault;

/// A number as SQLite stores it. One that doesn't fit (292 million years, 9 exabytes) is stored as the
/// largest.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The inverse of [`int`].
pub(super) fn nat(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A value with its twin.
pub(super) trait Kept: Sized {
    type Twin: Serialize + for<'de> Deserialize<'de>;

    fn out(&self) -> Self::Twin;

    fn back(twin: Self::Twin) -> Self;
}

pub(super) fn to_json<K: Kept>(value: &K) -> Result<String, Fault> {
    Ok(serde_json::to_string(&value.out())?)
}

pub(super) fn from_json<K: Kept>(json: &str) -> Result<K, Fault> {
    Ok(K::back(serde_json::from_str(json)?))
}

/// A purpose as two columns: its name and its target.
pub(super) fn purpose_out(purpose: &Purpose) -> (&'static str, Option<&str>) {
    match purpose {
        Purpose::Pause => ("pause", None),
        Purpose::Stop => ("stop", None),
        Purpose::Fresh => ("fresh", None),
        Purpose::Fork(conversation) => ("fork", conversation.as_ref().map(ConversationId::as_str)),
        Purpose::FreshAsk(ask) => ("fresh_ask", Some(ask.as_str())),
        Purpose::Switch(conversation) => ("switch", Some(conversation.as_str())),
        Purpose::Remove => ("remove", None),
    }
}

/// The inverse of [`purpose_out`].
pub(super) fn purpose_back(name: &str, target: Option<String>) -> Result<Purpose, Fault> {
    Ok(match (name, target) {
        ("pause", _) => Purpose::Pause,
        ("stop", _) => Purpose::Stop,
        ("fresh", _) => Purpose::Fresh,
        ("fresh_ask", Some(ask)) => Purpose::FreshAsk(AskId::new(ask)),
        ("switch", Some(conversation)) => Purpose::Switch(ConversationId::new(conversation)),
        ("fork", conversation) => Purpose::Fork(conversation.map(ConversationId::new)),
        ("remove", _) => Purpose::Remove,
        (other, _) => return Err(Fault::Unreadable(format!("an order `{other}` is unknown"))),
    })
}

/// What an order may cut off, as two columns: whether that is any work, and otherwise which.
pub(super) fn on_work_out(on_work: &OnWork) -> (bool, Option<String>) {
    match on_work {
        OnWork::Refuse => (false, None),
        OnWork::InterruptAtMost(named) => (false, named.text()),
        OnWork::Interrupt => (true, None),
    }
}

/// The inverse of [`on_work_out`].
pub(super) fn on_work_back(any: bool, named: Option<String>) -> OnWork {
    match (any, named) {
        (true, _) => OnWork::Interrupt,
        (false, Some(named)) => OnWork::InterruptAtMost(Named::from_text(&named)),
        (false, None) => OnWork::Refuse,
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct FreedTwin {
    bytes: u64,
    processes: u32,
    pss: bool,
    took_ms: u64,
}

impl Kept for Freed {
    type Twin = FreedTwin;

    fn out(&self) -> FreedTwin {
        let Self { bytes, processes, measured, took_ms } = *self;
        FreedTwin { bytes, processes, pss: measured == Measured::Pss, took_ms }
    }

    fn back(FreedTwin { bytes, processes, pss, took_ms }: FreedTwin) -> Self {
        let measured = if pss { Measured::Pss } else { Measured::Rss };
        Self { bytes, processes, measured, took_ms }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ExcessTwin {
    Memory { budget: u64 },
    Live { max: u32 },
    Pressure,
}

impl Kept for Excess {
    type Twin = ExcessTwin;

    fn out(&self) -> ExcessTwin {
        match *self {
            Self::Memory { budget } => ExcessTwin::Memory { budget },
            Self::Live { max } => ExcessTwin::Live { max },
            Self::Pressure => ExcessTwin::Pressure,
        }
    }

    fn back(twin: ExcessTwin) -> Self {
        match twin {
            ExcessTwin::Memory { budget } => Self::Memory { budget },
            ExcessTwin::Live { max } => Self::Live { max },
            ExcessTwin::Pressure => Self::Pressure,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct TroubleTwin {
    code: String,
    sentence: String,
    hints: Vec<String>,
}

impl Kept for Trouble {
    type Twin = TroubleTwin;

    fn out(&self) -> TroubleTwin {
        // What an order was refused for is nobody's question any more when this is read back.
        let Self { code, sentence, hints, named: _, about: _ } = self;
        TroubleTwin { code: code.as_str().into(), sentence: sentence.clone(), hints: hints.clone() }
    }

    fn back(TroubleTwin { code, sentence, hints }: TroubleTwin) -> Self {
        // A code that no longer exists: sentence and hints still tell what is to be told.
        Self::new(Code::from_name(&code).unwrap_or(Code::Internal), sentence, hints)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub(super) enum ReasonTwin {
    AskedFor,
    EngineKeepsNone { engine: String },
    First,
    EngineSwitched { from: String },
    NeverGotATurn,
    AgeUnknown,
    TooOld { age_ms: u64 },
    FileGone,
    FileUnreadable { file: Option<String> },
    FileBlank { file: Option<String> },
    WouldBeLost { engine: String, remedy: String },
    EngineCopiesNone { engine: String },
    EngineStartedNew,
    EngineLostIt,
}

impl Kept for Reason {
    type Twin = ReasonTwin;

    fn out(&self) -> ReasonTwin {
        match self {
            Self::AskedFor => ReasonTwin::AskedFor,
            Self::EngineKeepsNone { engine } => ReasonTwin::EngineKeepsNone { engine: engine.clone() },
            Self::First => ReasonTwin::First,
            Self::EngineSwitched { from } => ReasonTwin::EngineSwitched { from: from.clone() },
            Self::NeverGotATurn => ReasonTwin::NeverGotATurn,
            Self::AgeUnknown => ReasonTwin::AgeUnknown,
            Self::TooOld { age } => ReasonTwin::TooOld { age_ms: millis(*age) },
            Self::FileGone => ReasonTwin::FileGone,
            Self::FileUnreadable { file } => ReasonTwin::FileUnreadable { file: file.clone() },
            Self::FileBlank { file } => ReasonTwin::FileBlank { file: file.clone() },
            Self::WouldBeLost(Loss { engine, remedy }) => {
                ReasonTwin::WouldBeLost { engine: engine.clone(), remedy: remedy.clone() }
            }
            Self::EngineCopiesNone { engine } => ReasonTwin::EngineCopiesNone { engine: engine.clone() },
            Self::EngineStartedNew => ReasonTwin::EngineStartedNew,
            Self::EngineLostIt => ReasonTwin::EngineLostIt,
        }
    }

    fn back(twin: ReasonTwin) -> Self {
        match twin {
            ReasonTwin::AskedFor => Self::AskedFor,
            ReasonTwin::EngineKeepsNone { engine } => Self::EngineKeepsNone { engine },
            ReasonTwin::First => Self::First,
            ReasonTwin::EngineSwitched { from } => Self::EngineSwitched { from },
            ReasonTwin::NeverGotATurn => Self::NeverGotATurn,
            ReasonTwin::AgeUnknown => Self::AgeUnknown,
            ReasonTwin::TooOld { age_ms } => Self::TooOld { age: Duration::from_millis(age_ms) },
            ReasonTwin::FileGone => Self::FileGone,
            ReasonTwin::FileUnreadable { file } => Self::FileUnreadable { file },
            ReasonTwin::FileBlank { file } => Self::FileBlank { file },
            ReasonTwin::WouldBeLost { engine, remedy } => Self::WouldBeLost(Loss { engine, remedy }),
            ReasonTwin::EngineCopiesNone { engine } => Self::EngineCopiesNone { engine },
            ReasonTwin::EngineStartedNew => Self::EngineStartedNew,
            ReasonTwin::EngineLostIt => Self::EngineLostIt,
        }
    }
}

/// The state of a transcript as a number. A number that this version doesn't know counts as an existing file.
pub(super) fn on_disk(on_disk: OnDisk) -> i64 {
    match on_disk {
        OnDisk::Gone => 0,
        OnDisk::There => 1,
        OnDisk::Blank => 2,
        OnDisk::Unreadable => 3,
    }
}

/// Turns as a number, and whether that is how many there are.
pub(super) fn turns(turns: Turns) -> (u32, bool) {
    match turns {
        Turns::Counted(number) => (number, true),
        Turns::Uncounted => (1, false),
    }
}

pub(super) fn turns_back(number: u32, counted: bool) -> Turns {
    if counted { Turns::Counted(number) } else { Turns::Uncounted }
}

pub(super) fn on_disk_back(number: i64) -> OnDisk {
    match number {
        0 => OnDisk::Gone,
        2 => OnDisk::Blank,
        3 => OnDisk::Unreadable,
        _ => OnDisk::There,
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "plan", rename_all = "snake_case")]
pub(super) enum PlanTwin {
    Resume { conversation: String, idle_ms: Option<u64> },
    Fork { conversation: String, idle_ms: Option<u64> },
    Fresh(ReasonTwin),
}

impl Kept for Plan {
    type Twin = PlanTwin;

    fn out(&self) -> PlanTwin {
        match self {
            Self::Resume { conversation, idle } => {
                PlanTwin::Resume { conversation: conversation.as_str().into(), idle_ms: idle.map(millis) }
            }
            Self::Fork { conversation, idle } => {
                PlanTwin::Fork { conversation: conversation.as_str().into(), idle_ms: idle.map(millis) }
            }
            Self::Fresh(reason) => PlanTwin::Fresh(reason.out()),
        }
    }

    fn back(twin: PlanTwin) -> Self {
        match twin {
            PlanTwin::Resume { conversation, idle_ms } => Self::Resume {
                conversation: ConversationId::new(conversation),
                idle: idle_ms.map(Duration::from_millis),
            },
            PlanTwin::Fork { conversation, idle_ms } => Self::Fork {
                conversation: ConversationId::new(conversation),
                idle: idle_ms.map(Duration::from_millis),
            },
            PlanTwin::Fresh(reason) => Self::Fresh(Reason::back(reason)),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ContinuityTwin {
    outcome: OutcomeTwin,
    interrupted: Vec<String>,
    at: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum OutcomeTwin {
    Resumed { idle_ms: Option<u64> },
    Forked { idle_ms: Option<u64> },
    Fresh(ReasonTwin),
    WentOver { picked_up: bool },
}

impl Kept for Continuity {
    type Twin = ContinuityTwin;

    fn out(&self) -> ContinuityTwin {
        let outcome = match &self.outcome {
            Outcome::Resumed { idle } => OutcomeTwin::Resumed { idle_ms: idle.map(millis) },
            Outcome::Forked { idle } => OutcomeTwin::Forked { idle_ms: idle.map(millis) },
            Outcome::Fresh(reason) => OutcomeTwin::Fresh(reason.out()),
            Outcome::WentOver { picked_up } => OutcomeTwin::WentOver { picked_up: *picked_up },
        };
        ContinuityTwin { outcome, interrupted: self.interrupted.clone(), at: self.at.0 }
    }

    fn back(ContinuityTwin { outcome, interrupted, at }: ContinuityTwin) -> Self {
        let outcome = match outcome {
            OutcomeTwin::Resumed { idle_ms } => Outcome::Resumed { idle: idle_ms.map(Duration::from_millis) },
            OutcomeTwin::Forked { idle_ms } => Outcome::Forked { idle: idle_ms.map(Duration::from_millis) },
            OutcomeTwin::Fresh(reason) => Outcome::Fresh(Reason::back(reason)),
            OutcomeTwin::WentOver { picked_up } => Outcome::WentOver { picked_up },
        };
        Self { outcome, interrupted, at: Wall(at) }
    }
}
