//! The real Codex for tests: where npm put it, and what it must find to talk to the model stand-in.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::World;

/// The variable with the stand-in's key, which isn't a real one.
pub(crate) const KEY: (&str, &str) = ("STAND_IN_KEY", "stub");

/// The native program of the platform package.
pub(crate) fn program() -> PathBuf {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/node_modules/@openai");
    let found = std::fs::read_dir(&packages).into_iter().flatten().flatten();
    let vendors = found.map(|package| package.path().join("vendor")).filter(|vendor| vendor.is_dir());
    let targets = vendors.flat_map(|vendor| std::fs::read_dir(vendor).expect("a vendor's folder").flatten());
    let programs: Vec<_> =
        targets.map(|target| target.path().join("bin/codex")).filter(|path| path.is_file()).collect();
    let [program] = programs.as_slice() else {
        panic!("{} has no one native codex: `make engines` installs it ({programs:?})", packages.display());
    };
    program.clone()
}

/// A user with a provider of their own, no sandbox (it has no helper in a home under the system's temp
/// folder), and a rule: `touch` needs a permission.
pub(crate) fn welcome(home: &Path, model: &str) {
    let folder = home.join(".codex");
    std::fs::create_dir_all(folder.join("rules")).expect("a writable temp home");
    let settings = format!(
        "model = \"gpt-5\"\nmodel_provider = \"stand-in\"\nsandbox_mode = \"danger-full-access\"\n\
         approval_policy = \"on-request\"\n\n[model_providers.stand-in]\nname = \"stand-in\"\n\
         base_url = \"{model}/v1\"\nwire_api = \"responses\"\nenv_key = \"{}\"\n",
        KEY.0
    );
    std::fs::write(folder.join("config.toml"), settings).expect("a writable temp home");
    let rule = "prefix_rule(pattern = [\"touch\"], decision = \"prompt\")\n";
    std::fs::write(folder.join("rules/default.rules"), rule).expect("a writable temp home");
}

/// Records that the user trusts this folder.
pub(crate) fn trust(home: &Path, folder: &Path) {
    let file = home.join(".codex/config.toml");
    let mut settings = std::fs::read_to_string(&file).expect("a welcomed home");
    writeln!(settings, "\n[projects.\"{}\"]\ntrust_level = \"trusted\"", folder.display()).expect("a string");
    std::fs::write(&file, settings).expect("a writable temp home");
}

/// A hook at the end of each turn that the user has trusted.
pub(crate) fn hook(home: &Path, command: &str) {
    let file = home.join(".codex/config.toml");
    let mut settings = std::fs::read_to_string(&file).expect("a welcomed home");
    let described = serde_json::json!({
        "event_name": "stop",
        "hooks": [{ "async": false, "command": command, "timeout": 5, "type": "command" }],
    });
    let hash: String =
        Sha256::digest(described.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
    write!(
        settings,
        "\n[[hooks.Stop]]\nhooks = [{{ type = \"command\", command = \"{command}\", timeout = 5 }}]\n\n\
         [hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:{hash}\"\n",
        file.display()
    )
    .expect("a string");
    std::fs::write(&file, settings).expect("a writable temp home");
}

/// A server (MCP) of the user's own.
pub(crate) fn server(home: &Path, command: &[&str]) {
    let file = home.join(".codex/config.toml");
    let mut settings = std::fs::read_to_string(&file).expect("a welcomed home");
    let (program, args) = command.split_first().expect("a program");
    // Rust's escapes are valid in TOML.
    write!(settings, "\n[mcp_servers.mine]\ncommand = {program:?}\nargs = {args:?}\n").expect("a string");
    std::fs::write(&file, settings).expect("a writable temp home");
}

/// Waits until the first conversation of this home has its title, which the program writes last.
pub(crate) fn wait_titled(world: &World) {
    let titles = world.home().join(".codex/session_index.jsonl");
    world.eventually("the conversation's title", || titles.exists().then_some(()));
}

/// Switches hooks off, as its user can.
pub(crate) fn no_hooks(home: &Path) {
    let file = home.join(".codex/config.toml");
    let mut settings = std::fs::read_to_string(&file).expect("a welcomed home");
    settings.push_str("\n[features]\nhooks = false\n");
    std::fs::write(&file, settings).expect("a writable temp home");
}
