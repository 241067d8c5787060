//! The connection to the runner: HTTP over its socket.

use std::path::{Path, PathBuf};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use repose_console::wire;
use repose_core::trouble::{Code, Trouble};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::UnixStream;

use crate::failure::Failure;

/// A client of the runner at a socket.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    socket: PathBuf,
}

/// Why a request has no usable answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// Nobody listens.
    NotRunning,
    /// The connection broke before the answer was complete.
    Broken,
    /// The answer is a trouble, with its whole JSON.
    Refused(Box<wire::Trouble>, Value),
    /// This version doesn't understand the answer.
    Strange(String),
}

impl Client {
    /// A client of the runner at this socket. Sends nothing yet.
    pub(crate) fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// Opens a connection to the runner.
    pub(crate) async fn connect(&self) -> Result<UnixStream, NoAnswer> {
        UnixStream::connect(&self.socket).await.map_err(|_| NoAnswer::NotRunning)
    }

    /// Sends a GET request.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, NoAnswer> {
        self.send(Method::GET, path, None).await
    }

    /// Sends a POST request.
    pub(crate) async fn post(&self, path: &str, body: &impl Serialize) -> Result<Value, NoAnswer> {
        let body = serde_json::to_vec(body).map_err(|error| NoAnswer::Strange(error.to_string()))?;
        self.send(Method::POST, path, Some(body)).await
    }

    /// Sends a DELETE request.
    pub(crate) async fn delete(&self, path: &str) -> Result<Value, NoAnswer> {
        self.send(Method::DELETE, path, None).await
    }

    async fn send(&self, method: Method, path: &str, body: Option<Vec<u8>>) -> Result<Value, NoAnswer> {
        let broken = |_: hyper::Error| NoAnswer::Broken;
        let stream = self.connect().await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let connection = tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header(HOST, "localhost");
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let request = request
            .body(Full::new(Bytes::from(body.unwrap_or_default())))
            .map_err(|error| NoAnswer::Strange(error.to_string()))?;
        let answer = sender.send_request(request).await.map_err(broken)?;
        let status = answer.status();
        let body = answer.into_body().collect().await.map_err(broken)?.to_bytes();
        connection.abort();
        let value: Value =
            serde_json::from_slice(&body).map_err(|error| NoAnswer::Strange(format!("{status}, {error}")))?;
        if status.is_success() {
            return Ok(value);
        }
        match serde_json::from_value::<wire::Failure>(value.clone()) {
            Ok(failure) => Err(NoAnswer::Refused(Box::new(failure.error), value)),
            Err(error) => Err(NoAnswer::Strange(format!("{status}, {error}"))),
        }
    }
}

impl From<NoAnswer> for Failure {
    fn from(none: NoAnswer) -> Self {
        match none {
            NoAnswer::NotRunning => not_running().into(),
            NoAnswer::Broken => Self::new(
                Code::RunnerNotRunning,
                "Repose ended before it answered. Agents go on without it; whether this was done, `repose status` \
                 will say.",
                ["Start it again: `repose serve`."],
            ),
            NoAnswer::Refused(trouble, whole) => Self::Told(trouble, whole),
            NoAnswer::Strange(what) => Self::strange(what),
        }
    }
}

/// Whether nobody answers at the socket.
pub(crate) fn not_running() -> Trouble {
    Trouble::new(
        Code::RunnerNotRunning,
        "Repose isn't running, so nothing was done.",
        ["Start it: `repose serve`, or the app."],
    )
}

/// The path of a repo's resource: `/api/repos/REPO/what`. A reference that looks like a path is made
/// absolute, since the runner has another working folder.
pub(crate) fn of_repo(reference: &str, what: &str) -> String {
    let looks_like_a_path = reference.contains('/') || reference == "." || reference == "..";
    let whole = if looks_like_a_path { from_root(Path::new(reference)) } else { reference.to_owned() };
    let slash = if what.is_empty() || what.starts_with('?') { "" } else { "/" };
    format!("/api/repos/{}{slash}{what}", encoded(&whole))
}

/// The absolute path, with symbolic links resolved if it exists.
pub(crate) fn from_root(path: &Path) -> String {
    let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
    whole.unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// A text, encoded as one part of a path or a query.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => encoded.push(char::from(byte)),
            // The dot too, since `.` and `..` have a meaning in a path.
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
        encoded
    })
}

/// Parses an answer as the expected type.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(Failure::strange)
}
