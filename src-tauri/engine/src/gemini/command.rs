//! Finding Gemini CLI's program, its command line, and how it is asked.

use std::fs;
use std::path::Path;
use std::time::Duration;

use repose_core::ids::ConversationId;
use serde_json::Value;

use super::{TITLE, trust};
use crate::ask::{self, Keys, UnfitText, bracketed, seen, turns, typeable};
use crate::env::Env;
use crate::launch::{self, Launch, Open, Order, Unfit, UnfitArgument, shell_quoted};
use crate::locate::{self, Missing, Program};

/// The name to look for.
const COMMAND: &str = "gemini";

/// Where its installers put it, in case `PATH` doesn't include that.
const USUAL: [&str; 3] = ["~/.local/bin/gemini", "/opt/homebrew/bin/gemini", "/usr/local/bin/gemini"];

/// The pause between the paste on the screen and the submit. A submit that it reads within 40 ms of a paste
/// counts as a line break, and on a busy machine it reads late: a submit 150 ms after the paste was lost.
const GAP: Duration = Duration::from_millis(100);

/// Variables of an editor that a Gemini CLI in its terminal talks to, which doesn't exist here, and the mark
/// that Gemini CLI sets for what it runs.
const NESTED: [&str; 7] = [
    "GEMINI_CLI",
    "GEMINI_CLI_IDE_AUTH_TOKEN",
    "GEMINI_CLI_IDE_PID",
    "GEMINI_CLI_IDE_SERVER_PORT",
    "GEMINI_CLI_IDE_SERVER_STDIO_ARGS",
    "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
    "GEMINI_CLI_IDE_WORKSPACE_PATH",
];

/// User arguments that would contradict those of Repose, and why.
const UNFIT: [Unfit; 6] = [
    (&["-r", "--resume", "--session-id", "--session-file"], "Repose chooses what to open"),
    (&["-w", "--worktree"], "Repose says the folder"),
    (&["-p", "--prompt", "-i", "--prompt-interactive"], "it would be asked again at every open"),
    (&["--acp", "--experimental-acp"], "Repose watches its terminal"),
    (
        &["--skip-trust"],
        "Repose can't see it where it looks whether the folder is trusted; set the variable \
                         GEMINI_CLI_TRUST_WORKSPACE to \"true\" under `env` in its place",
    ),
    (
        &[
            "-v",
            "--version",
            "-h",
            "--help",
            "-l",
            "--list-extensions",
            "--list-sessions",
            "--delete-session",
        ],
        "the program would print and end",
    ),
];

pub(super) fn locate(env: &Env, command: Option<&str>) -> Result<Program, Missing> {
    locate::engine(env, command, (COMMAND, &USUAL), |_| None)
}

/// A file of the package that contains the program.
pub(super) fn version(program: &Path) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let package = real.ancestors().find(|folder| folder.ends_with("@google/gemini-cli"))?;
    let described: Value = serde_json::from_slice(&fs::read(package.join("package.json")).ok()?).ok()?;
    described["version"].as_str().map(str::to_owned)
}

pub(super) fn check_args(args: &[String]) -> Result<(), UnfitArgument> {
    launch::check_args(TITLE, &UNFIT, args)
}

/// The command as a user would type it. None for a folder whose path isn't text.
pub(super) fn resume(folder: &Path, id: &ConversationId) -> Option<String> {
    Some(format!("cd {} && {COMMAND} --resume {id}", shell_quoted(folder.to_str()?)))
}

/// It starts itself a second time with a higher memory limit, and the first process stays: 80 MB that do
/// nothing. Repose starts the second one directly, unless the program will ask whether the folder is trusted,
/// since it then exits after the answer to be restarted.
pub(super) fn plan(order: &Order<'_>) -> Launch {
    let mut launch = Launch { program: order.program.to_owned(), ..Launch::default() };
    match order.open {
        Open::Fresh { id: Some(id) } => launch.args.extend(["--session-id".into(), id.as_str().into()]),
        Open::Fresh { id: None } => {}
        Open::Resume { id } => launch.args.extend(["--resume".into(), id.as_str().into()]),
        Open::Fork { from, transcript, .. } => {
            // If the file is missing, the program says so and exits.
            let file = transcript.map_or_else(|| from.as_str().into(), Into::into);
            launch.args.extend(["--session-file".into(), file]);
        }
    }
    launch.args.extend(order.extra_args.iter().map(Into::into));
    if trust::of(order.env, order.folder).is_some() {
        launch.env_set.push(("GEMINI_CLI_NO_RELAUNCH".into(), "true".into()));
    }
    launch.env_remove = NESTED.iter().map(Into::into).collect();
    launch
}

/// A leading `!` would make it a command line, but not in a paste. Its own commands are carried out even with
/// a space in front, and a user has more, so whatever could be a command's name is refused. A backslash at
/// the end would turn the submit into a line break; a space after it prevents that and isn't sent.
pub(super) fn keys(text: &str) -> Result<Keys, UnfitText> {
    let mut text = typeable(text)?;
    if let Some(word) = own_command(&text) {
        return Err(UnfitText::Command { word: word.to_owned() });
    }
    if text.ends_with('\\') {
        text.push(' ');
    }
    let text = ask::finished(text);
    Ok(Keys { paste: bracketed(&text), gap: GAP, submit: b"\r".to_vec() })
}

/// Whether `reported` is `asked`. The program leaves out invisible characters, including the joiners in emoji
/// and the marks that change the direction of writing (`stripUnsafeCharacters` in 0.61).
pub(super) fn same(asked: &str, reported: &str) -> bool {
    ask::same(&kept(asked), &kept(reported))
}

/// What the program keeps of a text.
fn kept(text: &str) -> String {
    seen(text).chars().filter(|c| !turns(*c)).collect()
}

/// The command inside the shell script in which the program has wrapped it.
pub(super) fn wrapped(command: &[String]) -> Option<String> {
    let (_, script) = command.last()?.split_once("' EXIT\n")?;
    let (inner, _) = script.rsplit_once("\n)")?;
    Some(inner.trim().to_owned())
}

/// The first word, if it could be the name of a command, or lead to one: after a slash alone it offers its commands,
/// and Enter carries out the first (seen with 0.61: it forgets the conversation). A path can't.
fn own_command(text: &str) -> Option<&str> {
    let word = text.split_whitespace().next()?;
    let name = word.strip_prefix('/')?;
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    name.chars().all(fits).then_some(word)
}
