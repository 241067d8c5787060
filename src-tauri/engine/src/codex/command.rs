//! Finding Codex's program, and its command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use repose_core::ids::ConversationId;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::TITLE;
use crate::env::Env;
use crate::launch::{self, Launch, Open, Order, Unfit, UnfitArgument, shell_quoted};
use crate::locate::{self, Missing, Program, is_native};

/// The name to look for.
const COMMAND: &str = "codex";

/// Where its installer puts it, in case `PATH` doesn't include that.
const USUAL: [&str; 1] = ["~/.local/bin/codex"];

/// Variables that Codex sets for what it runs, and that make another Codex take itself for a part of it.
const NESTED: [&str; 3] = ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"];

/// The hooks to ask for, as they are named in settings and in the records of trust.
const HOOKS: [(&str, &str); 5] = [
    ("SessionStart", "session_start"),
    ("UserPromptSubmit", "user_prompt_submit"),
    ("Stop", "stop"),
    ("Interrupt", "interrupt"),
    ("PermissionRequest", "permission_request"),
];

/// How many seconds Codex waits for a hook of Repose's, which needs 5 ms. After that it goes on without. For
/// an interrupt it reduces more than 3 to 3, and then takes the hook for one that was changed since it was
/// trusted.
const HOOK_TIMEOUT: u32 = 3;

/// User arguments that would contradict those of Repose, and why.
const UNFIT: [Unfit; 4] = [
    (&["resume", "fork", "exec", "e", "review", "agents"], "Repose chooses what to open"),
    (&["-C", "--cd"], "Repose says the folder"),
    (&["--remote"], "Repose watches the process that it starts, and not another one"),
    (&["-V", "--version", "-h", "--help"], "the program would print and end"),
];

pub(super) fn locate(env: &Env, command: Option<&str>) -> Result<Program, Missing> {
    locate::engine(env, command, (COMMAND, &USUAL), behind_wrapper)
}

pub(super) fn check_args(args: &[String]) -> Result<(), UnfitArgument> {
    launch::check_args(TITLE, &UNFIT, args)
}

/// The command as a user would type it. None for a folder whose path isn't text.
pub(super) fn resume(folder: &Path, id: &ConversationId) -> Option<String> {
    Some(format!("cd {} && {COMMAND} resume {id}", shell_quoted(folder.to_str()?)))
}

/// Without `--no-daemon` it starts a server that outlives it, with an update loop, and that finishes turns
/// after its terminal is gone. Without `-C` a resume may ask for the folder.
pub(super) fn plan(order: &Order<'_>) -> Launch {
    let mut args: Vec<OsString> = Vec::new();
    match order.open {
        Open::Fresh { .. } => {}
        Open::Resume { id } => args.extend(["resume".into(), id.as_str().into()]),
        Open::Fork { from, .. } => args.extend(["fork".into(), from.as_str().into()]),
    }
    args.extend(["--no-daemon".into(), "-C".into(), order.folder.into()]);
    for setting in settings(order.hook) {
        args.extend(["-c".into(), setting.into()]);
    }
    args.extend(order.extra_args.iter().map(OsString::from));
    Launch {
        program: order.program.to_owned(),
        args,
        env_set: Vec::new(),
        env_remove: NESTED.iter().map(OsString::from).collect(),
    }
}

/// Settings for this process, over the user's own. The title must show what it does; a check for updates
/// would ask a question. Whether the folder is trusted remains the user's decision.
fn settings(hook: &Path) -> Vec<String> {
    let command = format!("{} hook", shell_quoted(&hook.to_string_lossy()));
    let mut all = vec![
        "check_for_update_on_startup=false".to_owned(),
        r#"tui.terminal_title=["activity","thread-title","project-name"]"#.to_owned(),
    ];
    let mut trusted = Vec::new();
    for (name, key) in HOOKS {
        all.push(format!(
            r#"hooks.{name}=[{{hooks=[{{type="command",command={},timeout={HOOK_TIMEOUT}}}]}}]"#,
            toml_text(&command)
        ));
        trusted.push(format!(
            r#""/<session-flags>/config.toml:{key}:0:0"={{trusted_hash="sha256:{}"}}"#,
            trusted_hash(key, &command)
        ));
    }
    all.push(format!("hooks.state={{{}}}", trusted.join(",")));
    all
}

/// What the program records for a hook that the user has trusted: the hash of the hook's description with
/// sorted keys. Undocumented; a hook without it would raise a question before the program opens.
fn trusted_hash(key: &str, command: &str) -> String {
    let hook = json!({ "async": false, "command": command, "timeout": HOOK_TIMEOUT, "type": "command" });
    let described = json!({ "event_name": key, "hooks": [hook] });
    Sha256::digest(described.to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text in TOML: JSON's escapes are valid there.
fn toml_text(text: &str) -> String {
    json!(text).to_string()
}

/// The native program of the npm package, if `found` is the package's launcher, which when killed leaves the
/// program alive.
fn behind_wrapper(found: &Path) -> Option<PathBuf> {
    if is_native(found) {
        return None;
    }
    let real = found.canonicalize().ok()?;
    let package = real.ancestors().find(|folder| folder.ends_with("@openai/codex"))?;
    let (system, machine, triple) = platform();
    let platform = format!("codex-{system}-{machine}");
    let program = format!("vendor/{machine_name}-{triple}/bin/codex", machine_name = std::env::consts::ARCH);
    [
        package.parent()?.join(&platform).join(&program),
        package.join("node_modules/@openai").join(&platform).join(&program),
        package.join(&program),
    ]
    .into_iter()
    .find(|path| path.is_file() && is_native(path))
}

fn platform() -> (&'static str, &'static str, &'static str) {
    let (system, triple) = match std::env::consts::OS {
        "macos" => ("darwin", "apple-darwin"),
        other => (other, "unknown-linux-musl"),
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    (system, machine, triple)
}
