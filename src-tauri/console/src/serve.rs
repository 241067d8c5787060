//! Both doors: the CLI's socket and the console over loopback.

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

/// The name under which the runner keeps the console's port.
const PORT: &str = "console.port";

/// The token's file, in the state folder.
pub const TOKEN: &str = "token";

/// The file of the browsers that are logged in, beside it.
const LOGINS: &str = "logins";

/// How to serve.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where the console listens. `None`: where it did last time; at first, wherever there is room.
    pub port: Option<u16>,
    /// Another program that wants to be the runner here is refused; else this one makes room for it.
    pub stay: bool,
    /// Where to ask for a window, in a program that has one.
    pub front: Option<Front>,
}

/// Why nothing is served. The runner is left running.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The console's port is taken.
    #[error("port {port} of 127.0.0.1 can't be had ({source}), so the console was not started")]
    Port {
        /// Which.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The CLI's socket can't be made.
    #[error("the socket {} can't be made: {source}", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something that must be kept private can't be.
    #[error(transparent)]
    Private(#[from] PrivateError),
    /// The store has no port to give, or doesn't take one.
    #[error("{}", .0.sentence)]
    Store(Trouble),
    /// Signals can't be listened for.
    #[error("signals can't be listened for: {0}")]
    Signals(io::Error),
}

/// Both doors, open from [`open`] on; nobody is answered before [`Served::until_told`].
#[derive(Debug)]
pub struct Served {
    runner: Runner,
    stay: bool,
    front: Option<Front>,
    tcp: TcpListener,
    unix: UnixListener,
    socket: PathBuf,
    auth: Arc<Auth>,
    /// Where the console is: `http://127.0.0.1:PORT`.
    pub console: String,
}

/// Makes one-time links, for a program that shows the console itself.
#[derive(Debug, Clone)]
pub struct Links {
    auth: Arc<Auth>,
    console: String,
}

impl Links {
    /// A link for the program's own window. Its login isn't kept, and ends the one of the window before.
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

/// Opens the doors. Call it once the runner has adopted what it found: whoever connects takes its word.
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
    /// What makes links to this console.
    #[must_use]
    pub fn links(&self) -> Links {
        Links { auth: Arc::clone(&self.auth), console: self.console.clone() }
    }

    /// Answers until SIGTERM, SIGINT or `stop`, then sees off who is connected. Engines and holders go on.
    ///
    /// # Errors
    /// [`ServeError::Signals`].
    pub async fn until_told(self, stop: CancellationToken) -> Result<(), ServeError> {
        let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::Signals)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::Signals)?;
        let Self { runner, stay, front, tcp, unix, socket, auth, console } = self;
        let app = App::new(runner, auth, &console, stay, front, stop.clone());
        let told = async {
            tokio::select! {
                _ = terminate.recv() => tracing::info!("SIGTERM"),
                _ = interrupt.recv() => tracing::info!("SIGINT"),
                () = stop.cancelled() => {}
            }
            stop.cancel();
            // Nobody new finds it. One that is gone already needs no removing.
            let _ = fs::remove_file(&socket);
        };
        tokio::join!(
            told,
            listen::tcp(tcp, routes::guarded(app.clone()), stop.clone()),
            listen::unix(unix, &socket, routes::trusted(app), stop.clone()),
        );
        Ok(())
    }
}

/// The console's listener. A port that was chosen for somebody is kept if it can be had, so that tabs,
/// cookies and drafts survive; one that was asked for is had, or refused.
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

/// The CLI's socket. Whatever lies there is a dead runner's: this one has the lock.
pub(crate) fn listen_cli(path: &Path) -> io::Result<UnixListener> {
    if let Some(folder) = path.parent() {
        create_private_dir(folder).map_err(io::Error::other)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(path)?;
    // Its folder lets nobody else in, and every peer is checked; this is the third lock.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
