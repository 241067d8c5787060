//! One runner owns a state folder.

use crate::support::World;

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
