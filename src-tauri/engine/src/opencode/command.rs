//! Finding OpenCode's program, and its command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use repose_core::ids::ConversationId;

use super::TITLE;
use crate::env::Env;
use crate::launch::{self, Launch, Open, Order, Unfit, UnfitArgument, shell_quoted};
use crate::locate::{self, Missing, Program, is_native};

/// The name to look for.
const COMMAND: &str = "opencode";

/// Where its installer puts it, in case `PATH` doesn't include that.
const USUAL: [&str; 2] = ["~/.opencode/bin/opencode", "~/.local/bin/opencode"];

/// The name for its event server, and the variable of the password.
pub(super) const USER: &str = "opencode";
pub(super) const PASSWORD: &str = "OPENCODE_SERVER_PASSWORD";

/// Variables that would make it open on another screen than its first one, or hide what it does.
const CONTRADICT: [&str; 2] = ["OPENCODE_ROUTE", "OPENCODE_DISABLE_TERMINAL_TITLE"];

/// User arguments that would contradict those of Repose, and why.
const UNFIT: [Unfit; 4] = [
    (&["-s", "--session", "-c", "--continue", "--fork", "--prompt"], "Repose chooses what to open"),
    (&["--port", "--hostname", "--mdns", "--mdns-domain"], "Repose says where its events are heard"),
    (&["run", "serve", "web", "attach", "acp"], "Repose opens it in a terminal of its own"),
    (&["-v", "--version", "-h", "--help"], "the program would print and end"),
];

pub(super) fn locate(env: &Env, command: Option<&str>) -> Result<Program, Missing> {
    locate::engine(env, command, (COMMAND, &USUAL), behind_wrapper)
}

pub(super) fn check_args(args: &[String]) -> Result<(), UnfitArgument> {
    launch::check_args(TITLE, &UNFIT, args)
}

/// The command as a user would type it. None for a folder whose path isn't text.
pub(super) fn resume(folder: &Path, id: &ConversationId) -> Option<String> {
    Some(format!("cd {} && {COMMAND} --session {id}", shell_quoted(folder.to_str()?)))
}

/// A port in the user's settings may be in use by another process, and then it would serve nothing without
/// saying so: with 0 it chooses a free one. The password keeps other users of the machine out; what the agent
/// runs can read it.
pub(super) fn plan(order: &Order<'_>) -> Launch {
    let mut args: Vec<OsString> =
        ["--hostname", "127.0.0.1", "--port", "0"].into_iter().map(OsString::from).collect();
    match order.open {
        Open::Fresh { .. } => {}
        Open::Resume { id } => args.extend(["--session".into(), id.as_str().into()]),
        Open::Fork { from, .. } => args.extend(["--session".into(), from.as_str().into(), "--fork".into()]),
    }
    args.extend(order.extra_args.iter().map(OsString::from));
    let password = uuid::Uuid::new_v4().simple().to_string();
    Launch {
        program: order.program.to_owned(),
        args,
        env_set: vec![(PASSWORD.into(), password.into()), ("OPENCODE_SERVER_USERNAME".into(), USER.into())],
        env_remove: CONTRADICT.iter().map(OsString::from).collect(),
    }
}

/// The native program of the npm package, if `found` is the package's launcher.
fn behind_wrapper(found: &Path) -> Option<PathBuf> {
    if is_native(found) {
        return None;
    }
    let real = found.canonicalize().ok()?;
    let package = real.ancestors().find(|folder| folder.ends_with("opencode-ai"))?;
    let platform = platform();
    // The plain package comes before those for old processors and other C libraries.
    let beside = [package.parent()?.to_owned(), package.join("node_modules")];
    let kinds = [platform.clone(), format!("{platform}-baseline"), format!("{platform}-musl")];
    let programs = kinds.iter().flat_map(|kind| beside.iter().map(move |folder| folder.join(kind)));
    programs.map(|package| package.join("bin/opencode")).find(|path| path.is_file() && is_native(path))
}

fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("opencode-{system}-{machine}")
}
