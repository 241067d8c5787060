//! The connection to the runner: HTTP over its socket.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

/// How long to wait for an answer before looking whether the runner answers at all. Most answers take
/// milliseconds; that to an ask takes as long as its turn.
const LOOKS_AFTER: Duration = Duration::from_secs(5);

/// How long a runner may take to say that it is there: one that writes to a slow disk may take seconds.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// How many of such looks in a row a runner must leave unanswered. One may be over at once, if this process was stopped
/// itself meanwhile.
const LOOKS: u32 = 2;

/// How long to wait for a runner that went away.
pub(crate) const RUNNER_COMES_BACK: Duration = Duration::from_secs(10);

/// How often to look for it.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// A client of the runner at a socket.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    socket: PathBuf,
    looks_after: Duration,
}

/// Why a request has no usable answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// Nobody listens.
    NotRunning,
    /// The connection broke before the answer was complete.
    Broken,
    /// The process with this id, if known, is there and doesn't answer anything.
    Silent(Option<i32>),
    /// The answer is a trouble, with its whole JSON.
    Refused(Box<wire::Trouble>, Value),
    /// This version doesn't understand the answer.
    Strange(String),
}

impl Client {
    /// A client of the runner at this socket. Sends nothing yet.
    pub(crate) fn new(socket: PathBuf) -> Self {
        Self { socket, looks_after: LOOKS_AFTER }
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
        let stream = self.connect().await?;
        self.heard(exchange(stream, method, path, body)).await
    }

    /// What the runner answers, however long that takes; an error once it answers nothing at all any more.
    pub(crate) async fn heard<T>(
        &self,
        answer: impl Future<Output = Result<T, NoAnswer>>,
    ) -> Result<T, NoAnswer> {
        tokio::select! {
            answer = answer => answer,
            pid = self.silence() => Err(NoAnswer::Silent(pid)),
        }
    }

    /// Returns once the runner doesn't even say that it is there, with its process id if that is known.
    async fn silence(&self) -> Option<i32> {
        let mut unanswered = 0;
        loop {
            if unanswered == 0 {
                tokio::time::sleep(self.looks_after).await;
            }
            // Whoever waits notices on its own that the runner ends.
            let Ok(stream) = self.connect().await else {
                unanswered = 0;
                continue;
            };
            let pid = stream.peer_cred().ok().and_then(|peer| peer.pid());
            let look = exchange(stream, Method::GET, "/api/status", None);
            match tokio::time::timeout(ANSWERS_WITHIN, look).await {
                Ok(_) => unanswered = 0,
                Err(_) => unanswered += 1,
            }
            if unanswered == LOOKS {
                return pid;
            }
        }
    }
}

/// Sends one request over this connection, and returns the answer.
async fn exchange(
    stream: UnixStream,
    method: Method,
    path: &str,
    body: Option<Vec<u8>>,
) -> Result<Value, NoAnswer> {
    let broken = |_: hyper::Error| NoAnswer::Broken;
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

/// A runner that went away, which may be replaced: an update, a hand-over, a start after a crash.
#[derive(Debug, Default)]
pub(crate) struct Away {
    since: Option<Instant>,
}

impl Away {
    /// Waits a moment before the next request.
    ///
    /// # Errors
    /// The error itself, if the runner has been away for [`RUNNER_COMES_BACK`], or isn't away.
    pub(crate) async fn wait(&mut self, error: NoAnswer) -> Result<(), NoAnswer> {
        match error {
            NoAnswer::NotRunning => {}
            NoAnswer::Broken => self.since = None, // it was there
            NoAnswer::Silent(_) | NoAnswer::Refused(..) | NoAnswer::Strange(_) => return Err(error),
        }
        if self.since.get_or_insert_with(Instant::now).elapsed() >= RUNNER_COMES_BACK {
            return Err(error);
        }
        tokio::time::sleep(LOOK).await;
        Ok(())
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
            NoAnswer::Silent(pid) => silent(pid).into(),
            NoAnswer::Refused(trouble, whole) => Self::Told(trouble, whole),
            NoAnswer::Strange(what) => Self::strange(what),
        }
    }
}

/// A runner, with this process id, that is there and answers nothing.
pub(crate) fn silent(pid: Option<i32>) -> Trouble {
    let named = pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
    let pid = pid.map_or_else(|| "PID".to_owned(), |pid| pid.to_string());
    let span = (LOOKS_AFTER + ANSWERS_WITHIN * LOOKS).as_secs();
    Trouble::new(
        Code::RunnerSilent,
        format!(
            "Repose{named} has given no answer for {span} s: it is stopped, or hangs. Agents go on, and what it was \
             told to do may still be done."
        ),
        [
            format!("If it was stopped, let it go on: `kill -CONT {pid}`."),
            format!("Or end it, and start it again: `kill -KILL {pid}`, then `repose serve` or the app."),
        ],
    )
}

/// Whether nobody answers at the socket.
pub(crate) fn not_running() -> Trouble {
    Trouble::new(
        Code::RunnerNotRunning,
        "Repose isn't running, so nothing was done.",
        ["Start it: `repose serve`, or the app."],
    )
}

/// Whether what a repo is called by is a path, rather than a name or an id.
pub(crate) fn looks_like_a_path(reference: &str) -> bool {
    reference.contains('/') || reference == "." || reference == ".."
}

/// The path of a repo's resource: `/api/repos/REPO/what`. A reference that looks like a path is made
/// absolute, since the runner has another working folder.
pub(crate) fn of_repo(reference: &str, what: &str) -> String {
    let whole =
        if looks_like_a_path(reference) { from_root(Path::new(reference)) } else { reference.to_owned() };
    let slash = if what.is_empty() || what.starts_with('?') { "" } else { "/" };
    format!("/api/repos/{}{slash}{what}", encoded(&whole))
}

/// The absolute path, with symbolic links and `..` resolved as far as it exists.
pub(crate) fn from_root(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = whole.ancestors().find_map(|above| {
        let rest = whole.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest).components().collect::<PathBuf>())
    });
    real.unwrap_or(whole).to_string_lossy().into_owned()
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

#[cfg(test)]
mod tests;
