//! `serve`: runs the runner and its API in this process, until it is told to stop.

use std::error::Error;
use std::io;

use repose_console::{CancellationToken, Ended, wire};
use repose_core::trouble::{Code, Trouble};
use repose_runner::{Home, Runner, StartError};

use super::Says;
use crate::args::Serve;
use crate::client::{Client, NoAnswer, read, silent};
use crate::failure::Failure;
use crate::log;

pub(super) async fn serve(args: Serve, home: Home, says: Says) -> Result<(), Failure> {
    let Serve { port, stay } = args;
    let program = std::env::current_exe().map_err(|error| fault(&error))?;
    home.create().map_err(|error| fault(&error))?;
    if let Err(error) = log::begin(&home) {
        says.aside(&format!(
            "Nothing can be logged to {} ({error}); Repose runs without.",
            home.logs().display()
        ));
    }
    let env = std::env::vars_os().collect();
    let client = Client::new(home.socket());
    let runner = match Runner::start(home, repose_runner::Options { program, env }).await {
        Ok(runner) => runner,
        Err(error @ StartError::Running { .. }) => return Err(running(&error, &client).await.into()),
        Err(error) => return Err(error.trouble().into()),
    };
    let ended = answer(&runner, port, stay).await;
    runner.shutdown();
    match ended.map_err(|error| fault(&error))? {
        Ended::Told => {}
        Ended::HandedOver => {
            says.aside("The Repose app takes over, so `repose serve` ends here. Agents go on.")
        }
    }
    Ok(())
}

/// Another runner is at work: the app, if it says so.
async fn running(error: &StartError, client: &Client) -> Trouble {
    let status = match client.get("/api/status").await {
        Err(NoAnswer::Silent(pid)) => {
            let Trouble { sentence, hints, .. } = silent(pid);
            return Trouble::new(
                Code::RunnerElsewhere,
                format!("Another runner is at work; this one was not started. {sentence}"),
                hints,
            );
        }
        answer => answer.ok().and_then(|value| read::<wire::Status>(value).ok()),
    };
    match status.map(|status| status.runner) {
        Some(wire::Runner { app: true, pid, .. }) => Trouble::new(
            Code::RunnerElsewhere,
            format!(
                "The Repose app runs already (process {pid}), and is the runner; this one was not started."
            ),
            [
                "Every `repose` verb talks to it; there is nothing to start.",
                "To run Repose without it, quit it first: Quit… in its tray, or Ctrl+Q in its window.",
            ],
        ),
        Some(wire::Runner { app: false, .. }) | None => error.trouble(),
    }
}

async fn answer(runner: &Runner, port: Option<u16>, stay: bool) -> Result<Ended, repose_console::ServeError> {
    let port = port.or(Some(runner.settings().0.console_port));
    let served =
        repose_console::open(runner.clone(), repose_console::Options { port, stay, front: None }).await?;
    tracing::info!(console = served.console, "Repose runs");
    served.until_told(CancellationToken::new()).await
}

fn fault(error: &(dyn Error + 'static)) -> Failure {
    let (code, hint) = if is_full(error) {
        (Code::DiskFull, "Free some room on that disk, and start it again.")
    } else {
        (Code::Internal, "`repose doctor` looks at what it needs.")
    };
    Trouble::new(code, format!("Repose can't run here: {error}."), [hint]).into()
}

/// Whether a full disk, or one's full share of it, is the cause.
fn is_full(error: &(dyn Error + 'static)) -> bool {
    match error.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => true,
        _ => error.source().is_some_and(is_full),
    }
}
