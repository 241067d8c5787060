//! Hooks that are silent or late: what the level makes up for.

use std::time::Duration;

use super::super::{HOOKS_WITHIN, TASKS_GONE_AFTER};
use super::*;
use crate::trouble::Code;

fn millis(span: Duration) -> u64 {
    crate::time::millis(span)
}

fn trouble(bench: &Bench) -> Option<Code> {
    bench.session.view(bench.now).trouble.map(|trouble| trouble.code)
}

fn holds_background(bench: &Bench) -> bool {
    bench.session.view(bench.now).holds.iter().any(|hold| hold.kind.code() == "background")
}

#[test]
fn an_engine_whose_hooks_are_off_opens_by_its_level_and_says_so() {
    let mut bench = Bench::opening();
    bench.level(Level::Idle);
    assert!(matches!(bench.session.view(bench.now).activity, Activity::Opening { .. }), "hooks may be late");
    let wake = bench.session.next_wake(bench.now).expect("it looks again");
    assert!(wake <= bench.now.awake.after(HOOKS_WITHIN));
    let told = bench.pass(millis(HOOKS_WITHIN));
    let conversation = Some(bench.conversation.clone());
    let confirmed = Fact::Confirmed { conversation, source: Source::Unsaid, transcript: None };
    assert!(told.contains(&Effect::Tell(confirmed)), "{told:?}");
    assert!(matches!(bench.session.view(bench.now).activity, Activity::Idle { .. }));
    assert_eq!(trouble(&bench), Some(Code::HooksSilent));
    assert!(bench.session.view(bench.now).ready_for_ask.is_ok());

    // Its level is the proof that a prompt was taken.
    let ask = AskId::new("a1");
    bench.handle(Event::Submit { ask: ask.clone(), text: "hello".into(), gap: GAP });
    bench.pass(150);
    let taken = bench.level(Level::Busy);
    assert!(taken.contains(&Effect::Tell(Fact::Taken { ask: ask.clone(), prompt: None })), "{taken:?}");
    bench.pass(1_000);
    bench.level(Level::Idle);
    let told = bench.say(Said::Stopped { prompt: None, text: "hi".into(), background: None, wakeups: None });
    let over = told.iter().any(|effect| {
        matches!(effect, Effect::Tell(Fact::TurnOver { ask: Some(of), outcome: TurnOutcome::Answered(_), .. }) if *of == ask)
    });
    assert!(over, "{told:?}");

    // A hook after all: it is no longer silent.
    bench.say(Said::PromptTaken { prompt: None, text: "again".into(), author: Author::Person });
    assert_eq!(trouble(&bench), None);
}

#[test]
fn an_engine_that_went_to_work_on_an_ask_has_taken_it_also_where_no_hook_says_so() {
    for at_work_still in [true, false] {
        let mut bench = Bench::idle();
        bench.submit("a1", "hello");
        bench.pass(300);
        bench.level(Level::Busy);
        if !at_work_still {
            bench.pass(100);
            bench.level(Level::Idle);
        }
        let told = bench.pass(millis(HOOKS_WITHIN));
        let taken = Effect::Tell(Fact::Taken { ask: AskId::new("a1"), prompt: None });
        assert!(told.contains(&taken), "{told:?}");
        assert_eq!(trouble(&bench), Some(Code::HooksSilent));
        assert_eq!(bench.holds(), ["turn"]);
        bench.level(Level::Idle);
        let told =
            bench.say(Said::Stopped { prompt: None, text: "hi".into(), background: None, wakeups: None });
        assert_eq!(overs(&told), [(Some("a1"), &TurnOutcome::Answered("hi".into()))]);
        bench.pass(60_000);
        assert_eq!(bench.holds(), [""; 0], "nothing is half typed");
        // From now on its level is believed at once.
        bench.submit("a2", "again");
        bench.pass(150);
        let taken = Effect::Tell(Fact::Taken { ask: AskId::new("a2"), prompt: None });
        assert!(bench.level(Level::Busy).contains(&taken));
    }
}

#[test]
fn an_ask_is_not_taken_where_the_engine_went_to_work_on_something_else() {
    let mut bench = Bench::idle();
    bench.submit("a1", "hello");
    bench.pass(300);
    bench.level(Level::Busy);
    bench.pass(100);
    let text = "<task-notification>…".to_owned();
    bench.say(Said::PromptTaken { prompt: Some(PromptId::new("p1")), text, author: Author::Engine });
    let told = bench.pass(20_000);
    assert_eq!(told, [Effect::Tell(Fact::NotTaken { ask: AskId::new("a1") })]);
    assert_eq!(trouble(&bench), None);
}

#[test]
fn a_hook_that_comes_in_time_is_what_counts() {
    let mut bench = Bench::opening();
    bench.level(Level::Idle);
    bench.pass(millis(HOOKS_WITHIN) - 1);
    let told = bench.started(Source::Resumed);
    assert!(
        matches!(told.as_slice(), [Effect::Tell(Fact::Confirmed { source: Source::Resumed, .. }), ..]),
        "{told:?}"
    );
    bench.pass(millis(HOOKS_WITHIN));
    assert_eq!(trouble(&bench), None);
}

#[test]
fn a_conversation_that_the_level_alone_names_becomes_the_sessions() {
    let mut bench = Bench::idle();
    bench.conversation = ConversationId::new("c2");
    bench.level(Level::Idle);
    let told = bench.pass(millis(HOOKS_WITHIN));
    let moved =
        Fact::Moved { conversation: ConversationId::new("c2"), source: Source::Unsaid, transcript: None };
    assert!(told.contains(&Effect::Tell(moved)), "{told:?}");
}

#[test]
fn a_level_that_was_read_before_the_conversation_moved_does_not_move_it_back() {
    let mut bench = Bench::idle();
    let read = Signal {
        conversation: Some(bench.conversation.clone()),
        at: bench.now.wall,
        said: Said::Level(Level::Idle),
    };
    bench.pass(50);
    bench.conversation = ConversationId::new("c2");
    bench.started(Source::Cleared);
    bench.handle(Event::Signal(read));
    bench.pass(millis(HOOKS_WITHIN));
    assert_eq!(bench.session.view(bench.now).conversation, Some(ConversationId::new("c2")));
    assert_eq!(trouble(&bench), None);
}

#[test]
fn a_process_that_was_ended_by_hand_holds_no_longer_than_its_evidence() {
    let mut bench = Bench::idle();
    bench.asked("a1", "p1");
    bench.stopped("p1", "it runs", &["npm run dev"]);
    bench.pass(50);
    bench.level(Level::Shell);
    bench.pass(3_600_000);
    assert!(holds_background(&bench), "its level says that it runs");
    bench.level(Level::Idle);
    bench.pass(millis(TASKS_GONE_AFTER) - 1);
    assert!(holds_background(&bench), "the engine may still tell of it");
    let wake = bench.session.next_wake(bench.now).expect("it looks again");
    assert!(wake <= bench.now.awake.after(Duration::from_millis(1)));
    bench.pass(1);
    assert!(!holds_background(&bench));
}

#[test]
fn a_prompt_that_stands_in_the_line_again_is_not_what_the_next_one_is_put_behind() {
    let mut bench = Bench::idle();
    bench.asked("a1", "p1");
    bench.pass(100);
    bench.level(Level::Idle);
    let told = bench.say(Said::TakenBack);
    assert!(told.contains(&Effect::Type(Keys::Clear)), "{told:?}");
    assert_eq!(overs(&told), [(Some("a1"), &TurnOutcome::Interrupted)]);
    assert!(bench.session.view(bench.now).ready_for_ask.is_err(), "the keys are on their way");
    bench.pass(300);
    assert!(bench.session.view(bench.now).ready_for_ask.is_ok());

    // A person's own text is theirs.
    bench.taken("p2", "typed by hand");
    bench.level(Level::Busy);
    bench.pass(100);
    bench.level(Level::Idle);
    let told = bench.say(Said::TakenBack);
    assert!(!told.contains(&Effect::Type(Keys::Clear)), "{told:?}");
    bench.pass(1_000);
    assert_eq!(bench.holds(), ["typing"]);
    bench.handle(Event::Input(b"\x15".to_vec()));
    assert_eq!(bench.holds(), [""; 0]);
}

#[test]
fn a_prompt_of_the_engines_own_queue_that_stands_in_the_line_again_is_half_typed() {
    let mut bench = Bench::idle();
    bench.taken("p1", "typed by hand");
    bench.level(Level::Busy);
    bench.taken("p2", "typed while it works");
    bench.stopped("p1", "done", &[]);
    bench.level(Level::Idle);
    bench.pass(30);
    bench.level(Level::Busy);
    bench.pass(100);
    bench.level(Level::Idle);
    bench.say(Said::TakenBack);
    bench.pass(1_000);
    assert_eq!(bench.holds(), ["typing"]);
}

#[test]
fn a_late_word_of_an_earlier_turn_is_no_answer_to_the_one_that_runs() {
    let mut bench = Bench::idle();
    let earlier = bench.now.wall;
    bench.pass(1_000);
    bench.say(Said::PromptTaken { prompt: None, text: "second".into(), author: Author::Person });
    bench.level(Level::Busy);
    bench.pass(1_000);
    let late = Said::Stopped { prompt: None, text: "first".into(), background: None, wakeups: None };
    let signal = Signal { conversation: Some(bench.conversation.clone()), at: earlier, said: late };
    bench.handle(Event::Signal(signal));
    let told = bench.level(Level::Idle);
    assert!(!told.iter().any(|effect| matches!(effect, Effect::Tell(Fact::TurnOver { .. }))), "{told:?}");
}

#[test]
fn the_turn_of_a_queued_prompt_that_is_told_after_its_idle_is_over() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.pass(1_000);
    let mut effects = bench.level(Level::Idle);
    bench.pass(20);
    effects.extend(bench.stopped("p2", "second", &[]));
    assert_eq!(overs(&effects), [(Some("a"), &TurnOutcome::Interrupted), (None, &answered("second"))]);
    assert!(bench.is_idle() && bench.holds().is_empty(), "{:?}", bench.holds());
}

#[test]
fn a_pin_holds_since_it_was_set_however_often_it_is_used_after_that() {
    let mut bench = Bench::idle();
    let params = |pinned| Event::Params(Params { policy: Policy::default(), pinned });
    bench.handle(params(true));
    let pinned = bench.now.wall;
    bench.pass(60_000);
    bench.asked("a", "p1");
    bench.stopped("p1", "four", &[]);
    bench.level(Level::Idle);
    bench.handle(params(true));
    let holds = bench.session.view(bench.now).holds;
    assert_eq!(
        holds.iter().map(|hold| (hold.kind.code(), hold.since)).collect::<Vec<_>>(),
        [("pinned", pinned)]
    );
}
