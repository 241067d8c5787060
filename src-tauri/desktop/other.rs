//! Another running Repose, reached through its socket.

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

/// How long its answer may take: an app handles a request between two others. After that the request counts
/// as unheard.
const ANSWERS_WITHIN: Duration = Duration::from_secs(3);

/// A client of the other Repose.
#[derive(Debug)]
pub(crate) struct Other {
    socket: PathBuf,
}

/// What it does when it hears of another start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It is an app and shows its window.
    Shows,
    /// It ends now, so that this start can take its place.
    MakesRoom,
    /// It was started to stay, or is an app that wasn't asked for its window.
    Stays,
}

type Failed = Box<dyn std::error::Error>;

impl Other {
    /// The Repose at this socket.
    pub(crate) fn at(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// Reports that another one starts, either `hidden` or wanting the window.
    ///
    /// # Errors
    /// If it doesn't answer because it is starting, ending, or stuck.
    pub(crate) async fn hears_of_a_start(&self, hidden: bool) -> Result<Answer, Failed> {
        if !hidden {
            match self.post("/api/show").await? {
                (StatusCode::ACCEPTED, _) => return Ok(Answer::Shows),
                (StatusCode::NOT_FOUND, _) => {} // it has no window
                (status, _) => return Err(unexpected(status)),
            }
        }
        match self.post("/api/hand-over").await? {
            (StatusCode::ACCEPTED, _) => Ok(Answer::MakesRoom),
            (StatusCode::CONFLICT, _) => Ok(Answer::Stays),
            (status, _) => Err(unexpected(status)),
        }
    }

    /// A one-time link to its console, for a browser.
    ///
    /// # Errors
    /// If it doesn't answer.
    pub(crate) async fn link(&self) -> Result<String, Failed> {
        self.link_at("/api/link").await
    }

    /// A one-time link to its console, for a window. Its login isn't kept, and ends that of the previous
    /// window.
    ///
    /// # Errors
    /// If it doesn't answer.
    pub(crate) async fn window_link(&self) -> Result<String, Failed> {
        self.link_at("/api/window-link").await
    }

    async fn link_at(&self, path: &str) -> Result<String, Failed> {
        let (_, body) = self.post(path).await?;
        Ok(serde_json::from_slice::<wire::Link>(&body)?.link)
    }

    async fn post(&self, path: &str) -> Result<(StatusCode, Bytes), Failed> {
        match tokio::time::timeout(ANSWERS_WITHIN, self.exchange(path)).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {} s", ANSWERS_WITHIN.as_secs()).into()),
        }
    }

    async fn exchange(&self, path: &str) -> Result<(StatusCode, Bytes), Failed> {
        let stream = UnixStream::connect(&self.socket).await?;
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

fn unexpected(status: StatusCode) -> Failed {
    format!("it answered {status}").into()
}
