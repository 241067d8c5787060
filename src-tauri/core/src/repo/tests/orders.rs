//! Each order in each state of the process, with a store that refuses and with a closed gate.

use super::super::{Answer, Event, Intent, ReplyTo, State};
use super::elsewhere::owned;
use super::world::World;
use crate::conversation::{Conversation, OnDisk, Turns};
use crate::ids::{ConversationId, EngineName};
use crate::trouble::Code;
use crate::work::OnWork;

/// The result of a request: a trouble's code, or a word.
pub(super) fn outcome(world: &World, number: u64) -> &'static str {
    match world.answers.get(&number).map(Vec::as_slice) {
        None => "waits",
        Some([Answer::Done]) => "done",
        Some([Answer::Accepted { .. }]) => "accepted",
        Some([Answer::Answered { .. }]) => "answered",
        Some([Answer::Unanswered { trouble, .. } | Answer::Refused(trouble)]) => trouble.code.as_str(),
        Some([Answer::Paused(_)]) => "paused!",
        Some(_) => "several answers",
    }
}

fn asleep() -> World {
    World::new()
}

fn checking() -> World {
    let mut world = asleep();
    world.request(Event::Ensure);
    world
}

fn opening() -> World {
    let mut world = checking();
    world.deliver_all();
    world
}

pub(super) fn live() -> World {
    let mut world = opening();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    world
}

/// Live, with a conversation that could be resumed.
pub(super) fn spoken_to() -> World {
    let mut world = live();
    world.ask(false, false, true);
    world.deliver_all();
    world.pass(std::time::Duration::from_millis(200));
    world.deliver_all();
    world.engine(|engine, now, _| engine.finish(false, false, now));
    world.deliver_all();
    world
}

pub(super) fn paused() -> World {
    let mut world = spoken_to();
    world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    assert_eq!(world.repo.state(), State::Paused);
    world
}

fn leaving() -> World {
    let mut world = spoken_to();
    world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world
}

type Order = fn(ReplyTo) -> Event;
type Row = (&'static str, fn() -> World, [&'static str; 7]);

#[test]
fn every_order_in_every_state() {
    let orders: [(&str, Order); 7] = [
        ("ensure", Event::Ensure),
        ("pause", |reply| Event::Pause(reply, OnWork::Refuse)),
        ("resume", |reply| Event::Resume(reply, None)),
        ("lift", Event::Lift),
        ("fresh", |reply| Event::Fresh(reply, OnWork::Refuse)),
        ("stop", |reply| Event::Stop(reply, OnWork::Refuse)),
        ("interrupt", Event::Interrupt),
    ];
    let states: [Row; 6] = [
        (
            "asleep",
            asleep,
            ["waits", "nothing_to_pause", "waits", "done", "waits", "done", "nothing_to_interrupt"],
        ),
        ("checking", checking, ["waits", "waits", "waits", "done", "waits", "done", "nothing_to_interrupt"]),
        ("opening", opening, ["waits", "waits", "waits", "done", "waits", "done", "nothing_to_interrupt"]),
        ("live", spoken_to, ["done", "paused!", "done", "done", "waits", "done", "nothing_to_interrupt"]),
        (
            "leaving",
            leaving,
            [
                "paused",
                "in_transition",
                "waits",
                "in_transition",
                "in_transition",
                "in_transition",
                "nothing_to_interrupt",
            ],
        ),
        ("paused", paused, ["paused", "nothing_to_pause", "waits", "done", "waits", "done", "paused"]),
    ];
    for (state, world, outcomes) in states {
        for ((name, order), expected) in orders.iter().zip(outcomes) {
            let mut world = world();
            let number = world.request(order);
            world.deliver_all();
            assert_eq!(outcome(&world, number), expected, "{name} while {state}");
        }
    }
}

#[test]
fn invariant_02_nothing_opens_a_paused_repo_and_what_is_queued_waits() {
    let mut world = paused();
    let refused = [world.request(Event::Ensure), world.ask(false, false, true), world.ask(true, false, true)];
    for number in refused {
        assert_eq!(outcome(&world, number), "paused");
    }
    let queued = world.ask(false, true, true);
    assert_eq!(outcome(&world, queued), "accepted");
    world.crash();
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.queued()), (State::Paused, 1));
    assert!(world.holders.is_empty());
    world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    assert!(world.live().is_some());
}

#[test]
fn invariant_04_a_pause_that_would_be_a_one_way_trip_is_refused() {
    let mut world = live();
    let number = world.request(|reply| Event::Pause(reply, OnWork::Interrupt));
    world.deliver_all();
    assert_eq!(outcome(&world, number), "not_resumable");
    assert_eq!(world.repo.state(), State::Ready);
}

#[test]
fn invariant_02_a_resume_that_cant_be_written_leaves_it_paused() {
    let mut world = paused();
    world.faults.refuse_persist = true;
    let number = world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    assert_eq!(outcome(&world, number), Code::StoreFailed.as_str());
    assert_eq!(world.repo.state(), State::Paused);
}

#[test]
fn invariant_06_an_order_that_cant_be_written_ends_nothing() {
    let mut world = spoken_to();
    world.faults.refuse_persist = true;
    let number = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    assert_eq!(outcome(&world, number), Code::StoreFailed.as_str());
    assert_eq!((world.repo.state(), world.repo.intent()), (State::Ready, &Intent::Open));
}

#[test]
fn a_gate_that_closes_while_it_looks_keeps_it_shut() {
    let mut world = checking();
    world.runner(Event::Gate(true));
    world.deliver_all();
    assert_eq!(world.repo.state(), State::Asleep);
    assert!(world.waiting.is_empty());
    let resumed = world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    assert_eq!((outcome(&world, resumed), world.repo.state()), ("waits", State::Opening));
}

#[test]
fn behind_a_closed_gate_one_that_lives_is_asked_and_one_that_sleeps_waits_for_resume() {
    let accepted = |world: &World, number: u64| match world.answers[&number].as_slice() {
        [Answer::Accepted { waits_for_resume, .. }] => *waits_for_resume,
        other => panic!("{other:?}"),
    };
    for live in [true, false] {
        let mut world = spoken_to();
        if !live {
            world.request(|reply| Event::Stop(reply, OnWork::Refuse));
            world.deliver_all();
        }
        world.runner(Event::Gate(true));
        let queued = world.ask(false, true, false);
        assert_eq!(accepted(&world, queued), !live);
        let waits = world.ask(false, true, true);
        assert_eq!(outcome(&world, waits), if live { "waits" } else { "accepted" });
        let plain = world.ask(false, false, false);
        assert_eq!(outcome(&world, plain), if live { "accepted" } else { Code::Paused.as_str() });
    }
}

#[test]
fn behind_a_closed_gate_no_engine_is_ended_for_a_new_one_that_could_not_be_opened() {
    let confirms = |world: &mut World| {
        world.engine(|engine, now, disk| engine.confirm(false, now, disk));
        world.deliver_all();
    };
    let mut world = spoken_to();
    world.runner(Event::Gate(true));
    let refused = world.ask(true, false, true);
    let queued = world.ask(true, true, true);
    world.deliver_all();
    assert_eq!(outcome(&world, refused), Code::Paused.as_str());
    assert!(matches!(world.answers[&queued][..], [Answer::Accepted { waits_for_resume: true, .. }]));
    assert_eq!((world.repo.state(), world.repo.queued()), (State::Ready, 1));
    let waits = world.repo.asks().next().and_then(|ask| world.repo.waits_because(ask)).expect("a reason");
    assert!(waits.contains("Resume all"), "{waits}");
    world.runner(Event::Gate(false));
    world.deliver_all();
    confirms(&mut world);
    assert_eq!(world.repo.continuity().map(|told| told.code()), Some("asked_for"));

    // It closes between the ask and the moment at which that could have been carried out.
    let mut world = spoken_to();
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    world.request(Event::Ensure);
    world.deliver_all();
    let asked = world.ask(true, false, true);
    world.runner(Event::Gate(true));
    confirms(&mut world);
    assert_eq!((outcome(&world, asked), world.repo.state()), (Code::Paused.as_str(), State::Ready));
}

#[test]
fn a_fresh_start_that_failed_is_still_wanted_at_the_next_open() {
    let mut world = spoken_to();
    world.request(|reply| Event::Fresh(reply, OnWork::Refuse));
    world.faults.check_fails = true;
    world.deliver_all();
    assert!(world.disk.fresh_next);
    world.crash();
    world.request(Event::Ensure);
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    assert_eq!(world.repo.continuity().map(|told| told.code()), Some("asked_for"));
    assert!(!world.disk.fresh_next);
}

#[test]
fn what_an_earlier_end_freed_is_not_told_of_one_that_was_not_measured() {
    let mut world = paused();
    assert!(world.repo.freed().is_some());
    world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    world.kill_holder();
    world.deliver_all();
    assert_eq!((world.repo.session(), world.repo.freed()), (None, None));
}

#[test]
fn a_paused_repo_is_not_forked_and_keeps_what_is_queued() {
    let mut world = spoken_to();
    world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    world.ask(false, true, false);
    let refused = world.request(|reply| Event::Fork(reply, None));
    world.deliver_all();
    assert_eq!((outcome(&world, refused), world.repo.state()), (Code::Paused.as_str(), State::Paused));
    let stop = world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    let Answer::Refused(trouble) = &world.answers[&stop][0] else { panic!("refused") };
    assert!(trouble.hints[0].contains("repose resume work"), "nothing goes on: {trouble:?}");
}

#[test]
fn it_is_opening_until_the_confirmation_is_heard_however_idle_its_engine_looks() {
    let world = live();
    let view = world.repo.view().cloned().expect("a view");
    assert_eq!(world.repo.state(), State::Ready);
    let mut world = opening();
    let session = world.repo.session().cloned().expect("a session");
    world.runner(Event::View { session, view });
    assert_eq!(world.repo.state(), State::Opening);
}

#[test]
fn what_is_not_taken_up_goes_on_as_a_copy_and_else_anew() {
    let code = |world: &World| world.repo.continuity().map(|told| told.code());
    let mut world = owned();
    world.faults.owned = false;
    let before = world.repo.conversation().map(|talk| talk.id.clone()).expect("a conversation");
    let resumed = world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.deny(now, disk));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    assert_eq!((code(&world), &world.answers[&resumed]), (Some("forked"), &vec![Answer::Done]));
    let copy = world.repo.conversation().map(|talk| talk.id.clone()).expect("a conversation");
    assert_ne!(copy, before);

    let mut world = owned();
    world.faults.owned = false;
    let resumed = world.request(|reply| Event::Resume(reply, None));
    for _ in ["in its place", "as a copy"] {
        world.deliver_all();
        world.engine(|engine, now, disk| engine.deny(now, disk));
    }
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(true, now, disk));
    world.deliver_all();
    assert_eq!((code(&world), &world.answers[&resumed]), (Some("engine_lost_it"), &vec![Answer::Done]));

    let mut world = owned();
    world.faults.owned = false;
    let resumed = world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    world.faults.owned = true;
    world.engine(|engine, now, disk| engine.deny(now, disk));
    world.deliver_all();
    assert!(world.holders.is_empty(), "nobody asked for a copy of what another program has");
    assert_eq!(outcome(&world, resumed), Code::OwnedElsewhere.as_str());
}

#[test]
fn invariant_02_a_pause_that_a_crash_cut_short_is_carried_out_and_types_no_ask() {
    let mut world = spoken_to();
    let ask = world.ask(false, false, false);
    world.deliver_all();
    world.request(|reply| Event::Pause(reply, OnWork::Interrupt));
    while !matches!(world.disk.intent, Intent::Paused { .. }) {
        world.deliver_to_holder();
        world.deliver_to_runner();
    }
    let submitted = world.submitted.len();
    world.crash();
    world.deliver_all();
    assert_eq!(world.repo.state(), State::Paused);
    assert!(world.holders.is_empty() && world.repo.asks().next().is_none());
    assert_eq!((outcome(&world, ask), world.submitted.len()), ("accepted", submitted));
}

#[test]
fn an_order_for_a_conversation_that_cannot_be_opened_leaves_the_live_engine_as_it_is() {
    for (owned, code) in [(false, "not_resumable"), (true, "owned_elsewhere")] {
        let mut world = spoken_to();
        let other = ConversationId::new("other");
        let mut known = Conversation::begun(other.clone(), EngineName::new("claude"), None);
        (known.turns, known.on_disk) = (Turns::Counted(3), if owned { OnDisk::There } else { OnDisk::Gone });
        world.conversations.insert(other.clone(), known);
        world.faults.owned = owned;
        let resumed = world.request(|reply| Event::Resume(reply, Some(other)));
        world.deliver_all();
        assert_eq!((outcome(&world, resumed), world.repo.state()), (code, State::Ready));
        let Answer::Refused(trouble) = &world.answers[&resumed][0] else { panic!("refused") };
        let copies =
            trouble.hints.iter().any(|hint| hint.contains("fork") && hint.contains("--conversation other"));
        assert_eq!(copies, owned, "a copy of the one that was named: {trouble:?}");
        assert_eq!((&world.disk.intent, world.holders.len()), (&Intent::Open, 1));
    }
}

#[test]
fn invariant_05_a_pause_all_the_same_names_every_ask_that_goes_without_its_answer() {
    let mut world = spoken_to();
    world.ask(false, false, false);
    world.deliver_all();
    world.ask(false, false, false);
    let refused = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    assert_eq!(outcome(&world, refused), "work_would_be_lost");
    world.request(|reply| Event::Pause(reply, OnWork::Interrupt));
    world.deliver_all();
    let each = ["an ask without its answer yet", "an unsent ask"];
    assert_eq!(world.disk.interrupted, each);
}

#[test]
fn invariant_05_a_turn_that_ended_with_its_engine_while_nobody_looked_is_named() {
    for ends in [crate::session::Event::Exited, crate::session::Event::Terminated] {
        for crashes in [true, false] {
            let mut world = spoken_to();
            let ask = world.ask(false, false, !crashes);
            world.deliver_all();
            world.pass(std::time::Duration::from_millis(200));
            world.deliver_all();
            world.engine(|_, _, _| vec![ends.clone()]);
            if crashes {
                world.crash();
            }
            world.deliver_all();
            assert_eq!(world.disk.interrupted, ["a turn in progress"], "{ends:?}");
            if !crashes {
                assert_eq!(outcome(&world, ask), "engine_ended", "{ends:?}");
            }
        }
    }
}
