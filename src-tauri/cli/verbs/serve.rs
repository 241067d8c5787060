//! `serve`: the runner and its surface, in this process, until it is told to end.

use repose_core::trouble::{Code, Trouble};
use repose_runner::{Home, Runner, StartError};
use tokio_util::sync::CancellationToken;

use crate::args::Serve;
use crate::failure::Failure;
use crate::log;

pub(crate) async fn serve(args: Serve, home: Home) -> Result<(), Failure> {
    let Serve { port, stay } = args;
    let program = std::env::current_exe().map_err(|error| fault(&format!("where this program is can't be told ({error})")))?;
    let runner = Runner::start(home.clone(), repose_runner::Options { stay, program }).await.map_err(refused)?;
    let port = port.or(runner.settings().console_port);
    let served = repose_console::open(&home, repose_console::Options { port }).await;
    let ended = match served {
        Ok(served) => {
            tracing::info!(console = served.console, "Repose runs");
            served.until_told(runner.clone(), CancellationToken::new()).await
        }
        Err(error) => Err(error),
    };
    runner.shutdown().await;
    ended.map_err(|error| fault(&error.to_string()))
}
