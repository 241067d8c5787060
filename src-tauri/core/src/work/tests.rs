use super::{Named, OnWork, Work};
use crate::hold::{Because, Hold, Kind, Resident, Task};
use crate::ids::AskId;
use crate::signal::Wait;
use crate::time::Wall;

fn work(holds: &[(u64, Kind)], asks: &[&str]) -> Work {
    let holds: Vec<Hold> = holds.iter().map(|(since, kind)| Hold::new(Wall(*since), kind.clone())).collect();
    Work::new(&holds, asks.iter().map(|ask| AskId::new(*ask)).collect(), Vec::new())
}

fn task() -> Kind {
    Kind::Background(Task { id: "t".into(), what: "npm\ntest".into(), process: true })
}

/// Why it counts as work changes with since when it does.
fn server(pid: u32, start: u64, since: u64) -> Kind {
    let because = if since < 5 { Because::Busy } else { Because::Listens(80) };
    Kind::Process(Resident { pid, start, command: "node".into(), since: Wall(since), because })
}

#[test]
fn what_was_named_is_told_from_what_came_later() {
    let turn = |since| work(&[(since, Kind::Turn)], &[]);
    let waits = || Kind::Waiting(Wait::Trust);
    let unseen = || Kind::Unseen("it gives no answer".into());
    let asked = |ids: &[&str]| work(&[(1, Kind::Turn), (1, Kind::Ask)], ids);
    // What was named, what there is now, whether that was named, whether nothing of it goes on.
    let table = [
        (turn(1), turn(1), true, false),
        (turn(1), turn(2), false, true),
        (turn(1), work(&[], &[]), true, true),
        (turn(1), work(&[(1, Kind::Turn), (5, task())], &[]), true, false),
        (turn(1), work(&[(1, Kind::Turn), (5, Kind::Typing)], &[]), false, false),
        (turn(1), work(&[(5, waits())], &[]), false, false),
        (work(&[(2, server(4, 9, 2))], &[]), work(&[(7, server(4, 9, 7))], &[]), true, false),
        (work(&[(2, server(4, 9, 2))], &[]), work(&[(2, server(4, 10, 2))], &[]), false, true),
        (work(&[(2, server(4, 9, 2))], &[]), work(&[(2, server(5, 9, 2))], &[]), false, true),
        (work(&[(1, Kind::Turn), (2, task())], &[]), work(&[(2, task())], &[]), true, false),
        (work(&[(2, task())], &[]), work(&[(2, task()), (3, Kind::Turn)], &[]), false, false),
        (turn(1), work(&[(1, Kind::Turn), (9, Kind::Client), (9, Kind::Pinned)], &[]), true, false),
        (asked(&["a"]), asked(&["a"]), true, false),
        (asked(&["a"]), asked(&["a", "b"]), false, false),
        (asked(&["a", "b"]), work(&[], &["b"]), true, false),
        (asked(&["a"]), work(&[], &["b"]), false, true),
        // Nobody can say since when, or whether it is over.
        (work(&[(4, unseen())], &[]), work(&[(5, unseen())], &[]), true, false),
        (work(&[(4, unseen())], &[]), work(&[], &[]), true, false),
        (work(&[(4, unseen())], &[]), turn(1), false, false),
    ];
    for (named, now, covered, over) in table {
        let text = named.named().text().expect("it names something");
        let named = Named::from_text(&text);
        assert_eq!((named.covers(&now), named.is_over(&now)), (covered, over), "{text}, then {now:?}");
        assert_eq!(OnWork::InterruptAtMost(named).allows(&now), covered);
        assert_eq!(OnWork::Refuse.allows(&now), now.is_empty());
        assert!(OnWork::Interrupt.allows(&now));
    }
}

#[test]
fn what_is_left_of_what_was_named_is_told_without_what_came_later() {
    let both = work(&[(1, Kind::Turn), (1, Kind::Ask), (2, task())], &["a"]);
    let left = |now: &Work| both.named().left(now).words();
    assert_eq!(left(&both), both.words());
    let rest = work(&[(2, task()), (3, Kind::Turn), (3, Kind::Ask)], &["b"]);
    assert_eq!(left(&rest), work(&[(2, task())], &[]).words());
    assert_eq!(left(&work(&[], &[])), [""; 0]);
    let unsent =
        |asks: &[&str]| Work::new(&[], Vec::new(), asks.iter().map(|ask| AskId::new(*ask)).collect());
    assert_eq!(unsent(&["a", "b"]).named().left(&unsent(&["b", "c"])).words(), ["an unsent ask"]);
    assert_eq!(
        super::would_be_lost("Pausing", &rest),
        "Pausing now would lose work: the background task `npm test` and a turn in progress."
    );
}

#[test]
fn an_ask_and_its_turn_are_named_once_and_what_was_not_seen_is_not_told_as_cut_off() {
    for asks in [&[][..], &["a"]] {
        assert_eq!(work(&[(1, Kind::Ask)], asks).words(), ["an ask without its answer yet"]);
        assert_eq!(work(&[(1, Kind::Turn), (1, Kind::Ask)], asks).words(), ["a turn in progress"]);
    }
    let unsent =
        |asks: &[&str]| Work::new(&[], Vec::new(), asks.iter().map(|ask| AskId::new(*ask)).collect());
    assert_eq!(unsent(&["a"]).words(), ["an unsent ask"]);
    assert_eq!(unsent(&["a", "b"]).words(), ["2 unsent asks"]);
    let held = |begun: &[&str], unsent: &[&str]| {
        let ids = |ids: &[&str]| ids.iter().map(|id| AskId::new(*id)).collect();
        Work::new(&[Hold::new(Wall(1), Kind::Ask)], ids(begun), ids(unsent))
    };
    let waits = held(&[], &["a"]);
    assert_eq!(waits.words(), ["an unsent ask"], "it is one, and the holder holds for it");
    assert_eq!(waits.named().text().as_deref(), Some("asked a"));
    let both = held(&["a"], &["b"]);
    assert_eq!(both.words(), ["an ask without its answer yet", "an unsent ask"]);
    let stuck = work(&[(1, Kind::Turn), (2, Kind::Unseen("it gives no answer".into()))], &[]);
    assert_eq!(stuck.words(), ["a turn in progress", "whatever it does now, for it gives no answer"]);
    assert_eq!(stuck.words_of_what_was_seen(), ["a turn in progress"]);
}
