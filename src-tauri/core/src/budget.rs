//! Which idle engines go when there are too many of them, or when they hold too much memory.
//!
//! Only names candidates, least recently used first. Whether one may go is judged by its own session once
//! more, and a hold always wins. Must not know how memory is measured or how an engine is ended.

use std::time::Duration;

use crate::ids::RepoId;
use crate::time::Awake;
use crate::words;

/// Under memory pressure an engine that was used within this stays: whoever used it is likely to go on, and
/// opening it again costs the machine more than it would give back.
pub const PRESSED_SPARES: Duration = Duration::from_secs(300);

/// The same where engines are let go after `idle_after`: it never spares one for longer than a tenth of that.
#[must_use]
pub fn pressed_spares(idle_after: Duration) -> Duration {
    PRESSED_SPARES.min(idle_after / 10)
}

/// Why an engine goes before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// Live engines hold more memory than this budget, in bytes.
    Memory {
        /// The budget.
        budget: u64,
    },
    /// More engines are live, or want to be, than may be.
    Live {
        /// How many may be.
        max: u32,
    },
    /// The machine runs short of memory.
    Pressure,
}

/// What bounds the live engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Memory of all of them, in bytes.
    pub memory: Option<u64>,
    /// How many.
    pub live: Option<u32>,
    /// The kernel says that programs wait for memory: those that were not used for so long may go.
    pub pressed: Option<Duration>,
}

/// A live engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Its repo.
    pub repo: RepoId,
    /// Memory of its tree, as measured last.
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
    /// It is idle and nothing holds it; it was used last at this time.
    Free(Awake),
    /// It is being ended: what it has is given back in a moment.
    Ending,
}

impl Standing {
    /// Since when nothing holds it. `None`: something does, or it is going.
    #[must_use]
    pub fn free_since(self) -> Option<Awake> {
        match self {
            Self::Free(at) => Some(at),
            Self::Held | Self::Ending => None,
        }
    }

    /// Whether its place may get free.
    #[must_use]
    pub fn may_go(self) -> bool {
        match self {
            Self::Free(_) | Self::Ending => true,
            Self::Held => false,
        }
    }
}

/// The engines that should go, in this order, so that the rest is within the limits and `coming` more find
/// room; or as many as there are. One that is being ended counts no more. Under pressure it is one at a time.
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

/// Why an idle engine was let go, as one sentence for every surface. `None`: its time had come.
#[must_use]
pub fn let_go(idle: Duration, over: Option<Excess>) -> String {
    let idle = words::span(idle);
    match over {
        None => format!("Let go after {idle} without use."),
        Some(Excess::Memory { budget }) => {
            format!("Let go to stay under your budget of {}, after {idle} without use.", words::bytes(budget))
        }
        Some(Excess::Live { max: 1 }) => {
            format!("Let go because you allow 1 live engine, after {idle} without use.")
        }
        Some(Excess::Live { max }) => {
            format!("Let go because you allow {max} live engines, after {idle} without use.")
        }
        Some(Excess::Pressure) => {
            format!("Let go because the machine was short of memory, after {idle} without use.")
        }
    }
}

#[cfg(test)]
mod tests;
