//! The real OpenCode for tests: where npm put it, and what it must find to talk to the model stand-in.

use std::path::{Path, PathBuf};

use serde_json::json;

/// Settings that keep it from looking for news of itself and of its makers' models.
pub(crate) const ALONE: [(&str, &str); 3] = [
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
];

/// The native program of the platform package, the only one that is installed.
pub(crate) fn program() -> PathBuf {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/node_modules");
    let found = std::fs::read_dir(&packages).into_iter().flatten().flatten();
    let ours = found.filter(|package| package.file_name().to_string_lossy().starts_with("opencode-"));
    let programs: Vec<_> =
        ours.map(|package| package.path().join("bin/opencode")).filter(|path| path.is_file()).collect();
    let [program] = programs.as_slice() else {
        panic!(
            "{} has no one native opencode: `make engines` installs it ({programs:?})",
            packages.display()
        );
    };
    program.clone()
}

/// A user with a provider of their own and a rule: `touch` needs a permission. What plugins need is noted as
/// installed: at each start it would try for seconds to download it, and then do without.
pub(crate) fn welcome(home: &Path, model: &str) {
    let folder = home.join(".config/opencode");
    std::fs::create_dir_all(&folder).expect("a writable temp home");
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "Stand-in",
        "options": { "baseURL": format!("{model}/v1"), "apiKey": "stub" },
        "models": { "model": { "name": "Model", "limit": { "context": 200_000, "output": 8_000 } } },
    });
    let settings = json!({
        "$schema": "https://opencode.ai/config.json",
        "model": "stand-in/model", "small_model": "stand-in/model", "provider": { "stand-in": provider },
        "permission": { "bash": { "*": "allow", "touch *": "ask" } },
    });
    std::fs::write(settings_of(home), settings.to_string()).expect("a writable temp home");
    std::fs::create_dir(folder.join("node_modules")).expect("a writable temp home");
    let needed = json!({ "dependencies": { "@opencode-ai/plugin": "*" } });
    let lock = json!({ "packages": { "": needed } });
    for (name, content) in [("package.json", &needed), ("package-lock.json", &lock)] {
        std::fs::write(folder.join(name), content.to_string()).expect("a writable temp home");
    }
    // Of what else it may want to download.
    std::fs::write(home.join(".npmrc"), "offline=true\n").expect("a writable temp home");
}

fn settings_of(home: &Path) -> PathBuf {
    home.join(".config/opencode/opencode.json")
}

/// A plugin that does this at the end of each turn, since it has no other hooks.
pub(crate) fn plugin(home: &Path, command: &str) {
    let folder = home.join(".config/opencode/plugin");
    std::fs::create_dir_all(&folder).expect("a writable temp home");
    let script = format!(
        "import {{ execSync }} from \"node:child_process\"\n\
         export const Told = async () => ({{\n  \
           event: async ({{ event }}) => {{ if (event.type === \"session.idle\") execSync({}) }},\n}})\n",
        json!(command)
    );
    std::fs::write(folder.join("told.js"), script).expect("a writable temp home");
}

/// A server (MCP) of the user's own.
pub(crate) fn server(home: &Path, command: &[&str]) {
    let text = std::fs::read_to_string(settings_of(home)).expect("a welcomed home");
    let mut settings: serde_json::Value = serde_json::from_str(&text).expect("the settings are JSON");
    settings["mcp"] = json!({ "mine": { "type": "local", "command": command, "enabled": true } });
    std::fs::write(settings_of(home), settings.to_string()).expect("a writable temp home");
}

/// What its user does with `opencode session delete`, since it keeps all conversations in one file.
pub(crate) fn delete(database: &Path, conversation: &str) {
    let database = rusqlite::Connection::open(database).expect("the database is where Repose says");
    for (table, column) in [("part", "session_id"), ("message", "session_id"), ("session", "id")] {
        let deleted = database.execute(&format!("DELETE FROM {table} WHERE {column} = ?1"), [conversation]);
        assert!(deleted.expect("a table of its own") > 0, "{table} held nothing of {conversation}");
    }
}
