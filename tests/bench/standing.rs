//! Memory while nothing happens: the runner with sleeping repos, a holder with its screen.

use std::time::{Duration, Instant};

use crate::processor;
use crate::support::World;
use crate::table::{megabytes, percent, print};

/// How many repos sleep while the runner is measured.
const REPOS: usize = 100;

/// How long the idle runner's processor time is measured.
const IDLE: Duration = Duration::from_secs(60);

/// How many agents live at a time, since their holders share one program's memory.
const AGENTS: usize = 4;

/// More lines than a holder keeps.
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

/// A holder with a fresh screen, alone and as one of several, and with all the lines that it keeps.
pub(crate) fn holder() {
    let mut world = World::new();
    world.settings("");
    world.serve();
    let names: Vec<_> = (1..=AGENTS).map(|number| format!("repo-{number}")).collect();
    for name in &names {
        let folder = world.add_repo(name);
        world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "shell"]);
    }
    let open = |name| {
        let terminal = world.terminal(&["open", name]);
        terminal.wait("the shell's prompt", |screen| screen.contains(['$', '#']));
        terminal
    };
    let terminal = open(&names[0]);
    let holder = world.holders().first().expect("a live holder").clone();
    print("holder with a fresh screen, PSS: the only one", &megabytes(holder.memory()), "< 4 MB");
    let others: Vec<_> = names[1..].iter().map(|name| open(name)).collect();
    print(
        &format!("holder with a fresh screen, PSS: one of {AGENTS}"),
        &megabytes(holder.memory()),
        "< 4 MB",
    );
    drop(others);
    terminal
        .type_(&format!("seq -f 'line %g of what a program writes while it works' {LINES}; echo d''one\r"));
    terminal.wait_for_text("done");
    print(&format!("holder with 10,000 lines, PSS: one of {AGENTS}"), &megabytes(holder.memory()), "< 16 MB");
}
