use super::Bench;
use crate::decision::{Choice, ChoiceKind, Decision, Pick, Question};
use crate::ids::{ConversationId, DecisionId};
use crate::session::{Activity, Effect, Event};
use crate::signal::{Level, Said, Wait};

fn decision(id: &str) -> Decision {
    let wait = Wait::Permission("run `ls`".into());
    let choices = [("allow", ChoiceKind::Allow), ("words", ChoiceKind::Words), ("back", ChoiceKind::Back)];
    let choices = choices.map(|(id, kind)| Choice {
        id: id.into(),
        label: id.into(),
        description: None,
        preview: None,
        kind,
    });
    let choices = choices.into();
    let conversation = ConversationId::new("c1");
    Decision {
        id: DecisionId::new(id),
        question: Question { conversation, wait, detail: None, detail_cut: false, choices },
    }
}

fn wait() -> Level {
    Level::Waiting(Wait::Permission(String::new()))
}

fn picked(choice: &str, words: Option<&str>) -> Pick {
    Pick { choice: choice.into(), words: words.map(Into::into) }
}

fn decide(id: &str, choice: &str) -> Event {
    Event::Decide { decision: DecisionId::new(id), pick: picked(choice, None) }
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
    let worded =
        Event::Decide { decision: DecisionId::new("d1"), pick: picked("allow", Some("yes, please")) };
    assert_eq!(bench.handle(worded), [Effect::Undecided], "words that nothing takes");
    let taken = Effect::Decide { decision: DecisionId::new("d1"), pick: picked("allow", None) };
    assert_eq!(bench.handle(decide("d1", "allow")), [taken]);
    assert_eq!(bench.handle(decide("d1", "allow")), [Effect::DecidedBefore], "the same word, told again");
    assert_eq!(bench.handle(decide("d1", "deny")), [Effect::Undecided], "another comes too late");
    assert_eq!(offered(&bench), None);
    assert!(bench.level(Level::Busy).is_empty());
}

#[test]
fn words_are_taken_to_the_engine_as_they_are_and_the_last_answer_is_taken_back() {
    let mut bench = shown();
    let pick = picked("words", Some("as I say"));
    let decides = Event::Decide { decision: DecisionId::new("d1"), pick: pick.clone() };
    let taken = Effect::Decide { decision: DecisionId::new("d1"), pick };
    assert_eq!(bench.handle(decides.clone()), [taken]);
    assert_eq!(bench.handle(decides), [Effect::DecidedBefore], "the same word, told again");
    let other = Event::Decide { decision: DecisionId::new("d1"), pick: picked("words", Some("as you say")) };
    assert_eq!(bench.handle(other), [Effect::Undecided], "others come too late");

    // It is asked for more, and what was said before is taken back.
    assert!(bench.handle(Event::Decides(decision("d2"))).is_empty());
    assert_eq!(offered(&bench).as_deref(), Some("d2"));
    assert_eq!(bench.handle(decide("d2", "back")), [Effect::TakeBack(DecisionId::new("d2"))]);
    assert_eq!(bench.handle(decide("d2", "back")), [Effect::DecidedBefore]);
}

#[test]
fn of_several_questions_the_one_that_is_asked_now_is_waited_for() {
    let asks = |id: &str, title: &str| {
        let mut decision = decision(id);
        decision.question.wait = Wait::Choice(title.into());
        Event::Decides(decision)
    };
    let waits = |bench: &Bench| {
        let Activity::Waiting { what, .. } = bench.session.view(bench.now).activity else {
            panic!("no wait")
        };
        what
    };
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.say(Said::NeedsDecision(Wait::Choice("which of all the colours?".into())));
    bench.handle(asks("d1", "which of all the colours? (1 of 2)"));
    bench.level(Level::Waiting(Wait::Choice(String::new())));
    assert_eq!(waits(&bench), Wait::Choice("which of all the colours? (1 of 2)".into()));
    bench.handle(decide("d1", "allow"));
    bench.handle(asks("d2", "and? (2 of 2)"));
    assert_eq!(waits(&bench), Wait::Choice("and? (2 of 2)".into()));
    bench.say(Said::NeedsDecision(Wait::Choice("which of all the colours?".into())));
    assert_eq!(waits(&bench), Wait::Choice("and? (2 of 2)".into()), "that was the first");
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
