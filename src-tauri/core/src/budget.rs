//! Which idle engines to let go when there are too many of them or they hold too much memory.
//!
//! This only names candidates, least recently used first. Each candidate's own session judges again whether
//! it may go, and a hold always wins. Must not know how memory is measured or how an engine is ended.

use std::time::Duration;

use crate::ids::RepoId;
use crate::time::Awake;
use crate::words;

/// Under memory pressure, an engine that was used within this time stays: whoever used it is likely to
/// continue, and opening it again costs the machine more than letting it go gives back.
pub const PRESSED_SPARES: Duration = Duration::from_secs(300);

/// How recently used an engine must be to be spared under memory pressure: [`PRESSED_SPARES`], or a tenth of
/// `idle_after` if that is shorter.
#[must_use]
pub fn pressed_spares(idle_after: Duration) -> Duration {
    PRESSED_SPARES.min(idle_after / 10)
}

/// Why an engine is let go early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// Live engines hold more memory than the budget.
    Memory {
        /// The budget in bytes.
        budget: u64,
    },
    /// More engines are live, or wanted, than may be live.
    Live {
        /// How many may be live.
        max: u32,
    },
    /// The machine is short of memory.
    Pressure,
}

/// The limits on live engines. `None`: no such limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Memory of all of them together, in bytes.
    pub memory: Option<u64>,
    /// Their number.
    pub live: Option<u32>,
    /// Set if the kernel reports memory pressure: engines that haven't been used for this long may go.
    pub pressed: Option<Duration>,
}

/// A live engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Its repo.
    pub repo: RepoId,
    /// Memory of its tree in bytes, as last measured.
    pub bytes: u64,
    /// Whether it may go.
    pub standing: Standing,
}

/// Whether a live engine may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// Something keeps it.
    #[default]
    Held,
    /// It is idle and nothing holds it. It was last used at this moment.
    Free(Awake),
    /// It is being ended and will shortly give back its memory.
    Ending,
}

impl Standing {
    /// When the engine was last used, if nothing holds it. `None`: something holds it, or it is being ended.
    #[must_use]
    pub fn free_since(self) -> Option<Awake> {
        match self {
            Self::Free(at) => Some(at),
            Self::Held | Self::Ending => None,
        }
    }

    /// Whether its place may become free.
    #[must_use]
    pub fn may_go(self) -> bool {
        match self {
            Self::Free(_) | Self::Ending => true,
            Self::Held => false,
        }
    }
}

/// The engines to let go, in this order, so that the rest is within the limits and there is room for `coming`
/// more, or as many as there are. An engine that is being ended no longer counts. Under pressure, one at a
/// time.
#[must_use]
pub fn excess(live: &[Live], limits: Limits, coming: usize, now: Awake) -> Vec<(RepoId, Excess)> {
    let mut free: Vec<(Awake, &Live)> =
        live.iter().filter_map(|engine| Some((engine.standing.free_since()?, engine))).collect();
    free.sort_by(|(at, a), (other, b)| (at, &a.repo).cmp(&(other, &b.repo)));
    let staying = live.iter().filter(|engine| engine.standing != Standing::Ending);
    let (mut engines, mut bytes) = staying.fold((coming, 0_u64), |(engines, bytes), engine| {
        (engines.saturating_add(1), bytes.saturating_add(engine.bytes))
    });
    let mut going = Vec::new();
    for (used, engine) in free {
        let over = match (limits.live, limits.memory) {
            (Some(max), _) if engines > max as usize => Excess::Live { max },
            (_, Some(budget)) if bytes > budget => Excess::Memory { budget },
            (_, _) if going.is_empty() && limits.pressed.is_some_and(|spares| now.since(used) >= spares) => {
                Excess::Pressure
            }
            (_, _) => break,
        };
        engines = engines.saturating_sub(1);
        bytes = bytes.saturating_sub(engine.bytes);
        going.push((engine.repo.clone(), over));
    }
    going
}

/// Why an idle engine was let go, in one sentence for every surface. `over` is `None` if it was due.
#[must_use]
pub fn let_go(idle: Duration, over: Option<Excess>) -> String {
    let idle = words::span(idle);
    match over {
        None => format!("Let go after {idle} without use."),
        Some(over) => format!("Let go {}, after {idle} without use.", early(over)),
    }
}

/// Why an idle engine was let go before it was due, as a part of a sentence.
#[must_use]
pub fn early(over: Excess) -> String {
    match over {
        Excess::Memory { budget } => format!("to stay under your budget of {}", words::bytes(budget)),
        Excess::Live { max: 1 } => "because you allow 1 live engine".into(),
        Excess::Live { max } => format!("because you allow {max} live engines"),
        Excess::Pressure => "because the machine was short of memory".into(),
    }
}

#[cfg(test)]
mod tests;
