use repose_core::hold::{Hold, Kind, Task};
use repose_core::repo::State;

use super::{Choice, question};
use crate::fixture::{NOW, repo};

#[test]
fn what_runs_is_named() {
    let of = |states: &[State]| {
        let repos: Vec<_> =
            states.iter().enumerate().map(|(at, state)| repo(&format!("r{at}"), *state)).collect();
        question(&repos).map(|question| (question.title, question.text))
    };
    let stay = "Agents go on without Repose, and their conversations stay either way.";
    let some = |title: &str, text: &str| Some((title.to_owned(), format!("{text} {stay}")));
    let table: [(&[State], _); 7] = [
        (&[], None),
        (&[State::Asleep, State::Paused, State::Offline], None),
        (
            &[State::Working, State::Waiting],
            some(
                "1 repo is working, and 1 waits for you.",
                "At work: r0. Waiting for you: r1. Stopping them loses the answers of 2 turns in progress.",
            ),
        ),
        (
            &[State::Waiting],
            some(
                "1 repo waits for you.",
                "Waiting for you: r0. Stopping it loses the answer of the turn in progress.",
            ),
        ),
        (
            &[State::Working, State::Waiting, State::Waiting, State::Ready],
            some(
                "1 repo is working, and 2 wait for you.",
                "At work: r0. Waiting for you: r1 and r2. Idle: r3. Stopping them loses the answers of 3 turns in \
                 progress.",
            ),
        ),
        (
            &[State::Ready, State::Opening],
            some("1 repo is working.", "At work: r1. Idle: r0. Stopping them loses what is at work."),
        ),
        (&[State::Ready], some("1 repo is open, and idle.", "Idle: r0.")),
    ];
    for (states, asked) in table {
        assert_eq!(of(states), asked, "{states:?}");
    }
}

#[test]
fn what_works_on_behind_an_idle_engine_is_named() {
    let task = Task { id: "b1".into(), what: "npm run dev".into(), process: true };
    let mut shop = repo("shop", State::Ready);
    shop.holds = vec![Hold::new(NOW, Kind::Background(task)), Hold::new(NOW, Kind::Client)];
    let asked = question(&[shop, repo("docs", State::Ready)]).expect("a question");
    assert_eq!(asked.title, "1 repo is working.");
    assert!(
        asked.text.starts_with("At work: shop (the background task `npm run dev`). Idle: docs."),
        "{}",
        asked.text
    );
}

#[test]
fn asks_that_a_stop_would_drop_are_named_and_another_repo_is_another_question() {
    let with = |name: &str, queued| {
        let mut repo = repo(name, State::Working);
        repo.queued = queued;
        repo
    };
    let text = |queued: &[usize]| {
        let repos: Vec<_> =
            queued.iter().enumerate().map(|(at, queued)| with(&format!("r{at}"), *queued)).collect();
        question(&repos).expect("a question").text
    };
    let says = |queued: &[usize], words: &str| assert!(text(queued).contains(words), "{}", text(queued));
    says(&[0], " Stopping it loses the answer of the turn in progress. Agents go on");
    says(&[1], " Stopping it loses the answer of the turn in progress and the ask that waits. ");
    says(&[1, 2], " the answers of 2 turns in progress and the 3 asks that wait. ");
    let mut asleep = repo("docs", State::Asleep);
    asleep.queued = 5;
    let asked = question(&[with("shop", 0), asleep]).expect("a question");
    assert!(!asked.text.contains("wait"), "what isn't stopped keeps its asks: {}", asked.text);

    let ten = |last: &str| {
        let mut repos: Vec<_> = (0..9).map(|at| with(&format!("r{at}"), 0)).collect();
        repos.push(with(last, 0));
        question(&repos).expect("a question")
    };
    assert_eq!(ten("a").text, ten("b").text);
    assert_ne!(ten("a"), ten("b"), "only what was named, or counted, may be cut off");
}

#[test]
fn the_choices_say_what_they_do() {
    let choices = |states: &[State]| {
        let repos: Vec<_> =
            states.iter().enumerate().map(|(at, state)| repo(&format!("r{at}"), *state)).collect();
        question(&repos).map(|question| question.choices.map(|(choice, label)| (choice, label)))
    };
    let labels = |it: &str| {
        Some([
            (Choice::Leave, format!("Quit and leave {it} running")),
            (Choice::Stop, format!("Stop {it} and quit")),
            (Choice::Cancel, "Cancel".to_owned()),
        ])
    };
    assert_eq!(question(&[repo("shop", State::Working)]).expect("a question").ends(), Some(1), "Stop is red");
    assert_eq!(choices(&[State::Working]), labels("it"));
    assert_eq!(choices(&[State::Working, State::Ready]), labels("them"));
}

#[test]
fn many_are_a_number() {
    let repos: Vec<_> = (0..9).map(|at| repo(&format!("r{at}"), State::Working)).collect();
    let asked = question(&repos).expect("a question");
    assert_eq!(asked.title, "9 repos are working.");
    assert!(asked.text.starts_with("At work: r0, r1, r2, r3, r4 and 4 more."), "{}", asked.text);
}
