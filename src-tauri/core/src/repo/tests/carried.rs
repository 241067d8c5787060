//! Orders and asks that are interrupted: by a crash, a store that refuses, or another order.

use std::time::Duration;

use super::super::{Answer, Event, Intent, ReplyTo, State};
use super::elsewhere::owned;
use super::orders::{outcome, spoken_to};
use super::world::{Cut, World};
use crate::ids::ConversationId;
use crate::session;
use crate::trouble::Code;
use crate::work::OnWork;

fn confirms(world: &mut World) {
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
}

/// An ask that was pasted is taken and answered.
fn answers(world: &mut World) {
    world.pass(Duration::from_millis(200));
    world.deliver_all();
    world.engine(|engine, now, _| engine.finish(false, false, now));
    world.deliver_all();
}

fn told(world: &World) -> Option<&'static str> {
    world.repo.continuity().map(|told| told.code())
}

#[test]
fn invariant_02_a_queued_ask_for_a_fresh_start_is_never_lost_to_its_neighbours() {
    let mut world = spoken_to();
    world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    world.ask(false, true, true);
    world.ask(true, true, true);
    world.ask(false, true, true);
    world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    confirms(&mut world);
    answers(&mut world);
    confirms(&mut world);
    assert_eq!(told(&world), Some("asked_for"));
    answers(&mut world);
    answers(&mut world);
    assert_eq!((world.taken.len(), world.repo.asks().count()), (4, 0), "{:?}", world.taken);
}

#[test]
fn invariant_02_a_queued_ask_for_a_fresh_start_waits_for_a_half_typed_line() {
    let mut world = spoken_to();
    world.engine(|_, _, _| vec![session::Event::Input(b"x".to_vec())]);
    world.deliver_all();
    world.ask(true, true, true);
    world.deliver_all();
    world.pass(Duration::from_secs(3));
    world.deliver_all();
    assert_eq!((world.repo.queued(), world.repo.state()), (1, State::Ready));
    world.engine(|_, _, _| vec![session::Event::Input(b"\x15".to_vec())]);
    world.deliver_all();
    world.pass(Duration::from_secs(3));
    world.deliver_all();
    confirms(&mut world);
    assert_eq!(told(&world), Some("asked_for"));
}

#[test]
fn invariant_09_a_fresh_start_that_came_about_is_not_wanted_again() {
    let mut world = spoken_to();
    world.request(|reply| Event::Fresh(reply, OnWork::Refuse));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_to_holder();
    world.faults.refuse_persist = true;
    world.deliver_all();
    world.pass(Duration::from_secs(6));
    world.deliver_all();
    assert!(!world.disk.fresh_next, "what the store refused is written again");
    world.ask(false, false, true);
    world.deliver_all();
    answers(&mut world);
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    world.request(Event::Ensure);
    world.deliver_all();
    confirms(&mut world);
    assert_eq!(told(&world), Some("resumed"));
}

/// The holder has judged, and the runner dies before its order to end arrives.
fn cut_off(order: fn(ReplyTo) -> Event) -> World {
    let mut world = spoken_to();
    world.ask(false, false, true);
    world.deliver_all();
    world.pass(Duration::from_millis(200));
    world.deliver_all();
    world.request(order);
    while !matches!(world.to_holder.back(), Some((_, session::Event::End(_)))) {
        world.deliver_to_holder();
        world.deliver_to_runner();
    }
    world.crash();
    world.deliver_all();
    world
}

#[test]
fn invariant_06_a_stop_that_a_crash_cut_off_is_carried_out() {
    let world = cut_off(|reply| Event::Stop(reply, OnWork::Interrupt));
    assert!(world.holders.is_empty(), "{:?}", world.repo.state());
    assert_eq!((world.repo.state(), &world.disk.intent), (State::Asleep, &Intent::Open));
    assert_eq!(world.disk.interrupted, ["a turn in progress"]);
}

/// An order with the word to cut off what it was refused for.
fn at_most(world: &mut World, order: fn(ReplyTo, OnWork) -> Event) -> u64 {
    let refused = world.request(|reply| order(reply, OnWork::Refuse));
    world.deliver_all();
    let Some([Answer::Refused(trouble)]) = world.answers.get(&refused).map(Vec::as_slice) else {
        panic!("{:?}", world.answers)
    };
    let named = OnWork::InterruptAtMost(trouble.named.clone());
    world.request(|reply| order(reply, named))
}

/// The order to end is on its way to the holder.
fn until_committed(world: &mut World) {
    while !matches!(world.to_holder.back(), Some((_, session::Event::End(_)))) {
        world.deliver_to_holder();
        world.deliver_to_runner();
    }
}

/// An ask is being answered.
fn working() -> World {
    let mut world = spoken_to();
    world.ask(false, false, true);
    world.deliver_all();
    world.pass(Duration::from_millis(200));
    world.deliver_all();
    world
}

#[test]
fn invariant_06_what_was_committed_with_a_word_on_named_work_is_carried_out_after_a_crash() {
    for order in [Event::Stop, Event::Fresh] {
        let mut world = working();
        at_most(&mut world, order);
        until_committed(&mut world);
        for _ in 0..2 {
            world.crash(); // twice before its holder is heard
        }
        world.deliver_all();
        confirms(&mut world);
        let state = if told(&world) == Some("asked_for") { State::Ready } else { State::Asleep };
        assert_eq!((world.repo.state(), &world.disk.intent), (state, &Intent::Open));
        let named = world.repo.continuity().map(|told| told.interrupted.clone()).unwrap_or_default();
        assert_eq!([named, world.disk.interrupted].concat(), ["a turn in progress"]);
    }
}

#[test]
fn invariant_05_after_a_crash_an_end_with_a_word_on_named_work_cuts_off_no_other() {
    for order in [Event::Stop, Event::Fresh] {
        let mut world = working();
        at_most(&mut world, order);
        until_committed(&mut world);
        assert_eq!(world.disk.interrupted, ["a turn in progress"]);
        // Until the next runner comes, that turn is over, and there is another.
        world.now = world.now.after(session::FREEZE_LASTS);
        world.engine(|engine, now, _| engine.finish(false, false, now));
        world.engine(|_, _, _| vec![session::Event::Input(b"hello\r".to_vec())]);
        world.crash();
        world.deliver_all();
        assert_eq!(world.repo.state(), State::Working);
        assert_eq!((&world.disk.intent, world.disk.interrupted.len()), (&Intent::Open, 0));
    }
}

#[test]
fn invariant_05_what_an_end_cut_off_is_named_even_if_the_runner_died_before_it_heard_of_that_end() {
    for order in [Event::Stop, Event::Fresh, Event::Pause] {
        let mut world = working();
        let purpose = format!("{:?}", order(ReplyTo(0), OnWork::Interrupt));
        world.request(|reply| order(reply, OnWork::Interrupt));
        until_committed(&mut world);
        world.deliver_to_holder();
        assert!(world.holders.is_empty(), "{purpose}: its engine is ended");
        // The next runner may die as early.
        for _ in 0..2 {
            world.crash();
        }
        world.deliver_all();
        world.request(|reply| Event::Resume(reply, None));
        world.deliver_all();
        confirms(&mut world);
        let told = world.repo.continuity().expect("a statement");
        assert_eq!(
            (world.repo.state(), &*told.interrupted),
            (State::Ready, &["a turn in progress".into()][..]),
            "{purpose}"
        );
    }
}

#[test]
fn invariant_05_a_pause_that_a_crash_cut_off_names_no_turn_that_has_ended_since() {
    let mut world = working();
    world.request(|reply| Event::Pause(reply, OnWork::Interrupt));
    until_committed(&mut world);
    world.now = world.now.after(session::FREEZE_LASTS);
    world.engine(|engine, now, _| engine.finish(false, false, now));
    world.crash();
    world.deliver_all();
    assert_eq!(
        (world.repo.state(), world.holders.len(), world.disk.interrupted.len()),
        (State::Paused, 0, 0)
    );
}

#[test]
fn invariant_10_an_open_that_was_confirmed_while_there_was_no_runner_is_told_under_a_pause_too() {
    let mut world = spoken_to();
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    world.request(Event::Ensure);
    world.deliver_all();
    // It was paused at a dialog, and the runner died before the order to end arrived.
    world.disk.intent = Intent::Paused { since: world.now.wall };
    world.engine(|engine, now, disk| engine.confirm(true, now, disk));
    world.crash();
    world.deliver_all();
    let current = world.repo.conversation().map(|current| current.id.clone());
    assert_eq!((world.repo.state(), told(&world)), (State::Paused, Some("engine_started_new")));
    assert_eq!(current, world.disk.conversation.as_ref().map(|current| current.id.clone()));
}

#[test]
fn invariant_05_a_committed_end_that_was_dropped_cut_nothing_off() {
    for order in [Event::Stop, Event::Pause] {
        let mut world = working();
        let ends = at_most(&mut world, order);
        until_committed(&mut world);
        assert_eq!(world.disk.interrupted, ["a turn in progress"]);
        // The disk is slow: by then that turn is over, and there is another.
        world.now = world.now.after(session::FREEZE_LASTS);
        world.engine(|engine, now, _| engine.finish(false, false, now));
        world.engine(|_, _, _| vec![session::Event::Input(b"hello\r".to_vec())]);
        world.deliver_all();
        assert_eq!((outcome(&world, ends), world.repo.state()), ("work_would_be_lost", State::Working));
        assert_eq!((&world.disk.intent, world.disk.interrupted.len()), (&Intent::Open, 0));
    }
}

#[test]
fn invariant_10_a_fresh_start_that_resume_took_back_is_gone_from_disk_once_an_engine_runs() {
    let mut world = spoken_to();
    world.faults.check_fails = true;
    world.request(|reply| Event::Fresh(reply, OnWork::Refuse));
    world.deliver_all();
    assert!(world.disk.fresh_next);
    world.faults.refuse_persist = true;
    for _ in 0..2 {
        world.request(|reply| Event::Resume(reply, None));
        world.deliver_all();
    }
    confirms(&mut world);
    assert_eq!((world.repo.state(), world.disk.fresh_next), (State::Ready, false));
}

#[test]
fn invariant_06_a_fresh_start_that_a_crash_cut_off_is_carried_out() {
    let mut world = cut_off(|reply| Event::Fresh(reply, OnWork::Interrupt));
    confirms(&mut world);
    assert_eq!((told(&world), world.repo.state()), (Some("asked_for"), State::Ready));
}

#[test]
fn why_nothing_could_be_started_is_what_is_shown_and_a_queued_ask_waits_for_its_end() {
    let mut world = World::new();
    world.faults.spawn_fails = true;
    let ask = world.ask(false, true, false);
    world.deliver_all();
    assert_eq!(outcome(&world, ask), "accepted");
    assert_eq!(world.repo.trouble().map(|trouble| trouble.code), Some(Code::Internal));
    world.runner(Event::Health(None));
    world.deliver_all();
    confirms(&mut world);
    assert_eq!((world.repo.state(), world.repo.trouble()), (State::Ready, None));
}

#[test]
fn who_wanted_another_conversation_is_not_told_that_it_is_there() {
    let mut world = spoken_to();
    let other = ConversationId::new("c-earlier");
    let mut earlier = world.repo.conversation().cloned().expect("a conversation");
    earlier.id = other.clone();
    world.conversations.insert(other.clone(), earlier);
    world.engine(|_, _, _| vec![session::Event::Input(b"x".to_vec())]);
    world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    let resumed = world.request(|reply| Event::Resume(reply, Some(other)));
    let same = world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    assert_eq!((outcome(&world, resumed), outcome(&world, same)), ("in_transition", "done"));
}

#[test]
fn what_is_offered_for_a_paused_repo_that_is_open_elsewhere_can_be_done() {
    let mut world = spoken_to();
    world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    world.faults.owned = true;
    let refused = world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    let Some([Answer::Refused(trouble)]) = world.answers.get(&refused).map(Vec::as_slice) else {
        panic!("{:?}", world.answers)
    };
    assert_eq!(trouble.code, Code::OwnedElsewhere);
    // A copy isn't opened while it is paused.
    assert!(trouble.hints.concat().contains("`repose stop work`, then `repose fork work`"), "{trouble:?}");
    let mut world = owned();
    let refused = world.request(Event::Ensure);
    world.deliver_all();
    let Some([Answer::Refused(trouble)]) = world.answers.get(&refused).map(Vec::as_slice) else {
        panic!("{:?}", world.answers)
    };
    assert!(trouble.hints.concat().contains("repose fork work"), "{trouble:?}");
}

/// The runner dies right after it wrote the changes of the next event.
fn cut_after_the_write(world: &mut World) {
    world.faults.cut = Some(Cut { after: 1, arrives: true });
}

#[test]
fn invariant_10_a_crash_right_after_a_confirmation_was_written_leaves_nothing_of_it_out() {
    let mut world = spoken_to();
    world.ask(false, false, true);
    world.deliver_all();
    world.pass(Duration::from_millis(200));
    world.deliver_all();
    world.request(|reply| Event::Fresh(reply, OnWork::Interrupt));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    cut_after_the_write(&mut world);
    world.deliver_all();
    assert_eq!((told(&world), world.repo.state()), (Some("asked_for"), State::Ready));
    assert!(world.disk.untold && world.disk.interrupted.is_empty() && !world.disk.fresh_next);
    let asked = world.ask(false, false, true);
    world.deliver_all();
    answers(&mut world);
    let Some([Answer::Answered { continuity: Some(first), .. }]) =
        world.answers.get(&asked).map(Vec::as_slice)
    else {
        panic!("invariant 11: {:?}", world.answers)
    };
    assert_eq!(first.interrupted, ["a turn in progress"]);
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    world.request(Event::Ensure);
    world.deliver_all();
    confirms(&mut world);
    assert_eq!(told(&world), Some("resumed"));
}

#[test]
fn a_fresh_ask_that_came_to_nothing_leaves_no_fresh_start_behind() {
    let mut world = spoken_to();
    world.faults.check_fails = true;
    let asked = world.ask(true, false, true);
    world.deliver_all();
    assert_eq!(outcome(&world, asked), "engine_missing");
    world.request(Event::Ensure);
    world.deliver_all();
    confirms(&mut world);
    assert_eq!(told(&world), Some("resumed"));
}

#[test]
fn an_ask_that_is_dropped_when_the_runner_comes_back_opens_nothing_and_is_not_typed() {
    // Its engine ended while there was no runner.
    let mut world = spoken_to();
    world.engine(|_, _, _| vec![session::Event::Input(b"x".to_vec())]);
    world.deliver_all();
    world.ask(false, false, false);
    world.engine(|_, _, _| vec![session::Event::Exited]);
    world.absence = Some(Duration::from_secs(61));
    world.crash();
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.asks().count()), (State::Asleep, 0));
    // It became ready while there was no runner.
    let mut world = spoken_to();
    world.engine(|_, _, _| vec![session::Event::Input(b"x".to_vec())]);
    world.deliver_all();
    world.ask(false, false, false);
    world.engine(|_, _, _| vec![session::Event::Input(b"\x15".to_vec())]);
    world.absence = Some(Duration::from_secs(61));
    world.crash();
    world.deliver_all();
    assert_eq!((world.submitted.len(), world.repo.asks().count()), (1, 0));
}

/// Paused, and the order to end takes longer than a freeze lasts because the disk is slow.
fn late(interrupt: bool) -> (World, u64) {
    let mut world = spoken_to();
    let pause = world.request(|reply| Event::Pause(reply, interrupt.into()));
    while !matches!(world.to_holder.back(), Some((_, session::Event::End(_)))) {
        world.deliver_to_holder();
        world.deliver_to_runner();
    }
    world.now = world.now.after(session::FREEZE_LASTS);
    world.engine(|_, _, _| vec![session::Event::Input(b"hello\r".to_vec())]);
    (world, pause)
}

#[test]
fn invariant_05_a_turn_that_began_while_the_disk_was_slow_is_not_ended_without_a_word() {
    let (mut world, pause) = late(false);
    assert_eq!(world.taken.last().map(String::as_str), Some("hello"));
    world.deliver_all();
    assert_eq!((outcome(&world, pause), world.repo.state()), ("work_would_be_lost", State::Working));
    assert_eq!(world.disk.intent, Intent::Open);
    let (mut world, pause) = late(true);
    world.deliver_all();
    assert_eq!((outcome(&world, pause), world.repo.state()), ("paused!", State::Paused));
    assert_eq!(world.disk.interrupted, ["a turn in progress"]);
}

#[test]
fn invariant_05_what_a_pause_that_a_crash_cut_off_interrupts_by_then_is_named() {
    let (mut world, _) = late(false);
    world.crash();
    world.deliver_all();
    assert_eq!((world.repo.state(), world.holders.len()), (State::Paused, 0));
    assert_eq!(world.disk.interrupted, ["a turn in progress"]);
}

#[test]
fn an_ask_that_waited_long_is_dropped_only_if_there_was_no_runner_for_long() {
    let aged = |age: u64, absence: Option<Duration>, queued: bool| {
        let mut world = working();
        world.ask(false, queued, true);
        world.deliver_all();
        world.now = world.now.after(Duration::from_secs(age));
        world.absence = absence;
        world.crash();
        world.deliver_all();
        world.repo.queued() == 0
    };
    let dropped = |absence, queued| aged(600, absence, queued);
    assert!(!dropped(Some(Duration::from_secs(5)), false), "its asker is back");
    assert!(!aged(10, None, false), "there was a runner ten seconds ago");
    for long in [Some(crate::repo::ASK_OUTLIVES_RUNNER + Duration::from_secs(1)), None] {
        assert!(dropped(long, false) && !dropped(long, true), "{long:?}");
    }
}
