use std::time::Duration;

use super::Bench;
use crate::budget::Excess;
use crate::conversation::Loss;
use crate::hold::{Because, Resident, Task};
use crate::policy::Policy;
use crate::session::{
    Effect, EndIf, EndReason, Event, Fact, Freeze, FreezeId, Keys, Lease, Look, NotNow, OPENING_LASTS,
    Params, Verdict,
};
use crate::signal::{Level, Said, Signal, Source, Wait};
use crate::trouble::Code;
use crate::work::Work;

const HOUR: u64 = 3_600_000;
const PAUSE: Freeze = Freeze { interrupt: false, must_resume: true, id: FreezeId(7) };

impl Bench {
    fn looked(&mut self, level: Level, resumable: bool) -> Vec<Effect> {
        let conversation = Some(self.conversation.clone());
        let level = Some(Signal { conversation, at: self.now.wall, said: Said::Level(level) });
        self.handle(Event::Looked(Look { level, residents: Vec::new(), resumable, loss: None }))
    }
}

fn lets_go(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::LetGo { .. }))
}

#[test]
fn invariant_06_a_reap_goes_in_two_steps() {
    let mut bench = Bench::idle();
    assert!(bench.pass(6 * HOUR - 1).is_empty());
    assert_eq!(bench.pass(1), [Effect::Look]);
    assert!(lets_go(&bench.looked(Level::Idle, true)));
    assert!(bench.session.view(bench.now).frozen);
    assert!(bench.handle(Event::Input(b"x".to_vec())).is_empty());
}

#[test]
fn invariant_06_a_reap_without_its_record_goes_on_and_is_tried_again() {
    let mut bench = Bench::idle();
    bench.pass(6 * HOUR);
    assert!(lets_go(&bench.looked(Level::Idle, true)));
    assert!(bench.handle(Event::Unrecorded).is_empty());
    assert!(!bench.session.view(bench.now).frozen);
    assert!(bench.pass(6 * HOUR - 1).is_empty());
    assert_eq!(bench.pass(1), [Effect::Look]);
    assert!(lets_go(&bench.looked(Level::Idle, true)));
}

#[test]
fn invariant_07_a_hold_that_comes_before_the_freeze_wins() {
    type Arrival = fn(&mut Bench);
    let arrivals: [(&str, Arrival); 6] = [
        ("a keystroke", |bench| drop(bench.handle(Event::Input(b"x".to_vec())))),
        ("an ask", |bench| {
            let typed = bench.submit("a", "x");
            assert_eq!(typed, [Effect::Type(Keys::Paste("x".into()))]);
        }),
        ("a lease", |bench| drop(bench.handle(Event::Lease(Lease::Client, true)))),
        ("a prompt", |bench| drop(bench.taken("p", "x"))),
        ("a level", |bench| drop(bench.level(Level::Busy))),
        ("a pin", |bench| {
            let params = Params { policy: Policy::default(), pinned: true };
            bench.handle(Event::Params(params));
        }),
    ];
    for (name, arrives) in arrivals {
        let mut bench = Bench::idle();
        assert_eq!(bench.pass(6 * HOUR), [Effect::Look]);
        arrives(&mut bench);
        let look = Look { level: None, residents: Vec::new(), resumable: true, loss: None };
        assert!(!lets_go(&bench.handle(Event::Looked(look))), "{name}");
    }
    let mut bench = Bench::idle();
    bench.pass(6 * HOUR);
    assert!(!lets_go(&bench.looked(Level::Busy, true)), "what the look itself shows");
}

#[test]
fn what_is_too_much_goes_in_the_two_steps_of_a_reap_and_says_why() {
    let over = Excess::Memory { budget: 4_000_000_000 };
    let mut bench = Bench::idle();
    bench.pass(60_000);
    assert_eq!(bench.handle(Event::Evict(over)), [Effect::Look]);
    let effects = bench.looked(Level::Idle, true);
    let idle = Duration::from_secs(60);
    let told = Effect::Tell(Fact::LettingGo { idle, over: Some(over) });
    assert_eq!(effects, [told, Effect::LetGo { idle }]);
}

#[test]
fn invariant_07_no_budget_and_no_pressure_goes_over_a_hold() {
    type Holds = fn(&mut Bench);
    let holds: [(&str, Holds); 10] = [
        ("turn", |bench| bench.asked("a", "p")),
        ("waiting", |bench| drop(bench.level(Level::Waiting(Wait::Choice("?".into()))))),
        ("unknown", |bench| drop(bench.level(Level::Unknown("x".into())))),
        ("background", |bench| drop(bench.stopped("p", "x", &["npm run dev"]))),
        ("wakeup", |bench| {
            let wakeups = vec![Task { id: "w".into(), what: "in 5 minutes".into(), process: false }];
            let (text, background, wakeups) = (String::new(), None, Some(wakeups));
            bench.say(Said::Stopped { prompt: None, text, background, wakeups });
        }),
        ("ask", |bench| drop(bench.handle(Event::Lease(Lease::Ask, true)))),
        ("client", |bench| drop(bench.handle(Event::Lease(Lease::Client, true)))),
        ("typing", |bench| drop(bench.handle(Event::Input(b"x".to_vec())))),
        ("process", |bench| {
            let since = bench.now.wall;
            let resident =
                Resident { pid: 9, start: 5, command: "node".into(), since, because: Because::Busy };
            bench.handle(Event::Residents(vec![resident]));
        }),
        ("pinned", |bench| {
            bench.handle(Event::Params(Params { policy: Policy::default(), pinned: true }));
        }),
    ];
    for (name, holds) in holds {
        for over in [Excess::Memory { budget: 1 }, Excess::Live { max: 1 }, Excess::Pressure] {
            let mut bench = Bench::idle();
            holds(&mut bench);
            assert_eq!(bench.holds(), [name]);
            assert!(bench.handle(Event::Evict(over)).is_empty(), "{name}");
            assert!(!bench.session.view(bench.now).frozen, "{name}");

            let mut bench = Bench::idle();
            assert_eq!(bench.handle(Event::Evict(over)), [Effect::Look]);
            holds(&mut bench);
            let look = Look { level: None, residents: Vec::new(), resumable: true, loss: None };
            let looked = if name == "process" {
                let since = bench.now.wall;
                let resident =
                    Resident { pid: 9, start: 5, command: "node".into(), since, because: Because::Busy };
                bench.handle(Event::Looked(Look { residents: vec![resident], ..look }))
            } else {
                bench.handle(Event::Looked(look))
            };
            assert!(!lets_go(&looked), "{name}: it came before the last look");
        }
    }
    let mut woken = Bench::idle();
    woken.now.slept += HOUR;
    assert!(woken.handle(Event::Evict(Excess::Pressure)).is_empty());
    let mut opening = Bench::opening();
    assert!(opening.handle(Event::Evict(Excess::Pressure)).is_empty());
}

#[test]
fn an_opening_engine_is_not_let_go_before_it_had_its_time() {
    let idle_after = Duration::from_secs(1);
    let policy = Policy { idle_after, ..Policy::default() };
    let lasts = u64::try_from(OPENING_LASTS.as_millis()).expect("a few minutes");

    let mut bench = Bench::opening();
    bench.handle(Event::Params(Params { policy, pinned: false }));
    assert!(bench.pass(lasts - 1).is_empty());
    assert_eq!(bench.pass(1), [Effect::Look], "and not for ever");

    let mut bench = Bench::idle();
    bench.handle(Event::Params(Params { policy, pinned: false }));
    assert_eq!(bench.pass(1_000), [Effect::Look]);
}

#[test]
fn invariant_07_looking_is_no_interaction_and_a_terminals_own_replies_are_none() {
    let mut bench = Bench::idle();
    bench.pass(3 * HOUR);
    let _seen = bench.session.view(bench.now);
    bench.handle(Event::Input(b"\x1b[I\x1b[24;80R\x1b[<0;1;1M".to_vec()));
    let told_apart = b"whatever it looks like".to_vec();
    assert_eq!(bench.handle(Event::Report(told_apart.clone())), [Effect::Write(told_apart)]);
    bench.handle(Event::Residents(Vec::new()));
    assert_eq!(bench.pass(3 * HOUR), [Effect::Look]);
}

#[test]
fn invariant_07_one_that_was_resumed_and_never_spoken_to_is_let_go() {
    let mut bench = Bench::opening();
    bench.started(Source::Resumed);
    assert_eq!(bench.pass(6 * HOUR), [Effect::Look]);
    assert!(lets_go(&bench.handle(Event::Looked(Look {
        level: None,
        residents: vec![],
        resumable: true,
        loss: None
    }))));
}

#[test]
fn invariant_08_idle_time_stands_still_while_the_machine_sleeps_and_waking_has_a_grace() {
    let mut bench = Bench::idle();
    bench.pass(6 * HOUR - 1_000);
    bench.now.slept += 20 * HOUR;
    bench.now.wall.0 += 20 * HOUR;
    assert!(bench.pass(0).is_empty());
    assert!(bench.pass(299_999).is_empty(), "nothing is let go for 5 minutes");
    assert_eq!(bench.pass(1), [Effect::Look]);
    // One that was nominated before the machine slept has the grace too.
    bench.now.slept += HOUR;
    assert!(!lets_go(&bench.looked(Level::Idle, true)));
}

#[test]
fn leases_lapse_unless_renewed() {
    for lease in [Lease::Ask, Lease::Client] {
        let mut bench = Bench::idle();
        bench.handle(Event::Lease(lease, true));
        bench.pass(50_000);
        bench.handle(Event::Lease(lease, true));
        bench.pass(59_999);
        assert_eq!(bench.holds().len(), 1);
        bench.pass(1);
        assert!(bench.holds().is_empty());
    }
}

#[test]
fn invariant_04_a_pause_of_what_would_be_lost_by_a_resume_is_refused_and_names_the_remedy() {
    let loss = Loss { engine: "Gemini CLI".into(), remedy: "Set it".into() };
    let look = || Look { level: None, residents: Vec::new(), resumable: true, loss: Some(loss.clone()) };
    let mut bench = Bench::idle();
    bench.handle(Event::Freeze(PAUSE));
    let judged = bench.handle(Event::Looked(look()));
    assert_eq!(judged, [Effect::Judged(Verdict::WouldBeLost(loss.clone()))]);
    bench.handle(Event::Freeze(Freeze { interrupt: false, must_resume: false, id: FreezeId(7) }));
    assert_eq!(bench.handle(Event::Looked(look())), [Effect::Judged(Verdict::Frozen(Vec::new()))]);
}

#[test]
fn invariant_04_a_pause_of_what_couldnt_be_resumed_is_refused() {
    let mut bench = Bench::idle();
    assert_eq!(bench.handle(Event::Freeze(PAUSE)), [Effect::Look]);
    assert_eq!(bench.looked(Level::Idle, false), [Effect::Judged(Verdict::NotResumable)]);
    assert!(!bench.session.view(bench.now).frozen);
    let stop = Freeze { interrupt: false, must_resume: false, id: FreezeId(7) };
    bench.handle(Event::Freeze(stop));
    assert_eq!(bench.looked(Level::Idle, false), [Effect::Judged(Verdict::Frozen(Vec::new()))]);
}

#[test]
fn invariant_05_work_refuses_the_freeze_unless_it_may_be_interrupted() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.handle(Event::Freeze(PAUSE));
    let effects = bench.looked(Level::Busy, true);
    assert!(
        matches!(&effects[..], [Effect::Judged(Verdict::Held(holds))] if holds.len() == 1),
        "{effects:?}"
    );
    bench.handle(Event::Freeze(Freeze { interrupt: true, ..PAUSE }));
    let effects = bench.looked(Level::Busy, true);
    assert!(
        matches!(&effects[..], [Effect::Judged(Verdict::Frozen(holds))] if holds.len() == 1),
        "{effects:?}"
    );
    assert_eq!(super::overs(&bench.handle(Event::End(EndIf::Always))).len(), 1);
    // Whoever orders it while it ends already hears what that cuts off.
    let effects = bench.handle(Event::Freeze(Freeze { interrupt: true, ..PAUSE }));
    assert!(
        matches!(&effects[..], [Effect::Judged(Verdict::Frozen(holds))] if holds.len() == 1),
        "{effects:?}"
    );
}

/// What an end would lose now.
fn work(bench: &Bench) -> Work {
    Work::new(&bench.session.view(bench.now).holds, Vec::new(), Vec::new())
}

#[test]
fn invariant_05_who_was_told_of_a_turn_wasnt_told_of_the_one_that_was_queued_behind_it() {
    for announced in [true, false] {
        let mut bench = Bench::idle();
        bench.asked("a", "p1");
        let named = work(&bench).named();
        bench.pass(1_000);
        bench.taken("p1", "queued by a person");
        assert!(named.covers(&work(&bench)), "it is the same turn");
        bench.pass(1_000);
        bench.stopped("p1", "first", &[]);
        bench.pass(30);
        if announced {
            bench.taken("p2", "queued by a person");
        }
        bench.level(Level::Busy);
        let now = work(&bench);
        assert_eq!((named.covers(&now), named.is_over(&now)), (false, true), "announced: {announced}");
    }
}

#[test]
fn invariant_05_a_dialog_belongs_to_the_turn_that_it_came_up_in() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    let turn = work(&bench).named();
    bench.pass(1_000);
    bench.level(Level::Waiting(Wait::Permission("run `ls`".into())));
    let dialog = work(&bench).named();
    bench.pass(1_000);
    for level in [
        Level::Waiting(Wait::Permission("run `ls`".into())),
        Level::Busy,
        Level::Waiting(Wait::Choice("Which?".into())),
        Level::Unknown("musing".into()),
    ] {
        bench.level(level);
        for named in [&turn, &dialog] {
            let now = work(&bench);
            assert_eq!((named.covers(&now), named.is_over(&now)), (true, false), "{now:?}");
        }
        bench.pass(1_000);
    }
    bench.stopped("p1", "done", &[]);
    bench.level(Level::Idle);
    bench.asked("b", "p2");
    bench.level(Level::Waiting(Wait::Permission("run `ls`".into())));
    for named in [turn, dialog] {
        let now = work(&bench);
        assert_eq!((named.covers(&now), named.is_over(&now)), (false, true), "{now:?}");
    }
}

#[test]
fn invariant_05_the_verdict_waits_until_it_is_known_what_became_of_a_line_that_was_just_sent() {
    let judged = |effects: &[Effect]| match effects {
        [Effect::Judged(Verdict::Frozen(work) | Verdict::Held(work))] => work.len(),
        other => panic!("{other:?}"),
    };
    for interrupt in [false, true] {
        for begins in [false, true] {
            let mut bench = Bench::idle();
            bench.handle(Event::Input(b"do it\r".to_vec()));
            assert_eq!(bench.handle(Event::Freeze(Freeze { interrupt, ..PAUSE })), [Effect::Look]);
            assert_eq!(bench.looked(Level::Idle, true), []);
            if begins {
                bench.pass(1_000);
                assert_eq!(bench.taken("p1", "do it"), [Effect::Look]);
                assert_eq!(judged(&bench.looked(Level::Busy, true)), 1);
            } else {
                assert_eq!(bench.pass(4_999), []);
                assert_eq!(bench.pass(1), [Effect::Look]);
                assert_eq!(judged(&bench.looked(Level::Idle, true)), 0);
            }
        }
    }
    // Who goes on sending lines doesn't put it off.
    let mut bench = Bench::idle();
    bench.handle(Event::Input(b"/cost\r".to_vec()));
    bench.handle(Event::Freeze(PAUSE));
    bench.looked(Level::Idle, true);
    bench.pass(4_000);
    bench.handle(Event::Input(b"/cost\r".to_vec()));
    assert_eq!(bench.pass(1_000), [Effect::Look]);
    assert_eq!(judged(&bench.looked(Level::Idle, true)), 0);
    // Beside a turn that is named anyway, nothing is waited for.
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.handle(Event::Input(b"and this\r".to_vec()));
    bench.handle(Event::Freeze(Freeze { interrupt: true, ..PAUSE }));
    assert_eq!(judged(&bench.looked(Level::Busy, true)), 1);
}

#[test]
fn a_pin_or_a_person_who_looks_doesnt_refuse_a_pause() {
    let mut bench = Bench::idle();
    bench.handle(Event::Params(Params { policy: Policy::default(), pinned: true }));
    bench.handle(Event::Lease(Lease::Client, true));
    bench.handle(Event::Freeze(PAUSE));
    assert_eq!(bench.looked(Level::Idle, true), [Effect::Judged(Verdict::Frozen(Vec::new()))]);
}

#[test]
fn invariant_06_once_frozen_arrivals_are_refused_until_it_thaws_or_lapses() {
    for lapses in [false, true] {
        let mut bench = Bench::idle();
        bench.handle(Event::Freeze(PAUSE));
        bench.looked(Level::Idle, true);
        assert!(bench.handle(Event::Input(b"x".to_vec())).is_empty());
        assert!(matches!(bench.submit("a", "x").as_slice(), [Effect::NotNow { why: NotNow::LettingGo, .. }]));
        // While it is judged again, it stays closed to input.
        bench.handle(Event::Freeze(PAUSE));
        assert!(bench.handle(Event::Input(b"x".to_vec())).is_empty());
        bench.looked(Level::Idle, true);
        if lapses {
            bench.pass(29_999);
            assert!(bench.session.view(bench.now).frozen);
            bench.pass(1);
        } else {
            bench.handle(Event::Thaw);
        }
        assert!(!bench.session.view(bench.now).frozen);
        assert_eq!(bench.handle(Event::Input(b"x".to_vec())).len(), 1);
    }
}

#[test]
fn invariant_05_the_word_to_end_is_refused_once_its_freeze_has_lapsed() {
    let mut bench = Bench::idle();
    bench.handle(Event::Freeze(PAUSE));
    bench.looked(Level::Idle, true);
    bench.pass(30_000);
    bench.asked("a", "p1");
    let end = || Event::End(EndIf::StillFrozen(PAUSE.id));
    assert_eq!(bench.handle(end()), [Effect::Thawed]);
    assert_eq!(bench.holds().len(), 1, "the turn goes on");
    // Frozen again, by another order.
    let again = Freeze { interrupt: true, id: FreezeId(8), ..PAUSE };
    bench.handle(Event::Freeze(again));
    assert_eq!(bench.handle(end()), [Effect::Thawed]);
    bench.looked(Level::Busy, true);
    assert_eq!(bench.handle(end()), [Effect::Thawed]);
    assert!(
        bench.handle(Event::End(EndIf::StillFrozen(FreezeId(8)))).contains(&Effect::End(EndReason::Ordered))
    );
}

#[test]
fn a_pinned_one_is_kept_and_unpinning_starts_the_clock() {
    let mut bench = Bench::idle();
    let params = |pinned| Event::Params(Params { policy: Policy::default(), pinned });
    bench.handle(params(true));
    assert!(bench.pass(100 * HOUR).is_empty());
    assert!(bench.handle(params(false)).is_empty());
    assert_eq!(bench.pass(6 * HOUR), [Effect::Look]);
}

#[test]
fn a_process_that_works_holds() {
    let mut bench = Bench::idle();
    let since = bench.now.wall;
    let because = Because::Listens(8080);
    let resident = Resident { pid: 9, start: 5, command: "node".into(), since, because };
    bench.handle(Event::Residents(vec![resident]));
    assert!(bench.pass(100 * HOUR).is_empty());
    assert_eq!(bench.holds(), ["process"]);
}

#[test]
fn a_working_engine_without_a_sign_of_life_is_stalled() {
    let mut bench = Bench::idle();
    bench.asked("a", "p1");
    bench.pass(500_000);
    bench.say(Said::ToolUsed);
    bench.handle(Event::Freeze(PAUSE)); // not a sign of life of the engine's
    bench.handle(Event::Thaw);
    bench.pass(599_999);
    assert_eq!(bench.session.view(bench.now).trouble, None);
    bench.pass(1);
    assert_eq!(bench.session.view(bench.now).trouble.map(|trouble| trouble.code), Some(Code::Stalled));
    bench.say(Said::ToolUsed);
    assert_eq!(bench.session.view(bench.now).trouble, None);
}

#[test]
fn an_unknown_status_counts_as_busy_and_is_shown_after_an_hour() {
    let mut bench = Bench::idle();
    bench.level(Level::Unknown("musing".into()));
    assert_eq!(bench.holds(), ["unknown"]);
    let wake = bench.session.next_wake(bench.now).map(|at| at.since(bench.now.awake));
    assert!(wake.is_some_and(|left| left <= Duration::from_secs(3_600)));
    for _ in 0..60 {
        bench.pass(59_000);
        bench.level(Level::Unknown("musing".into()));
    }
    assert_eq!(bench.session.view(bench.now).trouble, None);
    bench.pass(60_000);
    assert_eq!(bench.session.view(bench.now).trouble.map(|trouble| trouble.code), Some(Code::UnknownStatus));
    bench.level(Level::Idle);
    assert!(bench.holds().is_empty());
}

#[test]
fn times_are_told_on_the_clock_that_nobody_sets() {
    for set in [-3_600_000, 3_600_000] {
        let mut bench = Bench::idle();
        bench.handle(Event::Input(b"x\x15".to_vec()));
        let used = bench.now.awake;
        bench.pass(1_000);
        bench.now.wall.0 = bench.now.wall.0.saturating_add_signed(set);
        assert_eq!(bench.session.view(bench.now).used, Some(used));
        bench.level(Level::Unknown("musing".into()));
        bench.now.wall.0 = bench.now.wall.0.saturating_add_signed(set);
        for _ in 0..60 {
            bench.pass(59_000);
            bench.level(Level::Unknown("musing".into()));
        }
        assert_eq!(bench.session.view(bench.now).trouble, None, "set by {set}");
        bench.pass(60_000);
        let trouble = bench.session.view(bench.now).trouble.map(|trouble| trouble.code);
        assert_eq!(trouble, Some(Code::UnknownStatus), "set by {set}");
    }
}
