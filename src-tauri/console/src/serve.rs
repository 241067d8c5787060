//! The two listeners: the CLI's socket and the console over loopback.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repose_core::trouble::Trouble;
use repose_runner::Runner;
use repose_sys::private::{PrivateError, create_private_dir};
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::auth::{Auth, Guest};
use crate::listen;
use crate::routes::{self, App, Front};

/// The key under which the runner stores the console's port.
const PORT: &str = "console.port";

/// The name of the token's file, in the state folder.
pub const TOKEN: &str = "token";

/// The name of the file of logged-in browsers, in the state folder.
const LOGINS: &str = "logins";

/// How to serve.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The console's port. `None`: the previous one; at first, any free one.
    pub port: Option<u16>,
    /// Whether to refuse another program that wants to be the runner here, rather than make room for it.
    pub stay: bool,
    /// Where to request a window, in a program that has one.
    pub front: Option<Front>,
}

/// Why nothing is served. The runner keeps running.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The console's port is in use.
    #[error("port {port} of 127.0.0.1 can't be had ({source}), so the console was not started")]
    Port {
        /// The port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The CLI's socket can't be created.
    #[error("the socket {} can't be made: {source}", path.display())]
    Socket {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Something that must be private can't be kept private.
    #[error(transparent)]
    Private(#[from] PrivateError),
    /// The store can't read or write the port.
    #[error("{}", .0.sentence)]
    Store(Trouble),
    /// Signals can't be received.
    #[error("signals can't be listened for: {0}")]
    Signals(io::Error),
}

/// Why serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Somebody told it to end.
    Told,
    /// The app takes over as the runner.
    HandedOver,
}

/// Both listeners, open since [`open`]; nobody is answered before [`Served::until_told`].
#[derive(Debug)]
pub struct Served {
    runner: Runner,
    stay: bool,
    front: Option<Front>,
    tcp: TcpListener,
    unix: UnixListener,
    socket: PathBuf,
    auth: Arc<Auth>,
    /// The console's address: `http://127.0.0.1:PORT`.
    pub console: String,
}

/// Creates one-time links, for a program that shows the console itself.
#[derive(Debug, Clone)]
pub struct Links {
    auth: Arc<Auth>,
    console: String,
}

impl Links {
    /// A link for the program's own window. Its login isn't kept, and ends that of the previous window.
    #[must_use]
    pub fn window(&self) -> String {
        self.link(Guest::Window)
    }

    /// A link for a browser.
    #[must_use]
    pub fn browser(&self) -> String {
        self.link(Guest::Browser)
    }

    fn link(&self, guest: Guest) -> String {
        let (path, _) = self.auth.link(guest, repose_sys::clock::now().wall);
        format!("{}{path}", self.console)
    }
}

/// Opens the listeners. Call it once the runner has adopted what it found: whoever connects relies on its
/// answers.
///
/// # Errors
/// [`ServeError`].
pub async fn open(runner: Runner, options: Options) -> Result<Served, ServeError> {
    let tcp = listen_console(&runner, options.port).await?;
    let port = tcp.local_addr().map_err(|source| ServeError::Port { port: 0, source })?.port();
    let home = runner.home();
    let auth = Arc::new(Auth::open(&home.state().join(TOKEN), &home.state().join(LOGINS), port)?);
    let socket = home.socket();
    let unix = listen_cli(&socket).map_err(|source| ServeError::Socket { path: socket.clone(), source })?;
    let console = format!("http://127.0.0.1:{port}");
    let Options { stay, front, port: _ } = options;
    Ok(Served { runner, stay, front, tcp, unix, socket, auth, console })
}

impl Served {
    /// The means to create links to this console.
    #[must_use]
    pub fn links(&self) -> Links {
        Links { auth: Arc::clone(&self.auth), console: self.console.clone() }
    }

    /// Answers requests until SIGTERM, SIGINT, `stop` or a hand-over, then lets connections finish. Engines
    /// and holders continue.
    ///
    /// # Errors
    /// [`ServeError::Signals`].
    pub async fn until_told(self, stop: CancellationToken) -> Result<Ended, ServeError> {
        let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Signals)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::Signals)?;
        let Self { runner, stay, front, tcp, unix, socket, auth, console } = self;
        let app = App::new(runner, auth, &console, stay, front, stop.clone());
        let handed_over = app.handed_over.clone();
        let told = async {
            let ended = tokio::select! {
                _ = terminate.recv() => {
                    tracing::info!("SIGTERM");
                    Ended::Told
                }
                _ = interrupt.recv() => {
                    tracing::info!("SIGINT");
                    Ended::Told
                }
                () = stop.cancelled() => Ended::Told,
                () = handed_over.cancelled() => Ended::HandedOver,
            };
            stop.cancel();
            // Nobody new can find it. It may be gone already.
            let _ = fs::remove_file(&socket);
            ended
        };
        let (ended, (), ()) = tokio::join!(
            told,
            listen::tcp(tcp, routes::guarded(app.clone()), stop.clone()),
            listen::unix(unix, &socket, routes::trusted(app), stop.clone()),
        );
        Ok(ended)
    }
}

/// The console's listener. A port that was chosen automatically is kept if it is available, so that tabs,
/// cookies and drafts survive; a configured one is used or refused.
async fn listen_console(runner: &Runner, wanted: Option<u16>) -> Result<TcpListener, ServeError> {
    let on = async |port| {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        bound.map_err(|source| ServeError::Port { port, source })
    };
    if let Some(port) = wanted.filter(|port| *port != 0) {
        return on(port).await;
    }
    let kept = runner.value(PORT).map_err(ServeError::Store)?.and_then(|text| text.parse().ok());
    if let Some(port) = kept {
        match on(port).await {
            Ok(listener) => return Ok(listener),
            Err(error) => tracing::warn!("{error}; another port is chosen, and browsers must log in anew"),
        }
    }
    let listener = on(0).await?;
    let port = listener.local_addr().map_err(|source| ServeError::Port { port: 0, source })?.port();
    runner.set_value(PORT, &port.to_string()).map_err(ServeError::Store)?;
    Ok(listener)
}

/// The CLI's socket. An existing one belongs to a dead runner, since this one has the lock.
pub(crate) fn listen_cli(path: &Path) -> io::Result<UnixListener> {
    if let Some(folder) = path.parent() {
        create_private_dir(folder).map_err(io::Error::other)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(path)?;
    // Its folder lets nobody else in, and every peer is checked; this is a third protection.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
