//! Shows a repo's folder in an editor or the file manager: the user's own programs, which Repose starts and
//! forgets.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use repose_core::trouble::{Code, Trouble};
use repose_engine::{Env, locate};

/// Where to show a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// An editor.
    Editor,
    /// The file manager.
    Files,
}

/// Editors with their own windows, tried in this order if the settings name none. An editor that needs a
/// terminal couldn't run here.
const EDITORS: [&str; 8] = ["code", "cursor", "windsurf", "zed", "zeditor", "subl", "idea", "codium"];

/// The program that opens a folder in the file manager.
const FILES: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// A program that fails within this has shown nothing. One that is still running is the window itself.
const FAILS_WITHIN: Duration = Duration::from_millis(1_500);

/// The pause between two checks whether the program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Shows the folder. Blocks for at most [`FAILS_WITHIN`].
pub(crate) fn show(place: Place, folder: &Path, env: &Env, editor: Option<&str>) -> Result<(), Trouble> {
    let program = match (place, editor) {
        (Place::Editor, Some(chosen)) => locate::program(env, chosen).map_err(|_| not_there(chosen))?,
        (Place::Editor, None) => with_desktop(env).and_then(|()| any_editor(env))?,
        (Place::Files, _) => {
            with_desktop(env)?;
            locate::program(env, FILES).map_err(|_| no_file_manager())?
        }
    };
    run(&program, folder, env)
}

fn run(program: &Path, folder: &Path, env: &Env) -> Result<(), Trouble> {
    let mut command = Command::new(program);
    command.arg(folder).current_dir(folder).env_clear().envs(env.iter());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let failed = |why: String| {
        let sentence = format!("{} didn't show the folder: {why}.", program.display());
        Trouble::new(Code::NotShown, sentence, ["Try it by hand in a terminal."])
    };
    let mut child = repose_sys::detached::spawn(&mut command).map_err(|error| failed(error.to_string()))?;
    let until = Instant::now() + FAILS_WITHIN;
    while Instant::now() < until {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(format!("it ended with {status}"))),
            Ok(None) => std::thread::sleep(LOOK),
            Err(error) => return Err(failed(error.to_string())),
        }
    }
    // It stays a zombie until it is waited for.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// Fails without a desktop to show a window on.
fn with_desktop(env: &Env) -> Result<(), Trouble> {
    let there = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env.get(name).is_some());
    if there || cfg!(target_os = "macos") {
        return Ok(());
    }
    Err(Trouble::new(
        Code::NotShown,
        "Repose runs without a desktop here, so there is nowhere to show a folder.",
        ["Start Repose from within the desktop.", "Or copy the path."],
    ))
}

fn any_editor(env: &Env) -> Result<PathBuf, Trouble> {
    EDITORS.iter().find_map(|name| locate::program(env, name).ok()).ok_or_else(|| {
        Trouble::new(
            Code::NotShown,
            format!("None of the editors that Repose knows was found: {}.", EDITORS.join(", ")),
            ["Name yours in the settings: `[console] editor = \"…\"`. It gets the folder as its one argument."],
        )
    })
}

fn not_there(editor: &str) -> Trouble {
    Trouble::new(
        Code::NotShown,
        format!("The editor `{editor}` of the settings wasn't found, or can't be run."),
        ["Mend `[console] editor` in the settings: a name on PATH, or a path."],
    )
}

fn no_file_manager() -> Trouble {
    Trouble::new(
        Code::NotShown,
        format!("`{FILES}` wasn't found, and nothing else is known to show a folder in the file manager."),
        ["Install it (xdg-utils has it).", "Or copy the path."],
    )
}

#[cfg(test)]
mod tests;
