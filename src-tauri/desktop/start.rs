//! A start: as the runner, in place of a `repose serve` or an app that ends, or as a message to the running
//! app.

use std::io::Write;
use std::time::Duration;

use repose_console::CancellationToken;
use repose_runner::{Change, Home, Options, Runner, StartError};
use repose_sys::lock::{self, LockError};
use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::broadcast;

use crate::Programs;
use crate::app::App;
use crate::browser;
use crate::event::{Event, Events};
use crate::other::{Answer, Other};
use crate::window::{self, Heard, Window};

/// How long a running Repose may take to end or to answer: when it ends, it answers requests in progress for
/// a second; when it starts, it waits 2 s for its holders. One that takes longer is stuck, and nothing is
/// started beside it.
const ROOM_WITHIN: Duration = Duration::from_secs(10);

/// How often to try meanwhile.
const TRY_EVERY: Duration = Duration::from_millis(50);

type Failed = Box<dyn std::error::Error>;

/// What this start becomes.
enum Place {
    /// The runner, with all its changes from the first moment on.
    Runner(Runner, broadcast::Receiver<Change>),
    /// Nothing: the running app shows its window.
    Told,
    /// A window of a runner that stays.
    Guest,
}

/// Starts, and runs until the app is quit.
pub(crate) async fn start(home: Home, programs: Programs, hidden: bool) -> Result<(), Failed> {
    let other = Other::at(home.socket());
    match place(&home, &programs, &other, hidden).await? {
        Place::Runner(runner, changes) => serve(runner, changes, programs, hidden).await,
        Place::Told => {
            // If nobody reads it, the window says it.
            let _ = writeln!(std::io::stdout(), "Repose runs already, and shows its window.");
            Ok(())
        }
        Place::Guest if hidden => Ok(()),
        Place::Guest => watch(&home, &other, &programs).await,
    }
}

/// Finds out what this start becomes. A Repose that starts holds the lock before it answers, and one that
/// ends holds it after it has stopped answering, so both are tried until one succeeds. The previous runner's
/// holders are adopted; their agents don't notice.
async fn place(home: &Home, programs: &Programs, other: &Other, hidden: bool) -> Result<Place, Failed> {
    let late = tokio::time::Instant::now() + ROOM_WITHIN;
    let mut before = String::new();
    loop {
        let pid = match begin(home, programs).await {
            Ok((runner, changes)) => return Ok(Place::Runner(runner, changes)),
            Err(StartError::Running { pid, .. }) => pid,
            Err(error) => return Err(error.into()),
        };
        let why = match other.hears_of_a_start(hidden).await {
            Ok(Answer::Shows) => return Ok(Place::Told),
            Ok(Answer::Stays) => return Ok(Place::Guest),
            Ok(Answer::MakesRoom) => "it makes room, and doesn't end".to_owned(),
            Err(error) => error.to_string(),
        };
        if why != before {
            tracing::info!(?pid, why, "another Repose runs");
        }
        if tokio::time::Instant::now() > late {
            let pid = pid.map(|pid| format!(" as process {pid}")).unwrap_or_default();
            return Err(format!(
                "another Repose runs{pid} and doesn't answer ({why}), so the app was not started; `repose doctor` \
                 says more"
            )
            .into());
        }
        before = why;
        tokio::time::sleep(TRY_EVERY).await;
    }
}

async fn begin(
    home: &Home,
    programs: &Programs,
) -> Result<(Runner, broadcast::Receiver<Change>), StartError> {
    let options = Options { program: programs.repose.clone(), env: std::env::vars_os().collect() };
    Runner::start_heard(home.clone(), options).await
}

async fn serve(
    runner: Runner,
    changes: broadcast::Receiver<Change>,
    programs: Programs,
    hidden: bool,
) -> Result<(), Failed> {
    let (front, asked) = tokio::sync::mpsc::channel(1);
    let port = Some(runner.settings().0.console_port);
    let options = repose_console::Options { port, stay: false, front: Some(front) };
    let served = repose_console::open(runner.clone(), options).await?;
    tracing::info!(console = served.console, "Repose runs, as an app");
    let stop = CancellationToken::new();
    let app = App::new(runner.clone(), changes, served.links(), programs, hidden);
    let (ended, ()) = tokio::join!(served.until_told(stop.clone()), app.run(asked, stop));
    runner.shutdown();
    ended.map(drop).map_err(Into::into)
}

/// Shows the console of a runner that stays: this start is only a window. There is one such window: a second
/// start brings it to the front.
async fn watch(home: &Home, other: &Other, programs: &Programs) -> Result<(), Failed> {
    // Before the lock is taken: whoever reads this process's number there may use it at once.
    let mut again = signal(SignalKind::user_defined1())?;
    let _place = match lock::exclusive(&home.state().join("window.lock")) {
        Ok(place) => place,
        Err(LockError::Held { pid: Some(pid), .. }) => return show_that_of(pid),
        Err(error) => return Err(error.into()),
    };
    tracing::info!("another Repose stays the runner; this is a window on it");
    let (events, mut heard) = Events::new();
    let mut window = Window::new(programs.window.clone(), events);
    let link = other.window_link().await?;
    if let Err(error) = window.show(&window::Place::Any, || link.clone()).await {
        return browse(other, &error.to_string()).await;
    }
    let ended = loop {
        let event = tokio::select! {
            Some(()) = again.recv() => {
                let link = other.window_link().await?;
                window.show(&window::Place::Any, || link.clone()).await?;
                continue;
            }
            Some(event) = heard.recv() => event,
        };
        let Event::Window(number, said) = event else { continue };
        match window.said(number, said) {
            Heard::Nothing => {}
            Heard::Quit | Heard::Closed => break Ok(()),
            Heard::Missed(_) => {
                let link = other.window_link().await?;
                window.show(&window::Place::Any, || link.clone()).await?;
            }
            Heard::Cannot(_, words) => break browse(other, &words).await,
            Heard::Broke(words) => {
                break Err(format!(
                    "the window could not stay open ({words}); `repose console` shows the same in the browser"
                )
                .into());
            }
        }
    };
    window.end().await;
    ended
}

/// The lock is held, so this process wrote its number there.
fn show_that_of(pid: u32) -> Result<(), Failed> {
    let pid = Pid::from_raw(pid.cast_signed()).ok_or("the window's place names no process")?;
    kill_process(pid, Signal::USR1)?;
    Ok(())
}

async fn browse(other: &Other, why: &str) -> Result<(), Failed> {
    tracing::warn!(why, "no window, so the console opens in the browser");
    let link = other.link().await?;
    browser::open(&link).await.map_err(|error| {
        let why = format!("neither a window nor a browser could be opened ({error})");
        format!("{why}; `repose console --print` gives a link to the console").into()
    })
}
