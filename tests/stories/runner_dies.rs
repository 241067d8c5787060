//! The runner may die at any moment; the work goes on, and the next runner knows it.

use std::time::Duration;

use crate::support::World;
use crate::support::processes::Process;
use crate::support::steps::Steps;

#[test]
fn a_follower_of_a_log_goes_on_with_the_next_runner_and_ends_with_the_repo() {
    let mut world = World::running("");
    let follower = world.terminal(&["log", "work", "--follow"]);
    world.ask("MD{by the first}");
    follower.wait_for_text("by the first");
    world.kill_serve();
    world.serve();
    world.ask("MD{by the next}");
    follower.wait_for_text("by the next");
    world.ok(&["rm", "work"]);
    follower.wait_for_text("work was removed, so its log ends here.");
    world.eventually("the follower to end", || {
        let follows = |process: &Process| process.command.contains("--follow");
        (!world.processes().iter().any(follows)).then_some(())
    });
}

#[test]
fn whoever_breaks_off_an_ask_is_told_what_became_of_it_in_json_too() {
    let world = World::running("");
    world.ask("hello");
    let first = world.start(&["ask", "work", "HOLD{gate} MD{first}"]);
    world.model.wait_held("gate");
    let second = world.start(&["ask", "work", "MD{second}"]);
    world.wait("work", "the second to wait", |status| {
        status["asks"].as_array().is_some_and(|asks| asks.len() == 2)
    });
    for (asked, withdrawn) in [(second, true), (first, false)] {
        asked.interrupt();
        let broken_off = asked.finish();
        assert_eq!(
            (broken_off.code, &broken_off.json["withdrawn"]),
            (130, &withdrawn.into()),
            "{broken_off}"
        );
        assert_eq!(broken_off.json["error"]["code"], "broken_off", "{broken_off}");
    }
    let stop = world.start(&["pause", "work", "--interrupt"]);
    stop.finish().ok();
    world.model.release("gate");
}

#[test]
fn a_runner_killed_in_mid_turn_is_replaced_and_nothing_starts_twice() {
    let mut world = World::running("");
    world.ask("hello");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{said while nobody ran}", "--no-wait"]);
    ask.finish().ok();
    world.model.wait_held("gate");
    let engine = world.the_engine("work");
    world.kill_serve();
    assert!(engine.alive());
    world.model.release("gate");
    let transcripts = world.transcripts("work");
    world.eventually("the turn to end without a runner", || {
        let files = std::fs::read_dir(&transcripts).ok()?;
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok());
        // It also contains the question; the answer is the assistant's line.
        texts
            .any(|text| {
                text.lines()
                    .any(|line| line.contains("said while nobody ran") && line.contains("\"assistant\""))
            })
            .then_some(())
    });

    world.serve();
    let status = world.wait_state("work", "ready");
    assert_eq!(world.the_engine("work"), engine);
    assert_eq!(world.holders().len(), 1);
    assert_eq!(status["conversation"]["turns"], 2);
    let log = world.ok(&["log", "work"]).to_string();
    assert_eq!(log.matches("said while nobody ran").count(), 2, "question and answer, each once: {log}");
}

#[test]
fn a_runner_that_comes_back_in_mid_turn_sees_the_turn() {
    let mut world = World::running("");
    world.start(&["ask", "work", "HOLD{gate} MD{done now}", "--no-wait"]).finish().ok();
    world.model.wait_held("gate");
    world.kill_serve();
    world.serve();
    // A start waits for a holder for a bounded time, and shows it as opening until it has been heard.
    world.wait_state("work", "working");
    world.model.release("gate");
    world.wait_answered("work", "done now");
    world.wait_state("work", "ready");
}

#[test]
fn an_asker_hears_its_answer_from_the_next_runner() {
    let mut world = World::running("");
    world.ask("hello");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{across the gap}"]);
    world.model.wait_held("gate");
    world.kill_serve();
    world.serve();
    world.model.release("gate");
    assert_eq!(ask.finish().ok()["answer"], "across the gap");
}

#[test]
fn invariant_17_a_runner_that_is_stopped_leaves_the_engines_alone() {
    let mut world = World::running("");
    world.ask("hello");
    let engine = world.the_engine("work");
    world.stop_serve();
    assert!(engine.alive());
    world.serve();
    assert_eq!(world.ask("again")["repo"]["state"], "ready");
    assert_eq!(world.the_engine("work"), engine);
}

#[test]
fn a_holder_that_is_killed_takes_its_engine_along_and_the_next_ask_resumes() {
    let world = World::running("");
    let first = world.ask("remember the word fudge");
    let tree = world.tree();
    world.holders().iter().for_each(|holder| holder.kill());
    world.eventually("the end of its tree", || tree.iter().all(|process| !process.alive()).then_some(()));
    world.wait_state("work", "asleep");
    let second = world.ask("which word?");
    assert_eq!(second["continuity"]["kind"], "resumed");
    assert_eq!(second["repo"]["conversation"]["id"], first["repo"]["conversation"]["id"]);
}

#[test]
fn a_holder_that_does_not_listen_yet_is_not_taken_for_dead() {
    let mut world = World::running_fake("", "");
    let steps = Steps::stop_at(&world, "Begins");
    let ask = world.start(&["ask", "work", "hello"]);
    assert_eq!(steps.stopped(|| false).as_deref(), Some("Begins"));
    let [holder] = &world.holders()[..] else { panic!("not one holder: {:#?}", world.holders()) };
    let holder = holder.clone();
    world.kill_serve();
    world.serve();
    world.stays(Duration::from_secs(3), "it is waited for", || {
        assert!(holder.alive() && world.holders().len() == 1, "{:#?}", world.processes());
        world.status("work")["state"] == "opening"
    });
    steps.go_on();
    assert_eq!(ask.finish().ok()["answer"], "Scripted reply to hello");
    assert!(holder.alive() && world.holders().len() == 1, "{:#?}", world.holders());
    assert_eq!(world.engines("work").len(), 1);
    drop(steps);
}

#[test]
fn a_holder_that_never_comes_to_listen_can_be_ended() {
    let mut world = World::running_fake("", "");
    let steps = Steps::stop_at(&world, "Begins");
    world.ok(&["ask", "work", "hello", "--no-wait"]);
    assert_eq!(steps.stopped(|| false).as_deref(), Some("Begins"));
    world.kill_serve();
    world.serve();
    world.wait("work", "word of it", |status| status["trouble"]["code"] == "not_answering");
    world.ok(&["stop", "work", "--interrupt"]);
    world.eventually("its holder to exit", || world.holders().is_empty().then_some(()));
    drop(steps);
    assert_eq!(world.ask("hello again")["answer"], "Scripted reply to hello again");
}
