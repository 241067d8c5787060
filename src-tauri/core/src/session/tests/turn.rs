use super::{Bench, answered, overs};
use crate::hold::Task;
use crate::ids::{ConversationId, PromptId};
use crate::session::{Activity, Effect, EndReason, Event, Fact, Keys, NotNow, TurnOutcome};
use crate::signal::{Author, Level, Said, Signal, Source, Wait};
use crate::time::Wall;

#[test]
fn the_answer_is_the_last_stop_followed_by_idle() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.pass(500);
    assert!(overs(&bench.stopped("p1", "four", &[])).is_empty());
    bench.pass(100);
    assert_eq!(overs(&bench.level(Level::Idle)), [(Some("a"), &answered("four"))]);
    assert!(bench.holds().is_empty());
}

#[test]
fn busy_may_come_before_the_prompt_and_idle_before_the_stop() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.pass(150);
    bench.level(Level::Busy);
    bench.pass(15);
    bench.taken("p1", "x");
    bench.pass(1_000);
    assert!(overs(&bench.level(Level::Idle)).is_empty());
    bench.pass(400);
    assert_eq!(overs(&bench.stopped("p1", "late", &[])), [(Some("a"), &answered("late"))]);
}

#[test]
fn a_prompt_that_is_heard_of_after_the_idle_that_ended_its_turn_is_over_with_its_stop() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.pass(150);
    let (conversation, at) = (Some(bench.conversation.clone()), bench.now.wall);
    bench.pass(20);
    bench.level(Level::Idle);
    bench.pass(900);
    let (prompt, text, author) = (Some(PromptId::new("p1")), "x".into(), Author::Person);
    let late = Signal { conversation, at, said: Said::PromptTaken { prompt, text, author } };
    assert!(overs(&bench.handle(Event::Signal(late))).is_empty());
    assert_eq!(bench.holds(), ["turn"]);
    assert_eq!(overs(&bench.stopped("p1", "quick", &[])), [(Some("a"), &answered("quick"))]);
    assert!(bench.holds().is_empty());
}

#[test]
fn what_a_turn_took_leaves_out_the_time_in_which_it_waited_for_somebody() {
    let worked = |effects: &[Effect]| {
        let of_end = |effect: &Effect| {
            if let Effect::Tell(Fact::TurnOver { worked, .. }) = effect { *worked } else { None }
        };
        effects.iter().find_map(of_end).map(|worked| worked.as_millis())
    };
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.level(Level::Busy);
    bench.pass(2_000);
    bench.level(Level::Waiting(Wait::Permission("run `ls`".into())));
    bench.pass(600_000);
    bench.level(Level::Busy);
    bench.pass(3_000);
    bench.stopped("p1", "done", &[]);
    let alone = worked(&bench.level(Level::Idle)).expect("an end");
    assert!((5_000..7_000).contains(&alone), "{alone}");

    // The engine is idle for a while before it says how the turn ended.
    bench.asked("b", "p2");
    bench.pass(4_000);
    bench.level(Level::Idle);
    bench.pass(5_000);
    let rested = worked(&bench.stopped("p2", "done", &[])).expect("an end");
    assert!((4_000..6_000).contains(&rested), "{rested}");

    // It is interrupted while it waits.
    bench.asked("c", "p3");
    bench.level(Level::Busy);
    bench.pass(1_000);
    bench.level(Level::Waiting(Wait::Permission("run `ls`".into())));
    bench.pass(600_000);
    let cut = worked(&bench.handle(Event::Exited)).expect("an end");
    assert!((1_000..3_000).contains(&cut), "{cut}");
}

#[test]
fn a_stale_idle_doesnt_end_the_turn() {
    let mut bench = Bench::idle();
    let stale = bench.now.wall;
    bench.asked("a", "p1");
    let conversation = Some(bench.conversation.clone());
    let signal = Signal { conversation, at: stale, said: Said::Level(Level::Idle) };
    bench.handle(Event::Signal(signal));
    assert!(!bench.is_idle());
    assert_eq!(bench.holds(), ["turn"]);
}

#[test]
fn a_level_after_the_clock_was_set_back_still_counts() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.stopped("p1", "four", &[]);
    bench.now.wall = Wall(bench.now.wall.0 - 3_600_000);
    assert_eq!(overs(&bench.level(Level::Idle)), [(Some("a"), &answered("four"))]);
}

#[test]
fn a_stale_idle_doesnt_end_the_turn_that_began_when_the_clock_had_been_set() {
    for set in [-3_600_000, 3_600_000] {
        let mut bench = Bench::idle();
        let stale = bench.now.wall;
        bench.pass(1_000);
        bench.now.wall = Wall(bench.now.wall.0.saturating_add_signed(set));
        bench.asked("a", "p1");
        let conversation = Some(bench.conversation.clone());
        bench.handle(Event::Signal(Signal { conversation, at: stale, said: Said::Level(Level::Idle) }));
        assert_eq!(bench.holds(), ["turn"], "set by {set}");
        bench.stopped("p1", "four", &[]);
        assert_eq!(overs(&bench.level(Level::Idle)), [(Some("a"), &answered("four"))], "set by {set}");
    }
}

#[test]
fn an_idle_from_just_before_the_clock_was_set_ends_its_turn() {
    for set in [-3_600_000, 3_600_000] {
        let mut bench = Bench::idle();
        bench.asked("a", "p1");
        bench.pass(1_000);
        bench.stopped("p1", "four", &[]);
        let (conversation, at) = (Some(bench.conversation.clone()), bench.now.wall);
        bench.now.wall = Wall(bench.now.wall.0.saturating_add_signed(set));
        let idle = Signal { conversation, at, said: Said::Level(Level::Idle) };
        assert_eq!(
            overs(&bench.handle(Event::Signal(idle))),
            [(Some("a"), &answered("four"))],
            "set by {set}"
        );
    }
}

#[test]
fn a_stop_hook_of_the_users_may_send_it_back_to_work() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.stopped("p1", "not yet", &[]);
    bench.pass(2_000);
    bench.say(Said::ToolUsed);
    bench.stopped("p1", "now", &[]);
    bench.pass(100);
    assert_eq!(overs(&bench.level(Level::Idle)), [(Some("a"), &answered("now"))]);
}

#[test]
fn an_error_of_the_model_ends_the_turn_without_an_answer() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.say(Said::Failed { error: "API Error: 400".into() });
    bench.pass(100);
    let failed = TurnOutcome::Failed("API Error: 400".into());
    assert_eq!(overs(&bench.level(Level::Idle)), [(Some("a"), &failed)]);
}

#[test]
fn esc_ends_the_turn_without_a_hook() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.pass(1_000);
    assert!(overs(&bench.level(Level::Idle)).is_empty());
    assert_eq!(bench.session.view(bench.now).ready_for_ask, Err(NotNow::Working));
    assert!(!bench.is_idle() && bench.session.awaits_outcome(), "nothing has said that the turn is over");
    assert_eq!(overs(&bench.pass(10_000)), [(Some("a"), &TurnOutcome::Interrupted)]);
    assert!(bench.is_idle() && bench.holds().is_empty());
}

#[test]
fn between_a_decision_and_the_rest_of_its_turn_the_engine_works() {
    // Claude Code 2.1.332 says idle for a moment when its dialog closes.
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.pass(1_000);
    bench.level(Level::Waiting(Wait::Permission(String::new())));
    bench.pass(5_000);
    let working = |bench: &Bench| {
        let view = bench.session.view(bench.now);
        assert_eq!((view.ready_for_ask, bench.holds()), (Err(NotNow::Working), vec!["turn"]));
        matches!(view.activity, Activity::Working { .. })
    };
    assert!(overs(&bench.level(Level::Idle)).is_empty());
    assert!(working(&bench));
    assert!(bench.session.awaits_outcome(), "whoever can look up how it ended is to look");
    bench.pass(30);
    bench.level(Level::Busy);
    assert!(working(&bench) && !bench.session.awaits_outcome());
    bench.pass(1_000);
    bench.stopped("p1", "done", &[]);
    let effects = bench.level(Level::Idle);
    assert_eq!(overs(&effects), [(Some("a"), &answered("done"))]);
    assert!(bench.is_idle() && bench.holds().is_empty());
}

#[test]
fn a_turn_that_was_called_off_looks_over_as_soon_as_the_engine_rests() {
    for waited in [false, true] {
        let mut bench = Bench::idle();
        bench.asked("a", "p1");
        if waited {
            bench.level(Level::Waiting(Wait::Permission(String::new())));
        }
        assert_eq!(bench.handle(Event::Interrupt), [Effect::Type(Keys::Interrupt)]);
        assert!(!bench.is_idle(), "the key alone ends nothing");
        bench.pass(30);
        bench.level(Level::Idle);
        assert!(bench.is_idle() && bench.session.awaits_outcome(), "waited: {waited}");
    }
}

#[test]
fn a_turn_that_waits_for_one_decision_right_after_another_goes_on() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    let wait = || Level::Waiting(Wait::Permission(String::new()));
    for level in [wait(), Level::Idle, wait()] {
        bench.pass(30);
        bench.level(level);
    }
    assert!(overs(&bench.pass(60_000)).is_empty());
    assert_eq!(bench.holds(), ["waiting"]);
    assert!(overs(&bench.level(Level::Idle)).is_empty());
    assert_eq!(overs(&bench.pass(10_000)), [(Some("a"), &TurnOutcome::Interrupted)]);
}

#[test]
fn after_esc_the_next_prompts_answer_isnt_the_interrupted_asks() {
    for unannounced in [false, true] {
        let mut bench = Bench::idle();
        bench.asked("a", "p1");
        bench.level(Level::Idle);
        bench.pass(2_000);
        bench.level(Level::Busy);
        let mut effects = Vec::new();
        if !unannounced {
            effects.extend(bench.taken("p2", "something else"));
        }
        bench.pass(1_000);
        effects.extend(bench.stopped("p2", "else", &[]));
        effects.extend(bench.level(Level::Idle));
        let expected = [(Some("a"), &TurnOutcome::Interrupted), (None, &answered("else"))];
        assert_eq!(overs(&effects), expected, "unannounced: {unannounced}");
    }
}

#[test]
fn a_prompt_queued_while_busy_runs_as_the_next_turn_under_a_new_id() {
    // 2.1.332: taken at once with the running id; its own turn has an id that wasn't announced.
    for flicker_seen in [true, false] {
        let mut bench = Bench::idle();
        bench.asked("a", "p1");
        bench.pass(1_000);
        assert!(bench.taken("p1", "queued by a person").is_empty());
        bench.pass(1_000);
        let mut effects = bench.stopped("p1", "first", &[]);
        bench.pass(30);
        if flicker_seen {
            effects.extend(bench.level(Level::Idle));
            assert_eq!(bench.session.view(bench.now).ready_for_ask, Err(NotNow::Working));
            bench.pass(30);
        }
        effects.extend(bench.level(Level::Busy));
        bench.pass(1_000);
        effects.extend(bench.stopped("p2", "second", &[]));
        effects.extend(bench.level(Level::Idle));
        let expected = [(Some("a"), &answered("first")), (None, &answered("second"))];
        assert_eq!(overs(&effects), expected, "flicker seen: {flicker_seen}");
    }
}

#[test]
fn a_prompt_queued_while_busy_may_be_announced_when_its_turn_starts() {
    // 2.1.197
    for flicker_seen in [true, false] {
        let mut bench = Bench::idle();
        bench.asked("a", "p1");
        let mut effects = bench.stopped("p1", "first", &[]);
        bench.pass(20);
        if flicker_seen {
            effects.extend(bench.level(Level::Idle));
            bench.pass(20);
        }
        effects.extend(bench.taken("p2", "queued by a person"));
        effects.extend(bench.level(Level::Busy));
        bench.pass(1_000);
        effects.extend(bench.stopped("p2", "second", &[]));
        effects.extend(bench.level(Level::Idle));
        let expected = [(Some("a"), &answered("first")), (None, &answered("second"))];
        assert_eq!(overs(&effects), expected, "flicker seen: {flicker_seen}");
    }
}

#[test]
fn an_ask_that_was_typed_into_a_running_turn_gets_its_answer_either_way() {
    for own_turn in [true, false] {
        let mut bench = Bench::idle();
        // The person's prompt was taken after the ask was pasted, and before it was entered.
        bench.submit("a", "x");
        bench.taken("p1", "a person's");
        bench.pass(150);
        bench.taken("p1", "x");
        bench.level(Level::Busy);
        let mut effects = bench.stopped("p1", "first", &[]);
        effects.extend(bench.level(Level::Idle));
        assert_eq!(overs(&effects), [(None, &answered("first"))]);
        bench.pass(30);
        let (answer, effects) = if own_turn {
            let mut effects = bench.level(Level::Busy);
            effects.extend(bench.stopped("p2", "second", &[]));
            effects.extend(bench.level(Level::Idle));
            ("second", effects)
        } else {
            ("first", bench.pass(400))
        };
        assert_eq!(overs(&effects), [(Some("a"), &answered(answer))]);
    }
}

#[test]
fn a_stop_that_names_another_prompt_isnt_the_answer_to_the_ask() {
    let both = ["p1", "p2"];
    for (stops, idle_between) in [(&both[..], true), (&both[..], false), (&both[1..], false)] {
        let mut bench = Bench::idle();
        // A person's prompt was sent just before the ask was typed: the engine queues the ask.
        bench.submit("a", "x");
        bench.level(Level::Busy);
        bench.taken("p1", "a person's");
        bench.pass(150);
        bench.taken("p2", "x");
        bench.pass(1_000);
        let mut effects = Vec::new();
        for stop in stops {
            effects.extend(bench.stopped(stop, &format!("to {stop}"), &[]));
            bench.pass(30);
            if idle_between {
                effects.extend(bench.level(Level::Idle));
                bench.pass(30);
                bench.level(Level::Busy);
            }
        }
        effects.extend(bench.level(Level::Idle));
        effects.extend(bench.pass(1_000));
        let of_ask: Vec<_> = overs(&effects).into_iter().filter(|(ask, _)| ask.is_some()).collect();
        assert_eq!(of_ask, [(Some("a"), &answered("to p2"))], "{stops:?} {idle_between}");
    }
}

#[test]
fn a_late_stop_of_the_turn_before_isnt_the_answer_to_the_ask() {
    let mut bench = Bench::idle();
    bench.submit("a", "x");
    bench.taken("p1", "a person's");
    bench.level(Level::Idle);
    bench.pass(200);
    let mut effects = bench.taken("p2", "x");
    bench.level(Level::Busy);
    effects.extend(bench.stopped("p1", "a person's answer", &[]));
    bench.pass(500);
    effects.extend(bench.level(Level::Idle));
    effects.extend(bench.stopped("p2", "the ask's", &[]));
    assert_eq!(overs(&effects), [(None, &TurnOutcome::Interrupted), (Some("a"), &answered("the ask's"))]);
}

#[test]
fn invariant_07_a_background_shell_holds_until_its_news_has_been_told() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.stopped("p1", "started it", &["npm test"]);
    bench.level(Level::Shell);
    assert_eq!(bench.holds(), ["background"]);
    bench.pass(8 * 3_600_000);
    // It is due by the clock when the shell ends; 27 ms later the news of that begins a turn.
    assert!(!bench.level(Level::Idle).contains(&Effect::Look));
    bench.pass(27);
    bench.level(Level::Busy);
    let text = "<task-notification>…".to_owned();
    bench.say(Said::PromptTaken { prompt: Some(PromptId::new("p2")), text, author: Author::Engine });
    assert!(bench.holds().contains(&"turn"));
    bench.stopped("p2", "it passed", &[]);
    assert_eq!(overs(&bench.level(Level::Idle)), [(None, &answered("it passed"))]);
    assert!(bench.holds().is_empty());
}

#[test]
fn invariant_12_a_nested_run_moves_nothing() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    let own = std::mem::replace(&mut bench.conversation, ConversationId::new("nested"));
    assert!(bench.started(Source::New).is_empty());
    assert!(bench.taken("n1", "text of a").is_empty());
    assert!(bench.stopped("n1", "nested answer", &["nested task"]).is_empty());
    assert!(bench.level(Level::Idle).is_empty());
    bench.conversation = own.clone();
    assert_eq!(bench.session.view(bench.now).conversation, Some(own));
    assert_eq!(bench.holds(), ["turn"]);
    bench.stopped("p1", "four", &[]);
    assert_eq!(overs(&bench.level(Level::Idle)), [(Some("a"), &answered("four"))]);
}

#[test]
fn invariant_12_a_nested_run_moves_nothing_however_long_it_lasts() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    let own = bench.conversation.clone();
    for _ in 0..3 {
        bench.conversation = ConversationId::new("nested");
        bench.started(Source::New);
        bench.taken("n1", "text of a");
        bench.say(Said::ToolUsed);
        bench.stopped("n1", "nested answer", &[]);
        bench.level(Level::Busy);
        bench.pass(4_000);
        bench.conversation = own.clone();
        bench.level(Level::Busy);
        assert!(bench.pass(60_000).is_empty());
    }
    let view = bench.session.view(bench.now);
    assert_eq!((view.conversation, view.trouble), (Some(own), None));
    assert_eq!(bench.holds(), ["turn"]);
    bench.stopped("p1", "four", &[]);
    assert_eq!(overs(&bench.level(Level::Idle)), [(Some("a"), &answered("four"))]);
}

#[test]
fn invariant_12_clear_moves_it_also_with_the_level_before_the_start() {
    let mut bench = Bench::idle();
    bench.say(Said::Closed { reason: "clear".into() });
    bench.level(Level::Busy);
    bench.conversation = ConversationId::new("c2");
    bench.level(Level::Busy);
    bench.pass(20);
    bench.level(Level::Idle);
    let told = bench.started(Source::Cleared);
    let conversation = ConversationId::new("c2");
    assert_eq!(told, [Effect::Tell(Fact::Moved { conversation, source: Source::Cleared, transcript: None })]);
    assert!(bench.is_idle());
    assert!(bench.holds().is_empty());
}

#[test]
fn a_level_before_the_confirmation_counts_once_that_came() {
    let mut bench = Bench::opening();
    assert!(bench.level(Level::Idle).is_empty());
    assert!(matches!(bench.session.view(bench.now).activity, Activity::Opening { .. }));
    let told = bench.started(Source::Resumed);
    assert!(matches!(told.as_slice(), [Effect::Tell(Fact::Confirmed { .. })]), "{told:?}");
    assert!(bench.is_idle());
}

#[test]
fn what_the_screen_shows_counts_only_while_it_opens() {
    let mut bench = Bench::opening();
    bench.handle(Event::Dialog(Some(Wait::Trust)));
    assert_eq!(bench.holds(), ["waiting"]);
    bench.handle(Event::Dialog(None));
    assert!(bench.holds().is_empty());
    bench.started(Source::New);
    bench.level(Level::Idle);
    bench.handle(Event::Dialog(Some(Wait::Trust)));
    assert!(bench.is_idle());
}

#[test]
fn a_decision_is_waited_for_in_its_most_telling_words() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.level(Level::Waiting(Wait::Permission(String::new())));
    bench.say(Said::NeedsDecision(Wait::Permission("run `rm -r build`".into())));
    bench.level(Level::Waiting(Wait::Permission(String::new())));
    let what = Wait::Permission("run `rm -r build`".into());
    assert!(matches!(bench.session.view(bench.now).activity, Activity::Waiting { what: w, .. } if w == what));
    // Esc at the prompt: idle, no hook; the transcript says so.
    bench.level(Level::Idle);
    assert_eq!(overs(&bench.say(Said::Interrupted)), [(Some("a"), &TurnOutcome::Interrupted)]);
}

#[test]
fn an_engine_that_ends_takes_its_turn_with_it() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    let effects = bench.handle(Event::Exited);
    assert_eq!(overs(&effects), [(Some("a"), &TurnOutcome::EngineEnded)]);
    assert_eq!(effects.last(), Some(&Effect::End(EndReason::Exited)));
    assert!(bench.handle(Event::Exited).is_empty());
}

#[test]
fn a_turn_that_had_said_its_last_word_is_answered_at_the_end() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.stopped("p1", "four", &[]);
    assert_eq!(overs(&bench.handle(Event::Exited)), [(Some("a"), &answered("four"))]);
}

#[test]
fn wakeups_and_tasks_keep_their_since() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    let wakeups = vec![Task { id: "w".into(), what: "every hour".into(), process: false }];
    let told = |background, wakeups| Said::Stopped { prompt: None, text: String::new(), background, wakeups };
    let said = told(Some(vec![]), Some(wakeups));
    bench.say(said.clone());
    bench.level(Level::Idle);
    let since = bench.session.view(bench.now).holds[0].since;
    bench.pass(60_000);
    bench.say(said);
    assert_eq!(bench.session.view(bench.now).holds[0].since, since);
    assert_eq!(bench.holds(), ["wakeup"]);
}

#[test]
fn invariant_07_a_stop_that_says_nothing_of_wakeups_and_tasks_takes_none_away() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    let task = |id: &str| vec![Task { id: id.into(), what: id.into(), process: false }];
    let told = |background, wakeups| Said::Stopped { prompt: None, text: String::new(), background, wakeups };
    bench.say(told(Some(task("t")), Some(task("w"))));
    bench.level(Level::Idle);
    bench.asked("b", "p2");
    bench.level(Level::Idle);
    // Its hook was lost, and the transcript, which has the answer, is read instead.
    assert_eq!(overs(&bench.say(told(None, None))).len(), 1);
    assert_eq!(bench.holds(), ["background", "wakeup"]);
    assert!(!bench.pass(7 * 3_600_000).contains(&Effect::Look), "it isn't let go");
    bench.say(told(Some(vec![]), Some(vec![])));
    assert!(bench.holds().is_empty());
}
