//! Orders to end where that would lose work: what is named, and what is cut off by who was told of it.

use super::super::{Answer, Event, Intent, ReplyTo, State};
use super::orders::{outcome, spoken_to};
use super::world::World;
use crate::conversation::Owner;
use crate::trouble::Trouble;
use crate::work::{Named, OnWork};

/// An ask is being answered.
fn working() -> World {
    let mut world = spoken_to();
    world.ask(false, false, true);
    world.deliver_all();
    world.pass(std::time::Duration::from_millis(200));
    world.deliver_all();
    world
}

/// What it was refused for.
fn refused(world: &World, number: u64) -> Trouble {
    match world.answers.get(&number).map(Vec::as_slice) {
        Some([Answer::Refused(trouble)]) => trouble.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn invariant_05_who_was_told_of_work_cuts_off_that_and_nothing_else() {
    let orders: [fn(ReplyTo, OnWork) -> Event; 2] = [Event::Pause, Event::Stop];
    for order in orders {
        let mut world = working();
        let first = world.request(|reply| order(reply, OnWork::Refuse));
        world.deliver_all();
        let named = refused(&world, first).named;
        world.ask(false, false, true);
        world.deliver_all();
        let at_most = OnWork::InterruptAtMost(named);
        let second = world.request(|reply| order(reply, at_most));
        world.deliver_all();
        let trouble = refused(&world, second);
        assert!(trouble.sentence.contains("an unsent ask"), "{trouble:?}");
        assert_eq!((world.repo.state(), &world.disk.intent), (State::Working, &Intent::Open));
        let at_most = OnWork::InterruptAtMost(trouble.named);
        let third = world.request(|reply| order(reply, at_most));
        world.deliver_all();
        assert!(["paused!", "done"].contains(&outcome(&world, third)), "{:?}", world.answers.get(&third));
        assert!(world.holders.is_empty());
        assert!(world.disk.interrupted.contains(&"a turn in progress".to_owned()));
    }
}

#[test]
fn invariant_05_a_word_on_work_that_was_named_is_judged_again_after_a_crash() {
    let mut world = working();
    let first = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    let at_most = OnWork::InterruptAtMost(refused(&world, first).named);
    world.request(|reply| Event::Pause(reply, at_most.clone()));
    world.crash();
    world.deliver_all();
    assert_eq!(
        (world.repo.state(), world.disk.interrupted.len()),
        (State::Paused, 1),
        "it is that work still"
    );
    let mut world = working();
    world.request(|reply| Event::Pause(reply, at_most));
    world.engine(|_, _, _| vec![crate::session::Event::Input(b"half".to_vec())]);
    world.crash();
    world.deliver_all();
    assert_eq!(
        (world.repo.state(), &world.disk.intent),
        (State::Working, &Intent::Open),
        "there is other work"
    );
}

#[test]
fn invariant_02_who_was_told_what_stop_ends_lifts_no_pause_that_came_later() {
    let at_most = |named: &Named| OnWork::InterruptAtMost(named.clone());
    let mut world = working();
    let told = world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    let told = refused(&world, told).named;
    world.request(|reply| Event::Pause(reply, OnWork::Interrupt));
    world.deliver_all();
    world.ask(false, true, false);
    for named in [&told, &Named::default()] {
        let stop = world.request(|reply| Event::Stop(reply, at_most(named)));
        assert_eq!((outcome(&world, stop), world.repo.state()), ("paused", State::Paused));
    }
    // Whoever was told of what waits in the pause knows that it is paused.
    let told = world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    let told = refused(&world, told).named;
    let stop = world.request(|reply| Event::Stop(reply, at_most(&told)));
    assert_eq!((outcome(&world, stop), world.repo.state()), ("done", State::Asleep));
}

#[test]
fn a_queue_without_an_engine_can_be_paused() {
    let gated = || {
        let mut world = spoken_to();
        world.request(|reply| Event::Stop(reply, OnWork::Refuse));
        world.deliver_all();
        world.runner(Event::Gate(true));
        world.ask(false, true, false);
        world.deliver_all();
        assert_eq!((world.repo.state(), world.repo.queued()), (State::Asleep, 1));
        world
    };
    let mut world = gated();
    let pause = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    assert_eq!((outcome(&world, pause), world.repo.state()), ("paused!", State::Paused));
    world.runner(Event::Gate(false));
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.queued()), (State::Paused, 1));
    world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    assert_eq!(world.submitted.len(), 2);
    let mut world = gated();
    world.faults.refuse_persist = true;
    let pause = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    assert_eq!((outcome(&world, pause), world.repo.state()), ("store_failed", State::Asleep));
}

#[test]
fn invariant_05_what_nobody_could_see_is_not_told_as_cut_off_by_an_engine_that_ended() {
    for stopped in [false, true] {
        let mut world = spoken_to();
        let session = world.repo.session().cloned().expect("a session");
        world.runner(Event::Foreign { session, build: "older".into() });
        if stopped {
            world.request(|reply| Event::Stop(reply, OnWork::Refuse));
        }
        world.kill_holder();
        world.deliver_all();
        assert_eq!((world.repo.state(), world.disk.interrupted.len()), (State::Asleep, 0));
    }
}

#[test]
fn the_way_on_is_that_of_the_work_that_is_named() {
    let mut world = spoken_to();
    world.engine(|_, _, _| vec![crate::session::Event::Input(b"half".to_vec())]);
    let pause = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    // The holder judges by it before the runner has seen it.
    while !world.answers.contains_key(&pause) {
        world.deliver_to_holder();
        world.deliver_to_runner();
    }
    let trouble = refused(&world, pause);
    assert!(trouble.sentence.contains("typed and not sent"), "{trouble:?}");
    assert!(trouble.hints[0].contains("repose open"), "{trouble:?}");
}

#[test]
fn a_pause_keeps_an_ask_that_waits_in_the_queue_and_is_not_refused_for_it() {
    let mut world = spoken_to();
    let session = world.repo.session().cloned();
    let owner = |pid| Some(Owner { pid, terminal: None, command: None });
    world.runner(Event::Elsewhere { session, owner: owner(7) });
    world.ask(false, true, false);
    world.deliver_all();
    assert_eq!((world.repo.queued(), world.repo.ask_lease()), (1, true));
    let pause = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    assert_eq!(
        (outcome(&world, pause), world.repo.state(), world.repo.queued()),
        ("paused!", State::Paused, 1)
    );
}
