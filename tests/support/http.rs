//! A minimal client of the console's HTTP API: one request per connection, so that a test can send any
//! header.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::World;

/// How long an answer may take: an ensure opens a real engine.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer of the API.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// The headers, as they were sent.
    pub(crate) head: String,
    /// The body; null if it isn't JSON.
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

/// The console of a world, as a program that has its token.
pub(crate) struct Console {
    origin: String,
    token: String,
}

impl Console {
    /// The console of the runner that serves now.
    pub(crate) fn of(world: &World) -> Self {
        let status = world.ok(&["status"]);
        let origin =
            status["runner"]["console"].as_str().expect("an address").trim_end_matches('/').to_owned();
        let token = std::fs::read_to_string(world.state().join("token")).expect("a token");
        Self { origin, token: format!("Bearer {token}") }
    }

    /// Sends a GET request.
    pub(crate) fn get(&self, path: &str) -> Answer {
        send(&self.origin, "GET", path, &[("Authorization", &self.token)])
    }

    /// Sends a POST request.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_bytes(path, "application/json", body.to_string().as_bytes())
    }

    /// Sends bytes with this content type.
    pub(crate) fn post_bytes(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        let headers =
            [("Authorization", self.token.as_str()), ("Origin", &self.origin), ("Content-Type", kind)];
        send_body(&self.origin, "POST", path, &headers, body)
    }

    /// Opens the events stream.
    pub(crate) fn events(&self) -> Events {
        let address = self.origin.strip_prefix("http://").expect("an http address");
        let mut stream = TcpStream::connect(address).expect("the console listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let head =
            format!("GET /api/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: {}\r\n\r\n", self.token);
        stream.write_all(head.as_bytes()).expect("the console reads");
        let mut events = Events { stream, seen: String::new() };
        events.wait_for(|line| line.starts_with("event: snapshot"));
        events
    }
}

/// The events stream.
pub(crate) struct Events {
    stream: TcpStream,
    /// What was read and not returned yet.
    seen: String,
}

impl Events {
    /// Waits for a line that matches, skipping the lines before it.
    pub(crate) fn wait_for(&mut self, fits: impl Fn(&str) -> bool) -> String {
        let mut buffer = [0; 64 * 1024];
        loop {
            while let Some((line, rest)) = self.seen.split_once('\n') {
                let (line, rest) = (line.trim_end().to_owned(), rest.to_owned());
                self.seen = rest;
                if fits(&line) {
                    return line;
                }
            }
            let length = self.stream.read(&mut buffer).expect("an event that fits");
            assert!(length > 0, "the stream ended");
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
    }
}

/// Sends `METHOD path` to the command line's socket.
pub(crate) fn send_local(socket: &Path, method: &str, path: &str) -> Answer {
    let mut stream = UnixStream::connect(socket).expect("Repose listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    answer(stream)
}

/// Sends `METHOD path` to `origin` (`http://127.0.0.1:PORT`). `Host` is the origin's unless given.
pub(crate) fn send(origin: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    send_body(origin, method, path, headers, b"")
}

fn send_body(origin: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let address = origin.strip_prefix("http://").expect("an http address");
    let mut stream = TcpStream::connect(address).expect("the console listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let length = body.len();
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    // A server that has read enough may close the connection first.
    let _unread = stream.write_all(&[request.as_bytes(), body].concat());
    answer(stream)
}

fn answer(mut stream: impl Read) -> Answer {
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
