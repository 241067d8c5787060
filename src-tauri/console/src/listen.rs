//! Connections: accepting, bounding and serving them, and closing them at the end. Knows nothing of what is
//! served.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::serve::listen_cli;

/// The most simultaneous connections over loopback: some tabs, each with a few. Further ones wait in the
/// system's backlog.
pub const CONSOLE_CONNECTIONS_MAX: usize = 128;

/// The most simultaneous connections of the CLI. Every waiting ask has one, so there are many; together with
/// the others they stay below the 1024 open files that a process usually may have. Further ones wait in the
/// system's backlog.
pub const CLI_CONNECTIONS_MAX: usize = 768;

/// How long a request's headers may take. A connection that doesn't send them is closed.
pub const HEAD_WITHIN: Duration = Duration::from_secs(10);

/// The most bytes of a request's headers, which include the cookies of all other programs on this host name.
/// More is answered with 431.
pub const HEAD_MAX: usize = 64 * 1024;

/// How long requests in progress may take at the end; then their connections are closed. An asker comes back
/// for its answer.
pub const FAREWELL: Duration = Duration::from_secs(1);

/// The pause after the system refused a connection, for example because no more files can be opened: it would
/// refuse again at once.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections over loopback until `stop`, then lets them finish.
pub(crate) async fn tcp(listener: TcpListener, router: Router, stop: CancellationToken) {
    let accept = async || {
        let (stream, _) = listener.accept().await?;
        // Keystrokes are a few bytes each, and somebody waits for their echo.
        stream.set_nodelay(true)?;
        Ok(Some(stream))
    };
    connections(accept, router, CONSOLE_CONNECTIONS_MAX, stop).await;
}

/// Serves connections over the CLI's socket until `stop`, then lets them finish. Another user's process is
/// disconnected.
///
/// A socket that was deleted, for example by a cleaner of temporary folders, is created again.
pub(crate) async fn unix(listener: UnixListener, socket: &Path, router: Router, stop: CancellationToken) {
    let listener = Mutex::new(listener);
    let accept = async || {
        let mut listener = listener.lock().await;
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = repose_hold::socket_removed(socket) => {
                tracing::warn!(socket = %socket.display(), "the socket was removed; it is made again");
                *listener = listen_cli(socket)?;
                return Ok(None);
            }
        };
        let (stream, _) = accepted?;
        match repose_sys::peer::is_me(&stream) {
            Ok(true) => Ok(Some(stream)),
            Ok(false) | Err(_) => {
                tracing::warn!("another user's process connected to the socket; it was turned away");
                Ok(None)
            }
        }
    };
    connections(accept, router, CLI_CONNECTIONS_MAX, stop).await;
}

async fn connections<S>(
    accept: impl AsyncFn() -> io::Result<Option<S>>,
    router: Router,
    most: usize,
    stop: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let places = Arc::new(Semaphore::new(most));
    let served = TaskTracker::new();
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = stop.cancelled() => break,
            next = next => next,
        };
        match accepted {
            Ok(Some(stream)) => {
                let serving = serve(stream, router.clone(), stop.clone());
                served.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(REFUSED_PAUSE).await;
            }
        }
    }
    served.close();
    served.wait().await;
}

fn serve<S>(stream: S, router: Router, stop: CancellationToken) -> impl Future<Output = ()> + Send
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(HEAD_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    async move {
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                tokio::time::timeout(FAREWELL, connection).await.unwrap_or(Ok(()))
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}
