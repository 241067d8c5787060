//! The memory of repos over time, for a chart. Kept while the runner lives.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use repose_core::ids::RepoId;
use repose_core::time::Wall;

/// The most measurements to keep for a repo: an hour if its memory changes all the time, days if it mostly
/// sleeps.
pub(crate) const MEASURES_MAX: usize = 240;

/// How often changing memory of a live engine is recorded.
const NOTED_EVERY: Duration = Duration::from_secs(15);

/// The memory of a repo's engine and its processes at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// The moment.
    pub at: Wall,
    /// Memory in bytes; 0 while no engine is live.
    pub bytes: u64,
}

/// The measurements of all repos that had an engine.
#[derive(Debug, Default)]
pub(crate) struct Measures(HashMap<RepoId, VecDeque<Measure>>);

impl Measures {
    /// Records a repo's present memory, if that adds to what is recorded.
    pub(crate) fn note(&mut self, repo: &RepoId, bytes: u64, at: Wall) {
        let known = self.0.get(repo).and_then(VecDeque::back);
        let tells = match known {
            None => bytes > 0,
            // A start or end is recorded to the second.
            Some(last) if (last.bytes == 0) != (bytes == 0) => true,
            Some(last) => last.bytes != bytes && at.since(last.at) >= NOTED_EVERY,
        };
        if tells {
            let noted = self.0.entry(repo.clone()).or_default();
            noted.push_back(Measure { at, bytes });
            if noted.len() > MEASURES_MAX {
                noted.pop_front();
            }
        }
    }

    /// A repo's measurements, oldest first.
    pub(crate) fn of(&self, repo: &RepoId) -> Vec<Measure> {
        self.0.get(repo).into_iter().flatten().copied().collect()
    }

    pub(crate) fn forget(&mut self, repo: &RepoId) {
        self.0.remove(repo);
    }
}

#[cfg(test)]
mod tests {
    use repose_core::ids::RepoId;
    use repose_core::time::Wall;

    use super::{MEASURES_MAX, Measures};

    #[test]
    fn begins_and_ends_are_noted_at_once_and_changes_between_now_and_then() {
        let (mut measures, repo) = (Measures::default(), RepoId::new("r-1"));
        let seen =
            [(0, 0), (1, 70), (2, 90), (3, 91), (16, 91), (17, 91), (40, 95), (41, 0), (50, 0), (51, 5)];
        for (second, bytes) in seen {
            measures.note(&repo, bytes, Wall(second * 1_000));
        }
        let noted: Vec<_> = measures.of(&repo).iter().map(|at| (at.at.0 / 1_000, at.bytes)).collect();
        assert_eq!(noted, [(1, 70), (16, 91), (40, 95), (41, 0), (51, 5)]);

        for second in 0..10 * MEASURES_MAX as u64 {
            measures.note(&repo, second, Wall((100 + 20 * second) * 1_000));
        }
        assert_eq!(measures.of(&repo).len(), MEASURES_MAX);
        assert_eq!(measures.of(&repo).last().expect("the latest").bytes, 10 * MEASURES_MAX as u64 - 1);
        measures.forget(&repo);
        assert!(measures.of(&repo).is_empty());
    }
}
