//! One runner owns a state folder.

use crate::support::{World, http};

#[test]
fn a_second_runner_is_refused_with_the_pid_of_the_first() {
    let world = World::running("");
    let error = world.repose(&["serve"]).refused(3, "runner_elsewhere");
    let message = error["message"].as_str().expect("a sentence");
    assert!(message.contains(&world.serve_pid().to_string()), "{message}");
    world.ok(&["status"]);
}

#[test]
fn status_names_the_runner_and_where_its_console_is() {
    let world = World::running("");
    let status = world.ok(&["status"]);
    assert_eq!(status["runner"]["pid"], world.serve_pid());
    let console = status["runner"]["console"].as_str().expect("an address");
    assert!(console.starts_with("http://127.0.0.1:"), "{console}");
    assert_eq!(status["totals"]["live"], 0);
}

#[test]
fn the_next_runner_keeps_repos_and_port() {
    let mut world = World::running("");
    let before = world.ok(&["status"])["runner"]["console"].clone();
    world.kill_serve();
    world.serve();
    assert_eq!(world.ok(&["status"])["runner"]["console"], before);
    assert_eq!(world.ok(&["ls"])["repos"][0]["name"], "work");
}

#[test]
fn a_runner_that_stays_makes_no_room_and_another_one_does() {
    let mut world = World::new();
    world.serve_with(&["--stay"]);
    world.serve();
    let socket = world.state().join("sock");
    let refused = http::send_local(&socket, "POST", "/api/hand-over");
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(refused.json["error"]["code"], "runner_elsewhere", "{refused:?}");
    let said = refused.json["error"]["message"].to_string();
    assert!(said.contains(&world.serve_pid().to_string()) && said.contains("--stay"), "{said}");
    world.ok(&["status"]);

    world.stop_serve();
    world.serve_with(&[]);
    world.serve();
    assert_eq!(http::send_local(&socket, "POST", "/api/hand-over").status, 202);
    world.eventually("it to make room", || (world.repose(&["status"]).code == 4).then_some(()));
}
