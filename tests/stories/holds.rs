//! What keeps an idle engine although nobody talks to it, tested on the processes themselves: for as long as
//! it applies, and no longer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::support::{World, claude};

/// Shorter than anything here, with a budget that every engine exceeds: neither may override a hold.
const PRESSING: &str = "idle_after = \"1s\"\nmemory_budget = \"0.0001%\"\n";

fn hold<'a>(status: &'a Value, kind: &str) -> Option<&'a Value> {
    status["holds"].as_array()?.iter().find(|hold| hold["kind"] == kind)
}

/// It is held by this, says since when and by what, can't be paused, and stays.
fn is_held(world: &World, kind: &str, detail: &str) {
    let held = world.wait("work", kind, |status| hold(status, kind).is_some());
    let hold = hold(&held, kind).expect("a hold").clone();
    assert!(hold["detail"].as_str().is_some_and(|said| said.contains(detail)), "{hold:#}");
    assert!(hold["since"].is_string(), "{hold:#}");
    assert_eq!(held["reap_at"], Value::Null, "{held:#}");
    world.stays(Duration::from_secs(7), "it is held", || {
        let status = world.status("work");
        status["state"] != "asleep" && status["freed_bytes"].is_null()
    });
    let why = world.ok(&["why", "work"]).to_string();
    assert!(why.contains(detail), "{why}");
    let refused = world.repose(&["pause", "work"]).refused(3, "work_would_be_lost");
    assert!(refused["message"].as_str().is_some_and(|said| said.contains(detail)), "{refused:#}");
}

/// Kills what the engine's shell left running.
fn end_child(world: &World, program: &str) {
    let tree = world.tree();
    let child =
        tree.iter().find(|process| process.command.contains(program) && !process.command.contains("claude"));
    child.unwrap_or_else(|| panic!("no {program} in {tree:#?}")).kill();
}

#[test]
fn invariant_07_a_process_that_listens_holds_until_it_is_gone() {
    let world = World::running_fake("", PRESSING);
    world.ask(
        "RUN setsid perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\"); \
         sleep 600' & sleep 1",
    );
    is_held(&world, "process", "perl");
    end_child(&world, "perl");
    world.wait_state("work", "asleep");
}

#[test]
fn invariant_07_a_process_that_works_holds_until_it_rests() {
    let world = World::running_fake("", PRESSING);
    world.ask("RUN setsid perl -e '1 while 1' & sleep 1");
    is_held(&world, "process", "perl");
    end_child(&world, "perl");
    world.wait_state("work", "asleep");
}

#[test]
fn invariant_07_a_wake_up_that_the_engine_has_planned_holds_until_it_is_none() {
    let world = World::running_fake("", PRESSING);
    world.ask("WAKE every 20 minutes");
    is_held(&world, "wakeup", "every 20 minutes");
    world.ask("no more of that");
    world.wait_state("work", "asleep");
}

#[test]
fn invariant_07_a_status_that_is_not_known_holds_until_it_is_another() {
    let world = World::running_fake("", PRESSING);
    world.ok(&["ask", "work", "STATUS pondering", "--no-wait"]);
    is_held(&world, "unknown", "pondering");
    let engine = world.the_engine("work");
    let file = world.home().join(format!(".claude/sessions/{}.json", engine.pid));
    let mut status: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("a status file")).expect("it is JSON");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
    status["status"] = "idle".into();
    status["statusUpdatedAt"] = u64::try_from(now).expect("64 bits").into();
    std::fs::write(&file, status.to_string()).expect("a writable file");
    world.wait_state("work", "asleep");
}

#[test]
fn a_question_at_the_start_holds_although_nothing_is_confirmed() {
    let world = World::running_fake("choice", PRESSING);
    let opens = world.start(&["resume", "work"]);
    world.wait_state("work", "waiting");
    world
        .stays(Duration::from_secs(4), "somebody must decide", || world.status("work")["state"] == "waiting");
    world.ok(&["stop", "work", "--interrupt"]);
    assert_ne!(opens.finish().code, 0);
}

/// A server (MCP) of Claude Code's that also listens on a port, as some do, and then creates a file.
const SERVER: &str = r#"
use IO::Socket::INET; $| = 1;
$socket = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
open $listens, ">", $ARGV[0] or die; close $listens;
while ($line = <STDIN>) {
    ($id) = $line =~ /"id":\s*(\d+|"[^"]*")/ or next;
    $named = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';
    $result = $line =~ /"initialize"/ ? $named : '{"tools":[]}';
    print "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}\n";
}
"#;

#[test]
fn servers_of_the_engines_own_hold_nothing_also_those_that_start_late() {
    let world = World::running("idle_after = \"8s\"\n");
    let [server, now, late] = ["server.pl", "now", "late"].map(|name| world.home().join(name));
    std::fs::write(&server, SERVER).expect("a writable home");
    let [server, now_listens, late_listens] =
        [&server, &now, &late].map(|path| path.to_str().expect("UTF-8").to_owned());
    // Its launcher takes its time and then starts it as a separate process, as `npx` does.
    let launches = format!("sleep 3; /usr/bin/perl {server} {late_listens}; true");
    claude::servers(
        &world.home(),
        &[("now", &["/usr/bin/perl", &server, &now_listens]), ("late", &["/bin/sh", "-c", &launches])],
    );
    world.ask("hello");
    world.eventually("both servers to listen", || (now.exists() && late.exists()).then_some(()));
    let servers: Vec<_> =
        world.tree().into_iter().filter(|process| process.command.starts_with("/usr/bin/perl")).collect();
    assert_eq!(servers.len(), 2, "{servers:#?}");
    let asleep = world.wait("work", "it to be let go, and never held by these", |status| {
        assert!(hold(status, "process").is_none(), "{status:#}");
        status["state"] == "asleep"
    });
    assert!(servers.iter().all(|server| !server.alive()), "{servers:#?}");
    assert!(asleep["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{asleep:#}");
}
