//! The smallest client of the console's HTTP API: one request a connection, so that a test can send any header.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// How long an answer may take: an ensure opens a real engine.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer of the API.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// The head, as it was sent.
    pub(crate) head: String,
    /// The body; null if it is no JSON.
    pub(crate) json: Value,
}

impl Answer {
    /// A header's first value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// Sends `METHOD path` to `origin` (`http://127.0.0.1:PORT`). `Host` is the origin's unless given.
pub(crate) fn send(origin: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let address = origin.strip_prefix("http://").expect("an http address");
    let mut stream = TcpStream::connect(address).expect("the console listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    stream.write_all(request.as_bytes()).expect("the console reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the console answers");
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Answer {
        status: status.unwrap_or_else(|| panic!("no HTTP answer: {answer}")),
        head: head.to_owned(),
        json: serde_json::from_str(body).unwrap_or_default(),
    }
}
