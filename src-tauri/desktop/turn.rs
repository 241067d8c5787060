//! Whether a repo's agent has a turn: what Interrupt is for, and what an end would cut off. Pure.

use repose_core::hold::Kind;
use repose_core::repo::State;
use repose_core::signal::Wait;
use repose_runner::Shown;

/// Whether a turn is in progress, also where it waits for somebody. An engine that asks whether it may trust the folder
/// has begun none.
pub(crate) fn is_in_turn(repo: &Shown) -> bool {
    match repo.state {
        State::Working => true,
        State::Waiting => !repo.holds.iter().any(|hold| hold.kind == Kind::Waiting(Wait::Trust)),
        State::Opening | State::Ready | State::Asleep | State::Paused | State::Offline => false,
    }
}
