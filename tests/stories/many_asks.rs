//! Whatever arrives at once: one engine, one turn at a time, each ask its own answer.

use crate::support::World;

/// Asks and ensures that arrive together.
const CROWD: usize = 200;

/// How many of them ask, every other one; a turn of the real engine takes about half a second.
const ASKS: usize = 100;

#[test]
fn invariant_01_at_most_one_live_engine() {
    let world = World::running("");
    let crowd: Vec<_> = (0..CROWD)
        .map(|n| {
            let text = format!("MD{{answer-{n}}}");
            let ask = n % (CROWD / ASKS) == 0;
            let args = if ask { vec!["ask", "work", text.as_str()] } else { vec!["resume", "work"] };
            (n, ask, world.start(&args))
        })
        .collect();
    for (n, ask, running) in crowd {
        let json = running.finish().ok();
        if ask {
            assert_eq!(json["answer"], format!("answer-{n}"));
        }
    }
    assert_eq!(world.engines("work").len(), 1);
    assert_eq!(world.holders().len(), 1);

    let asked: Vec<_> = world.model.requests().iter().map(|request| request.text.clone()).collect();
    assert_eq!(asked.len(), ASKS, "merged or lost: {asked:#?}");
    for text in &asked {
        assert_eq!(text.matches("MD{").count(), 1, "merged: {text}");
    }
}

#[test]
fn a_second_ask_reuses_the_live_engine() {
    let world = World::running("");
    world.ask("one");
    let first = world.the_engine("work");
    let second = world.ask("two");
    assert_eq!(world.the_engine("work"), first);
    assert_eq!(second["repo"]["conversation"]["turns"], 2);
    let sent = world.model.wait_for("the second turn", |request| request.text == "two");
    assert!(sent.mentions("one"), "{sent:#?}");
}

#[test]
fn asks_run_one_turn_at_a_time_and_in_order() {
    let world = World::running("");
    let first = world.start(&["ask", "work", "HOLD{gate} MD{answer 0}"]);
    world.model.wait_held("gate");
    let others: Vec<_> = (1..5)
        .map(|n| {
            let running = world.start(&["ask", "work", &format!("MD{{answer {n}}}")]);
            world.wait("work", "the ask to be queued", |status| status["queued"] == n);
            (n, running)
        })
        .collect();
    assert_eq!(world.model.requests().len(), 1, "a turn was sent while another was in progress");
    world.model.release("gate");

    assert_eq!(first.finish().ok()["answer"], "answer 0");
    for (n, running) in others {
        assert_eq!(running.finish().ok()["answer"], format!("answer {n}"));
    }
    let order: Vec<_> = world.model.requests().iter().map(|request| request.turns).collect();
    assert_eq!(order, [1, 2, 3, 4, 5]);
    let texts: Vec<_> = world.model.requests().into_iter().map(|request| request.text).collect();
    for (n, text) in texts.iter().enumerate() {
        assert!(text.contains(&format!("answer {n}")), "out of order: {texts:#?}");
    }
}

#[test]
fn repos_do_not_wait_for_each_other() {
    let world = World::running("");
    let other = world.add_repo("other");
    world.ok(&["add", other.to_str().expect("UTF-8")]);
    let held = world.start(&["ask", "work", "HOLD{gate} MD{late but whole}"]);
    world.model.wait_held("gate");
    assert_eq!(world.ok(&["ask", "other", "MD{meanwhile}"])["answer"], "meanwhile");
    world.model.release("gate");
    assert_eq!(held.finish().ok()["answer"], "late but whole");
}
