//! `serve`: runs the runner and its API in this process, until it is told to stop.

use repose_console::CancellationToken;
use repose_core::trouble::{Code, Trouble};
use repose_runner::{Home, Runner};

use super::Says;
use crate::args::Serve;
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
    let runner = Runner::start(home, repose_runner::Options { program, env })
        .await
        .map_err(|error| error.trouble())?;
    let ended = answer(&runner, port, stay).await;
    runner.shutdown();
    ended.map_err(|error| fault(&error))
}

async fn answer(runner: &Runner, port: Option<u16>, stay: bool) -> Result<(), repose_console::ServeError> {
    let port = port.or(Some(runner.settings().0.console_port));
    let served =
        repose_console::open(runner.clone(), repose_console::Options { port, stay, front: None }).await?;
    tracing::info!(console = served.console, "Repose runs");
    served.until_told(CancellationToken::new()).await
}

fn fault(error: &dyn std::error::Error) -> Failure {
    Trouble::new(
        Code::Internal,
        format!("Repose can't run here: {error}."),
        ["`repose doctor` looks at what it needs."],
    )
    .into()
}
