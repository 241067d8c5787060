//! The stories, one file per topic.

mod acceptance;
mod adding;
mod api;
mod attach;
mod bare_engine;
mod broken_ground;
mod budget;
mod came_back;
mod codex;
mod continuity;
mod crashes;
mod doctor;
mod elsewhere;
mod ends_of_turns;
mod faults;
mod first_ask;
mod gemini;
mod holds;
mod ladder;
mod listened_to;
mod many_asks;
mod offline;
mod one_runner;
mod opencode;
mod own_engine;
mod own_files;
mod page;
mod pause;
mod reap;
mod runner_dies;
mod shell;
mod sleep;
mod soak;
mod status;
mod switching;
mod turns;
mod updates;

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

/// The docs name tests for what they promise. One that was renamed would leave a promise that nobody keeps.
#[test]
fn every_test_that_the_docs_name_is_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    let mut folders = vec![root.join("tests"), root.join("src-tauri")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources += &std::fs::read_to_string(path).expect("UTF-8");
            }
        }
    }
    let mut named = 0;
    let docs = ["docs/architecture.md", "docs/engines.md", "docs/reliability.md", "docs/security.md"];
    for doc in docs {
        let text = std::fs::read_to_string(root.join(doc)).expect("a doc");
        let words = text.split('`').skip(1).step_by(2);
        let file = |word: &&str| word.starts_with("tests/") || word.starts_with("src-tauri/");
        for name in words.clone().filter(file) {
            assert!(root.join(name).exists(), "{doc} names `{name}`, and there is no such file");
        }
        let sentence = |word: &&str| {
            word.matches('_').count() >= 3
                && word.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
        };
        for name in words.filter(sentence) {
            assert!(
                sources.contains(&format!("fn {name}(")),
                "{doc} names `{name}`, and there is no such test"
            );
            named += 1;
        }
    }
    assert!(named > 100, "{named} tests are named");
}

/// People read it in Settings, and before they install anything.
#[test]
fn what_an_engine_cannot_do_is_in_the_docs() {
    let doc = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/engines.md");
    let text = std::fs::read_to_string(doc).expect("a doc");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for engine in repose_engine::built_in() {
        let begin = format!("- **{}**: ", engine.title());
        let told = words.split(&begin).skip(1).any(|rest| {
            let own = rest.split("- **").next().unwrap_or_default();
            engine.cannot().iter().all(|sentence| own.contains(sentence))
        });
        assert!(told, "docs/engines.md doesn't say what {} can't do: {:?}", engine.title(), engine.cannot());
    }
}

/// An engine's clean-up may delete a conversation that somebody means to come back to.
#[test]
fn what_each_engine_deletes_is_in_the_docs() {
    let doc = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/what-repose-remembers.md");
    let text = std::fs::read_to_string(doc).expect("a doc");
    for engine in repose_engine::built_in() {
        let row = format!("\n| `{}` | ", engine.name());
        assert_eq!(text.matches(&row).count(), 1, "what {} deletes", engine.title());
    }
}
