//! The processor time of a process, for measurements.

use std::time::Duration;

use crate::support::processes::Process;

/// The processor time that it has used so far. Nothing once it is gone.
pub(crate) fn used(process: &Process) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    // The name is in parentheses and may contain spaces and parentheses itself.
    let (_, fields) = stat.rsplit_once(") ").unwrap_or_default();
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}
