//! The holder's process: what can wake it, and the loop that it lives in.

mod clients;
mod ending;
mod feed;
mod infer;
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

/// What is read of the engine's output at once.
const OUTPUT_SIZE: usize = 64 * 1024;

/// Things from clients that wait for the loop. Beyond it connections aren't read.
const WAITING_MAX: usize = 64;

/// When a holder ends, answers that are still on their way get this long.
const FLUSH_WITHIN: Duration = Duration::from_secs(1);

/// Why a holder could not begin. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The spec can't be read.
    #[error(transparent)]
    Spec(#[from] Unreadable),
    /// This build knows no such engine.
    #[error("this build of Repose knows no engine `{0}`; no session was started")]
    Engine(EngineName),
    /// Another holder has the session.
    #[error("a holder listens at {} already; this one ended at once", .0.display())]
    Taken(PathBuf),
    /// The system said no.
    #[error("{doing} did not work ({source}); no session was started")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

/// What can wake a holder.
#[derive(Debug)]
enum Wake {
    /// The engine wrote so many bytes; none, or an error: its end of the line is closed.
    Output(io::Result<usize>),
    /// The engine would take bytes.
    Writable,
    /// A connection brought something.
    Client(ClientId, FromClient),
    /// A child ended.
    Child,
    /// Somebody wants the holder to end: the machine shuts down, or the user logs out.
    Terminate,
    /// The folder of the engine's level changed.
    Watched,
    /// The engine told something on its port.
    Heard(News),
    /// It is time.
    Time,
}

/// Holds the session whose spec is in this folder until it is over. Blocks for that long; call it in a
/// process that does nothing else, and that has a process session of its own.
///
/// # Errors
/// [`ServeError`]. An engine that can't be started is none: that session has ended, and says so.
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
        // The session's own folder is the runner's to make. One that found nobody here has taken the session
        // for over.
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
        // One that is gone already needs no removing.
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
    // A terminal that hangs up is not ours; without a handler it would end us.
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
        // An engine that writes without end is always ready; connections must have their turn.
        tokio::task::yield_now().await;
    }
    let deadline = Instant::now() + FLUSH_WITHIN;
    // Who has not read its answer by then never will.
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
    // Left by a holder that was killed.
    let _ = std::fs::remove_file(socket);
    let listener = UnixListener::bind(socket).map_err(system)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600)).map_err(system)?;
    Ok(listener)
}
