//! The stories, one file a topic.

mod api;
mod attach;
mod bare_engine;
mod budget;
mod continuity;
mod crashes;
mod doctor;
mod elsewhere;
mod faults;
mod first_ask;
mod many_asks;
mod offline;
mod one_runner;
mod page;
mod pause;
mod reap;
mod runner_dies;
mod soak;
mod status;
mod turns;

/// A file that nobody declared would be tests that nobody runs.
#[test]
fn every_story_is_declared() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories");
    let declared = include_str!("mod.rs");
    for entry in std::fs::read_dir(folder).expect("the stories' folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let topic =
            name.strip_suffix(".rs").unwrap_or_else(|| panic!("tests/stories/{name} is no Rust file"));
        let known = topic == "mod" || declared.lines().any(|line| line == format!("mod {topic};"));
        assert!(known, "tests/stories/{name} is not declared in tests/stories/mod.rs: its tests don't run");
    }
}
