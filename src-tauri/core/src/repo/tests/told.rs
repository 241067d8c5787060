//! Who is told what, and who no longer is.

use super::super::{Answer, Effect, Effects, Event, Logged, Notice, ReplyTo, State, TurnEnd};
use super::orders::{outcome, paused, spoken_to};
use super::world::World;
use crate::decision::{Choice, ChoiceKind, Decision, Pick, Question};
use crate::ids::{ConversationId, DecisionId};
use crate::session::{Activity, Fact, TurnOutcome, View};
use crate::signal::Wait;
use crate::trouble::{Code, Trouble};
use crate::work::OnWork;

#[test]
fn whoever_gives_up_waiting_for_an_answer_is_forgotten_and_the_ask_goes_on() {
    let mut world = paused();
    let asked = world.ask(false, true, false);
    assert_eq!(outcome(&world, asked), "accepted");
    let ask = world.repo.asks().next().unwrap().id.clone();
    for _ in 0..3 {
        let number = world.request(|reply| Event::Await(reply, ask.clone()));
        assert_eq!(world.repo.waiting.len(), 1);
        world.waiting.remove(&number); // it closed the connection
        world.runner(Event::Gone(ReplyTo(number)));
        assert!(world.repo.waiting.is_empty());
    }
    assert_eq!(world.repo.asks().count(), 1);
}

#[test]
fn a_turn_that_somebody_ended_is_told_as_their_own_word() {
    let mut world = spoken_to();
    let session = world.repo.session().expect("a session").clone();
    let idle = world.repo.view().expect("a view").clone();
    let now = world.now;
    let working = View { activity: Activity::Working { since: now, sign: now }, ..idle.clone() };
    let mut over = |interrupted: bool, outcome: TurnOutcome| {
        let repo = &mut world.repo;
        repo.handle(Event::View { session: session.clone(), view: working.clone() }, now);
        if interrupted {
            repo.handle(Event::Interrupt(ReplyTo(900)), now);
        }
        // The engine shows that it is idle before it says why.
        repo.handle(Event::View { session: session.clone(), view: idle.clone() }, now);
        let fact = Fact::TurnOver { ask: None, outcome, at: now.wall, worked: None };
        let effects = repo.handle(Event::Fact { session: session.clone(), fact }, now);
        let logged = effects.then.contains(&Effect::Log(Logged::Interrupted(None)));
        let end = effects.then.into_iter().find_map(|effect| {
            if let Effect::Notice(Notice::TurnOver { end, .. }) = effect { Some(end) } else { None }
        });
        (end, logged)
    };
    let answered = || TurnOutcome::Answered("yes".into());
    let table = [
        (false, answered(), TurnEnd::Answered, false),
        (true, answered(), TurnEnd::Answered, false),
        (true, TurnOutcome::Interrupted, TurnEnd::CutOff, true),
        (true, TurnOutcome::Failed("aborted".into()), TurnEnd::CutOff, true),
        (true, TurnOutcome::EngineEnded, TurnEnd::CutOff, false),
        (false, TurnOutcome::Interrupted, TurnEnd::Interrupted, false),
        (false, TurnOutcome::Failed("overloaded".into()), TurnEnd::Unanswered("overloaded".into()), false),
        (false, TurnOutcome::EngineEnded, TurnEnd::CutOff, false),
    ];
    for (interrupted, outcome, end, logged) in table {
        assert_eq!(over(interrupted, outcome.clone()), (Some(end), logged), "{interrupted} {outcome:?}");
    }
}

#[test]
fn the_log_tells_of_a_decision_that_arrived_and_of_none_that_was_taken_back() {
    let mut world = spoken_to();
    let session = world.repo.session().expect("a session").clone();
    let choice = |id: &str, kind| Choice {
        id: id.into(),
        label: format!("say {id}"),
        description: None,
        preview: None,
        kind,
    };
    let question = Question {
        conversation: ConversationId::new("c"),
        wait: Wait::Choice("Which one?".into()),
        detail: None,
        detail_cut: false,
        choices: vec![choice("yes", ChoiceKind::Allow), choice("back", ChoiceKind::Back)],
    };
    let id = DecisionId::new("d");
    let decision = Some(Box::new(Decision { id: id.clone(), question }));
    let view = View { decision, ..world.repo.view().expect("a view").clone() };
    world.repo.handle(Event::View { session, view }, world.now);
    let told = |effects: Effects| {
        let is_row = |effect: &Effect| matches!(effect, Effect::Log(_));
        effects.then.into_iter().filter(is_row).collect::<Vec<_>>()
    };
    for (choice, stood, row) in [("yes", true, true), ("yes", false, false), ("back", true, false)] {
        let pick = Pick { choice: choice.into(), words: None };
        let order = Event::Decide { reply: ReplyTo(900), decision: id.clone(), pick: pick.clone() };
        assert_eq!(told(world.repo.handle(order, world.now)), [], "nothing became of it yet");
        let came = Event::Decided { decision: id.clone(), pick: pick.clone(), stood };
        let rows = row.then(|| Effect::Log(Logged::Decided("say yes".into())));
        let came = world.repo.handle(came, world.now);
        assert_eq!(told(came), Vec::from_iter(rows), "{choice} {stood}");
    }
    // Its maker was told that no word came. One who made it again is answered by the word on the first.
    for again in [false, true] {
        let pick = Pick { choice: "yes".into(), words: None };
        let order = |reply| Event::Decide { reply: ReplyTo(reply), decision: id.clone(), pick: pick.clone() };
        world.repo.handle(order(900), world.now);
        world.now = world.now.after(crate::repo::DECISION_WAITS);
        let late = world.repo.handle(Event::Tick, world.now);
        let timed_out = |effect: &Effect| matches!(effect, Effect::Reply(_, Answer::Refused(why)) if why.code == Code::TimedOut);
        assert!(late.then.iter().any(timed_out), "{late:?}");
        if again {
            world.repo.handle(order(901), world.now);
        }
        let came = Event::Decided { decision: id.clone(), pick: pick.clone(), stood: true };
        let first = world.repo.handle(came.clone(), world.now);
        let answered = first.then.contains(&Effect::Reply(ReplyTo(901), Answer::Done));
        assert_eq!((told(first), answered), (vec![Effect::Log(Logged::Decided("say yes".into()))], again));
        assert_eq!(world.repo.handle(came, world.now).then, [], "its word is told once");
    }
}

#[test]
fn the_end_of_a_turn_says_whether_whoever_asked_has_heard_it() {
    let mut world = spoken_to();
    let session = world.repo.session().expect("a session").clone();
    let mut heard = |wait: bool, gone: bool, of_the_ask: bool| {
        let number = world.ask(false, false, wait);
        let ask = world.repo.asks().last().expect("the ask").id.clone();
        if gone {
            world.repo.handle(Event::Gone(ReplyTo(number)), world.now);
        }
        let (outcome, at) = (TurnOutcome::Answered("yes".into()), world.now.wall);
        let fact = Fact::TurnOver { ask: of_the_ask.then_some(ask), outcome, at, worked: None };
        let effects = world.repo.handle(Event::Fact { session: session.clone(), fact }, world.now);
        effects.then.into_iter().find_map(|effect| {
            if let Effect::Notice(Notice::TurnOver { heard, .. }) = effect { Some(heard) } else { None }
        })
    };
    assert_eq!(heard(true, false, true), Some(true));
    assert_eq!(heard(false, false, true), Some(false), "it asked to be told of nothing");
    assert_eq!(heard(true, true, true), Some(false), "it gave up waiting");
    assert_eq!(heard(true, false, false), Some(false), "it waits for another turn");
}

/// Whether it is notified that this prevents a repo from opening when somebody needs it.
fn told_in_vain(world: &mut World, code: Code) -> bool {
    let trouble = Trouble::new(code, "It isn't there.", [""; 0]);
    let asked = world.repo.handle(Event::Ensure(ReplyTo(900)), world.now);
    let check = asked
        .then
        .into_iter()
        .find_map(|effect| if let Effect::Check { check, .. } = effect { Some(check) } else { None });
    let checked = Event::Checked { check: check.expect("a look"), result: Err(trouble.clone()) };
    world.repo.handle(checked, world.now).then.contains(&Effect::Notice(Notice::Trouble(trouble)))
}

#[test]
fn what_keeps_it_from_opening_when_it_is_needed_is_told_once_until_it_can() {
    let mut world = World::new();
    assert!(told_in_vain(&mut world, Code::FolderGone));
    assert!(!told_in_vain(&mut world, Code::FolderGone), "however often somebody tries");
    assert!(told_in_vain(&mut world, Code::EngineMissing), "this is another one");
    assert!(!told_in_vain(&mut world, Code::FolderGone), "one and the other, in turn");
    assert!(!told_in_vain(&mut world, Code::EngineMissing));
    assert!(!told_in_vain(&mut world, Code::MaxLive), "there is nothing to mend");
    for trouble in [Some(Trouble::new(Code::EngineMissing, "It isn't there.", [""; 0])), None] {
        let seen = world.repo.handle(Event::Health(trouble), world.now).then;
        assert!(!seen.iter().any(|effect| matches!(effect, Effect::Notice(_))), "nobody needs it: {seen:?}");
    }
    assert!(told_in_vain(&mut world, Code::EngineMissing), "in between it could");
    // What another engine lacks is its own.
    let mut gemini = world.repo.engine().clone();
    gemini.title = "Gemini CLI".into();
    world.repo.handle(Event::Switch { reply: ReplyTo(901), engine: gemini, conversation: None }, world.now);
    assert!(told_in_vain(&mut world, Code::EngineMissing));
    // There is no place for it: what was in its way is gone all the same.
    assert!(!told_in_vain(&mut world, Code::MaxLive));
    world.repo.handle(Event::Health(None), world.now);
    assert!(told_in_vain(&mut world, Code::EngineMissing));
}

#[test]
fn what_it_was_needed_in_vain_for_is_over_once_it_could_open_and_is_no_news_when_it_comes_again_unasked() {
    let mut world = World::new();
    let gone = || Some(Trouble::new(Code::FolderGone, "It isn't there.", [""; 0]));
    let mut seen = |trouble| {
        world.repo.handle(Event::Health(trouble), world.now);
        world.repo.needed_in_vain()
    };
    assert!(!seen(gone()), "nobody needs it");
    told_in_vain(&mut world, Code::FolderGone);
    assert!(world.repo.needed_in_vain());
    let mut seen = |trouble| {
        world.repo.handle(Event::Health(trouble), world.now);
        world.repo.needed_in_vain()
    };
    assert_eq!([seen(None), seen(gone())], [false, false], "gone, back, gone again");
}

#[test]
fn a_lack_of_places_is_shown_while_something_waits_for_one_and_as_it_is_now() {
    let mut world = World::new();
    world.faults.no_place = true;
    let refused = world.ask(false, false, true);
    world.deliver_all();
    assert_eq!((outcome(&world, refused), world.repo.trouble()), (Code::MaxLive.as_str(), None));
    world.faults.no_place = true;
    world.ask(false, true, true);
    world.deliver_all();
    assert_eq!(world.repo.trouble().map(|trouble| trouble.code), Some(Code::MaxLive));
    let why = Trouble::new(Code::MaxLive, "Another one is at work now.", [""; 0]);
    world.runner(Event::NoPlace(why.clone()));
    assert_eq!(world.repo.trouble(), Some(&why));
    let waits = world.repo.asks().next().and_then(|ask| world.repo.waits_because(ask)).expect("a reason");
    assert!(waits.starts_with("Another one is at work now. It is sent once"), "{waits}");
    world.runner(Event::PlaceFree);
    world.deliver_all();
    world.runner(Event::NoPlace(why));
    assert_eq!((world.repo.state(), world.repo.trouble()), (State::Opening, None), "that came too late");
}

/// The agent gets the ask.
fn begins(world: &mut World) {
    world.deliver_all();
    world.pass(std::time::Duration::from_millis(200));
    world.deliver_all();
}

#[test]
fn the_log_says_which_ask_was_interrupted() {
    let mut world = spoken_to();
    world.ask(false, false, true);
    begins(&mut world);
    let asked = world.repo.asks().next().expect("an ask").clone();
    world.repo.handle(Event::Interrupt(ReplyTo(900)), world.now);
    let session = world.repo.session().cloned().expect("a session");
    let at = world.now.wall;
    let fact =
        Fact::TurnOver { ask: Some(asked.id.clone()), outcome: TurnOutcome::Interrupted, at, worked: None };
    let effects = world.repo.handle(Event::Fact { session, fact }, world.now);
    assert!(effects.then.contains(&Effect::Log(Logged::Interrupted(Some(asked.text)))), "{effects:?}");
}

#[test]
fn whoever_asks_after_the_engine_went_over_to_another_conversation_is_told() {
    let mut world = spoken_to();
    let statement = |world: &World, ask: u64| match world.answers.get(&ask).map(Vec::as_slice) {
        Some([Answer::Answered { continuity, .. }]) => continuity.as_ref().map(|told| told.code()),
        other => panic!("{other:?}"),
    };
    let asked = |world: &mut World| {
        let ask = world.ask(false, false, true);
        begins(world);
        world.engine(|engine, now, _| engine.finish(false, false, now));
        world.deliver_all();
        statement(world, ask)
    };
    assert_eq!(asked(&mut world), None, "it goes on");
    world.engine(|engine, now, disk| engine.clear("c-cleared".into(), now, disk));
    world.deliver_all();
    assert_eq!([asked(&mut world), asked(&mut world)], [Some("went_over"), None], "it is told once");
    // What an end cut off is named by it too, if nobody was told yet.
    world.ask(false, false, true);
    begins(&mut world);
    world.request(|reply| Event::Stop(reply, OnWork::Interrupt));
    world.deliver_all();
    world.request(Event::Ensure);
    world.deliver_all();
    world.engine(|engine, now, disk| engine.confirm(false, now, disk));
    world.engine(|engine, now, disk| engine.clear("c-again".into(), now, disk));
    world.deliver_all();
    assert_eq!(asked(&mut world), Some("went_over"));
    assert_eq!(world.repo.continuity().map(|told| told.interrupted.len()), Some(1));
}
