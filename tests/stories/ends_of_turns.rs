//! How turns of every engine end: answered, interrupted from here or by hand, failed, or with a denial. Run
//! on each of them by [`super::acceptance`].

use super::acceptance::says;
use crate::support::World;
use crate::support::engines::{Denied, Under};

pub(super) fn a_turn_that_is_interrupted_or_fails_is_told_and_the_next_is_answered(under: Under) {
    let world = World::under(under, "");
    world.ask(&says(under, "hello"));
    let terminal = world.terminal(&["open", "work"]);
    // The model has said something, or nothing yet: an engine may give the prompt back then.
    for (number, (speaks, by_hand)) in
        [(true, false), (true, true), (false, false), (false, true)].into_iter().enumerate()
    {
        let held = format!("{}{{gate {number}}} hello", if speaks { "HOLD" } else { "MUTE" });
        let text = if under == Under::Shell { "sleep 987" } else { &held };
        let ask = world.start(&["ask", "work", text]);
        if under != Under::Shell {
            world.model.wait_held(&format!("gate {number}"));
        }
        world.wait_state("work", "working");
        let would_lose = if under == Under::Shell { "not_resumable" } else { "work_would_be_lost" };
        world.repose(&["pause", "work"]).refused(3, would_lose);
        if by_hand {
            under.interrupts(&terminal);
        } else {
            world.ok(&["interrupt", "work"]);
        }
        if under == Under::Shell {
            // It doesn't report how a job ended: the answer is what the screen shows.
            ask.finish().ok();
        } else {
            ask.finish().refused(6, "turn_interrupted");
        }
        world.wait_state("work", "ready");
        let next = format!("and now, after {number}?");
        world.ask(&says(under, &next));
        if under != Under::Shell {
            world.model.wait_for("the next prompt as it was asked", |request| request.prompt == next);
        }
    }
    drop(terminal);

    if under == Under::Shell {
        let failed = world.ask("no-such-command-here");
        assert!(failed["answer"].as_str().is_some_and(|answer| answer.contains("not found")), "{failed:#}");
        return;
    }
    let error = world.repose(&["ask", "work", "FAIL{400} now"]).refused(6, "turn_failed");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("asked for")), "{error:#}");
    assert_eq!(world.ask("MD{and on it goes}")["answer"], "and on it goes");
}

pub(super) fn a_permission_is_waited_for_and_what_is_denied_is_not_done(under: Under) {
    if under == Under::Shell {
        return; // It never asks.
    }
    let world = World::under(under, "");
    let (dialog, yes) = under.asks_permission();
    world.ask("hello");
    let ask = world.start(&["ask", "work", "RUN{touch made-by-tool} please"]);
    world.wait_state("work", "waiting");
    // A hook reports it before the engine shows it: a look in between finds a turn in progress.
    world.eventually("the permission among what would be lost", || {
        let error = world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
        error["message"].as_str().is_some_and(|words| words.contains("permission")).then_some(())
    });
    let terminal = world.terminal(&["open", "work"]);
    terminal.answer(dialog, yes);
    ask.finish().ok();
    assert!(world.repo("work").join("made-by-tool").exists());

    let ask = world.start(&["ask", "work", "RUN{touch denied} please"]);
    world.wait_state("work", "waiting");
    let denied = under.denies(&world, &terminal);
    drop(terminal);
    match denied {
        Denied::GoesOn => drop(ask.finish().ok()),
        Denied::EndsTheTurn => drop(ask.finish().refused(6, "turn_interrupted")),
    }
    world.wait_state("work", "ready");
    assert_eq!(world.ask("MD{and on it goes}")["answer"], "and on it goes");
    assert!(!world.repo("work").join("denied").exists());
}
