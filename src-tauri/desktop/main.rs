//! The program `repose-desktop`: Repose as an app that is started from a menu or at login.
//!
//! It is the runner, in this process, with a tray and notifications; no toolkit is loaded here. Its window is
//! another program, `repose-window`, which ends when it is closed.

mod app;
mod autostart;
mod browser;
mod doctor;
mod event;
#[cfg(test)]
mod fixture;
#[path = "../cli/log/mod.rs"]
mod log;
mod notify;
mod orders;
mod other;
mod quit;
mod start;
mod tray;
mod turn;
mod window;

use std::io::{IsTerminal, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use repose_core::words::sentence;
use repose_runner::Home;

/// Repose as an app: repos and their coding agents, in the tray and in a window.
#[derive(Debug, Parser)]
#[command(name = "repose-desktop", version)]
struct Line {
    /// Starts without showing the window, as at login.
    #[arg(long)]
    hidden: bool,
    /// Shows a console in a window and nothing else. `repose console --print` prints a link to one.
    #[arg(long, value_name = "URL", conflicts_with = "hidden")]
    window: Option<String>,
}

fn main() -> ExitCode {
    let line = Line::parse();
    match run(&line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // An app from a menu has nobody who reads this.
            let said = writeln!(std::io::stderr(), "repose-desktop: {error}");
            if said.is_err() || !std::io::stderr().is_terminal() {
                window::tell("Repose was not started", &sentence(&error.to_string()));
            }
            ExitCode::FAILURE
        }
    }
}

fn run(line: &Line) -> Result<(), Box<dyn std::error::Error>> {
    let display = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !display("WAYLAND_DISPLAY") && !display("DISPLAY") {
        return Err("there is no display here (WAYLAND_DISPLAY and DISPLAY are not set), so the app was not started. \
             `repose serve` runs Repose without one."
            .into());
    }
    let programs = Programs::beside()?;
    if let Some(url) = &line.window {
        let window = programs.window.ok_or("repose-window is missing; install Repose whole")?;
        return Err(Command::new(window).arg(url).envs(window::quirks()).exec().into());
    }
    let home = Home::from_env()?;
    home.create()?;
    if let Err(error) = log::begin(&home) {
        writeln!(std::io::stderr(), "repose-desktop: nothing is logged: {error}")?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(start::start(home, programs, line.hidden));
    runtime.shutdown_background();
    ended
}

/// The programs that the app needs.
#[derive(Debug, Clone)]
struct Programs {
    own: PathBuf,
    /// The program of which holders run a copy.
    repose: PathBuf,
    /// The window's program. Without it the console opens in the browser.
    window: Option<PathBuf>,
}

impl Programs {
    /// The programs beside this one.
    fn beside() -> std::io::Result<Self> {
        let own = std::env::current_exe()?;
        let folder = own.parent().unwrap_or(Path::new("/"));
        let (repose, window) = (folder.join("repose"), folder.join(window::PROGRAM));
        if !repose.is_file() {
            let why =
                format!("{} is missing, so the app was not started; install Repose whole", repose.display());
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, why));
        }
        Ok(Self { window: window.is_file().then_some(window), repose, own })
    }
}
