//! Sweeps: letting idle engines go when there are too many or they hold too much.

use std::time::Duration;

use repose_core::budget::{Excess, Limits, excess, pressed_spares};
use repose_core::ids::RepoId;
use repose_core::repo::Event;
use repose_sys::clock::now;
use tokio::time::Instant;

use super::Runner;
use crate::actor::Wake;
use crate::room::limits;

/// How often to sweep: memory is measured every ten seconds, and an engine that becomes free should go soon.
const SWEEP_EVERY: Duration = Duration::from_secs(2);

/// The percentage of the last ten seconds in which some program waited for memory, from which on the machine
/// counts as short of it. A machine that merely uses its memory stays below 1; one that swaps heavily is
/// above 20.
const PRESSED_FROM: f32 = 20.0;

/// Under pressure one engine goes at a time. Then the kernel's ten seconds have to pass twice before it is
/// judged again.
const PRESSED_EVERY: Duration = Duration::from_secs(20);

impl Runner {
    pub(super) async fn sweep_room(self) {
        let shared = &self.inner.shared;
        let mut every = tokio::time::interval(SWEEP_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut pressed_again = Instant::now();
        let mut said = Vec::new();
        loop {
            tokio::select! {
                _ = every.tick() => {}
                () = shared.room.wanted.notified() => {}
            }
            let settings = shared.settings();
            let mut limits = limits(&settings);
            let (live, seeking) = shared.room.looks();
            if live.is_empty() && seeking == 0 {
                said.clear();
            }
            let pressed = !live.is_empty()
                && Instant::now() >= pressed_again
                && repose_sys::memory::pressure().is_some_and(|share| share >= PRESSED_FROM);
            limits.pressed = pressed.then(|| pressed_spares(settings.policy.idle_after));
            let going = excess(&live, limits, seeking, now().awake);
            if going.iter().any(|(_, over)| *over == Excess::Pressure) {
                pressed_again = Instant::now() + PRESSED_EVERY;
            }
            if going != said {
                self.say(&going, limits);
                said.clone_from(&going);
            }
            for (repo, over) in going {
                if let Ok(actor) = self.actor(&repo) {
                    actor.handle.send(Wake::Evict(over));
                }
            }
            if let Some(repo) = shared.room.next_turned_away(limits.live)
                && let Ok(actor) = self.actor(&repo)
            {
                actor.handle.send(Wake::Event(Event::PlaceFree));
            }
            for repo in shared.room.still_turned_away(limits.live) {
                self.tell_why(&repo, limits.live.unwrap_or_default());
            }
        }
    }

    /// Tells a repo that waits for a place why there is none now: what holds the others changes.
    fn tell_why(&self, repo: &RepoId, max: u32) {
        let Some(known) = self.shown(repo).and_then(|shown| shown.trouble) else { return };
        let why = self.inner.shared.no_place(repo, max);
        if known.code == why.code
            && known != why
            && let Ok(actor) = self.actor(repo)
        {
            actor.handle.send(Wake::Event(Event::NoPlace(why)));
        }
    }

    /// Logs what a sweep lets go, and what it keeps and why.
    fn say(&self, going: &[(RepoId, Excess)], limits: Limits) {
        let goes = |repo: &RepoId| going.iter().any(|(other, _)| other == repo);
        let live = self.list().into_iter().filter(|repo| repo.state.is_live());
        let (gone, kept): (Vec<_>, Vec<_>) = live.partition(|repo| goes(&repo.id));
        let gone: Vec<String> = gone.into_iter().map(|repo| repo.name).collect();
        let why = |repo: &crate::shown::Shown| match repo.holds.first() {
            Some(hold) => hold.kind.detail(),
            None => repo.state.as_str().to_owned(),
        };
        let kept: Vec<String> = kept.iter().map(|repo| format!("{} ({})", repo.name, why(repo))).collect();
        tracing::info!(?limits, let_go = gone.join(", "), kept = kept.join(", "), "swept the live engines");
    }
}
