use std::time::Duration;

use super::{Bench, claudes};
use crate::ids::{AskId, ConversationId, PromptId};
use crate::session::{Effect, EndReason, Event, Fact, Freeze, FreezeId, Keys, Look, NotNow, Verdict};
use crate::signal::{Level, Said, Source, Wait};
use crate::typing::Habits;

fn writes(effects: &[Effect]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for effect in effects {
        if let Effect::Write(more) = effect {
            bytes.extend(more);
        }
    }
    bytes
}

fn input(bytes: &[u8]) -> Event {
    Event::Input(bytes.to_vec())
}

#[test]
fn clients_bytes_wait_until_the_ask_is_taken() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    assert!(bench.handle(input(b"hi")).is_empty());
    assert_eq!(bench.pass(150), [Effect::Type(Keys::Enter)]);
    assert!(bench.handle(input(b"!")).is_empty());
    let effects = bench.taken("p1", "x");
    assert!(matches!(&effects[0], Effect::Tell(Fact::Taken { .. })));
    assert_eq!(writes(&effects), b"hi!");
    assert!(bench.holds().contains(&"typing"));
}

#[test]
fn enter_comes_as_long_after_the_paste_as_the_engine_needs() {
    let mut bench = Bench::idle();
    let gap = Duration::from_millis(500);
    bench.handle(Event::Submit { ask: AskId::new("a"), text: "x".into(), gap });
    assert!(bench.pass(499).is_empty());
    assert_eq!(bench.pass(1), [Effect::Type(Keys::Enter)]);
}

#[test]
fn clients_bytes_wait_two_seconds_at_most() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.handle(input(b"hi"));
    bench.pass(150);
    assert!(writes(&bench.pass(1_849)).is_empty());
    assert_eq!(writes(&bench.pass(1)), b"hi");
    assert_eq!(writes(&bench.handle(input(b"!"))), b"!");
}

#[test]
fn who_types_does_not_wait_for_an_ask_that_can_not_be_sent() {
    let unsent = || {
        let mut bench = Bench::idle();
        bench.submit("a", "x");
        bench.now = bench.now.after(super::GAP);
        assert_eq!(bench.waits_to_send(Event::Tick), [Effect::Type(Keys::Enter)]);
        bench
    };
    let mut bench = unsent();
    bench.handle(input(b"hi"));
    assert!(bench.pass(1_999).is_empty());
    let told = bench.pass(1);
    assert_eq!(told[0], Effect::Tell(Fact::GivenBack { ask: AskId::new("a") }));
    assert_eq!(writes(&told), b"hi");
    assert!(matches!(bench.submit("a", "x").as_slice(), [Effect::NotNow { why: NotNow::HalfTyped, .. }]));

    // What was sent stays sent, and what nobody waits for is tried for as long as a proof may take.
    let mut bench = unsent();
    bench.handle(input(b"hi"));
    bench.pass(1_900);
    bench.handle(Event::Sent);
    assert_eq!(writes(&bench.pass(100)), b"hi");
    let not_taken = [Effect::Tell(Fact::NotTaken { ask: AskId::new("a") })];
    assert_eq!(bench.pass(19_899), []);
    assert_eq!(bench.pass(1), not_taken);
    let mut bench = unsent();
    assert_eq!(bench.pass(19_999), []);
    assert_eq!(bench.pass(1), not_taken);

    // A dialog got none of it, and may come up again and again.
    let mut bench = unsent();
    for _ in 0..3 {
        bench.level(Level::Waiting(Wait::Choice("which?".into())));
        assert_eq!(bench.pass(0), [Effect::Tell(Fact::GivenBack { ask: AskId::new("a") })]);
        bench.level(Level::Idle);
        bench.submit("a", "x");
        bench.now = bench.now.after(super::GAP);
        bench.waits_to_send(Event::Tick);
    }
}

#[test]
fn an_engine_that_works_before_an_ask_is_sent_works_on_something_else() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.now = bench.now.after(super::GAP);
    bench.waits_to_send(Event::Tick);
    bench.level(Level::Busy);
    assert_eq!(bench.pass(6_000), [], "it isn't taken");
    assert_eq!(bench.session.sent_text(), None);
    bench.level(Level::Idle);
    bench.handle(Event::Sent);
    assert_eq!(bench.session.sent_text(), Some("x"));
    let told = bench.taken("p1", "x");
    assert!(told.iter().any(|effect| matches!(effect, Effect::Tell(Fact::Taken { .. }))), "{told:?}");
}

#[test]
fn what_answers_a_dialog_over_the_line_passes_at_once_and_is_not_typed() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    assert_eq!(bench.handle(Event::Aside(b"y".to_vec())), [Effect::Write(b"y".to_vec())]);
    assert!(!bench.holds().contains(&"typing"));
    assert_eq!(bench.pass(150), [Effect::Type(Keys::Enter)]);
    let told = bench.taken("p1", "x");
    assert!(matches!(told.as_slice(), [Effect::Tell(Fact::Taken { .. })]), "{told:?}");
}

#[test]
fn lines_that_end_in_the_paste_send_it() {
    let mut bench = Bench::idle();
    bench.submit("a", "x\ny");
    assert_eq!(bench.handle(Event::Sent), [Effect::Type(Keys::Enter)]);
    bench.handle(input(b"hi"));
    assert_eq!(writes(&bench.pass(2_000)), b"hi");
    assert_eq!(
        bench.pass(18_000),
        [Effect::Tell(Fact::NotTaken { ask: AskId::new("a") })],
        "it isn't asked twice"
    );
}

#[test]
fn invariant_20_the_bytes_that_wait_are_bounded() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    for _ in 0..3 {
        bench.handle(Event::Input(vec![b'x'; 30 * 1024]));
    }
    assert_eq!(writes(&bench.taken("p1", "x")).len(), 64 * 1024);
}

#[test]
fn an_ask_without_proof_is_not_taken_and_what_it_left_goes_before_the_next() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.pass(150);
    assert!(bench.pass(19_999).is_empty());
    let ask = AskId::new("a");
    assert_eq!(bench.pass(1), [Effect::Tell(Fact::NotTaken { ask })]);
    assert!(bench.session.view(bench.now).holds.is_empty(), "nobody's line is no hold");
    assert_eq!(bench.submit("b", "y"), [Effect::Type(Keys::Replace("y".into()))]);
}

#[test]
fn what_a_dialog_got_is_typed_again_after_it() {
    let choice = || Wait::Choice("the default mode".into());
    let given_back = |ask| Effect::Tell(Fact::GivenBack { ask: AskId::new(ask) });
    let mut bench = Bench::idle();
    // It came up before Enter, which would answer it.
    bench.submit("a", "x");
    assert_eq!(bench.level(Level::Waiting(choice())), [Effect::StopTyping]);
    assert_eq!(bench.level(Level::Waiting(choice())), [], "once");
    assert_eq!(bench.pass(150), [given_back("a")]);
    bench.level(Level::Idle);
    assert_eq!(bench.submit("a", "x"), [Effect::Type(Keys::Replace("x".into()))]);
    // After Enter, and it is answered at once.
    assert_eq!(bench.pass(150), [Effect::Type(Keys::Enter)]);
    assert_eq!(bench.level(Level::Waiting(choice())), [Effect::StopTyping], "it may not be sent yet");
    bench.level(Level::Idle);
    assert_eq!(bench.pass(20_000), [given_back("a")]);
    assert_eq!(bench.submit("a", "x"), [Effect::Type(Keys::Replace("x".into()))]);
    bench.pass(150);
    let taken = Fact::Taken { ask: AskId::new("a"), prompt: Some(PromptId::new("p1")) };
    assert_eq!(bench.taken("p1", "x"), [Effect::Tell(taken)]);

    // Only a turn asks for a permission: the hook that should have reported it is late.
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.pass(150);
    bench.level(Level::Waiting(Wait::Permission("run `ls`".into())));
    assert!(bench.pass(10_000).is_empty());
    assert!(matches!(bench.taken("p1", "x").as_slice(), [Effect::Tell(Fact::Taken { .. })]));
}

#[test]
fn what_came_up_after_an_ask_was_sent_may_be_its_turns_own() {
    let choice = || Wait::Choice("the default mode".into());
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.pass(150);
    bench.level(Level::Waiting(choice()));
    assert_eq!(bench.pass(60_000), [], "whose it was is told by what comes after it");
    assert!(matches!(bench.taken("p1", "x").as_slice(), [Effect::Tell(Fact::Taken { .. })]));

    // Nobody knows whose it is: it is asked once more, but not for ever.
    let mut bench = Bench::idle();
    let ask = || AskId::new("a");
    for told in [Fact::GivenBack { ask: ask() }, Fact::NotTaken { ask: ask() }] {
        bench.submit("a", "x");
        bench.pass(150);
        bench.level(Level::Waiting(choice()));
        bench.pass(9_000);
        bench.level(Level::Idle);
        assert_eq!(bench.pass(20_000), [Effect::Tell(told)]);
    }
}

#[test]
fn bytes_that_wait_arent_lost_by_a_late_tick() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.pass(150);
    bench.handle(input(b"hi"));
    bench.now = bench.now.after(std::time::Duration::from_secs(60));
    assert_eq!(writes(&bench.handle(Event::Tick)), b"hi");
}

/// Somebody wants it to end, whatever is lost.
fn freeze(bench: &mut Bench) {
    let interrupt = Freeze { interrupt: true, must_resume: true, id: FreezeId(7) };
    assert_eq!(bench.handle(Event::Freeze(interrupt)), [Effect::Look]);
    let look = Look { level: None, residents: Vec::new(), resumable: true, loss: None };
    let judged = bench.handle(Event::Looked(look));
    assert!(matches!(&judged[..], [Effect::Judged(Verdict::Frozen(_))]), "{judged:?}");
}

#[test]
fn invariant_06_once_frozen_nothing_is_typed_and_a_thaw_goes_on_where_it_was() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.handle(input(b"hi"));
    freeze(&mut bench);
    assert!(bench.pass(25_000).is_empty(), "no Enter");
    assert!(bench.session.next_wake(bench.now).is_some_and(|at| at > bench.now.awake), "nor a loop");
    bench.handle(Event::Thaw);
    assert_eq!(bench.pass(150), [Effect::Type(Keys::Enter)]);
    freeze(&mut bench);
    assert!(bench.pass(25_000).is_empty(), "nor what was kept back, nor is it told as not taken");
    bench.handle(Event::Thaw);
    assert_eq!(writes(&bench.pass(2_000)), b"hi");

    let mut taken = Bench::idle();
    taken.submit("a", "x");
    taken.pass(150);
    taken.handle(input(b"hi"));
    freeze(&mut taken);
    let effects = taken.taken("p1", "x");
    assert!(matches!(&effects[..], [Effect::Tell(Fact::Taken { .. })]), "{effects:?}");
    // Its prompt is in the input line again, and nobody may remove it.
    let effects = taken.say(Said::TakenBack);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Type(_))), "{effects:?}");
    taken.handle(Event::Thaw);
    taken.level(Level::Idle);
    assert!(taken.holds().contains(&"typing"));
}

#[test]
fn a_prompt_in_other_white_space_is_the_proof_and_another_text_isnt() {
    let mut bench = Bench::idle();
    bench.submit("a", "a\r\nb ");
    bench.pass(150);
    assert_eq!(bench.session.awaits_proof_of(), Some("a\r\nb "));
    assert!(bench.taken("p1", "something else").is_empty());
    let effects = bench.taken("p1", "a\nb");
    assert!(matches!(&effects[0], Effect::Tell(Fact::Taken { .. })));
    assert_eq!(bench.session.awaits_proof_of(), None);
}

#[test]
fn an_ask_that_is_submitted_again_is_known() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    assert!(bench.submit("a", "text of a").is_empty());
}

#[test]
fn whether_the_last_ask_is_still_to_be_told_of_can_be_seen() {
    let mut bench = Bench::idle();
    let ask = AskId::new("a");
    assert_eq!(bench.session.last_ask(), None);
    bench.submit("a", "x");
    assert_eq!(bench.session.last_ask(), Some((&ask, true)), "it is being typed");
    bench.pass(150);
    assert_eq!(bench.session.last_ask(), Some((&ask, true)));
    bench.taken("p1", "x");
    assert_eq!(bench.session.last_ask(), Some((&ask, true)), "its turn runs");
    bench.level(Level::Busy);
    bench.stopped("p1", "done", &[]);
    assert_eq!(bench.session.last_ask(), Some((&ask, true)), "its turn has its last word, and isn't over");
    bench.pass(10);
    bench.level(Level::Idle);
    bench.pass(1_000);
    assert_eq!(bench.session.last_ask(), Some((&ask, false)));

    bench.submit("b", "y");
    bench.pass(150);
    bench.pass(20_000);
    assert_eq!(bench.session.last_ask(), Some((&AskId::new("b"), false)), "it was not taken");
}

#[test]
fn an_ask_waits_while_it_cant_be_typed() {
    let refused = |bench: &mut Bench| match bench.submit("z", "x").as_slice() {
        [Effect::NotNow { why, .. }] => why.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&mut Bench::opening()), NotNow::Opening);

    let mut bench = Bench::idle();
    bench.submit("a", "x");
    assert_eq!(refused(&mut bench), NotNow::AnotherAsk);

    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    assert_eq!(refused(&mut bench), NotNow::Working);
    bench.level(Level::Waiting(Wait::Trust));
    assert_eq!(refused(&mut bench), NotNow::Waiting(Wait::Trust));

    let mut bench = Bench::idle();
    bench.handle(input(b"h"));
    assert_eq!(refused(&mut bench), NotNow::HalfTyped);
    // What was just sent may become a turn.
    bench.handle(input(b"\r"));
    bench.pass(4_999);
    assert_eq!(refused(&mut bench), NotNow::JustSent);
    bench.pass(1);
    assert!(matches!(bench.submit("z", "x").as_slice(), [Effect::Type(Keys::Paste(_))]));

    let mut bench = Bench::idle();
    bench.handle(input(b"\r"));
    assert_eq!(refused(&mut bench), NotNow::Working);
    bench.pass(300);
    assert!(matches!(bench.submit("z", "x").as_slice(), [Effect::Type(Keys::Paste(_))]), "nothing was sent");
}

#[test]
fn an_ask_waits_until_it_is_known_what_became_of_a_persons_prompt() {
    let ready = |bench: &Bench| bench.session.view(bench.now).ready_for_ask;
    for level_first in [true, false] {
        let mut bench = Bench::idle();
        bench.handle(input(b"mine\r"));
        bench.pass(1_000);
        assert_eq!(ready(&bench), Err(NotNow::JustSent), "it may be taken late");
        if level_first {
            // The whole turn may be over before its hook is heard of.
            bench.level(Level::Busy);
            bench.pass(500);
            bench.level(Level::Idle);
            bench.pass(500);
            assert_eq!(ready(&bench), Err(NotNow::JustSent), "its hook is still to come");
        }
        bench.taken("p1", "mine");
        bench.stopped("p1", "answer", &[]);
        bench.level(Level::Idle);
        assert_eq!(ready(&bench), Ok(()));
    }

    // A command that begins another conversation.
    let mut bench = Bench::idle();
    bench.handle(input(b"/clear\r"));
    bench.conversation = ConversationId::new("c2");
    bench.started(Source::Cleared);
    bench.pass(300);
    assert_eq!(ready(&bench), Ok(()));

    // What was sent while an ask was being typed isn't told of by the ask's own hook.
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.pass(150);
    bench.pass(2_000);
    bench.handle(input(b"mine\r"));
    bench.taken("p1", "x");
    bench.stopped("p1", "answer", &[]);
    bench.level(Level::Idle);
    bench.pass(1_000);
    assert_eq!(ready(&bench), Err(NotNow::JustSent));
}

#[test]
fn keys_that_answer_a_dialog_are_no_half_typed_line() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.level(Level::Waiting(Wait::Permission(String::new())));
    assert!(matches!(bench.handle(input(b"y")).as_slice(), [Effect::Write(bytes)] if bytes == b"y"));
    bench.level(Level::Busy);
    bench.stopped("p1", "Done.", &[]);
    bench.level(Level::Idle);
    bench.pass(1_000);
    assert!(matches!(bench.submit("b", "x").as_slice(), [Effect::Type(Keys::Paste(_))]));
}

#[test]
fn an_end_in_the_middle_of_typing_leaves_its_ask_to_the_end() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    assert_eq!(bench.handle(Event::Exited), [Effect::End(EndReason::Exited)]);
    assert!(bench.pass(60_000).is_empty(), "nothing is told of it later either");
}

#[test]
fn an_interrupt_without_a_turn_presses_nothing() {
    let mut bench = Bench::idle();
    assert!(bench.handle(Event::Interrupt).is_empty());
    bench.asked("a", "p1");
    assert_eq!(bench.handle(Event::Interrupt), [Effect::Type(Keys::Interrupt)]);
}

#[test]
fn a_key_that_ends_the_turn_or_brings_nothing_is_known_for_what_it_is() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.handle(input(b"\x1b[B\t"));
    assert!(!bench.holds().contains(&"typing"));
    bench.handle(input(b"mine\x03"));
    bench.say(Said::Interrupted);
    bench.level(Level::Idle);
    bench.pass(2_000);
    assert_eq!(bench.holds(), ["typing"]);
    bench.handle(input(b"\x03"));
    assert!(bench.holds().is_empty());
    bench.pass(2_000);

    // The permission has been answered, and that isn't known yet.
    bench.asked("b", "p2");
    bench.level(Level::Waiting(Wait::Permission(String::new())));
    bench.handle(input(b"1"));
    bench.handle(input(b"mine"));
    bench.level(Level::Busy);
    bench.stopped("p2", "Done.", &[]);
    bench.level(Level::Idle);
    bench.pass(2_000);
    assert_eq!(bench.holds(), ["typing"]);
}

#[test]
fn text_that_nobody_typed_goes_before_an_ask_is_typed() {
    let mut bench = Bench::idle();
    bench.handle(Event::Input(b"\x1b[A".to_vec()));
    bench.pass(100);
    assert!(bench.holds().is_empty(), "an earlier prompt that was brought back is nobody's work");
    assert_eq!(bench.submit("a", "x"), [Effect::Type(Keys::Replace("x".into()))]);
    bench.pass(150);
    bench.taken("p1", "x");
    bench.stopped("p1", "answer", &[]);
    bench.level(Level::Idle);
    bench.pass(2_000);
    assert_eq!(bench.submit("b", "x"), [Effect::Type(Keys::Paste("x".into()))]);
}

#[test]
fn a_second_esc_does_what_the_lines_habits_are_by_then() {
    for (modal, held) in [(false, false), (true, true)] {
        let mut bench = Bench::idle();
        bench.handle(Event::Input(b"mine\x1b".to_vec()));
        assert_eq!(bench.pass(60), [Effect::ReadHabits]);
        let esc_twice = claudes().esc_twice.filter(|_| !modal);
        bench.handle(Event::Habits(Habits { esc_twice, modal, ..claudes() }));
        bench.handle(Event::Input(b"\x1b".to_vec()));
        bench.pass(60);
        assert_eq!(bench.holds().contains(&"typing"), held, "modal: {modal}");
    }
}

#[test]
fn an_ask_waits_for_what_is_typed_over_a_single_esc() {
    let mut bench = Bench::idle();
    bench.handle(Event::Input(b"mine\x1b".to_vec()));
    bench.pass(1_000);
    assert_eq!(bench.holds(), ["typing"]);
    assert!(matches!(bench.submit("a", "x")[..], [Effect::NotNow { why: NotNow::HalfTyped, .. }]));
    bench.handle(Event::Input(b"\x1b".to_vec()));
    bench.pass(300);
    bench.handle(Event::Input(b"\x1b".to_vec()));
    bench.pass(100);
    assert_eq!(bench.submit("a", "x"), [Effect::Type(Keys::Replace("x".into()))]);
}

#[test]
fn what_was_sent_while_it_works_and_is_brought_back_is_somebodys() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.handle(Event::Input(b"mine\r".to_vec()));
    bench.handle(Event::Input(b"\x1b[A".to_vec()));
    bench.stopped("p1", "answer", &[]);
    bench.level(Level::Idle);
    bench.pass(2_000);
    assert_eq!(bench.holds(), ["typing"]);
    assert!(matches!(bench.submit("b", "x")[..], [Effect::NotNow { why: NotNow::HalfTyped, .. }]));
}
