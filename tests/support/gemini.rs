//! The real Gemini CLI for tests: where npm put it, and what it must find to talk to the model stand-in.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::World;

/// The program, which node runs.
pub(crate) fn program() -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/engines/node_modules/@google/gemini-cli/bundle/gemini.js");
    assert!(program.is_file(), "there is no {}: `make engines` installs it", program.display());
    program
}

/// The node in this test's own environment.
pub(crate) fn node() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("node"));
    found.find(|node| node.is_file()).expect("`node` on the PATH: it runs Gemini CLI")
}

/// Variables of a user with a key, which isn't a real one.
pub(crate) fn variables(model: &str) -> [(&'static str, String); 2] {
    [("GEMINI_API_KEY", "stub".to_owned()), ("GOOGLE_GEMINI_BASE_URL", model.to_owned())]
}

/// A user who has chosen how to log in, whose old conversations are kept, and who isn't asked about what only waits.
pub(crate) fn welcome(home: &Path) {
    std::fs::create_dir_all(home.join(".gemini")).expect("a writable temp home");
    let settings = json!({
        "general": { "sessionRetention": { "enabled": false }, "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
        "security": { "auth": { "selectedType": "gemini-api-key" } },
    });
    write(home, &settings);
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"sleep\", \"tail\"]\ndecision = \"allow\"\npriority = 100\n";
    std::fs::create_dir_all(home.join(".gemini/policies")).expect("a writable temp home");
    std::fs::write(home.join(".gemini/policies/waits.toml"), rule).expect("a writable temp home");
}

/// Resets the setting that keeps old conversations to its default.
pub(crate) fn tidies_up(home: &Path) {
    let mut settings = settings(home);
    settings["general"].as_object_mut().expect("a welcomed home").remove("sessionRetention");
    write(home, &settings);
}

/// Records that the user trusts this folder.
pub(crate) fn trust(home: &Path, folder: &Path) {
    let file = home.join(".gemini/trustedFolders.json");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|_| "{}".into());
    let mut folders: Value = serde_json::from_str(&text).expect("the engine's file is JSON");
    folders[folder.to_str().expect("UTF-8")] = json!("TRUST_FOLDER");
    std::fs::write(&file, folders.to_string()).expect("a writable temp home");
}

/// Waits until a process has read the history of this conversation. One that ends earlier deletes it, if the
/// conversation was begun in the same minute.
pub(crate) fn wait_taken_up(world: &World, conversation: &str) {
    let chats = world.home().join(".gemini/tmp").join("work").join("chats");
    world.eventually("the conversation to be taken up", || {
        let files = std::fs::read_dir(&chats).expect("transcripts").flatten();
        let mut texts = files.map(|file| std::fs::read_to_string(file.path()).unwrap_or_default());
        texts
            .any(|text| text.contains(&format!("{{\"$set\":{{\"sessionId\":\"{conversation}\"")))
            .then_some(())
    });
}

/// A hook at the end of each turn.
pub(crate) fn hook(home: &Path, command: &str) {
    let mut settings = settings(home);
    settings["hooks"] = json!({ "AfterAgent": [{ "hooks": [{ "type": "command", "command": command }] }] });
    write(home, &settings);
}

/// A server (MCP) of the user's own.
pub(crate) fn server(home: &Path, command: &[&str]) {
    let mut settings = settings(home);
    let (program, args) = command.split_first().expect("a program");
    settings["mcpServers"] = json!({ "mine": { "command": program, "args": args } });
    write(home, &settings);
}

fn settings(home: &Path) -> Value {
    let text = std::fs::read_to_string(file(home)).expect("a welcomed home");
    serde_json::from_str(&text).expect("the settings are JSON")
}

fn write(home: &Path, settings: &Value) {
    let text = serde_json::to_string_pretty(settings).expect("JSON");
    std::fs::write(file(home), text).expect("a writable temp home");
}

fn file(home: &Path) -> PathBuf {
    home.join(".gemini/settings.json")
}
