//! The connected clients, and what is sent to them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::wire::carry::Carry;
use crate::wire::frame::{
    self, ACK, ASK, ATTACH, DECIDE, ERROR, FRAME_MAX, Frame, Frames, HOOK, INPUT, OUTPUT, PRINT, PUSH, REPLY,
    REPORT, RESIZE, SNAPSHOT,
};
use crate::wire::{Answer, Attach, Op, Push, Refusal, Reply, Size};

/// The most simultaneous connections: a runner, its terminals, hooks. Further ones are refused.
const CONNECTIONS_MAX: usize = 256;

/// The most bytes to queue for a client that gives orders. A client that doesn't read is disconnected, and
/// catches up from the journal.
const QUEUED_MAX: usize = 24 * 1024 * 1024;

/// The most bytes that a terminal may be behind. Beyond it, it gets nothing until it has caught up, and then
/// the screen. A terminal on this machine takes 50 MB/s. What it misses is missing from its own scrollback
/// for good.
const BEHIND_MAX: u64 = 1024 * 1024;

/// The most bytes that a client may be behind that gets its scrollback from here, and later in full. A page
/// draws a few MB/s, and whoever types during a flood has to wait until everything sent before the echo has
/// been drawn.
const PAGE_BEHIND_MAX: u64 = 256 * 1024;

/// How long a terminal that missed output has to keep up before it gets its scrollback. It gets the screen
/// first, since a page takes 200 ms to draw 10,000 lines and nobody should wait for them; and during a flood
/// a megabyte of scrollback would be out of date before it is drawn.
const KEEPS_UP_FOR: Duration = Duration::from_secs(1);

/// The pause between two attempts to accept a connection while that fails.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The number of a connection.
pub(super) type ClientId = u64;

/// What arrives over a connection.
#[derive(Debug)]
pub(super) enum FromClient {
    /// The hello of a client that gives orders.
    Orders(Outgoing),
    /// The hello of a terminal.
    Terminal(Attach, Outgoing),
    /// An order.
    Ask(u64, Op),
    /// Bytes that somebody typed into a terminal.
    Input(Bytes),
    /// Bytes that a terminal sent on its own.
    Report(Bytes),
    /// A terminal's new size.
    Resize(Size),
    /// How many bytes a terminal has taken in so far.
    Ack(u64),
    /// A hook's event.
    Hook(Bytes),
    /// The event of a hook that waits to be told what to print.
    Decides(Bytes, Outgoing),
    /// The connection was closed.
    Gone,
}

/// The sending side of a connection.
#[derive(Debug)]
pub(super) struct Outgoing {
    queue: mpsc::UnboundedSender<Bytes>,
    queued: Arc<AtomicUsize>,
    writer: JoinHandle<()>,
}

/// All connected clients that have sent a hello.
#[derive(Debug, Default)]
pub(super) struct Clients {
    runners: HashMap<ClientId, Runner>,
    pub(super) terminals: HashMap<ClientId, Terminal>,
}

#[derive(Debug)]
struct Runner {
    out: Outgoing,
    /// Whether the client was greeted and receives news.
    greeted: bool,
}

/// An attached terminal.
#[derive(Debug)]
pub(super) struct Terminal {
    out: Outgoing,
    pub(super) size: Size,
    scrollback: bool,
    sent: u64,
    acked: u64,
    seen: Seen,
}

/// How much of the screen and scrollback a terminal has been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    All,
    /// Everything but the scrollback. It gets that once it has taken in the rest, but not before this moment.
    Screen(Instant),
    /// It has missed output, since this moment.
    Less(Instant),
}

impl Outgoing {
    /// Tells a hook what to print, and closes the connection.
    pub(super) fn print(self, words: &[u8]) {
        // A hook that is gone prints nothing.
        self.send(frame::bytes(PRINT, words));
    }

    fn send(&self, bytes: Bytes) -> bool {
        let queued = self.queued.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        queued <= QUEUED_MAX && self.queue.send(bytes).is_ok()
    }
}

impl Clients {
    pub(super) fn add_runner(&mut self, id: ClientId, out: Outgoing) {
        self.runners.insert(id, Runner { out, greeted: false });
    }

    pub(super) fn greeted(&mut self, id: ClientId) {
        if let Some(runner) = self.runners.get_mut(&id) {
            runner.greeted = true;
        }
    }

    pub(super) fn any_runner(&self) -> bool {
        self.runners.values().any(|runner| runner.greeted)
    }

    pub(super) fn gone(&mut self, id: ClientId) {
        self.runners.remove(&id);
        self.terminals.remove(&id);
    }

    pub(super) fn answer(&mut self, id: ClientId, asked: u64, answer: Result<Answer, Refusal>) {
        let (ok, error): (Option<Value>, _) = match answer {
            Ok(answer) => (Some(answer.json()), None),
            Err(refusal) => (None, Some(refusal)),
        };
        let Some(runner) = self.runners.get(&id) else { return };
        if !runner.out.send(frame::json(REPLY, &Reply { id: asked, ok, error })) {
            self.runners.remove(&id);
        }
    }

    pub(super) fn push(&mut self, push: &Push) {
        if !self.any_runner() {
            return;
        }
        let bytes = frame::json(PUSH, &push.out());
        self.runners.retain(|_, runner| !runner.greeted || runner.out.send(bytes.clone()));
    }

    /// Attaches a terminal and sends it the screen. If it wants a scrollback, that comes with the screen or
    /// `later`.
    pub(super) fn add_terminal(
        &mut self,
        id: ClientId,
        attach: Attach,
        out: Outgoing,
        snapshot: &[u8],
        later: bool,
    ) {
        let Attach { cols, rows, scrollback } = attach;
        let seen = if later { Seen::Screen(Instant::now()) } else { Seen::All };
        let mut terminal = Terminal { out, size: Size { cols, rows }, scrollback, sent: 0, acked: 0, seen };
        terminal.show(SNAPSHOT, snapshot);
        self.terminals.insert(id, terminal);
    }

    /// Sends output to every terminal that keeps up.
    pub(super) fn show(&mut self, output: &[u8]) {
        for terminal in self.terminals.values_mut() {
            let keeps_up = terminal.behind() + output.len() as u64 <= terminal.behind_max();
            match terminal.seen {
                Seen::All | Seen::Screen(_) if keeps_up => terminal.show(OUTPUT, output),
                Seen::All | Seen::Screen(_) | Seen::Less(_) => terminal.seen = Seen::Less(Instant::now()),
            }
        }
    }

    /// Takes in how many bytes a terminal has taken in.
    pub(super) fn acked(&mut self, id: ClientId, total: u64) {
        if let Some(terminal) = self.terminals.get_mut(&id) {
            terminal.acked = total.clamp(terminal.acked, terminal.sent);
        }
    }

    /// A terminal that missed something and has caught up: it is to get the screen, and the scrollback if
    /// `true`.
    pub(super) fn lacks(&self) -> Option<(ClientId, bool)> {
        self.terminals.iter().filter(|(_, terminal)| terminal.behind() == 0).find_map(|(id, terminal)| {
            match terminal.seen {
                Seen::Less(_) => Some((*id, false)),
                Seen::Screen(due) if due <= Instant::now() => Some((*id, true)),
                Seen::Screen(_) | Seen::All => None,
            }
        })
    }

    /// When a scrollback may be due.
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        let due = |terminal: &Terminal| match terminal.seen {
            Seen::Screen(due) if terminal.behind() == 0 => Some(due),
            Seen::Screen(_) | Seen::Less(_) | Seen::All => None,
        };
        self.terminals.values().filter_map(due).min()
    }

    /// Sends a terminal the screen, with its scrollback or without.
    pub(super) fn show_anew(&mut self, id: ClientId, snapshot: &[u8], scrollback: bool) {
        if let Some(terminal) = self.terminals.get_mut(&id) {
            terminal.seen = match terminal.seen {
                Seen::Less(since) if terminal.scrollback && !scrollback => Seen::Screen(since + KEEPS_UP_FOR),
                Seen::All | Seen::Screen(_) | Seen::Less(_) => Seen::All,
            };
            terminal.show(SNAPSHOT, snapshot);
        }
    }

    pub(super) fn close_terminals(&mut self) {
        self.terminals.clear();
    }

    /// Returns when everything has been handed to the connections.
    pub(super) async fn flush(self) {
        for Runner { out: Outgoing { queue, writer, .. }, .. } in self.runners.into_values() {
            drop(queue);
            // Only the connection itself can fail.
            let _ = writer.await;
        }
    }
}

impl Terminal {
    fn behind(&self) -> u64 {
        self.sent - self.acked
    }

    fn behind_max(&self) -> u64 {
        if self.scrollback { PAGE_BEHIND_MAX } else { BEHIND_MAX }
    }

    /// A snapshot that is too long for one frame continues as output.
    fn show(&mut self, mut kind: u8, bytes: &[u8]) {
        self.sent += bytes.len() as u64;
        for piece in bytes.chunks(FRAME_MAX) {
            // A closed one will be gone in a moment. What is queued for it is bounded by how far it may be
            // behind.
            let _ = self.out.queue.send(frame::bytes(kind, piece));
            kind = OUTPUT;
        }
    }
}

/// Accepts connections of this user only, for ever.
pub(super) async fn accept(
    mut listener: UnixListener,
    socket: PathBuf,
    tell: mpsc::Sender<(ClientId, FromClient)>,
) {
    let open = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    for id in 1.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = crate::folder::socket_removed(&socket) => {
                // The socket may have been deleted, for example by a cleaner of temporary folders. Clients
                // stay connected.
                if let Ok(anew) = super::make_folder(&socket).and_then(|()| super::listen(&socket)) {
                    listener = anew;
                }
                continue;
            }
        };
        let Ok((stream, _)) = accepted else {
            // Out of descriptors: some have to be closed first.
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&open).try_acquire_owned() else { continue };
        if matches!(repose_sys::peer::is_me(&stream), Ok(true)) {
            let tell = tell.clone();
            tokio::spawn(async move {
                connection(id, stream, &tell).await;
                // The main loop may have ended.
                let _ = tell.send((id, FromClient::Gone)).await;
                drop(place);
            });
        }
    }
}

/// Reads one connection until it closes; answers what can't be accepted.
async fn connection(id: ClientId, stream: UnixStream, tell: &mpsc::Sender<(ClientId, FromClient)>) {
    let (read, write) = stream.into_split();
    let mut frames = Frames::new(read);
    let mut write = Some(write);
    // For answers that are given here; a terminal gets none.
    let mut out: Option<mpsc::WeakUnboundedSender<Bytes>> = None;
    while let Ok(Some(frame)) = frames.next().await {
        if frame.kind != HOOK
            && let Some(write) = write.take()
        {
            let outgoing = outgoing(write);
            if frame.kind == DECIDE {
                if tell.send((id, FromClient::Decides(frame.body, outgoing))).await.is_err() {
                    return;
                }
                continue;
            }
            out = Some(outgoing.queue.downgrade());
            let begins = match frame.kind {
                ATTACH => match serde_json::from_slice(&frame.body) {
                    Ok(attach) => FromClient::Terminal(attach, outgoing),
                    Err(_) => return,
                },
                _ => FromClient::Orders(outgoing),
            };
            if tell.send((id, begins)).await.is_err() {
                return;
            }
            if frame.kind == ATTACH {
                continue;
            }
        }
        let what = match understood(frame) {
            Understood::This(what) => what,
            Understood::Not(answer) => {
                if let Some(out) = out.as_ref().and_then(mpsc::WeakUnboundedSender::upgrade) {
                    // The connection may be closed.
                    let _ = out.send(answer);
                }
                continue;
            }
            Understood::Garbage => return,
        };
        if tell.send((id, what)).await.is_err() {
            return;
        }
    }
}

enum Understood {
    This(FromClient),
    /// It can't be accepted; this is the answer.
    Not(Bytes),
    Garbage,
}

fn understood(frame: Frame) -> Understood {
    let Frame { kind, body } = frame;
    let what = match kind {
        ASK => return order(&body),
        INPUT => Some(FromClient::Input(body)),
        REPORT => Some(FromClient::Report(body)),
        RESIZE => serde_json::from_slice(&body).ok().map(FromClient::Resize),
        ACK => body.as_ref().try_into().ok().map(|total| FromClient::Ack(u64::from_le_bytes(total))),
        HOOK => Some(FromClient::Hook(body)),
        _ => {
            let message = format!("this holder knows no frame of the kind {kind:#04x}; it was passed over");
            return Understood::Not(frame::json(ERROR, &refusal("unknown_frame", message)));
        }
    };
    what.map_or(Understood::Garbage, Understood::This)
}

fn order(body: &[u8]) -> Understood {
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return Understood::Garbage };
    let Some(id) = value.get("id").and_then(Value::as_u64) else { return Understood::Garbage };
    match serde_json::from_value(value) {
        Ok(op) => Understood::This(FromClient::Ask(id, op)),
        Err(why) => {
            let error = refusal(
                "unknown_order",
                format!("this holder doesn't understand the order ({why}); nothing was done"),
            );
            Understood::Not(frame::json(REPLY, &Reply { id, ok: None, error: Some(error) }))
        }
    }
}

pub(super) fn refusal(code: &str, message: impl Into<String>) -> Refusal {
    Refusal { code: code.into(), message: message.into() }
}

fn outgoing(mut write: OwnedWriteHalf) -> Outgoing {
    let (queue, mut waiting) = mpsc::unbounded_channel::<Bytes>();
    let queued = Arc::new(AtomicUsize::new(0));
    let left = Arc::clone(&queued);
    let writer = tokio::spawn(async move {
        while let Some(bytes) = waiting.recv().await {
            if write.write_all(&bytes).await.is_err() {
                return;
            }
            left.fetch_sub(bytes.len().min(left.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
    });
    Outgoing { queue, queued, writer }
}
