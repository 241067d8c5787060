//! The Repose that runs already, by its socket.

use std::path::PathBuf;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use repose_console::wire;
use tokio::net::UnixStream;

/// One that is starting answers within this: it waits 2 s for its holders at most. After it the start fails, with the
/// reason.
const STARTS_WITHIN: Duration = Duration::from_secs(5);

/// How often it is tried meanwhile.
const TRY_EVERY: Duration = Duration::from_millis(50);

/// It.
#[derive(Debug)]
pub(crate) struct Other {
    socket: PathBuf,
}

/// What it does when asked for its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Yields {
    /// It ends now.
    MadeRoom,
    /// It was started to stay, or is an app itself.
    Stays,
}

type Failed = Box<dyn std::error::Error>;

impl Other {
    /// The one whose socket this is.
    pub(crate) fn at(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// Asks for its window. Whether it has one.
    pub(crate) async fn show(&self) -> Result<bool, Failed> {
        Ok(self.post("/api/show").await?.0 == StatusCode::ACCEPTED)
    }

    /// Asks for its place.
    pub(crate) async fn hand_over(&self) -> Result<Yields, Failed> {
        match self.post("/api/hand-over").await? {
            (StatusCode::ACCEPTED, _) => Ok(Yields::MadeRoom),
            (StatusCode::CONFLICT, _) => Ok(Yields::Stays),
            (status, _) => Err(format!("the Repose that runs already answered {status}").into()),
        }
    }

    /// A one-time link to its console.
    pub(crate) async fn link(&self) -> Result<String, Failed> {
        let (_, body) = self.post("/api/link").await?;
        Ok(serde_json::from_slice::<wire::Link>(&body)?.link)
    }

    /// It has the lock a moment before it has the socket.
    async fn connect(&self) -> std::io::Result<UnixStream> {
        let tried = async {
            while UnixStream::connect(&self.socket).await.is_err() {
                tokio::time::sleep(TRY_EVERY).await;
            }
        };
        let _ = tokio::time::timeout(STARTS_WITHIN, tried).await;
        UnixStream::connect(&self.socket).await
    }

    async fn post(&self, path: &str) -> Result<(StatusCode, Bytes), Failed> {
        let stream = self.connect().await.map_err(|error| {
            format!("a Repose runs already and doesn't answer ({error}); `repose doctor` says more")
        })?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let request = Request::post(path).header(HOST, "localhost").header(CONTENT_TYPE, "application/json");
        let answer = sender.send_request(request.body(Full::new(Bytes::from("{}")))?).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        connection.abort();
        Ok((status, body))
    }
}
