use super::Bench;
use crate::decision::{Choice, ChoiceKind, Decision, Question};
use crate::ids::{ConversationId, DecisionId};
use crate::session::{Effect, Event};
use crate::signal::{Level, Said, Wait};

fn decision(id: &str) -> Decision {
    let wait = Wait::Permission("run `ls`".into());
    let choices = vec![Choice { id: "allow".into(), label: "Allow".into(), kind: ChoiceKind::Allow }];
    let conversation = ConversationId::new("c1");
    Decision { id: DecisionId::new(id), question: Question { conversation, wait, detail: None, choices } }
}

fn wait() -> Level {
    Level::Waiting(Wait::Permission(String::new()))
}

fn decide(id: &str, choice: &str) -> Event {
    Event::Decide { decision: DecisionId::new(id), choice: choice.into() }
}

fn left(id: &str) -> Effect {
    Effect::LeaveToTerminal(DecisionId::new(id))
}

/// A turn in which the engine shows a decision.
fn shown() -> Bench {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    assert!(bench.handle(Event::Decides(decision("d1"))).is_empty());
    bench.pass(20);
    bench.level(wait());
    bench
}

fn offered(bench: &Bench) -> Option<String> {
    bench.session.view(bench.now).decision.map(|decision| decision.id.as_str().to_owned())
}

#[test]
fn a_decision_is_offered_while_the_engine_shows_it_and_taken_to_it_once() {
    let mut bench = shown();
    assert_eq!(offered(&bench).as_deref(), Some("d1"));
    assert_eq!(bench.handle(decide("d1", "no such choice")), [Effect::Undecided]);
    assert_eq!(bench.handle(decide("d0", "allow")), [Effect::Undecided]);
    let taken = Effect::Decide { decision: DecisionId::new("d1"), choice: "allow".into() };
    assert_eq!(bench.handle(decide("d1", "allow")), [taken]);
    assert_eq!(bench.handle(decide("d1", "allow")), [Effect::DecidedBefore], "the same word, told again");
    assert_eq!(bench.handle(decide("d1", "deny")), [Effect::Undecided], "another comes too late");
    assert_eq!(offered(&bench), None);
    assert!(bench.level(Level::Busy).is_empty());
}

#[test]
fn what_was_decided_in_the_terminal_is_offered_no_more_and_its_hook_let_go() {
    for level in [Level::Busy, Level::Idle] {
        let mut bench = shown();
        bench.pass(1_000);
        assert!(bench.level(level).contains(&left("d1")));
        assert_eq!(offered(&bench), None);
        assert_eq!(bench.handle(decide("d1", "allow")), [Effect::Undecided]);
    }
}

#[test]
fn the_level_may_come_before_the_hook() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.level(wait());
    bench.pass(40);
    assert!(bench.handle(Event::Decides(decision("d1"))).is_empty());
    assert_eq!(offered(&bench).as_deref(), Some("d1"));
    // The hook's own report comes too, and changes nothing.
    assert!(bench.say(Said::NeedsDecision(Wait::Permission("run `ls`".into()))).is_empty());
    assert_eq!(offered(&bench).as_deref(), Some("d1"));
}

#[test]
fn an_engine_that_shows_nothing_while_its_hook_waits_gets_it_back() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.handle(Event::Decides(decision("d1")));
    assert_eq!(offered(&bench), None, "nobody can see it yet");
    assert!(bench.pass(1_999).is_empty());
    assert_eq!(bench.pass(1), [left("d1")]);
}

#[test]
fn of_two_at_a_time_none_is_decided_from_outside() {
    let mut bench = shown();
    assert_eq!(bench.handle(Event::Decides(decision("d2"))), [left("d1"), left("d2")]);
    assert_eq!(bench.handle(decide("d1", "allow")), [Effect::Undecided]);
    assert_eq!(offered(&bench), None);
}

#[test]
fn after_two_at_a_time_a_third_is_none_that_the_terminal_surely_shows() {
    let mut bench = shown();
    bench.handle(Event::Decides(decision("d2")));
    assert_eq!(bench.handle(Event::Decides(decision("d3"))), [left("d3")]);
    assert_eq!(offered(&bench), None);
    // Once the engine no longer waits, the next one is the only one again.
    bench.level(Level::Busy);
    bench.pass(1_000);
    bench.handle(Event::Decides(decision("d4")));
    bench.level(wait());
    assert_eq!(offered(&bench).as_deref(), Some("d4"));
}

#[test]
fn a_hook_that_is_gone_or_a_nested_runs_offers_nothing() {
    let mut bench = shown();
    bench.handle(Event::DecisionGone(DecisionId::new("d1")));
    assert_eq!(offered(&bench), None);
    let mut nested = decision("d2");
    nested.question.conversation = ConversationId::new("another");
    assert_eq!(bench.handle(Event::Decides(nested)), [left("d2")]);
}
