//! How the core's values, which have no serialisation, travel over the wire and into the journal: each has a
//! private serialisable twin, with conversions both ways.

use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::conversation::Loss;
use repose_core::decision::{Choice, ChoiceKind, Decision, Pick, Question};
use repose_core::hold::{Because, Hold, Kind, Resident, Task};
use repose_core::ids::{AskId, ConversationId, DecisionId, EngineName, PromptId, RepoId, SessionId};
use repose_core::policy::Policy;
use repose_core::session::{
    Activity, EndIf, Fact, FreezeId, Lease, NotNow, Params, TurnOutcome, Verdict, View,
};
use repose_core::signal::{Source, Wait};
use repose_core::time::{Awake, Now, Wall, millis};
use repose_core::trouble::{Code, Trouble};
use repose_sys::ProcessId;
use repose_sys::memory::{Measured, Memory};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that travels over the wire as its twin.
pub(crate) trait Carry: Sized {
    /// The twin.
    type Wire: Serialize + DeserializeOwned + std::fmt::Debug + Clone;

    fn out(&self) -> Self::Wire;

    fn back(wire: Self::Wire) -> Self;
}

macro_rules! as_it_is {
    ($($plain:ty),*) => {$(
        impl Carry for $plain {
            type Wire = Self;

            fn out(&self) -> Self {
                self.clone()
            }

            fn back(wire: Self) -> Self {
                wire
            }
        }
    )*};
}

as_it_is!(String, bool, u16, u32, u64, usize, serde_json::Value);

macro_rules! carry_id {
    ($($id:ident),*) => {$(
        impl Carry for $id {
            type Wire = String;

            fn out(&self) -> String {
                self.as_str().to_owned()
            }

            fn back(wire: String) -> Self {
                Self::new(wire)
            }
        }
    )*};
}

carry_id!(AskId, ConversationId, DecisionId, EngineName, PromptId, RepoId, SessionId);

macro_rules! carry_struct {
    ($(#[$meta:meta])* $core:ident as $wire:ident { $($(#[$attr:meta])* $field:ident: $ty:ty),* $(,)? }) => {
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        pub(crate) struct $wire {
            $($(#[$attr])* $field: <$ty as $crate::wire::carry::Carry>::Wire),*
        }

        impl $crate::wire::carry::Carry for $core {
            type Wire = $wire;

            fn out(&self) -> $wire {
                $wire { $($field: <$ty as $crate::wire::carry::Carry>::out(&self.$field)),* }
            }

            fn back(wire: $wire) -> Self {
                Self { $($field: <$ty as $crate::wire::carry::Carry>::back(wire.$field)),* }
            }
        }
    };
}

/// Enums with variants without data, with one value, or with fields.
macro_rules! carry_enum {
    ($core:ident as $wire:ident {
        $($unit:ident,)* ;
        $($one:ident($ty:ty),)* ;
        $($many:ident { $($field:ident: $fty:ty),* },)*
    }) => {
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum $wire {
            $($unit,)*
            $($one(<$ty as $crate::wire::carry::Carry>::Wire),)*
            $($many { $($field: <$fty as $crate::wire::carry::Carry>::Wire),* },)*
        }

        impl $crate::wire::carry::Carry for $core {
            type Wire = $wire;

            fn out(&self) -> $wire {
                match self {
                    $($core::$unit => $wire::$unit,)*
                    $($core::$one(value) => $wire::$one($crate::wire::carry::Carry::out(value)),)*
                    $($core::$many { $($field),* } => {
                        $wire::$many { $($field: $crate::wire::carry::Carry::out($field)),* }
                    })*
                }
            }

            fn back(wire: $wire) -> Self {
                match wire {
                    $($wire::$unit => $core::$unit,)*
                    $($wire::$one(value) => $core::$one($crate::wire::carry::Carry::back(value)),)*
                    $($wire::$many { $($field),* } => {
                        $core::$many { $($field: $crate::wire::carry::Carry::back($field)),* }
                    })*
                }
            }
        }
    };
}

pub(crate) use {carry_enum, carry_struct};

impl<T: Carry> Carry for Option<T> {
    type Wire = Option<T::Wire>;

    fn out(&self) -> Self::Wire {
        self.as_ref().map(T::out)
    }

    fn back(wire: Self::Wire) -> Self {
        wire.map(T::back)
    }
}

impl<T: Carry> Carry for Box<T> {
    type Wire = Box<T::Wire>;

    fn out(&self) -> Self::Wire {
        Box::new(T::out(self))
    }

    fn back(wire: Self::Wire) -> Self {
        Self::new(T::back(*wire))
    }
}

impl<T: Carry> Carry for Vec<T> {
    type Wire = Vec<T::Wire>;

    fn out(&self) -> Self::Wire {
        self.iter().map(T::out).collect()
    }

    fn back(wire: Self::Wire) -> Self {
        wire.into_iter().map(T::back).collect()
    }
}

/// The obstacle, if there is one.
impl<E: Carry> Carry for Result<(), E> {
    type Wire = Option<E::Wire>;

    fn out(&self) -> Self::Wire {
        self.as_ref().err().map(E::out)
    }

    fn back(wire: Self::Wire) -> Self {
        wire.map_or(Ok(()), |error| Err(E::back(error)))
    }
}

impl Carry for Wall {
    type Wire = u64;

    fn out(&self) -> u64 {
        self.0
    }

    fn back(wire: u64) -> Self {
        Self(wire)
    }
}

impl Carry for Awake {
    type Wire = u64;

    fn out(&self) -> u64 {
        self.0
    }

    fn back(wire: u64) -> Self {
        Self(wire)
    }
}

/// The freeze that the end follows. None: in any case, which is also all that an older runner says.
impl Carry for EndIf {
    type Wire = Option<u64>;

    fn out(&self) -> Option<u64> {
        match self {
            Self::StillFrozen(FreezeId(id)) => Some(*id),
            Self::Always => None,
        }
    }

    fn back(wire: Option<u64>) -> Self {
        wire.map_or(Self::Always, |id| Self::StillFrozen(FreezeId(id)))
    }
}

/// A duration in milliseconds.
impl Carry for Duration {
    type Wire = u64;

    fn out(&self) -> u64 {
        millis(*self)
    }

    fn back(wire: u64) -> Self {
        Self::from_millis(wire)
    }
}

/// A code by its stable name. A name that this version doesn't know becomes a fault with the original
/// sentence.
impl Carry for Code {
    type Wire = String;

    fn out(&self) -> String {
        self.as_str().to_owned()
    }

    fn back(wire: String) -> Self {
        Self::from_name(&wire).unwrap_or(Self::Internal)
    }
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct TroubleWire {
    code: String,
    sentence: String,
    hints: Vec<String>,
}

/// A session's trouble names no work: only the refusal of an order does.
impl Carry for Trouble {
    type Wire = TroubleWire;

    fn out(&self) -> TroubleWire {
        TroubleWire { code: self.code.out(), sentence: self.sentence.clone(), hints: self.hints.clone() }
    }

    fn back(TroubleWire { code, sentence, hints }: TroubleWire) -> Self {
        Self::new(Code::back(code), sentence, hints)
    }
}

carry_struct!(Now as NowWire { wall: Wall, awake: Awake, slept: u64 });
carry_struct!(Task as TaskWire { id: String, what: String, process: bool });
carry_struct!(Resident as ResidentWire {
    pid: u32,
    #[serde(default)]
    start: u64,
    command: String,
    since: Wall,
    because: Because,
});
carry_struct!(Hold as HoldWire { since: Wall, kind: Kind, #[serde(default)] turn: Option<Wall> });
carry_struct!(Decision as DecisionWire { id: DecisionId, question: Question });

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct QuestionWire {
    conversation: String,
    wait: WaitWire,
    detail: Option<String>,
    /// `None`: an older holder doesn't say it, and ends in `…` what it cut.
    #[serde(default)]
    detail_cut: Option<bool>,
    choices: Vec<ChoiceWire>,
}

impl Carry for Question {
    type Wire = QuestionWire;

    fn out(&self) -> QuestionWire {
        let Self { conversation, wait, detail, detail_cut, choices } = self;
        QuestionWire {
            conversation: conversation.out(),
            wait: wait.out(),
            detail: detail.out(),
            detail_cut: Some(*detail_cut),
            choices: choices.out(),
        }
    }

    fn back(QuestionWire { conversation, wait, detail, detail_cut, choices }: QuestionWire) -> Self {
        let ends_cut = || detail.as_ref().is_some_and(|detail| detail.ends_with('\u{2026}'));
        Self {
            detail_cut: detail_cut.unwrap_or_else(ends_cut),
            conversation: Carry::back(conversation),
            wait: Carry::back(wait),
            detail,
            choices: Carry::back(choices),
        }
    }
}

carry_struct!(Choice as ChoiceWire {
    id: String,
    label: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    preview: Option<String>,
    kind: ChoiceKind,
});
carry_struct!(Pick as PickWire { choice: String, words: Option<String> });
carry_struct!(Policy as PolicyWire { idle_after: Duration, resume_within: Duration, stall_after: Duration });
carry_struct!(Params as ParamsWire { policy: Policy, pinned: bool });
carry_struct!(ProcessId as ProcessIdWire { pid: u32, start: u64 });
carry_struct!(Memory as MemoryWire { bytes: u64, processes: usize, measured: Measured });
carry_struct!(View as ViewWire {
    activity: Activity,
    conversation: Option<ConversationId>,
    decision: Option<Box<Decision>>,
    holds: Vec<Hold>,
    reap_at: Option<Wall>,
    ready_for_ask: Result<(), NotNow>,
    interaction: Wall,
    #[serde(default)]
    used: Option<Awake>,
    frozen: bool,
    trouble: Option<Trouble>,
});

carry_enum!(ChoiceKind as ChoiceKindWire { Allow, Deny, Other, Words, Back,; ; });
carry_enum!(Measured as MeasuredWire { Pss, Rss,; ; });
carry_enum!(Because as BecauseWire { Busy, Left,; Listens(u16),; });
carry_enum!(Wait as WaitWire { Trust,; Permission(String), Choice(String),; });
carry_enum!(Source as SourceWire { New, Resumed, Cleared, Compacted, Forked, Unsaid,; ; });
carry_enum!(Excess as ExcessWire { Pressure,; ; Memory { budget: u64 }, Live { max: u32 }, });
carry_enum!(Lease as LeaseWire { Ask, Client,; ; });
carry_enum!(TurnOutcome as TurnOutcomeWire { Interrupted, EngineEnded,; Answered(String), Failed(String),; });
carry_struct!(Loss as LossWire { engine: String, remedy: String });
carry_enum!(Verdict as VerdictWire {
    NotResumable,;
    Frozen(Vec<Hold>), Held(Vec<Hold>), WouldBeLost(Loss),;
});
carry_enum!(Kind as KindWire {
    Turn, Ask, Typing, Client, Pinned,;
    Background(Task), Wakeup(Task), Waiting(Wait), Process(Resident), Unknown(String), Unseen(String),;
});
carry_enum!(Activity as ActivityWire {
    ; ;
    Opening { since: Now },
    Idle { since: Now },
    Working { since: Now, sign: Now },
    Waiting { since: Now, what: Wait },
});
carry_enum!(NotNow as NotNowWire {
    Opening, Working, JustSent, HalfTyped, AnotherAsk, LettingGo,;
    Waiting(Wait),;
});
carry_enum!(Fact as FactWire {
    ; ;
    Confirmed { conversation: Option<ConversationId>, source: Source, transcript: Option<String> },
    Moved { conversation: ConversationId, source: Source, transcript: Option<String> },
    Taken { ask: AskId, prompt: Option<PromptId> },
    NotTaken { ask: AskId },
    GivenBack { ask: AskId },
    TurnOver { ask: Option<AskId>, outcome: TurnOutcome, at: Wall, worked: Option<Duration> },
    LettingGo { idle: Duration, over: Option<Excess> },
});
