//! Connects the user's terminal, in raw mode, with the runner's WebSocket.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use futures_util::{SinkExt, StreamExt};
use repose_console::wire::{FromClient, FromServer};
use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::Left;
use super::keys::Detach;
use super::raw::{self, Raw};
use crate::client::{Client, NoAnswer, of_repo};
use crate::failure::Failure;

/// How many reads of keys may wait to be sent. Beyond that the terminal keeps the rest.
const KEYS_WAITING: usize = 16;

/// The bytes of one read of keys: a long paste takes many.
const KEYS_READ: usize = 16 * 1024;

/// The user's terminal.
pub(super) struct Terminal {
    keys: mpsc::Receiver<Vec<u8>>,
    screen: Screen,
    attachment: u64,
    resized: Signal,
    ends: mpsc::Receiver<()>,
    detach: Detach,
    _raw: Raw,
}

impl Terminal {
    /// Takes over the terminal until dropped.
    pub(super) fn begin() -> Result<Self, Failure> {
        raw::make_room(raw::size().1)?;
        let resized = signal(SignalKind::window_change())?;
        let ends = ends()?;
        let raw = Raw::enter()?;
        let (keys, screen) = (keys(), Screen::begin());
        Ok(Self { keys, screen, attachment: 0, resized, ends, detach: Detach::default(), _raw: raw })
    }

    /// Attaches to a repo until one side leaves.
    pub(super) async fn attach(&mut self, id: &str, client: &Client) -> Result<Left, NoAnswer> {
        let (cols, rows) = raw::size();
        let path = of_repo(id, &format!("terminal?cols={cols}&rows={rows}"));
        let upgraded = async {
            let stream = client.connect().await?;
            let upgraded = tokio_tungstenite::client_async(format!("ws://localhost{path}"), stream).await;
            upgraded.map_err(|error| {
                if let Error::Http(answer) = error {
                    NoAnswer::Strange(answer.status().to_string())
                } else {
                    NoAnswer::Broken
                }
            })
        };
        let (mut socket, _) = client.heard(upgraded).await?;
        self.attachment += 1;
        let mut written: u64 = 0;
        loop {
            let send = tokio::select! {
                biased;
                end = self.ends.recv() => {
                    let _ = end;
                    return Ok(self.leave(socket, Left::Told).await);
                }
                keys = self.keys.recv() => {
                    // The terminal is gone.
                    let Some(keys) = keys else { return Ok(self.leave(socket, Left::Told).await) };
                    let input = self.detach.feed(&keys);
                    if input.detach {
                        let _ = socket.send(message(&FromClient::Input(input.pass))).await;
                        return Ok(self.leave(socket, Left::Detached).await);
                    }
                    if input.pass.is_empty() {
                        continue;
                    }
                    FromClient::Input(input.pass)
                }
                _ = self.resized.recv() => {
                    let (cols, rows) = raw::size();
                    FromClient::Resize { cols, rows }
                }
                Some((attachment, bytes)) = self.screen.written.recv() => {
                    if attachment != self.attachment {
                        continue;
                    }
                    written += bytes as u64;
                    FromClient::Ack(written)
                }
                news = socket.next() => {
                    match shows(news) {
                        Ok(Some(bytes)) => self.screen.write(self.attachment, bytes),
                        Ok(None) => {}
                        Err(left) => return Ok(left),
                    }
                    continue;
                }
            };
            if socket.send(message(&send)).await.is_err() {
                return Ok(Left::RunnerGone);
            }
        }
    }

    /// Closes the WebSocket. If nobody reads the message, the closed connection has the same effect.
    async fn leave(&self, mut socket: WebSocketStream<UnixStream>, left: Left) -> Left {
        let _ = socket.close(None).await;
        left
    }
}

fn message(message: &FromClient<Vec<u8>>) -> Message {
    Message::binary(message.encode())
}

/// Bytes for the screen, or the end.
fn shows(news: Option<Result<Message, Error>>) -> Result<Option<Vec<u8>>, Left> {
    let Some(Ok(message)) = news else { return Err(Left::RunnerGone) };
    if !message.is_binary() {
        return Ok(None);
    }
    match FromServer::decode(&message.into_data()) {
        Ok(FromServer::Snapshot(bytes) | FromServer::Output(bytes)) => Ok(Some(bytes.to_vec())),
        Ok(FromServer::Ended(why)) => Err(Left::Over(why)),
        Err(_) => Ok(None),
    }
}

/// Reads what the user types in a separate thread, since a terminal can't be read without blocking.
fn keys() -> mpsc::Receiver<Vec<u8>> {
    let (send, keys) = mpsc::channel(KEYS_WAITING);
    thread::spawn(move || {
        let mut buffer = vec![0; KEYS_READ];
        let mut stdin = io::stdin().lock();
        loop {
            match stdin.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => {
                    if send.blocking_send(buffer[..length].to_vec()).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    });
    keys
}

/// Writes to the terminal in a separate thread and reports what is written: a slow terminal must not delay
/// keys. What waits is bounded by the holder, which sends only so much ahead of these reports.
struct Screen {
    bytes: Option<std::sync::mpsc::Sender<(u64, Vec<u8>)>>,
    written: mpsc::UnboundedReceiver<(u64, usize)>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Screen {
    fn begin() -> Self {
        let (bytes, receive) = std::sync::mpsc::channel::<(u64, Vec<u8>)>();
        let (tell, written) = mpsc::unbounded_channel();
        let over = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let over = Arc::clone(&over);
            move || {
                let mut stdout = io::stdout();
                for (attachment, bytes) in receive {
                    let done = over.load(Ordering::Relaxed)
                        || stdout.write_all(&bytes).and_then(|()| stdout.flush()).is_err()
                        || tell.send((attachment, bytes.len())).is_err();
                    if done {
                        return;
                    }
                }
            }
        });
        Self { bytes: Some(bytes), written, over, thread: Some(thread) }
    }

    fn write(&self, attachment: u64, bytes: Vec<u8>) {
        if let Some(to) = &self.bytes {
            // It ended with the terminal; the end of the keys reports that too.
            let _ = to.send((attachment, bytes));
        }
    }
}

/// Nothing is written after this.
impl Drop for Screen {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.bytes = None;
        // A thread that panicked has ended too.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Signals that end a program. The terminal must be restored before that.
fn ends() -> io::Result<mpsc::Receiver<()>> {
    let (send, ends) = mpsc::channel(1);
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt(), SignalKind::quit()] {
        let mut signal = signal(kind)?;
        let send = send.clone();
        tokio::spawn(async move {
            signal.recv().await;
            // Another one came first.
            let _ = send.send(()).await;
        });
    }
    Ok(ends)
}
