//! Random histories: in any order of events the promises hold, and everybody gets an answer.

use std::time::Duration;

use proptest::prelude::*;

use super::super::{Answer, Event, Intent};
use super::world::{Cut, World};
use crate::budget::Excess;
use crate::ids::{AskId, ConversationId};
use crate::session;
use crate::trouble::{Code, Trouble};
use crate::work::{Named, OnWork};

#[derive(Debug, Clone, Copy)]
enum Step {
    Ensure,
    EnsureWhenFree,
    Ask {
        fresh: bool,
        queued: bool,
        wait: bool,
    },
    Withdraw(usize),
    Await(usize),
    Pause(Word),
    Resume,
    ResumeOther(usize),
    Fork(usize),
    Lift,
    Fresh(Word),
    Stop(Word),
    Interrupt,
    Gate(bool),
    Healthy(bool),
    Runner,
    Holder,
    Settle,
    Confirm {
        new: bool,
    },
    Lose,
    Deny,
    Finish {
        failing: bool,
        background: bool,
    },
    BackgroundEnds,
    Escape,
    Clear,
    Type(&'static [u8]),
    Exit,
    Evict,
    KillHolder,
    Crash,
    Cut(Cut),
    RefusePersist,
    CheckFails,
    SpawnFails,
    Owned,
    Pass(u64),
    /// The wall clock is set, forward or back.
    Clock(i64),
}

/// What whoever ends an engine says of the work in it.
#[derive(Debug, Clone, Copy)]
enum Word {
    Nothing,
    /// It may cut off what the last refusal named.
    Named,
    Anything,
}

fn word() -> impl Strategy<Value = Word> {
    prop_oneof![Just(Word::Nothing), Just(Word::Named), Just(Word::Anything)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Ensure),
        1 => Just(Step::EnsureWhenFree),
        8 => (prop::bool::weighted(0.2), prop::bool::weighted(0.4), any::<bool>())
            .prop_map(|(fresh, queued, wait)| Step::Ask { fresh, queued, wait }),
        1 => (0..4_usize).prop_map(Step::Withdraw),
        1 => (0..4_usize).prop_map(Step::Await),
        6 => word().prop_map(Step::Pause),
        5 => Just(Step::Resume),
        1 => (0..4_usize).prop_map(Step::ResumeOther),
        2 => (0..4_usize).prop_map(Step::Fork),
        1 => Just(Step::Lift),
        3 => word().prop_map(Step::Fresh),
        2 => word().prop_map(Step::Stop),
        1 => Just(Step::Interrupt),
        2 => any::<bool>().prop_map(Step::Gate),
        1 => any::<bool>().prop_map(Step::Healthy),
        14 => Just(Step::Runner),
        10 => Just(Step::Holder),
        12 => Just(Step::Settle),
        10 => prop::bool::weighted(0.1).prop_map(|new| Step::Confirm { new }),
        1 => Just(Step::Lose),
        1 => Just(Step::Deny),
        9 => (prop::bool::weighted(0.1), prop::bool::weighted(0.2))
            .prop_map(|(failing, background)| Step::Finish { failing, background }),
        2 => Just(Step::BackgroundEnds),
        1 => Just(Step::Escape),
        1 => Just(Step::Clear),
        3 => prop_oneof![Just(&b"x"[..]), Just(&b"\r"[..]), Just(&b"\x15"[..]), Just(&b"\x1b[A"[..])].prop_map(Step::Type),
        1 => Just(Step::Exit),
        2 => Just(Step::Evict),
        1 => Just(Step::KillHolder),
        3 => Just(Step::Crash),
        4 => (0..5_usize, any::<bool>()).prop_map(|(after, arrives)| Step::Cut(Cut { after, arrives })),
        2 => Just(Step::RefusePersist),
        1 => Just(Step::CheckFails),
        1 => Just(Step::SpawnFails),
        1 => Just(Step::Owned),
        6 => prop_oneof![Just(200), Just(1_000), Just(21_000), Just(61_000), Just(25_000_000), Just(500_000_000)]
            .prop_map(Step::Pass),
        2 => prop_oneof![Just(-500_000_000), Just(-5_000), Just(5_000), Just(500_000_000)].prop_map(Step::Clock),
    ]
}

fn take(world: &mut World, step: Step) {
    match step {
        Step::Ensure => {
            world.request(Event::Ensure);
        }
        Step::EnsureWhenFree => {
            world.request(Event::EnsureWhenFree);
        }
        Step::Ask { fresh, queued, wait } => {
            world.ask(fresh, queued, wait);
        }
        Step::Withdraw(at) => {
            if let Some(id) = known_ask(world, at) {
                world.request(|reply| Event::Withdraw(reply, id));
            }
        }
        Step::Await(at) => {
            if let Some(id) = known_ask(world, at) {
                world.request(|reply| Event::Await(reply, id));
            }
        }
        Step::Pause(word) => {
            let on_work = on_work(world, word);
            world.request(|reply| Event::Pause(reply, on_work));
        }
        Step::Resume => {
            world.request(|reply| Event::Resume(reply, None));
        }
        Step::ResumeOther(at) => {
            let id = world.conversations.keys().nth(at).cloned();
            let id = id.unwrap_or_else(|| ConversationId::new("nobody's"));
            world.request(|reply| Event::Resume(reply, Some(id)));
        }
        Step::Fork(at) => {
            let id = world.conversations.keys().nth(at).cloned(); // past the last: of the current one
            world.request(|reply| Event::Fork(reply, id));
        }
        Step::Lift => {
            world.request(Event::Lift);
        }
        Step::Fresh(word) => {
            let on_work = on_work(world, word);
            world.request(|reply| Event::Fresh(reply, on_work));
        }
        Step::Stop(word) => {
            let on_work = on_work(world, word);
            world.request(|reply| Event::Stop(reply, on_work));
        }
        Step::Interrupt => {
            world.request(Event::Interrupt);
        }
        Step::Gate(closed) => world.runner(Event::Gate(closed)),
        Step::Healthy(healthy) => {
            let trouble = (!healthy).then(|| Trouble::new(Code::EngineMissing, "No engine.", [""; 0]));
            world.runner(Event::Health(trouble));
        }
        Step::Runner => world.deliver_to_runner(),
        Step::Holder => world.deliver_to_holder(),
        Step::Settle => world.deliver_all(),
        Step::Confirm { new } => world.engine(|engine, now, disk| engine.confirm(new, now, disk)),
        Step::Lose => world.engine(|engine, now, disk| engine.lose(now, disk)),
        Step::Deny => world.engine(|engine, now, disk| engine.deny(now, disk)),
        Step::Finish { failing, background } => {
            world.engine(|engine, now, _| engine.finish(failing, background, now));
        }
        Step::BackgroundEnds => world.engine(|engine, now, _| engine.end_background(now)),
        Step::Escape => world.engine(|engine, now, _| engine.escape(now)),
        Step::Clear => {
            let id = format!("c{}", world.id());
            world.engine(|engine, now, disk| engine.clear(id, now, disk));
        }
        Step::Type(bytes) => world.engine(|_, _, _| vec![session::Event::Input(bytes.to_vec())]),
        Step::Exit => world.engine(|_, _, _| vec![session::Event::Exited]),
        Step::Evict => {
            let over = Excess::Memory { budget: 1 };
            world.engine(|_, _, _| vec![session::Event::Evict(over)]);
        }
        Step::KillHolder => world.kill_holder(),
        Step::Crash => world.crash(),
        Step::Cut(cut) => world.faults.cut = Some(cut),
        Step::RefusePersist => world.faults.refuse_persist = true,
        Step::CheckFails => world.faults.check_fails = true,
        Step::SpawnFails => world.faults.spawn_fails = true,
        Step::Owned => world.faults.owned = true,
        Step::Pass(ms) => world.pass(Duration::from_millis(ms)),
        Step::Clock(by) => world.set_clock(by),
    }
}

fn on_work(world: &World, word: Word) -> OnWork {
    let mut answers = world.answers.values().rev().flatten();
    let mut named = || {
        answers.find_map(
            |answer| if let Answer::Refused(refused) = answer { refused.named.text() } else { None },
        )
    };
    match word {
        Word::Nothing => OnWork::Refuse,
        Word::Named => OnWork::InterruptAtMost(Named::from_text(&named().unwrap_or_default())),
        Word::Anything => OnWork::Interrupt,
    }
}

fn known_ask(world: &World, at: usize) -> Option<AskId> {
    world.repo.asks().nth(at).map(|ask| ask.id.clone())
}

/// Everything succeeds from here on, and everybody has time.
fn all_goes_well(world: &mut World) {
    world.faults = super::world::Faults::default();
    world.runner(Event::Gate(false));
    // A holder that was frozen by a runner that then died takes no key before that.
    world.deliver_all();
    world.pass(session::FREEZE_LASTS);
    for _ in 0..60 {
        world.deliver_all();
        world.engine(|engine, now, disk| engine.confirm(false, now, disk));
        world.deliver_all();
        world.engine(|engine, now, _| engine.finish(false, false, now));
        world.engine(|engine, now, _| engine.end_background(now));
        world.engine(|_, _, _| vec![session::Event::Input(b"\x03".to_vec())]);
        world.deliver_all();
        world.pass(Duration::from_secs(2));
        world.deliver_all();
        // Somebody removes what an ask that wasn't taken may have left.
        world.engine(|_, _, _| vec![session::Event::Input(b"\x03".to_vec())]);
        world.deliver_all();
        let works = world.live().is_some_and(|id| world.holders[&id].engine.has_work());
        if world.waiting.is_empty() && world.repo.asks().next().is_none() && !works {
            return;
        }
    }
    world.pass(Duration::from_secs(70));
    world.deliver_all();
}

fn after(steps: &[Step]) -> World {
    let mut world = World::new();
    for step in steps {
        take(&mut world, *step);
    }
    world
}

#[test]
fn a_look_from_before_the_clock_was_set_back_ends_no_turn() {
    let ask = Step::Ask { fresh: false, queued: false, wait: false };
    let steps = [
        ask,
        Step::Settle,
        Step::Confirm { new: false },
        Step::Settle,
        Step::Fresh(Word::Nothing),
        ask,
        Step::Holder,
        Step::Clock(-500_000_000),
        Step::Pass(200),
    ];
    let mut world = after(&steps);
    all_goes_well(&mut world);
    assert_eq!(world.taken.len(), 2, "{:?}", world.taken);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_promises_hold_and_everybody_is_answered(steps in prop::collection::vec(step(), 1..70)) {
        let mut world = after(&steps);
        all_goes_well(&mut world);
        if !world.removed && matches!(world.disk.intent, Intent::Paused { .. }) {
            world.request(|reply| Event::Resume(reply, None));
        } else {
            world.request(Event::Ensure);
        }
        all_goes_well(&mut world);
        prop_assert!(world.waiting.is_empty(), "liveness: no answer for {:?}: {:#?}", world.waiting, world.repo);
        prop_assert!(world.repo.asks().next().is_none(), "liveness: asks are left: {:#?}", world.repo);
        prop_assert!(world.disk.asks.is_empty() || world.removed, "asks are left on the disk: {:?}", world.disk.asks);
    }

    #[test]
    fn invariant_07_time_alone_lets_every_idle_engine_go(steps in prop::collection::vec(step(), 1..50)) {
        let mut world = after(&steps);
        all_goes_well(&mut world);
        for _ in 0..4 {
            world.pass(Duration::from_secs(7 * 3_600));
            world.deliver_all();
        }
        let held = world.live().map(|id| world.holders[&id].session.view(world.now));
        prop_assert!(held.is_none(), "kept for ever: {held:#?}");
    }
}
