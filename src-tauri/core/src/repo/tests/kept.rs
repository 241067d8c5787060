//! What is said about a conversation that isn't resumed or can't be copied.

use std::time::Duration;

use super::super::{Event, Presence, State};
use super::elsewhere::owned;
use super::orders::{outcome, spoken_to};
use super::world::World;
use crate::conversation::{Conversation, Engine, Keeps, Loss, OnDisk, Turns};
use crate::ids::EngineName;
use crate::session;
use crate::signal::Wait;
use crate::trouble::Code;
use crate::work::OnWork;

fn loss() -> Loss {
    Loss { engine: "Gemini CLI".into(), remedy: "Set it to false".into() }
}

#[test]
fn what_is_said_to_be_picked_up_is_picked_up() {
    let mut world = spoken_to();
    assert_eq!((world.repo.keeps(), world.repo.picked_up_until()), (Keeps::PickedUp, None), "not read yet");
    let last = world.now.wall;
    let talk = world.repo.conversation().cloned().expect("a conversation");
    world.runner(Event::Read(Conversation {
        last_turn: Some(last),
        turns: Turns::Counted(1),
        on_disk: OnDisk::There,
        ..talk
    }));
    assert_eq!(world.repo.picked_up_until(), Some(last.after(Duration::from_secs(4 * 86_400))));

    let mut world = spoken_to();
    world.runner(Event::Loses(Some(loss())));
    assert_eq!((world.repo.keeps(), world.repo.picked_up_until()), (Keeps::Listed(loss()), None));

    let mut world = spoken_to();
    let shell = Engine { keeps_conversations: false, forks: false, ..world.repo.engine().clone() };
    world.runner(Event::Described(shell));
    assert_eq!((world.repo.keeps(), world.repo.picked_up_until()), (Keeps::Nothing, None));
}

fn makes_no_copies(world: &mut World) {
    let engine = Engine { forks: false, ..world.repo.engine().clone() };
    world.runner(Event::Described(engine));
}

#[test]
fn a_fork_with_an_engine_that_makes_no_copies_is_refused_and_ends_nothing() {
    let mut world = spoken_to();
    makes_no_copies(&mut world);
    let session = world.live();
    let fork = world.request(|reply| Event::Fork(reply, None));
    world.deliver_all();
    assert_eq!(outcome(&world, fork), Code::NotResumable.as_str());
    assert_eq!((world.repo.state(), world.live()), (State::Ready, session));
}

#[test]
fn what_is_not_taken_up_goes_on_anew_where_no_copies_are_made() {
    let mut world = owned();
    world.faults.owned = false;
    makes_no_copies(&mut world);
    let resumed = world.request(|reply| Event::Resume(reply, None));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.deny(now, disk));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(true, now, disk));
    world.deliver_all();
    assert_eq!(world.repo.continuity().map(|told| told.code()), Some("engine_lost_it"));
    assert_eq!(outcome(&world, resumed), "done");
}

#[test]
fn invariant_02_a_switch_of_engines_is_refused_by_a_pause_and_takes_nothing_of_the_other_engine_along() {
    let mut world = spoken_to();
    world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    world.deliver_all();
    let shows = |world: &World| {
        (world.repo.conversation().is_some(), world.repo.continuity().is_some(), world.repo.freed().is_some())
    };
    let before = shows(&world);
    assert!(before.0 && before.1, "{before:?}");
    let switch = |world: &mut World| {
        let mut codex = world.repo.engine().clone();
        (codex.name, codex.title) = (EngineName::new("codex"), "Codex".into());
        let conversation = world.disk.conversation.clone();
        let switched = world.request(|reply| Event::Switch { reply, engine: codex, conversation });
        outcome(world, switched)
    };
    assert_eq!((switch(&mut world), shows(&world)), ("paused", before));
    assert_eq!((world.repo.state(), world.repo.engine().title.as_str()), (State::Paused, "Claude Code"));
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    let before = shows(&world);
    world.faults.refuse_persist = true;
    assert_eq!((switch(&mut world), shows(&world)), ("store_failed", before));
    world.faults.refuse_persist = false;
    assert_eq!((switch(&mut world), shows(&world)), ("done", (false, false, false)));
    assert_eq!((world.repo.state(), world.repo.presence()), (State::Asleep, Presence::None));
    assert!(world.disk.continuity.is_none() && world.disk.freed.is_none());
}

#[test]
fn a_conversation_is_as_old_as_when_it_was_picked_up_and_not_as_when_that_was_ordered() {
    let hours = |hours: u64| Duration::from_secs(hours * 3_600);
    for crash in [false, true] {
        let mut world = spoken_to();
        world.request(|reply| Event::Stop(reply, OnWork::Refuse));
        world.deliver_all();
        world.pass(hours(2));
        world.request(Event::Ensure);
        world.deliver_all();
        // It shows a dialog until somebody comes.
        world.engine(|_, _, _| vec![session::Event::Dialog(Some(Wait::Trust))]);
        world.deliver_all();
        if crash {
            world.crash();
            world.deliver_all();
        }
        world.pass(hours(3));
        world.engine(|engine, now, disk| engine.confirm(false, now, disk));
        world.deliver_all();
        let told = world.repo.continuity().expect("a statement").sentence();
        assert!(told.contains("last used 5 h ago"), "{told}");
    }
}
