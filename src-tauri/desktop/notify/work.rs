//! The work that an end would cut off, told apart from other work with the same description. Pure.

use repose_core::hold::{Hold, Kind};
use repose_runner::Shown;

/// The work of one repo at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Work(Vec<Hold>);

impl Work {
    /// What is running there now.
    pub(crate) fn of(shown: &Shown) -> Self {
        let live = shown.holds.iter().filter(|_| shown.state.is_live());
        Self(live.filter(|hold| hold.kind.is_work()).cloned().collect())
    }

    /// Whether none of it is running any more. A turn that waits for somebody shows only that it waits.
    pub(crate) fn is_over(&self, now: &Self) -> bool {
        let waits = |hold: &Hold| matches!(hold.kind, Kind::Waiting(_));
        !now.0.iter().any(|hold| waits(hold) || self.0.contains(hold))
    }

    /// Whether whoever was told of it was told of everything that is running now. What begins within a turn
    /// belongs to that turn.
    pub(crate) fn tells_of(&self, now: &Self) -> bool {
        let turn = now.0.iter().any(|hold| hold.kind == Kind::Turn && self.0.contains(hold));
        let within = |hold: &Hold| match hold.kind {
            Kind::Background(_)
            | Kind::Wakeup(_)
            | Kind::Waiting(_)
            | Kind::Process(_)
            | Kind::Unknown(_) => turn,
            Kind::Turn | Kind::Ask | Kind::Typing | Kind::Client | Kind::Pinned => false,
        };
        !now.0.is_empty() && now.0.iter().all(|hold| self.0.contains(hold) || within(hold))
    }
}

#[cfg(test)]
mod tests {
    use repose_core::hold::{Hold, Kind, Task};
    use repose_core::repo::State;
    use repose_core::signal::Wait;
    use repose_core::time::Wall;

    use super::Work;
    use crate::fixture::repo;

    fn work(holds: &[(u64, Kind)]) -> Work {
        let mut shown = repo("shop", State::Working);
        shown.holds =
            holds.iter().map(|(since, kind)| Hold { since: Wall(*since), kind: kind.clone() }).collect();
        Work::of(&shown)
    }

    fn task() -> Kind {
        Kind::Background(Task { id: "t".into(), what: "npm test".into(), process: true })
    }

    #[test]
    fn one_turn_is_not_another() {
        let waits = || Kind::Waiting(Wait::Trust);
        // What was named, what is running now, whether that was told, and whether none of it is running.
        let table = [
            (work(&[(1, Kind::Turn)]), work(&[(1, Kind::Turn)]), true, false),
            (work(&[(1, Kind::Turn)]), work(&[(2, Kind::Turn)]), false, true),
            (work(&[(1, Kind::Turn)]), work(&[]), false, true),
            (work(&[(1, Kind::Turn)]), work(&[(1, Kind::Turn), (5, task())]), true, false),
            (work(&[(1, Kind::Turn)]), work(&[(1, Kind::Turn), (5, Kind::Typing)]), false, false),
            (work(&[(1, Kind::Turn)]), work(&[(5, waits())]), false, false),
            (work(&[(1, Kind::Turn), (2, task())]), work(&[(2, task())]), true, false),
            (work(&[(2, task())]), work(&[(2, task()), (3, Kind::Turn)]), false, false),
            (
                work(&[(1, Kind::Turn)]),
                work(&[(1, Kind::Turn), (9, Kind::Client), (9, Kind::Pinned)]),
                true,
                false,
            ),
        ];
        for (named, now, told, over) in table {
            assert_eq!((named.tells_of(&now), named.is_over(&now)), (told, over), "{named:?}, then {now:?}");
        }
    }
}
