//! An engine that names its conversation only with its first prompt, in the order seen with OpenCode 1.18.33.

use super::Bench;
use crate::ids::ConversationId;
use crate::session::{Effect, Event, Fact, TurnOutcome};
use crate::signal::{Level, Said, Signal, Source};

/// A session whose engine has opened, waits for a prompt, and has named nothing.
fn unnamed() -> Bench {
    let mut bench = Bench::opening();
    let mut say = |said| {
        let signal = Signal { conversation: None, at: bench.now.wall, said };
        bench.handle(Event::Signal(signal))
    };
    let told = say(Said::Started { source: Source::New, transcript: None });
    let confirmed = Fact::Confirmed { conversation: None, source: Source::New, transcript: None };
    assert!(told.contains(&Effect::Tell(confirmed)), "{told:?}");
    say(Said::Level(Level::Idle));
    assert_eq!(bench.session.view(bench.now).ready_for_ask, Ok(()));
    bench
}

#[test]
fn it_is_open_before_it_is_named_and_its_first_prompt_is_answered_in_that_name() {
    let mut bench = unnamed();
    bench.submit("a1", "hello");
    bench.pass(150);
    let named =
        Fact::Moved { conversation: ConversationId::new("c1"), source: Source::New, transcript: None };
    assert!(bench.started(Source::New).contains(&Effect::Tell(named)));
    bench.taken("p1", "hello");
    bench.level(Level::Busy);
    bench.stopped("p1", "Hi.", &[]);
    let told = bench.level(Level::Idle);
    let answered = TurnOutcome::Answered("Hi.".into());
    let answers = |effect: &Effect| matches!(effect, Effect::Tell(Fact::TurnOver { ask: Some(_), outcome, .. }) if *outcome == answered);
    assert!(told.iter().any(answers), "{told:?}");
}

#[test]
fn what_begins_after_it_was_named_is_a_nested_runs() {
    let mut bench = unnamed();
    bench.started(Source::New);
    bench.conversation = ConversationId::new("c2");
    assert_eq!(bench.started(Source::New), []);
    assert_eq!(bench.session.view(bench.now).conversation, Some(ConversationId::new("c1")));
}
