//! Finding Claude Code's program, and its command line.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use repose_core::ids::ConversationId;
use repose_core::words::shell_word;
use serde_json::json;

use super::TITLE;
use crate::env::Env;
use crate::launch::{self, Launch, Open, Order, Unfit, UnfitArgument, shell_quoted};
use crate::locate::{self, Missing, Program, is_native};

/// The name to look for.
const COMMAND: &str = "claude";

/// Where its native installer and its older one put it, in case `PATH` doesn't include that.
const USUAL: [&str; 2] = ["~/.local/bin/claude", "~/.claude/local/claude"];

/// Variables that Claude Code sets for what it runs, and that tell another Claude Code that it is such a
/// child. With `CLAUDE_CODE_CHILD_SESSION` it writes neither transcript nor status file; the others give it
/// the parent's session id, entry point, effort, message socket or editor. Repose itself may have been
/// started from inside one.
const NESTED: [&str; 22] = [
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_BRIDGE_SESSION_ID",
    "CLAUDE_CODE_CHILD_NOTES_DIR",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_REMOTE_SESSION_ID",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SESSION_KIND",
    "CLAUDE_CODE_SESSION_NAME",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_TMUX_SESSION",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
];

/// The hooks to ask for. Each starts a process when it fires, so those that fire for every tool call are left
/// out: the status file and the transcript say the same at no cost.
const HOOKS: [&str; 6] =
    ["SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "StopFailure", "PermissionRequest"];

/// How many seconds Claude Code waits for a hook of Repose's, which needs 5 ms. After that it goes on
/// without, and the status file still says what is going on.
const HOOK_TIMEOUT: u32 = 5;

/// The hook that Claude Code waits for, and for how many seconds: a day. It shows its dialog at the same
/// time, so nobody is kept waiting; after that only the terminal can decide.
const DECIDES: (&str, u32) = ("PermissionRequest", 86_400);

/// User arguments that would contradict those of Repose, and why.
const UNFIT: [Unfit; 5] = [
    (
        &["--session-id", "--resume", "-r", "--continue", "-c", "--fork-session", "--from-pr", "--teleport"],
        "Repose chooses the conversation",
    ),
    (&["-p", "--print"], "Repose needs the program in its terminal"),
    (&["--settings"], "Repose passes its hooks with it; put your settings into ~/.claude/settings.json"),
    (&["--bare"], "without hooks Repose can't tell what the program does"),
    (&["-v", "--version", "-h", "--help"], "the program would print and end"),
];

pub(super) fn locate(env: &Env, command: Option<&str>) -> Result<Program, Missing> {
    locate::engine(env, command, (COMMAND, &USUAL), behind_wrapper)
}

pub(super) fn check_args(args: &[String]) -> Result<(), UnfitArgument> {
    launch::check_args(TITLE, &UNFIT, args)
}

pub(super) fn plan(order: &Order<'_>) -> Launch {
    let mut args: Vec<OsString> = Vec::new();
    match order.open {
        Open::Fresh { id } => pin(&mut args, id),
        Open::Resume { id } => args.extend(["--resume".into(), id.as_str().into()]),
        // Only with a fork may both a resumed and a new id be given.
        Open::Fork { from, transcript, id } => {
            let from = transcript.map_or_else(|| from.as_str().into(), |path| path.as_os_str().to_owned());
            args.extend(["--resume".into(), from, "--fork-session".into()]);
            pin(&mut args, id);
        }
    }
    args.extend(["--settings".into(), settings(order.hook).into()]);
    args.extend(order.extra_args.iter().map(OsString::from));
    Launch {
        program: order.program.to_owned(),
        args,
        env_set: Vec::new(),
        env_remove: NESTED.iter().map(OsString::from).collect(),
    }
}

/// The command as a user would type it. None for a folder whose path isn't text.
pub(super) fn resume(folder: &Path, id: &ConversationId) -> Option<String> {
    Some(format!("cd {} && {COMMAND} --resume {id}", shell_word(folder.to_str()?)))
}

fn pin(args: &mut Vec<OsString>, id: Option<&ConversationId>) {
    if let Some(id) = id {
        args.extend(["--session-id".into(), id.as_str().into()]);
    }
}

/// Settings for this process. They add to the user's own, whose hooks still run.
fn settings(hook: &Path) -> String {
    let command = format!("{} hook", shell_quoted(&hook.to_string_lossy()));
    let hooks: serde_json::Map<String, serde_json::Value> = HOOKS
        .iter()
        .map(|event| {
            let (word, timeout) =
                if *event == DECIDES.0 { (" decide", DECIDES.1) } else { ("", HOOK_TIMEOUT) };
            let command = format!("{command}{word}");
            let entry = json!([{"hooks": [{"type": "command", "command": command, "timeout": timeout}]}]);
            ((*event).to_owned(), entry)
        })
        .collect();
    json!({ "hooks": hooks }).to_string()
}

/// The native program of the npm package, if `found` is the package's launcher. The package's post-install
/// step replaces the launcher with the native program; if it wasn't run, the platform's own package is beside
/// it.
fn behind_wrapper(found: &Path) -> Option<PathBuf> {
    if is_native(found) {
        return None;
    }
    let real = found.canonicalize().ok()?;
    let package = real.ancestors().find(|folder| folder.ends_with("@anthropic-ai/claude-code"))?;
    let beside = package.parent()?;
    let inside = package.join("node_modules/@anthropic-ai");
    let names = platforms().map(|platform| format!("claude-code-{platform}/claude"));
    names
        .iter()
        .flat_map(|name| [beside.join(name), inside.join(name)])
        .find(|path| is_native(path) && fs::metadata(path).is_ok_and(|meta| meta.is_file()))
}

fn platforms() -> [String; 2] {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    [format!("{system}-{machine}"), format!("{system}-{machine}-musl")]
}

#[cfg(test)]
mod tests;
