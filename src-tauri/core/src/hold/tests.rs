use std::collections::BTreeSet;

use super::{Because, Hold, Kind, Resident, Task, work};
use crate::signal::Wait;
use crate::time::Wall;

fn all() -> Vec<Kind> {
    let task = || Task { id: "1".into(), what: "npm run dev".into(), process: true };
    let resident =
        |because| Resident { pid: 1, start: 5, command: "node\nserver.js".into(), since: Wall(0), because };
    vec![
        Kind::Turn,
        Kind::Background(task()),
        Kind::Wakeup(task()),
        Kind::Waiting(Wait::Permission("run ls".into())),
        Kind::Ask,
        Kind::Typing,
        Kind::Client,
        Kind::Process(resident(Because::Listens(8080))),
        Kind::Pinned,
        Kind::Unknown("musing".into()),
    ]
}

#[test]
fn every_kind_has_a_code_and_words_of_its_own() {
    let codes: BTreeSet<_> = all().iter().map(Kind::code).collect();
    assert_eq!(codes.len(), all().len());
    let details: BTreeSet<_> = all().iter().map(Kind::detail).collect();
    assert_eq!(details.len(), all().len());
    assert!(details.iter().all(|detail| !detail.is_empty() && !detail.contains('\n')));
}

#[test]
fn only_a_pin_and_a_person_who_looks_are_no_work() {
    let idle: Vec<_> = all().into_iter().filter(|kind| !kind.is_work()).collect();
    assert_eq!(idle, [Kind::Client, Kind::Pinned]);
    let holds =
        |kinds: Vec<Kind>| -> Vec<_> { kinds.into_iter().map(|kind| Hold::new(Wall(0), kind)).collect() };
    for kind in all() {
        assert_eq!(work(&holds(vec![kind.clone()])).len(), usize::from(kind.is_work()));
    }
    // An ask and its turn, also while that waits for somebody, are one piece of work.
    assert_eq!(work(&holds(vec![Kind::Ask, Kind::Turn])), ["a turn in progress"]);
    assert_eq!(work(&holds(vec![Kind::Waiting(Wait::Trust), Kind::Ask])).len(), 1);
    assert_eq!(work(&holds(all())).len(), all().len() - 3);
}

#[test]
fn what_it_is_about_is_told_apart_from_the_sentence() {
    let subjects: Vec<_> = all().iter().filter_map(Kind::subject).collect();
    assert_eq!(subjects, ["npm run dev", "npm run dev", "run ls", "node server.js", "musing"]);
    for wait in [Wait::Permission(String::new()), Wait::Choice(" ".into()), Wait::Trust] {
        assert_eq!(Kind::Waiting(wait).subject(), None);
    }
}

#[test]
fn what_it_waits_for_is_named() {
    let table = [
        (Wait::Permission(String::new()), "a permission that it asked for"),
        (Wait::Permission("run `ls`".into()), "the permission to run `ls`"),
        (Wait::Choice(String::new()), "a choice that it offered"),
        (Wait::Choice("Which?".into()), "the choice \"Which?\""),
        (Wait::Choice("**Which** `way`?".into()), "the choice \"Which way?\""),
        (Wait::Trust, "your word on whether this folder is trusted"),
    ];
    for (wait, words) in table {
        assert_eq!(wait.what(), words);
        assert_eq!(Wait::is_permission(words), matches!(wait, Wait::Permission(_)));
    }
    let asked = Kind::Waiting(Wait::Choice("**Which** `way`?".into()));
    assert_eq!(asked.subject().as_deref(), Some("Which way?"));
}
