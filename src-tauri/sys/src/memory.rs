//! How much memory a set of processes holds. Measured when asked, never estimated or remembered.

use std::collections::BTreeSet;

pub use repose_core::memory::Measured;

use crate::platform;
use crate::process::ProcessId;

/// What a set of processes holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Bytes over all of them.
    pub bytes: u64,
    /// How many were measured; those that had ended are not among them.
    pub processes: usize,
    /// [`Measured::Rss`] as soon as one of them could only be measured so.
    pub measured: Measured,
}

/// Memory of these processes: PSS + SwapPss from `/proc/<pid>/smaps_rollup` on Linux; the resident
/// size for a process whose rollup can't be read (another user's), and on macOS. Each process
/// counts once however often it is named; one that has ended counts nothing.
///
/// The kernel walks the page tables for it: 13 to 17 ms for each GB mapped were measured on Linux
/// 6. Every few seconds is fine, every frame is not.
#[must_use]
pub fn of(processes: &[ProcessId]) -> Memory {
    let each: BTreeSet<ProcessId> = processes.iter().copied().collect();
    let nothing = Memory { bytes: 0, processes: 0, measured: platform::BEST_MEASURE };
    each.into_iter().filter_map(platform::memory).fold(nothing, |sum, (bytes, measured)| Memory {
        bytes: sum.bytes + bytes,
        processes: sum.processes + 1,
        measured: match measured {
            Measured::Pss => sum.measured,
            Measured::Rss => Measured::Rss,
        },
    })
}

/// Memory of the whole machine in bytes, as the kernel has it to give (swap not included; a limit
/// on the process's own group is not looked at).
#[must_use]
pub fn of_machine() -> u64 {
    platform::machine_memory()
}

/// The share of the last ten seconds in which some program of the machine waited for memory, in percent:
/// `some avg10` of `/proc/pressure/memory` on Linux. `None` where the kernel doesn't say.
#[must_use]
pub fn pressure() -> Option<f32> {
    platform::memory_pressure()
}
