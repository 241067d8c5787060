//! The program `repose`: all verbs, and the programs of a session (`hold`, `hook`).

mod args;
mod client;
mod failure;
#[expect(
    clippy::mod_module_files,
    reason = "the desktop app includes it by its path, and its tests from there"
)]
mod log;
mod print;
mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use repose_core::trouble::Code;
use repose_core::words::sentence;
use repose_runner::Home;
use serde_json::json;

use args::Line;
use failure::Failure;

fn main() -> ExitCode {
    // An engine waits for its hook, so nothing is read, parsed or started before it.
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(first) if first == "hook" => {
            repose_hold::hook::run(words.next().as_deref());
            ExitCode::SUCCESS
        }
        Some(first) if first == "hold" => hold(words.next()),
        Some(_) | None => command(),
    }
}

/// Holds a session. Only the runner starts this.
fn hold(folder: Option<OsString>) -> ExitCode {
    let Some(folder) = folder.map(PathBuf::from) else {
        print::aside(
            "repose: `repose hold` is what Repose itself starts for a session; it needs the session's folder.",
        );
        return ExitCode::from(2);
    };
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::WARN).with_writer(std::io::stderr);
    // A second call in a process would be a bug; the first one stays in force.
    let _ = subscriber.try_init();
    match repose_hold::serve(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::aside(&format!("repose: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn command() -> ExitCode {
    let line = match Line::try_parse() {
        Ok(line) => line,
        Err(error) => return not_understood(&error),
    };
    let json = line.json;
    match run(line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(json),
    }
}

fn run(line: Line) -> Result<(), Failure> {
    let home = Home::from_env().map_err(|error| {
        Failure::new(
            Code::BadRequest,
            sentence(&error.to_string()),
            ["Set HOME, or REPOSE_HOME to a folder of your own."],
        )
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(verbs::run(line.verb, home, line.json));
    // A thread that reads the terminal can't be ended, and has nothing left to do.
    runtime.shutdown_background();
    done
}

fn not_understood(error: &clap::Error) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let as_json = std::env::args_os().any(|word| word == "--json");
    if !asked_for && as_json {
        let hint = "`repose --help` says what can be done.";
        // Its first paragraph; usage and tips follow.
        let said = error.to_string();
        let lines = said.lines().map(str::trim).take_while(|line| !line.is_empty());
        let first = lines.collect::<Vec<_>>().join(" ");
        return Failure::new(Code::BadRequest, first.trim_start_matches("error: "), [hint]).tell(true);
    }
    if as_json {
        let version = error.kind() == ErrorKind::DisplayVersion;
        let said = if version {
            json!({ "version": env!("CARGO_PKG_VERSION") })
        } else {
            json!({ "help": error.to_string() })
        };
        return print::line(&said.to_string()).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    // If nobody reads the message, there is still the exit code.
    let _ = error.print();
    if asked_for { ExitCode::SUCCESS } else { ExitCode::from(2) }
}
