//! A conversation that another program has open: what waits for it, and what goes on as a copy.

use super::super::{Answer, Event, State};
use super::orders::{live, outcome, spoken_to};
use super::world::World;
use crate::continuity::Outcome;
use crate::conversation::{Fork, Owner};
use crate::trouble::Code;
use crate::work::OnWork;

#[test]
fn invariant_14_asks_stop_while_another_program_has_the_live_conversation() {
    let mut world = live();
    let session = Some(world.repo.session().cloned().expect("a live session"));
    let owner = Some(Owner { pid: 7, terminal: Some("/dev/pts/3".into()), command: None });
    world.runner(Event::Elsewhere { session: session.clone(), owner });
    let trouble = world.repo.trouble().cloned().expect("trouble");
    assert_eq!(trouble.code, Code::OwnedElsewhere);
    assert!(trouble.sentence.contains("(pid 7 in /dev/pts/3)"), "{}", trouble.sentence);
    let refused = world.ask(false, false, true);
    let queued = world.ask(false, true, true);
    world.deliver_all();
    assert_eq!(outcome(&world, refused), Code::OwnedElsewhere.as_str());
    assert_eq!((outcome(&world, queued), world.repo.queued()), ("waits", 1));
    let waits = world.repo.asks().next().and_then(|ask| world.repo.waits_because(ask)).expect("a reason");
    assert!(waits.contains("open elsewhere"), "{waits}");
    assert_eq!(world.repo.owner().map(|owner| owner.pid), Some(7));
    world.runner(Event::Elsewhere { session, owner: None });
    assert!(world.repo.trouble().is_none() && world.repo.owner().is_none());
}

/// Asleep, with a conversation that another program has open.
pub(super) fn owned() -> World {
    let mut world = spoken_to();
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    assert_eq!(world.repo.state(), State::Asleep);
    world.faults.owned = true;
    world
}

#[test]
fn a_repo_that_is_open_elsewhere_waits_until_it_is_free_if_that_is_wanted() {
    let mut world = owned();
    let waits = world.request(Event::EnsureWhenFree);
    world.deliver_all();
    assert_eq!(world.answers[&waits], [Answer::Done], "it is answered at once");
    assert!(world.repo.opens_when_free() && world.holders.is_empty());
    let pid = world.repo.owner().map(|owner| owner.pid);
    assert_eq!(pid, Some(7));
    // Whoever asks something meanwhile is told the same at each moment, or the ask wouldn't wait.
    world.faults.owned = true;
    world.ask(false, true, false);
    assert_eq!((world.repo.state(), world.repo.opens_when_free()), (State::Opening, true));
    world.deliver_all();
    assert!(world.repo.opens_when_free() && world.holders.is_empty());
    world.runner(Event::Elsewhere { session: None, owner: None });
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.opens_when_free()), (State::Opening, false));
}

#[test]
fn what_is_to_be_opened_once_it_is_free_is_not_forgotten_over_another_trouble() {
    let mut world = owned();
    world.request(Event::EnsureWhenFree);
    world.deliver_all();
    world.faults.check_fails = true;
    world.runner(Event::Elsewhere { session: None, owner: None });
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.opens_when_free()), (State::Offline, true));
    world.faults.no_place = true;
    world.runner(Event::Health(None));
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.opens_when_free()), (State::Asleep, true));
    world.runner(Event::Health(None));
    world.deliver_all();
    assert_eq!(world.repo.state(), State::Asleep, "there still is no place");
    world.runner(Event::PlaceFree);
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.opens_when_free()), (State::Opening, false));
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    world.runner(Event::Gate(false));
    world.deliver_all();
    assert_eq!(world.repo.state(), State::Asleep, "it was opened once, as promised");
}

#[test]
fn who_would_not_wait_is_refused_and_stop_ends_the_waiting() {
    let mut world = owned();
    let refused = world.request(Event::Ensure);
    world.deliver_all();
    assert_eq!(outcome(&world, refused), Code::OwnedElsewhere.as_str());
    world.faults.owned = true;
    world.request(Event::EnsureWhenFree);
    world.deliver_all();
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    world.runner(Event::Elsewhere { session: None, owner: None });
    world.deliver_all();
    assert_eq!((world.repo.state(), world.repo.opens_when_free()), (State::Asleep, false));
}

#[test]
fn a_copy_goes_on_where_the_conversation_is_open_elsewhere() {
    let mut world = owned();
    let before = world.repo.conversation().map(|talk| talk.id.clone()).expect("a conversation");
    world.request(|reply| Event::Fork(reply, None));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    assert_eq!(world.repo.continuity().map(|told| told.code()), Some("forked"));
    assert_ne!(world.repo.conversation().map(|talk| talk.id.clone()), Some(before));
    assert!(world.repo.owner().is_none(), "nobody else has the copy");
}

#[test]
fn a_copy_in_which_nothing_was_asked_is_begun_again_from_the_same_conversation() {
    let mut world = spoken_to();
    let current =
        |world: &World| world.repo.conversation().map(|talk| talk.id.clone()).expect("a conversation");
    let of = current(&world);
    world.request(|reply| Event::Fork(reply, None));
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    let copy = current(&world);
    world.request(|reply| Event::Stop(reply, OnWork::Refuse));
    world.deliver_all();
    world.crash();
    world.deliver_all();
    // That the first is open elsewhere doesn't matter: it is copied, not written.
    world.faults.owned = true;
    world.ask(false, false, true);
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.deliver_all();
    let told = world.repo.continuity().map(|told| told.outcome.clone());
    assert!(matches!(told, Some(Outcome::Forked { .. })), "{told:?}");
    let again = current(&world);
    assert!(again != copy && again != of, "a further copy");
    assert_eq!(world.disk.last_fork, Some(Fork { id: again, of }));
}
