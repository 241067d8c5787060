use repose_core::hold::{Hold, Kind};
use repose_core::repo::State;
use repose_core::trouble::{Code, Trouble};
use repose_core::work::Work;
use repose_runner::Shown;

use super::super::{Choice, Question, question};
use super::{Next, Way};
use crate::fixture::{NOW, repo};

/// These repos, each with a turn.
fn asked(names: &[&str]) -> Option<Question> {
    question(&names.iter().map(|name| busy(name)).collect::<Vec<_>>())
}

fn busy(name: &str) -> Shown {
    Shown { holds: vec![Hold::new(NOW, Kind::Turn)], ..repo(name, State::Working) }
}

/// The names of those that are to be stopped or asked about, and which it is.
fn told(next: Next) -> (&'static str, Vec<String>) {
    let names = |about: Vec<(repose_core::ids::RepoId, _)>| {
        about.into_iter().map(|(repo, _)| repo.to_string()).collect()
    };
    match next {
        Next::Nothing => ("nothing", Vec::new()),
        Next::Ask { question, again: false } => ("ask", names(question.about)),
        Next::Ask { question, again: true } => ("ask again", names(question.about)),
        Next::Stop(about) => ("stop", names(about)),
        Next::Quit => ("quit", Vec::new()),
    }
}

#[test]
fn what_follows_an_answer() {
    use Choice::{Cancel, Leave, Stop};
    let two: &[&str] = &["a", "b"];
    let none: &[&str] = &[];
    let table = [
        ("to leave them", Way::Asks, two, Leave, two, ("quit", none), Way::Asks),
        ("to stop them", Way::Asks, two, Stop, two, ("stop", &["id-a", "id-b"]), Way::Stops),
        ("to stop them, when all have ended", Way::Asks, two, Stop, none, ("quit", none), Way::Asks),
        ("to stop them, when one was paused", Way::Asks, two, Stop, &["b"], ("stop", &["id-b"]), Way::Stops),
        (
            "to stop one, when another runs",
            Way::Asks,
            &["a"],
            Stop,
            two,
            ("ask again", &["id-a", "id-b"]),
            Way::Asks,
        ),
        ("to cancel", Way::Asks, two, Cancel, two, ("nothing", none), Way::None),
        ("to stop them once more", Way::Stops, two, Stop, two, ("nothing", none), Way::Stops),
        ("to cancel while they stop", Way::Stops, two, Cancel, two, ("nothing", none), Way::Stops),
        ("to leave them while they stop", Way::Stops, two, Leave, two, ("quit", none), Way::Stops),
    ];
    for (what, mut way, of, choice, now, next, then) in table {
        let names = next.1.iter().map(|name| (*name).to_owned()).collect();
        let of = asked(of).expect("a question");
        assert_eq!(told(way.answered(of, choice, asked(now))), (next.0, names), "{what}");
        assert_eq!(way, then, "{what}");
    }
}

#[test]
fn what_an_answer_cuts_off_is_what_its_own_question_named() {
    let first = asked(&["a"]).expect("a question");
    let mut later = busy("a");
    later.holds.push(Hold::new(NOW, Kind::Typing));
    let Next::Stop(about) = Way::Asks.answered(first.clone(), Choice::Stop, question(&[later])) else {
        panic!("it is stopped");
    };
    assert_eq!(about, first.about);
}

#[test]
fn nobody_is_asked_while_they_stop() {
    let mut way = Way::Stops;
    assert_eq!(way.wanted(asked(&["a"])), Next::Nothing);
    assert_eq!((Way::None.wanted(None), Way::Asks.wanted(None)), (Next::Quit, Next::Quit));
    assert_eq!(told(Way::None.wanted(asked(&["a"]))), ("ask", vec!["id-a".to_owned()]));
}

#[test]
fn what_refuses_to_stop_is_asked_about_if_it_is_work() {
    let a = || busy("a").id;
    let mut lost = Trouble::new(Code::WorkWouldBeLost, "A line.", [""; 0]);
    lost.named = Work::new(&[Hold::new(NOW, Kind::Typing)], Vec::new(), Vec::new()).named();
    let other = Trouble::new(Code::TimedOut, "It hangs.", [""; 0]);
    let table = [
        ("all are stopped", vec![], &[][..], "quit", Way::None),
        ("another runs", vec![], &["b"], "quit", Way::None),
        ("work came up", vec![(a(), lost.clone())], &["a"], "ask again", Way::Asks),
        ("it ended by itself", vec![(a(), lost.clone())], &[], "quit", Way::None),
        ("it can't be stopped", vec![(a(), other)], &["a"], "nothing", Way::None),
    ];
    for (what, refused, now, next, then) in table {
        let mut way = Way::Stops;
        assert_eq!(told(way.stopped(&refused, asked(now))).0, next, "{what}");
        assert_eq!(way, then, "{what}");
    }
    let Next::Ask { question, .. } = Way::Stops.stopped(&[(a(), lost.clone())], asked(&["a"])) else {
        panic!("a question");
    };
    assert_eq!(question.about, [(a(), lost.named)], "it is about what was refused");
}
