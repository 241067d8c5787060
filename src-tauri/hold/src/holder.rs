//! The holder's process: the events that wake it, and its main loop.

mod clients;
mod ending;
mod feed;
mod infer;
mod job;
mod keys;
mod lines;
mod look;
mod orders;
mod residents;
mod session;

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use repose_core::ids::EngineName;
use repose_engine::EngineRef;
use repose_engine::own::Own;
use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::folder::{Spec, Unreadable, socket_path, written};
use clients::{ClientId, FromClient};
use feed::News;
use session::Holder;

/// The most bytes to read of the engine's output at once.
const OUTPUT_SIZE: usize = 64 * 1024;

/// The most messages from clients that wait for the main loop. Beyond it, connections aren't read.
const WAITING_MAX: usize = 64;

/// How long a holder that exits waits for answers to be sent.
const FLUSH_WITHIN: Duration = Duration::from_secs(1);

/// Why a holder couldn't start. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The spec can't be read.
    #[error(transparent)]
    Spec(#[from] Unreadable),
    /// This build doesn't know the engine.
    #[error("this build of Repose knows no engine `{0}`; no session was started")]
    Engine(EngineName),
    /// Another holder has this session.
    #[error("a holder listens at {} already; this one ended at once", .0.display())]
    Taken(PathBuf),
    /// The system refused something.
    #[error("{doing} did not work ({source}); no session was started")]
    System {
        /// What was attempted.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

/// An event that wakes a holder.
#[derive(Debug)]
enum Wake {
    /// The engine wrote this many bytes. Zero or an error: its side of the terminal is closed.
    Output(io::Result<usize>),
    /// The engine accepts input.
    Writable,
    /// A message from a connection.
    Client(ClientId, FromClient),
    /// A child ended.
    Child,
    /// The holder is to end: the machine shuts down or the user logs out.
    Terminate,
    /// The folder of the engine's level changed.
    Watched,
    /// The engine reported something on its port.
    Heard(News),
    /// A time limit was reached.
    Time,
}

/// Holds the session whose spec is in this folder until the session is over. Blocks for that long; call it in
/// a process that does nothing else and leads a process session of its own.
///
/// # Errors
/// [`ServeError`]. A failure to start the engine isn't an error: the session then has ended, and reports it.
pub fn serve(session_dir: &Path) -> Result<(), ServeError> {
    let system = |doing| move |source| ServeError::System { doing, source };
    written(session_dir, &"Begins");
    match repose_sys::end::become_subreaper() {
        Err(error) if error.kind() != io::ErrorKind::Unsupported => {
            return Err(system("becoming the parent of orphans")(error));
        }
        Ok(()) | Err(_) => {}
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(system("starting the event loop"))?;
    runtime.block_on(async {
        let socket = socket_path(session_dir);
        if !socket.starts_with(session_dir) {
            make_folder(&socket)?;
        }
        // The runner creates the session's folder. A runner that found nobody here has taken the session for
        // ended.
        let listener = listen(&socket)?;
        let begins = begin(session_dir).inspect_err(|_| drop(std::fs::remove_file(&socket)));
        let (spec, engine) = begins?;
        let (tell, told) = mpsc::channel(WAITING_MAX);
        let accepting = tokio::spawn(clients::accept(listener, socket.clone(), tell));
        let watched = Arc::new(Notify::new());
        let holder = Holder::open(session_dir, spec, engine, Arc::clone(&watched));
        let holder = holder.map_err(system("opening the journal"))?;
        let held = hold(holder, told, &watched).await;
        accepting.abort();
        // It may be gone already.
        let _ = std::fs::remove_file(&socket);
        held.map_err(system("waiting for signals"))
    })
}

fn begin(session_dir: &Path) -> Result<(Spec, EngineRef), ServeError> {
    let spec = Spec::read(session_dir)?;
    let engine = engine(&spec).ok_or_else(|| ServeError::Engine(spec.engine.clone()))?;
    Ok((spec, engine))
}

fn engine(spec: &Spec) -> Option<EngineRef> {
    if spec.own.is_null() {
        return repose_engine::find(spec.engine.as_str());
    }
    Some(Arc::new(Own::new(serde_json::from_value(spec.own.clone()).ok()?)))
}

async fn hold(
    mut holder: Holder,
    mut told: mpsc::Receiver<(ClientId, FromClient)>,
    watched: &Notify,
) -> io::Result<()> {
    let mut child = signal(SignalKind::child())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // A hangup of the terminal doesn't concern the holder; without a handler it would be killed.
    let _hangup = signal(SignalKind::hangup())?;
    let mut output = vec![0; OUTPUT_SIZE];
    holder.start();
    while !holder.finished() {
        let at = holder.wakes_at();
        let pty = holder.pty.as_ref();
        let listening = holder.listening.as_mut();
        let listens = listening.is_some();
        let writes = !holder.outbox.is_empty();
        let wake = tokio::select! {
            read = async { pty?.read(&mut output).await.into() }, if pty.is_some() => match read {
                Some(read) => Wake::Output(read),
                None => Wake::Time,
            },
            Some(()) = async { pty?.writable().await.ok() }, if pty.is_some() && writes => Wake::Writable,
            Some((id, what)) = told.recv() => Wake::Client(id, what),
            Some(()) = child.recv() => Wake::Child,
            Some(()) = terminate.recv() => Wake::Terminate,
            Some(news) = async { listening?.next().await }, if listens => Wake::Heard(news),
            () = watched.notified() => Wake::Watched,
            () = tokio::time::sleep_until(at) => Wake::Time,
        };
        holder.wake(wake, &output);
        holder.tell_view();
        // An engine that writes without end is always ready; connections must get their turn.
        tokio::task::yield_now().await;
    }
    let deadline = Instant::now() + FLUSH_WITHIN;
    // Whoever hasn't read its answer by then never will.
    let _ = tokio::time::timeout_at(deadline, holder.clients.flush()).await;
    Ok(())
}

fn make_folder(socket: &Path) -> Result<(), ServeError> {
    let system = |error| ServeError::System {
        doing: "making the folder of the session's socket",
        source: io::Error::other(error),
    };
    socket.parent().map_or(Ok(()), repose_sys::private::create_private_dir).map_err(system)
}

fn listen(socket: &Path) -> Result<UnixListener, ServeError> {
    let system = |source| ServeError::System { doing: "listening on the session's socket", source };
    if std::os::unix::net::UnixStream::connect(socket).is_ok() {
        return Err(ServeError::Taken(socket.to_owned()));
    }
    // Left behind by a holder that was killed.
    let _ = std::fs::remove_file(socket);
    let listener = UnixListener::bind(socket).map_err(system)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600)).map_err(system)?;
    Ok(listener)
}
