//! How many engines are live or starting, how much memory they hold, and which of them could be let go: the
//! overall view that no single repo has.
//!
//! Every repo reports here. An open asks for a place before its session begins, so that any number of
//! simultaneous opens starts no more engines than may be live. Must not know how an engine is let go.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use repose_core::budget::{Limits, Live, Standing};
use repose_core::hold::work;
use repose_core::ids::RepoId;
use repose_core::repo::Presence;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::settings::{Budget, Settings};
use crate::shared::Shared;
use crate::shown::Shown;

/// How long an open waits for the place of an idle engine that is let go for it: an engine may take five
/// seconds to end, and its tree two more. After that the open is refused, naming what holds the others.
const PLACE_WITHIN: Duration = Duration::from_secs(12);

#[derive(Debug, Default)]
pub(crate) struct Room {
    inside: Mutex<Inside>,
    /// Notified when a place becomes free, or an engine can be let go that couldn't before.
    changed: Notify,
    /// Notified when somebody wants a place and there is none: sweep now.
    pub(crate) wanted: Notify,
}

#[derive(Debug, Default)]
struct Inside {
    live: BTreeMap<RepoId, Place>,
    /// Repos whose open waits for a place.
    seeking: BTreeSet<RepoId>,
    /// Repos whose open found no place, in order.
    turned_away: Vec<RepoId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    bytes: u64,
    standing: Standing,
}

impl Room {
    /// Takes in what a repo has now.
    pub(crate) fn has(&self, repo: &RepoId, presence: Presence, bytes: u64, standing: Standing) {
        match presence {
            Presence::None => self.leaves(repo),
            // If it has a place, it was given to it by [`Room::take`].
            Presence::Coming => {}
            Presence::There => {
                let place = Place { bytes, standing };
                let before = self.inside().live.insert(repo.clone(), place);
                if standing.may_go() && before.is_none_or(|before| !before.standing.may_go()) {
                    self.changed.notify_waiters();
                }
            }
        }
    }

    /// Takes in that a repo has no engine and none is starting.
    pub(crate) fn leaves(&self, repo: &RepoId) {
        if self.inside().live.remove(repo).is_some() {
            self.changed.notify_waiters();
            self.wanted.notify_one();
        }
    }

    /// Takes in that the number of engines that may be live has changed.
    pub(crate) fn limits_changed(&self) {
        self.changed.notify_waiters();
        self.wanted.notify_one();
    }

    /// The live engines, and how many opens wait for a place.
    pub(crate) fn looks(&self) -> (Vec<Live>, usize) {
        let inside = self.inside();
        let live = |(repo, place): (&RepoId, &Place)| Live {
            repo: repo.clone(),
            bytes: place.bytes,
            standing: place.standing,
        };
        (inside.live.iter().map(live).collect(), inside.seeking.len())
    }

    /// The next repo whose open found no place, if another attempt might find one now.
    pub(crate) fn next_turned_away(&self, max: Option<u32>) -> Option<RepoId> {
        let mut inside = self.inside();
        (inside.may_have_place(max) && inside.seeking.is_empty() && !inside.turned_away.is_empty())
            .then(|| inside.turned_away.remove(0))
    }

    /// The repos whose open found no place, unless another attempt might find one now.
    pub(crate) fn still_turned_away(&self, max: Option<u32>) -> Vec<RepoId> {
        let inside = self.inside();
        if inside.may_have_place(max) { Vec::new() } else { inside.turned_away.clone() }
    }

    /// Takes a place for this repo. Returns whether it has one.
    fn take(&self, repo: &RepoId, max: Option<u32>) -> bool {
        let mut inside = self.inside();
        let taken = inside.live.contains_key(repo) || inside.place_for_more(max);
        if taken {
            inside.live.entry(repo.clone()).or_default();
            inside.turned_away.retain(|other| other != repo);
        }
        taken
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn place_for_more(&self, max: Option<u32>) -> bool {
        max.is_none_or(|max| self.live.len() < max as usize)
    }

    /// Whether there is a place, or an engine that would be let go for one.
    fn may_have_place(&self, max: Option<u32>) -> bool {
        self.place_for_more(max) || self.live.values().any(|place| place.standing.may_go())
    }
}

/// Marks an open as waiting for a place, until dropped.
struct Seeking<'a>(&'a Room, &'a RepoId);

impl Drop for Seeking<'_> {
    fn drop(&mut self) {
        self.0.inside().seeking.remove(self.1);
    }
}

impl Shared {
    /// Takes a place for an engine of this repo. If there is none, an idle engine without holds is let go for
    /// it.
    ///
    /// # Errors
    /// [`Code::MaxLive`], naming what holds the others. [`Room::next_turned_away`] names the repo once
    /// another attempt is worthwhile.
    pub(crate) async fn admit(&self, repo: &RepoId) -> Result<(), Trouble> {
        let until = Instant::now() + PLACE_WITHIN;
        let mut seeking = None;
        loop {
            let mut changed = std::pin::pin!(self.room.changed.notified());
            changed.as_mut().enable();
            let max = self.settings().max_live;
            if self.room.take(repo, max) {
                return Ok(());
            }
            let could_go = self.room.looks().0.iter().any(|live| live.standing.may_go());
            if seeking.is_none() && could_go {
                self.room.inside().seeking.insert(repo.clone());
                seeking = Some(Seeking(&self.room, repo));
            }
            self.room.wanted.notify_one();
            let ends = seeking.is_none() || tokio::time::timeout_at(until, changed).await.is_err();
            if ends && !self.room.take(repo, self.settings().max_live) {
                let mut inside = self.room.inside();
                if !inside.turned_away.contains(repo) {
                    inside.turned_away.push(repo.clone());
                }
                drop(inside);
                return Err(self.no_place(repo, max.unwrap_or_default()));
            }
            if ends {
                return Ok(());
            }
        }
    }

    /// Why this repo finds no place now.
    pub(crate) fn no_place(&self, turned_away: &RepoId, max: u32) -> Trouble {
        let live: BTreeSet<RepoId> = self.room.inside().live.keys().cloned().collect();
        let (held, others): (Vec<_>, Vec<_>) =
            self.map(Shown::clone).into_iter().partition(|repo| live.contains(&repo.id));
        let called =
            |repo: Option<&Shown>| repo.map_or_else(String::new, |repo| words::shell_word(&repo.name));
        let let_one_go = match held.iter().find(|repo| work(&repo.holds).is_empty()) {
            Some(idle) => format!("Let one go: `repose pause {}`.", called(Some(idle))),
            None => "Wait until one of them is done: pausing one now would lose its work.".into(),
        };
        let asked = called(others.iter().find(|repo| repo.id == *turned_away));
        let held: Vec<String> = held
            .iter()
            .map(|repo| {
                let why = repo.holds.first();
                let why = why.map_or_else(|| repo.state.as_str().into(), |hold| hold.kind.detail());
                format!("`{}` ({why})", repo.name)
            })
            .collect();
        let engines = if max == 1 { "1 live engine" } else { &format!("{max} live engines") };
        Trouble::new(
            Code::MaxLive,
            format!(
                "You allow {engines}, and none can be let go now: {}. Nothing was started.",
                words::list(&held)
            ),
            [
                let_one_go,
                format!("Or let the ask wait its turn: `repose ask --queue {asked} \"…\"`."),
                "Or allow more: `max_live` in the settings.".into(),
            ],
        )
    }
}

/// The limits that these settings set on this machine.
pub(crate) fn limits(settings: &Settings) -> Limits {
    let memory = match settings.memory_budget {
        Budget::Off => None,
        Budget::Bytes(bytes) => Some(bytes),
        Budget::Percent(percent) => Some(share(repose_sys::memory::of_machine(), percent)),
    };
    Limits { memory, live: settings.max_live, pressed: None }
}

fn share(bytes: u64, percent: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a machine's memory, to the kilobyte"
    )]
    let share = (bytes as f64 * percent / 100.0) as u64;
    share
}
