//! Random lives of a session: a hold keeps it; without one, time leads to its end, and so it does once all
//! that held it is over.

use proptest::prelude::*;

use super::Bench;
use crate::budget::Excess;
use crate::decision::{Choice, ChoiceKind, Decision, Question};
use crate::hold::{Because, Resident, Task};
use crate::ids::{ConversationId, DecisionId, PromptId};
use crate::policy::Policy;
use crate::session::{Effect, Event, Freeze, FreezeId, Lease, Look, Params};
use crate::signal::{Level, Said, Source, Wait};
use crate::time::Wall;

const HOUR: u64 = 3_600_000;

fn lets_go(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::LetGo { .. }))
}

fn server(since: Wall) -> Resident {
    Resident { pid: 9, start: 5, command: "node".into(), since, because: Because::Listens(8080) }
}

/// What a look shows when nothing is left.
fn look(resumable: bool) -> Look {
    Look { level: None, residents: Vec::new(), resumable, loss: None }
}

fn decision(conversation: &ConversationId) -> Decision {
    let choice = Choice {
        id: "yes".into(),
        label: "Yes".into(),
        description: None,
        preview: None,
        kind: ChoiceKind::Allow,
    };
    let wait = Wait::Permission("run `make`".into());
    let question = Question {
        conversation: conversation.clone(),
        wait,
        detail: None,
        detail_cut: false,
        choices: vec![choice],
    };
    Decision { id: DecisionId::new("d1"), question }
}

impl Bench {
    fn leaves(&mut self, task: bool, wakeup: bool) -> Vec<Effect> {
        let left = |any: bool, process| {
            any.then(|| Task { id: "t".into(), what: "what was left".into(), process }).into_iter().collect()
        };
        self.say(Said::Stopped {
            prompt: Some(PromptId::new("last")),
            text: "answer".into(),
            background: Some(left(task, true)),
            wakeups: Some(left(wakeup, false)),
        })
    }
}

#[derive(Debug, Clone)]
enum Step {
    Level(Level),
    Taken(u8),
    Stopped(u8),
    /// A turn is over, and the engine continues with a task or wakes itself later.
    Leaves {
        task: bool,
        wakeup: bool,
    },
    Decides,
    DecisionGone,
    Residents(bool),
    Pinned(bool),
    Input(&'static [u8]),
    Submit(u8),
    Lease(Lease, bool),
    Freeze(Freeze),
    Thaw,
    Looked(bool),
    Pass(u64),
    Sleep(u64),
    Dialog(bool),
    Started(Source),
    Evict,
    /// The wall clock is set, forward or back.
    Clock(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let level = prop_oneof![
        Just(Level::Idle),
        Just(Level::Busy),
        Just(Level::Shell),
        Just(Level::Unknown("x".into())),
        Just(Level::Waiting(Wait::Choice("?".into()))),
    ];
    let bytes = prop_oneof![
        Just(&b"x"[..]),
        Just(&b"\r"[..]),
        Just(&b"\x1b"[..]),
        Just(&b"\x12"[..]),
        Just(&b"\x15"[..]),
        Just(&b"\x1b[A"[..]),
        Just(&b"\x1b[200~"[..])
    ];
    let source = prop_oneof![Just(Source::New), Just(Source::Cleared)];
    let freeze = (any::<bool>(), any::<bool>()).prop_map(|(interrupt, must_resume)| Freeze {
        interrupt,
        must_resume,
        id: FreezeId(7),
    });
    prop_oneof![
        4 => level.prop_map(Step::Level),
        2 => (0..3_u8).prop_map(Step::Taken),
        2 => (0..3_u8).prop_map(Step::Stopped),
        2 => (any::<bool>(), any::<bool>()).prop_map(|(task, wakeup)| Step::Leaves { task, wakeup }),
        1 => Just(Step::Decides),
        1 => Just(Step::DecisionGone),
        1 => any::<bool>().prop_map(Step::Residents),
        1 => any::<bool>().prop_map(Step::Pinned),
        2 => bytes.prop_map(Step::Input),
        2 => (0..3_u8).prop_map(Step::Submit),
        1 => (prop_oneof![Just(Lease::Ask), Just(Lease::Client)], any::<bool>())
            .prop_map(|(lease, held)| Step::Lease(lease, held)),
        1 => freeze.prop_map(Step::Freeze),
        1 => Just(Step::Thaw),
        2 => any::<bool>().prop_map(Step::Looked),
        4 => prop_oneof![Just(20), Just(400), Just(61_000), Just(7 * HOUR)].prop_map(Step::Pass),
        1 => Just(Step::Sleep(HOUR)),
        1 => any::<bool>().prop_map(Step::Dialog),
        2 => source.prop_map(Step::Started),
        3 => Just(Step::Evict),
        2 => prop_oneof![Just(-400 * 86_400_000), Just(-5_000), Just(5_000), Just(400 * 86_400_000)].prop_map(Step::Clock),
    ]
}

fn take(bench: &mut Bench, step: Step) -> Vec<Effect> {
    let holds = bench.holds();
    let effects = match step {
        Step::Level(level) => bench.level(level),
        Step::Taken(n) => bench.taken(&format!("p{n}"), &format!("text {n}")),
        Step::Stopped(n) => bench.stopped(&format!("p{n}"), "answer", &[]),
        Step::Leaves { task, wakeup } => bench.leaves(task, wakeup),
        Step::Decides => bench.handle(Event::Decides(decision(&bench.conversation))),
        Step::DecisionGone => bench.handle(Event::DecisionGone(DecisionId::new("d1"))),
        Step::Residents(any) => {
            bench.handle(Event::Residents(any.then(|| server(bench.now.wall)).into_iter().collect()))
        }
        Step::Pinned(pinned) => bench.handle(Event::Params(Params { policy: Policy::default(), pinned })),
        Step::Input(bytes) => bench.handle(Event::Input(bytes.to_vec())),
        Step::Submit(n) => bench.submit(&format!("ask{n}"), &format!("text {n}")),
        Step::Lease(lease, held) => bench.handle(Event::Lease(lease, held)),
        Step::Freeze(freeze) => bench.handle(Event::Freeze(freeze)),
        Step::Thaw => bench.handle(Event::Thaw),
        Step::Looked(resumable) => bench.handle(Event::Looked(look(resumable))),
        Step::Pass(ms) => bench.pass(ms),
        Step::Sleep(ms) => {
            bench.now.slept += ms;
            bench.handle(Event::Tick)
        }
        Step::Dialog(shown) => bench.handle(Event::Dialog(shown.then_some(Wait::Trust))),
        Step::Started(source) => bench.started(source),
        Step::Evict => bench.handle(Event::Evict(Excess::Pressure)),
        Step::Clock(by) => {
            bench.now.wall.0 = bench.now.wall.0.saturating_add_signed(by);
            bench.handle(Event::Tick)
        }
    };
    assert!(holds.is_empty() || bench.holds().is_empty() || !lets_go(&effects), "let go while {holds:?}");
    effects
}

/// The engine has finished everything, and so has everybody else.
fn all_is_over(bench: &mut Bench) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut then = |bench: &mut Bench, event: Event| effects.extend(bench.handle(event));
    then(bench, Event::Thaw);
    then(bench, Event::DecisionGone(DecisionId::new("d1")));
    then(bench, Event::Dialog(None));
    then(bench, Event::Lease(Lease::Ask, false));
    then(bench, Event::Lease(Lease::Client, false));
    then(bench, Event::Residents(Vec::new()));
    then(bench, Event::Params(Params { policy: Policy::default(), pinned: false }));
    effects.extend(bench.pass(61_000)); // an ask that was being typed failed
    effects.extend(bench.taken("last", "the last one"));
    effects.extend(bench.pass(10));
    effects.extend(bench.level(Level::Busy));
    effects.extend(bench.pass(10));
    effects.extend(bench.leaves(false, false));
    effects.extend(bench.pass(10));
    effects.extend(bench.level(Level::Idle));
    effects.extend(bench.handle(Event::Input(b"\x1b[201~\x03\x03".to_vec())));
    effects.extend(bench.pass(2_000));
    effects
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariant_07_without_holds_time_alone_leads_to_the_end_and_with_one_it_never_does(
        steps in prop::collection::vec(step(), 0..40),
        by_time_alone in any::<bool>(),
    ) {
        let mut bench = Bench::opening();
        let mut effects: Vec<Effect> = steps.into_iter().flat_map(|step| take(&mut bench, step)).collect();
        if !by_time_alone {
            effects.extend(all_is_over(&mut bench));
        }
        let mut ended = lets_go(&effects);
        for _ in 0..4 {
            // The look that it wanted finally happens, and so does another that this one makes it want.
            for _ in 0..2 {
                if effects.contains(&Effect::Look) {
                    effects = bench.handle(Event::Looked(look(true)));
                    ended |= lets_go(&effects);
                }
            }
            effects = bench.pass(7 * HOUR);
            ended |= lets_go(&effects);
        }
        prop_assert!(ended || !bench.session.awaits_outcome(), "idle, and its turn never ends: {:#?}", bench.session);
        let holds = bench.holds();
        let may_stay = by_time_alone && !holds.is_empty();
        prop_assert!(ended || may_stay, "nothing is left and it stays, held by {holds:?}: {:#?}", bench.session);
        prop_assert!(!ended || bench.session.view(bench.now).frozen);
    }
}
