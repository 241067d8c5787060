//! `serve`: the runner and its surface, in this process, until it is told to end.

use repose_console::CancellationToken;
use repose_core::trouble::{Code, Trouble};
use repose_runner::{Home, Runner, StartError};

use super::Says;
use crate::args::Serve;
use crate::failure::Failure;
use crate::log;

pub(super) async fn serve(args: Serve, home: Home, says: Says) -> Result<(), Failure> {
    let Serve { port, stay } = args;
    let program = std::env::current_exe().map_err(|error| fault(&error))?;
    if let Err(error) = log::begin(&home.logs()) {
        says.aside(&format!(
            "Nothing can be logged to {} ({error}); Repose runs without.",
            home.logs().display()
        ));
    }
    let options = repose_runner::Options { stay, program };
    let runner = Runner::start(home.clone(), options).await.map_err(not_started)?;
    let ended = answer(&runner, &home, port).await;
    runner.shutdown().await;
    ended.map_err(|error| fault(&error))
}

async fn answer(runner: &Runner, home: &Home, port: Option<u16>) -> Result<(), repose_console::ServeError> {
    let port = port.or(runner.settings().console_port);
    let served = repose_console::open(home, repose_console::Options { port }).await?;
    tracing::info!(console = served.console, "Repose runs");
    served.until_told(runner.clone(), CancellationToken::new()).await
}

fn not_started(error: StartError) -> Failure {
    match error {
        StartError::HeldBy(pid) => {
            let who = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            Failure::new(
                Code::RunnerElsewhere,
                format!("Repose runs already, as {who}. This one ended and touched nothing."),
                [
                    "`repose status` shows what it does.",
                    "To run another one beside it, give it a REPOSE_HOME of its own.",
                ],
            )
        }
        StartError::Other => fault(&error),
    }
}

fn fault(error: &dyn std::error::Error) -> Failure {
    Trouble::new(
        Code::Internal,
        format!("Repose can't run here: {error}."),
        ["`repose doctor` looks at what it needs."],
    )
    .into()
}
