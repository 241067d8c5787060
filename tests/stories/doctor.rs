//! `repose doctor` says what is there, what is missing, and what to do.

use crate::support::World;

#[test]
fn doctor_finds_the_engine_its_version_the_folders_and_the_store() {
    let world = World::running("");
    world.ask("hello");
    let report = world.ok(&["doctor"]).to_string();
    assert!(!report.contains("(Claude Code)"), "a version is a number: {report}");
    for words in ["claude", "2.1.", "store", "holder", "work"] {
        assert!(report.contains(words), "{words:?} is not in {report}");
    }
    assert!(report.contains(world.engine().to_str().expect("UTF-8")), "{report}");
}

#[test]
fn doctor_says_what_to_do_without_an_engine() {
    let world = World::running("");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    let report = world.repose(&["doctor"]).json.to_string();
    assert!(report.contains("engine_missing"), "{report}");
}

#[test]
fn doctor_sees_a_folder_that_is_gone() {
    let world = World::running("");
    std::fs::remove_dir_all(world.repo("work")).expect("our own folder");
    let report = world.repose(&["doctor"]).json.to_string();
    assert!(report.contains("folder_gone"), "{report}");
}

#[test]
fn doctor_works_without_a_runner_and_says_that_there_is_none() {
    let mut world = World::running("");
    world.stop_serve();
    world.settings("idle_after = \"soon\"\n");
    let report = world.repose(&["doctor"]);
    let checks = report.json["checks"].as_array().expect("checks");
    let of =
        |name: &str| checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{report}"));
    assert_eq!(of("runner")["code"], "runner_not_running");
    assert_eq!(of("engine claude")["level"], "ok", "{report}");
    assert_eq!(of("settings")["code"], "bad_settings");
    let said = of("settings")["sentence"].to_string();
    assert!(said.contains("The defaults are in force"), "none were good before: {said}");
    assert_eq!(of("disk")["level"], "ok", "{report}");
}

#[test]
fn bad_settings_keep_the_last_good_ones_and_are_told() {
    let world = World::running("idle_after = \"5h\"\n");
    world.settings("idle_after = \"9d\"\nresume_within = \"1d\"\n");
    world.eventually("the bad settings to be told", || {
        let report = world.repose(&["doctor"]).json.to_string();
        report.contains("bad_settings").then_some(())
    });
    assert_eq!(world.ask("MD{still works}")["answer"], "still works");
}
