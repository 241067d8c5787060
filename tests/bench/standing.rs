//! What stands in memory while nothing happens: the runner with sleeping repos, a holder with its screen.

use std::time::{Duration, Instant};

use crate::processor;
use crate::support::World;
use crate::table::{megabytes, percent, print};

/// Repos that sleep while the runner is measured.
const REPOS: usize = 100;

/// How long the idle runner's use of the processor is counted.
const IDLE: Duration = Duration::from_secs(60);

/// Lines that a holder keeps at most: more are written.
const LINES: usize = 10_500;

/// A runner with sleeping repos.
pub(crate) fn runner() {
    let mut world = World::new();
    world.settings("");
    world.serve();
    for number in 0..REPOS {
        let folder = world.add_repo(&format!("repo-{number}"));
        world.ok(&["add", folder.to_str().expect("UTF-8")]);
    }
    let pid = world.serve_pid().cast_signed();
    let runner = world.processes().into_iter().find(|process| process.pid == pid).expect("a runner");
    let (begun, before) = (Instant::now(), processor::used(&runner));
    std::thread::sleep(IDLE);
    let used = (processor::used(&runner) - before).as_secs_f64() / begun.elapsed().as_secs_f64();
    print(&format!("runner with {REPOS} sleeping repos, PSS"), &megabytes(runner.memory()), "< 16 MB");
    print("  its share of one core, idle", &percent(used), "< 0.1 %");
}

/// A holder with a fresh screen, and with all the lines that it keeps.
pub(crate) fn holder() {
    let mut world = World::new();
    world.settings("");
    let folder = world.add_repo("work");
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "shell"]);
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait("the shell's prompt", |screen| screen.contains(['$', '#']));
    let holder = world.holders().first().expect("a live holder").clone();
    print("holder with a fresh screen, PSS", &megabytes(holder.memory()), "< 4 MB");
    terminal
        .type_(&format!("seq -f 'line %g of what a program writes while it works' {LINES}; echo d''one\r"));
    terminal.wait_for_text("done");
    print("holder with 10,000 lines, PSS", &megabytes(holder.memory()), "< 16 MB");
}
