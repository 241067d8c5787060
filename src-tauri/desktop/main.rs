//! The program `repose-desktop`: Repose as an app that is started from a menu.
//!
//! It is the runner, in this process, and shows its console. The console opens in the user's browser; a window and a
//! tray of its own come here, and nothing below this file has to know. A second start shows the console of the first,
//! or of a `repose serve` that runs.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use repose_console::CancellationToken;
use repose_runner::{Home, Options, Runner, StartError};

fn main() -> ExitCode {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let home = Home::from_env()?;
    let repose = beside()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(serve(home, repose));
    runtime.shutdown_background();
    ended
}

async fn serve(home: Home, repose: PathBuf) -> Result<(), Box<dyn std::error::Error>> {
    let options = Options { program: repose.clone(), env: std::env::vars_os().collect() };
    let runner = match Runner::start(home, options).await {
        Ok(runner) => runner,
        Err(StartError::Running { .. }) => return show(&repose).map_err(Into::into),
        Err(error) => return Err(error.into()),
    };
    let port = Some(runner.settings().0.console_port);
    let served = repose_console::open(runner.clone(), repose_console::Options { port, stay: false }).await?;
    tracing::info!(console = served.console, "Repose runs");
    // Its request waits until the doors below are open.
    if let Err(error) = show(&repose) {
        tracing::warn!(%error, "the console was not shown; `repose console` opens it");
    }
    let ended = served.until_told(CancellationToken::new()).await;
    runner.shutdown();
    ended.map_err(Into::into)
}

/// The program `repose`, which holders run from: it lies beside this one.
fn beside() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let repose = own.parent().unwrap_or(Path::new("/")).join("repose");
    if repose.is_file() {
        return Ok(repose);
    }
    let why = format!("{} is missing; install Repose whole", repose.display());
    Err(std::io::Error::new(std::io::ErrorKind::NotFound, why))
}

/// Has `repose console` show the console of whichever runner there is.
fn show(repose: &Path) -> std::io::Result<()> {
    let mut console = Command::new(repose);
    console.arg("console").stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = console.spawn()?;
    // It ends once the browser has the link; waited for beside everything else, so that no zombie stays.
    std::thread::spawn(move || child.wait());
    Ok(())
}
