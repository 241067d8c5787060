use repose_core::hold::{Hold, Kind, Task};
use repose_core::ids::AskId;
use repose_core::repo::State;
use repose_core::signal::Wait;
use repose_core::work::Work;
use repose_runner::{AskShown, AskStage, Shown};

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

/// A repo in this state, with these holds.
fn with(name: &str, state: State, kinds: &[Kind]) -> Shown {
    let mut repo = repo(name, state);
    repo.holds = kinds.iter().map(|kind| Hold::new(NOW, kind.clone())).collect();
    repo
}

fn server() -> Kind {
    Kind::Background(Task { id: "b1".into(), what: "npm run dev".into(), process: true })
}

#[test]
fn each_loss_is_claimed_and_none_that_there_isnt() {
    let trust = || with("new", State::Waiting, &[Kind::Waiting(Wait::Trust)]);
    let turn = || with("api", State::Working, &[Kind::Turn]);
    let waits = || with("cms", State::Waiting, &[Kind::Waiting(Wait::Permission("run `ls`".into()))]);
    let web = || with("web", State::Ready, &[server()]);
    let both = || with("api", State::Working, &[Kind::Turn, server()]);
    let one = "the answer of the turn in progress";
    let table = [
        (vec![trust()], None),
        (vec![trust(), turn()], Some(format!("loses {one}."))),
        (vec![waits()], Some(format!("loses {one}."))),
        (vec![turn(), web()], Some(format!("loses {one} and what else is at work."))),
        (vec![waits(), web()], Some(format!("loses {one} and what else is at work."))),
        (vec![both()], Some(format!("loses {one} and what else is at work."))),
        (vec![web()], Some("loses what is at work.".into())),
        (vec![repo("docs", State::Ready)], None),
    ];
    for (repos, loss) in table {
        let text = question(&repos).expect("a question").text;
        match loss {
            Some(loss) => assert!(text.contains(&loss), "{loss:?} is not in {text:?}"),
            None => assert!(!text.contains("loses"), "{text}"),
        }
    }
    let beside = with("cms", State::Waiting, &[Kind::Waiting(Wait::Permission("run `ls`".into())), server()]);
    let text = question(&[beside]).expect("a question").text;
    let named = "Waiting for you: cms (a turn, and the background task `npm run dev`).";
    assert!(text.starts_with(named), "{text}");
    let text = question(&[both()]).expect("a question").text;
    assert!(text.starts_with("At work: api (a turn, and the background task `npm run dev`)."), "{text}");
}

#[test]
fn only_the_work_that_was_named_may_be_cut_off() {
    let asked = question(&[with("api", State::Working, &[Kind::Turn])]).expect("a question");
    let [(_, named)] = &asked.about[..] else { panic!("one repo: {asked:?}") };
    let holds = |kinds: &[Kind]| with("api", State::Working, kinds).holds;
    assert!(named.covers(&Work::new(&holds(&[Kind::Turn]), Vec::new(), Vec::new())));
    assert!(!named.covers(&Work::new(&holds(&[Kind::Turn, Kind::Typing]), Vec::new(), Vec::new())));
    let more = Work::new(&holds(&[Kind::Typing]), Vec::new(), Vec::new()).named();
    let again = asked.clone().with(&[(repo("api", State::Working).id, more.clone())]);
    assert_eq!(again.about[0].1, more, "the next question is about what was refused");
    let ready = |names: &[&str]| {
        question(&names.iter().map(|name| repo(name, State::Ready)).collect::<Vec<_>>()).expect("a question")
    };
    assert!(ready(&["a", "b"]).knows(&ready(&["b"])) && !ready(&["b"]).knows(&ready(&["a", "b"])));
}

#[test]
fn every_ask_that_waits_is_named_however_many_there_are() {
    let id = |at: usize| AskId::new(format!("a{at}"));
    let ask =
        |at| AskShown { id: id(at), text: String::new(), at: NOW, stage: AskStage::Waiting, reason: None };
    let mut shop = repo("shop", State::Ready);
    (shop.asks, shop.further_asks, shop.queued) =
        ((0..20).map(ask).collect(), (20..25).map(id).collect(), 25);
    let asked = question(&[shop]).expect("a question");
    let all = Work::new(&[], Vec::new(), (0..25).map(id).collect());
    assert!(asked.about[0].1.covers(&all), "whoever was told of 25 stops 25: {asked:?}");
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
