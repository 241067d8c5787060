//! People in front of a repo.

use std::time::{Duration, Instant};

use repose_core::repo::State;

use crate::world::{SHELL, World};

#[test]
fn invariant_07_a_person_who_uses_it_holds_it_and_one_who_only_has_it_open_does_not() {
    let world = World::new(&format!("idle_after = \"2s\"\n{SHELL}"));
    let (life, work) = world.start_with_work();
    life.ask(&work, "echo here");
    let page = life.runner.client(&work).unwrap();
    page.used();
    let held = |shown: &repose_runner::Shown| shown.holds.iter().any(|hold| hold.kind.code() == "client");
    life.until("the hold", |runner| runner.shown(&work).is_some_and(|shown| held(&shown)));
    let (begun, idle) = (Instant::now(), Duration::from_secs(4));
    life.until("twice the idle time", |runner| {
        let state = runner.shown(&work).unwrap().state;
        assert_eq!(state, State::Ready, "it was let go under somebody's hands");
        begun.elapsed() > idle
    });
    // Open, and hidden.
    page.hidden();
    life.until_state(&work, State::Asleep);

    // Closed.
    life.ask(&work, "echo here");
    page.used();
    life.until("the hold", |runner| runner.shown(&work).is_some_and(|shown| held(&shown)));
    drop(page);
    life.until_state(&work, State::Asleep);
}
