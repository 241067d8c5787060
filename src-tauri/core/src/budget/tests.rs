use std::time::Duration;

use proptest::prelude::*;

use super::{Excess, Limits, Live, PRESSED_SPARES, Standing, excess, let_go, pressed_spares};
use crate::ids::RepoId;
use crate::time::{Awake, millis};

const NOW: Awake = Awake(1_700_000_000_000);

fn live(name: &str, bytes: u64, free_since: Option<u64>) -> Live {
    let standing = free_since.map_or(Standing::Held, |ago| Standing::Free(Awake(NOW.0 - ago)));
    Live { repo: RepoId::new(name), bytes, standing }
}

fn names(live: &[Live], limits: Limits, coming: usize) -> Vec<String> {
    excess(live, limits, coming, NOW).into_iter().map(|(repo, _)| repo.to_string()).collect()
}

#[test]
fn the_least_recently_used_goes_first_until_the_rest_is_within_the_budget() {
    let engines = [
        live("busy", 900, None),
        live("new", 200, Some(10)),
        live("old", 300, Some(99)),
        live("mid", 1, Some(50)),
    ];
    let budget = |memory| Limits { memory: Some(memory), ..Limits::default() };
    assert_eq!(names(&engines, budget(1_401), 0), [""; 0]);
    assert_eq!(names(&engines, budget(1_400), 0), ["old"]);
    assert_eq!(names(&engines, budget(1_100), 0), ["old", "mid"]);
    assert_eq!(names(&engines, budget(1), 0), ["old", "mid", "new"], "never the one at work");
    assert_eq!(
        excess(&engines, budget(1_400), 0, NOW),
        [(RepoId::new("old"), Excess::Memory { budget: 1_400 })]
    );
}

#[test]
fn one_that_comes_finds_room_if_one_can_go() {
    let engines = [live("a", 1, Some(5)), live("b", 1, None)];
    let two = Limits { live: Some(2), ..Limits::default() };
    assert_eq!(names(&engines, two, 0), [""; 0]);
    assert_eq!(excess(&engines, two, 1, NOW), [(RepoId::new("a"), Excess::Live { max: 2 })]);
    assert_eq!(names(&engines[1..], Limits { live: Some(1), ..Limits::default() }, 1), [""; 0]);
}

#[test]
fn one_that_is_being_ended_counts_no_more() {
    let ending = |name: &str, bytes| Live { standing: Standing::Ending, ..live(name, bytes, None) };
    let engines = [ending("a", 2_000), live("b", 2_000, Some(9)), live("c", 1_000, Some(5))];
    let budget = Limits { memory: Some(3_000), ..Limits::default() };
    assert_eq!(names(&engines, budget, 0), [""; 0], "what is left is within the budget");
    let one = Limits { live: Some(2), ..Limits::default() };
    assert_eq!(names(&[ending("a", 1), live("b", 1, Some(5))], one, 1), [""; 0], "the place comes by itself");
}

#[test]
fn under_pressure_one_at_a_time_goes_and_none_that_was_just_used() {
    let pressed = Limits { pressed: Some(PRESSED_SPARES), ..Limits::default() };
    let long = millis(PRESSED_SPARES);
    let engines = [live("a", 1, Some(long - 1)), live("b", 1, None)];
    assert_eq!(names(&engines, pressed, 0), [""; 0]);
    let engines = [live("a", 1, Some(long)), live("b", 1, Some(long + 1)), live("c", 1, Some(long + 2))];
    assert_eq!(excess(&engines, pressed, 0, NOW), [(RepoId::new("c"), Excess::Pressure)]);
    assert_eq!(pressed_spares(Duration::from_secs(6 * 3_600)), PRESSED_SPARES);
    assert_eq!(pressed_spares(Duration::from_secs(60)), Duration::from_secs(6), "else none would ever go so");
}

#[test]
fn the_reason_stands_in_the_sentence() {
    let idle = Duration::from_secs(180);
    let said = |over| let_go(idle, over);
    assert_eq!(said(None), "Let go after 3 min without use.");
    assert_eq!(
        said(Some(Excess::Memory { budget: 4_000_000_000 })),
        "Let go to stay under your budget of 4.0 GB, after 3 min without use."
    );
    assert_eq!(
        said(Some(Excess::Live { max: 3 })),
        "Let go because you allow 3 live engines, after 3 min without use."
    );
    assert!(said(Some(Excess::Live { max: 1 })).contains("1 live engine,"));
    assert!(said(Some(Excess::Pressure)).contains("short of memory"));
}

fn engines() -> impl Strategy<Value = Vec<Live>> {
    let standing = prop_oneof![
        Just(Standing::Held),
        Just(Standing::Ending),
        (0..1_000_000_u64).prop_map(|ago| Standing::Free(Awake(NOW.0 - ago))),
    ];
    prop::collection::vec((0..1_000_u64, standing), 0..12).prop_map(|each| {
        each.into_iter()
            .enumerate()
            .map(|(at, (bytes, standing))| Live { standing, ..live(&format!("r{at:02}"), bytes, None) })
            .collect()
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    (prop::option::of(0..4_000_u64), prop::option::of(1..8_u32), prop::option::of(Just(PRESSED_SPARES)))
        .prop_map(|(memory, live, pressed)| Limits { memory, live, pressed })
}

proptest! {
    #[test]
    fn no_more_go_than_must_and_none_that_is_held(engines in engines(), limits in limits(), coming in 0..3_usize) {
        let going = excess(&engines, limits, coming, NOW);
        let gone: Vec<&Live> =
            going.iter().map(|(repo, _)| engines.iter().find(|engine| engine.repo == *repo).unwrap()).collect();
        for engine in &gone {
            prop_assert!(engine.standing.free_since().is_some(), "held: {engine:?}");
        }
        // Everyone who stays was used later than everyone who goes.
        for stays in engines.iter().filter(|engine| !gone.contains(engine)) {
            if let Some(used) = stays.standing.free_since() {
                prop_assert!(gone.iter().all(|engine| engine.standing.free_since().unwrap() <= used));
            }
        }
        let rest = |without: usize| {
            let stays = |engine: &&Live| engine.standing != Standing::Ending;
            let kept = engines.iter().filter(stays).filter(|engine| !gone[..without].contains(engine));
            let (count, bytes) = kept.fold((coming, 0), |(n, sum), engine| (n + 1, sum + engine.bytes));
            limits.live.is_some_and(|max| count > max as usize) || limits.memory.is_some_and(|max| bytes > max)
        };
        let free = engines.iter().filter(|engine| engine.standing.free_since().is_some()).count();
        prop_assert!(!rest(gone.len()) || gone.len() == free, "too few go");
        for (at, (_, over)) in going.iter().enumerate() {
            match over {
                Excess::Memory { .. } | Excess::Live { .. } => prop_assert!(rest(at), "too many go"),
                Excess::Pressure => prop_assert!(limits.pressed.is_some() && at + 1 == going.len()),
            }
        }
    }
}
