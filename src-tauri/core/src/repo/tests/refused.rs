//! What refusals say, and what they offer to do.

use super::super::{Answer, Event};
use super::elsewhere::owned;
use super::orders::{live, paused, spoken_to};
use super::world::World;
use crate::conversation::{Engine, OnDisk, Turns};
use crate::trouble::{Code, Trouble};
use crate::work::OnWork;

/// What the request was refused with.
fn refused(world: &World, number: u64) -> &Trouble {
    match world.answers.get(&number).map(Vec::as_slice) {
        Some([Answer::Refused(trouble) | Answer::Unanswered { trouble, .. }]) => trouble,
        other => panic!("{other:?}"),
    }
}

/// Its sentence and its hints, in one text.
fn all(trouble: &Trouble) -> String {
    format!("{} {}", trouble.sentence, trouble.hints.join(" "))
}

#[test]
fn an_ask_is_taken_back_while_it_waits_and_else_its_turn_can_be_interrupted() {
    let mut world = spoken_to();
    world.ask(false, false, true);
    world.deliver_all();
    let waits = world.ask(false, false, true);
    let ids: Vec<_> = world.repo.asks().map(|ask| ask.id.clone()).collect();
    let [taken, waiting] = &ids[..] else { panic!("{ids:?}") };
    let late = world.request(|reply| Event::Withdraw(reply, taken.clone()));
    let trouble = refused(&world, late);
    assert_eq!(trouble.code, Code::AskTaken);
    assert!(all(trouble).contains("`repose interrupt work`"), "{trouble:?}");
    let back = world.request(|reply| Event::Withdraw(reply, waiting.clone()));
    assert_eq!(world.answers[&back], [Answer::Done]);
    assert_eq!(refused(&world, waits).code, Code::TakenBack);
}

#[test]
fn whoever_asked_a_repo_that_is_removed_is_told_that_and_not_that_there_is_none() {
    let mut world = spoken_to();
    let asks = [world.ask(false, false, true), world.ask(false, false, true)];
    world.deliver_all();
    world.request(|reply| Event::Remove(reply, OnWork::Interrupt));
    world.deliver_all();
    assert_eq!(asks.map(|ask| refused(&world, ask).code), [Code::Removed; 2]);
    let later = world.request(|reply| Event::Pause(reply, OnWork::Refuse));
    assert_eq!(refused(&world, later).code, Code::NoSuchRepo);
}

#[test]
fn an_interrupt_of_a_paused_repo_offers_no_queue() {
    let mut world = paused();
    let interrupt = world.request(Event::Interrupt);
    let trouble = refused(&world, interrupt);
    assert!(trouble.code == Code::Paused && !all(trouble).contains("--queue"), "{trouble:?}");
}

#[test]
fn a_copy_is_offered_where_the_engine_makes_some() {
    for forks in [true, false] {
        let mut world = owned();
        let engine = Engine { forks, ..world.repo.engine().clone() };
        world.runner(Event::Described(engine));
        let opened = world.request(Event::Ensure);
        world.deliver_all();
        assert_eq!(all(refused(&world, opened)).contains("repose fork"), forks);
    }
    let mut world = live();
    let engine = Engine { forks: false, keeps_conversations: false, ..world.repo.engine().clone() };
    world.runner(Event::Described(engine));
    let fork = world.request(|reply| Event::Fork(reply, None));
    world.deliver_all();
    let trouble = refused(&world, fork);
    assert!(trouble.code == Code::NotResumable && !all(trouble).contains("repose fork"), "{trouble:?}");
}

#[test]
fn a_pause_that_would_lose_a_first_turn_doesnt_say_that_nothing_was_asked() {
    let mut world = live();
    world.ask(false, false, true);
    world.deliver_all();
    // It writes a copy to disk with its first answer.
    for conversation in world.conversations.values_mut() {
        (conversation.turns, conversation.on_disk) = (Turns::NONE, OnDisk::Gone);
    }
    let pause = world.request(|reply| Event::Pause(reply, OnWork::Interrupt));
    world.deliver_all();
    let trouble = refused(&world, pause);
    assert_eq!(trouble.code, Code::NotResumable);
    let told = all(trouble);
    assert!(!told.contains("nothing was asked") && told.contains("Wait until it has answered"), "{told}");
    let mut world = live();
    let pause = world.request(|reply| Event::Pause(reply, OnWork::Interrupt));
    world.deliver_all();
    assert!(all(refused(&world, pause)).contains("nothing was asked"));
}
