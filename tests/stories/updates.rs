//! An ordinary update: the next runner has another build, and continues with the holders of the previous
//! build.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::world::REPOSE;
use crate::support::{World, http};

/// The same program as another build: with one additional byte, which nobody reads.
fn updated(world: &World) -> PathBuf {
    let program = world.home().join("updated");
    fs::copy(REPOSE, &program).expect("room for a copy");
    File::options().append(true).open(&program).and_then(|mut file| file.write_all(b"!")).expect("our own");
    program
}

/// The session that is live, as Diagnostics shows it.
fn session(world: &World) -> Value {
    let diagnostics = http::send_local(&world.state().join("sock"), "GET", "/api/diagnostics").json;
    diagnostics["sessions"][0].clone()
}

#[test]
fn after_an_update_the_next_build_goes_on_with_the_holders_of_the_one_before() {
    let mut world = World::running("");
    world.ask("hello");
    let (engine, before) = (world.the_engine("work"), session(&world));
    assert_eq!(before["same_build"], true, "{before:#}");
    let asked = world.start(&["ask", "work", "HOLD{gate} MD{across the update}"]);
    world.model.wait_held("gate");
    let socket = world.state().join("sock");
    assert_eq!(http::send_local(&socket, "POST", "/api/hand-over").status, 202);
    world.serve_ends();
    let program = updated(&world);
    world.serve_from(program);
    world.serve();
    world.wait_state("work", "working");
    let after = session(&world);
    assert_eq!((&after["same_build"], &after["build"]), (&false.into(), &before["build"]), "{after:#}");
    assert!(world.repose(&["doctor"]).json.to_string().contains("another build"), "it is shown as such");
    world.model.release("gate");
    assert_eq!(asked.finish().ok()["answer"], "across the update");
    assert_eq!(world.ask("MD{asked of the old one}")["answer"], "asked of the old one");
    assert_eq!(world.the_engine("work"), engine);

    let paused = world.ok(&["pause", "work"]);
    assert!(paused["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 50_000_000), "{paused:#}");
    let resumed = world.ok(&["resume", "work"]);
    assert_eq!(resumed["repo"]["continuity"]["kind"], "resumed", "{resumed:#}");
    let now = session(&world);
    assert!(now["same_build"] == true && now["build"] != before["build"], "{now:#}");
    assert_eq!(world.ask("MD{asked of the new one}")["answer"], "asked of the new one");
    assert_eq!(world.status("work")["conversation"]["turns"], 4);
}
