//! The real Claude Code for tests: where npm put it, and what it must find to start without questions.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Not a real key; its last 20 characters are approved in `.claude.json`.
pub(crate) const API_KEY: &str = "sk-ant-stub-repose-tests-0123456789";

/// The native program of the platform package, called directly: no wrapper, no post-install step.
pub(crate) fn program() -> PathBuf {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/node_modules/@anthropic-ai");
    let candidates: Vec<_> = std::fs::read_dir(&packages)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("claude")))
        .filter(|path| path.is_file())
        .collect();
    let [program] = candidates.as_slice() else {
        panic!(
            "{} has no one native claude: `make engines` installs it ({candidates:?})",
            packages.display()
        );
    };
    program.clone()
}

/// Writes the files of a user who has completed the first-run screens, with rules for tools: `touch` needs a
/// permission, and the engine judges all other commands. (Naming a mode here would raise a question at the
/// start.)
pub(crate) fn welcome(home: &Path) {
    let rules = json!({ "permissions": { "ask": ["Bash(touch:*)"] } });
    std::fs::create_dir(home.join(".claude")).expect("a writable temp home");
    std::fs::write(home.join(".claude/settings.json"), rules.to_string()).expect("a writable temp home");

    let approved = &API_KEY[API_KEY.len() - 20..];
    let known = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": { "approved": [approved], "rejected": [] },
        "projects": {},
    });
    write(home, &known);
}

/// Records that the user trusts this folder. Only while no Claude Code of this home runs, since it rewrites
/// the file.
pub(crate) fn trust(home: &Path, folder: &Path) {
    let text = std::fs::read_to_string(home.join(".claude.json")).expect("a welcomed home");
    let mut known: Value = serde_json::from_str(&text).expect("the engine's file is JSON");
    let folder = folder.to_str().expect("a temp folder in UTF-8");
    known["projects"][folder] =
        json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
    write(home, &known);
}

/// The user works in a mode other than the program's default, which it offers once shortly after its start.
pub(crate) fn names_a_mode(home: &Path) {
    let settings = json!({ "permissions": { "defaultMode": "default" } });
    std::fs::write(home.join(".claude/settings.json"), settings.to_string()).expect("a writable temp home");
}

/// The user edits with vim's keys.
pub(crate) fn has_modes(home: &Path) {
    let file = home.join(".claude/settings.json");
    let text = std::fs::read_to_string(&file).expect("a welcomed home");
    let mut settings: Value = serde_json::from_str(&text).expect("the settings are JSON");
    settings["editorMode"] = json!("vim");
    std::fs::write(&file, settings.to_string()).expect("a writable temp home");
}

/// A hook of the user's own at the end of each turn.
pub(crate) fn hook(home: &Path, command: &str) {
    let file = home.join(".claude/settings.json");
    let text = std::fs::read_to_string(&file).expect("a welcomed home");
    let mut settings: Value = serde_json::from_str(&text).expect("the settings are JSON");
    settings["hooks"] = json!({ "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] });
    std::fs::write(&file, settings.to_string()).expect("a writable temp home");
}

/// Servers (MCP) of the user's own, by name and command line. Only while no Claude Code of this home runs.
pub(crate) fn servers(home: &Path, servers: &[(&str, &[&str])]) {
    let text = std::fs::read_to_string(home.join(".claude.json")).expect("a welcomed home");
    let mut known: Value = serde_json::from_str(&text).expect("the engine's file is JSON");
    for (name, command) in servers {
        let (program, args) = command.split_first().expect("a program");
        known["mcpServers"][*name] = json!({ "type": "stdio", "command": program, "args": args });
    }
    write(home, &known);
}

fn write(home: &Path, known: &Value) {
    std::fs::write(home.join(".claude.json"), known.to_string()).expect("a writable temp home");
}
