//! A start: as the runner, in the place of a `repose serve`, or as a word to the app that runs already.

use std::time::Duration;

use repose_console::CancellationToken;
use repose_runner::{Home, Options, Runner, StartError};

use crate::Programs;
use crate::app::App;
use crate::event::Events;
use crate::other::{Other, Yields};
use crate::window::Window;

/// A runner that makes room ends within this: it answers what is in progress, for a second. One that takes longer is
/// stuck, and nothing is started beside it.
const ROOM_WITHIN: Duration = Duration::from_secs(10);

/// How often the lock is tried meanwhile.
const TRY_EVERY: Duration = Duration::from_millis(50);

/// Starts, and runs until the app is quit.
pub(crate) async fn start(
    home: Home,
    programs: Programs,
    hidden: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let other = Other::at(home.socket());
    let runner = match begin(&home, &programs).await {
        Ok(runner) => runner,
        Err(StartError::Running { pid, .. }) => {
            if !hidden && other.show().await? {
                return Ok(());
            }
            match other.hand_over().await? {
                Yields::MadeRoom => take_over(&home, &programs, pid).await?,
                Yields::Stays if hidden => return Ok(()),
                Yields::Stays => return watch(&other, &programs).await,
            }
        }
        Err(error) => return Err(error.into()),
    };
    serve(runner, programs, hidden).await
}

async fn begin(home: &Home, programs: &Programs) -> Result<Runner, StartError> {
    let options = Options { program: programs.repose.clone(), env: std::env::vars_os().collect() };
    Runner::start(home.clone(), options).await
}

/// Becomes the runner once the one before has ended. Its holders are adopted; their agents don't notice.
async fn take_over(home: &Home, programs: &Programs, pid: Option<u32>) -> Result<Runner, StartError> {
    tracing::info!(?pid, "takes over from the Repose that ran");
    let tried = async {
        loop {
            match begin(home, programs).await {
                Err(StartError::Running { .. }) => tokio::time::sleep(TRY_EVERY).await,
                outcome => return outcome,
            }
        }
    };
    match tokio::time::timeout(ROOM_WITHIN, tried).await {
        Ok(outcome) => outcome,
        Err(_) => begin(home, programs).await,
    }
}

async fn serve(runner: Runner, programs: Programs, hidden: bool) -> Result<(), Box<dyn std::error::Error>> {
    let (front, asked) = tokio::sync::mpsc::channel(1);
    let port = Some(runner.settings().0.console_port);
    let options = repose_console::Options { port, stay: false, front: Some(front) };
    let served = repose_console::open(runner.clone(), options).await?;
    tracing::info!(console = served.console, "Repose runs, as an app");
    let stop = CancellationToken::new();
    let app = App::new(runner.clone(), served.links(), programs, hidden);
    let (ended, ()) = tokio::join!(served.until_told(stop.clone()), app.run(asked, stop));
    runner.shutdown();
    ended.map_err(Into::into)
}

/// Shows the console of a runner that stays: this start is a window on it, and nothing more.
async fn watch(other: &Other, programs: &Programs) -> Result<(), Box<dyn std::error::Error>> {
    tracing::info!("another Repose stays the runner; this is a window on it");
    let link = other.link().await?;
    let (events, mut heard) = Events::new();
    let mut window = Window::new(programs.window.clone(), events);
    window.show(None, || link.clone()).await?;
    while let Some(event) = heard.recv().await {
        if let crate::event::Event::Window(_, crate::window::Said::Closed(_) | crate::window::Said::Quit) =
            event
        {
            break;
        }
    }
    Ok(())
}
