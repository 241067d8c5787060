//! The client's end of the protocol: how a runner talks to a holder, and how a terminal attaches to one.

mod attach;

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::decision::Pick;
use repose_core::hold::{Hold, Kind, Resident};
use repose_core::ids::{AskId, DecisionId};
use repose_core::session::{EndIf, Freeze, Lease, Params, Verdict};
use repose_sys::memory::Memory;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::folder::socket_path;
use crate::wire::carry::Carry;
use crate::wire::frame::{self, ASK, Frames, PUSH, REPLY};
use crate::wire::{
    Asked, Begin, Ended, Numbered, OVER, Op, PROTOCOL, Push, Pushed, Reply, State, Submitted, THAWED,
};

pub use attach::{Attached, Keys, Shown, Shows, attach};

/// A holder that doesn't accept and greet within this counts as dead. A live one does both within a
/// millisecond, or within two seconds while it ends a tree.
pub const GREETS_WITHIN: Duration = Duration::from_secs(5);

/// How much news may wait for the runner. If the runner doesn't read it, the holder closes the connection;
/// the runner then reconnects and catches up from the journal.
const PUSHED_WAITING: usize = 256;

/// A connection to a holder.
#[derive(Debug)]
pub struct Client {
    write: tokio::sync::Mutex<OwnedWriteHalf>,
    waiting: Arc<Mutex<Waiting>>,
    next: AtomicU64,
    reader: JoinHandle<()>,
    protocol: u32,
    build: String,
}

/// What a holder of any version reports about its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The holder's process id.
    pub holder_pid: Option<u32>,
    /// The engine's process id. `None`: it has ended, or that version doesn't say.
    pub engine_pid: Option<u32>,
    /// Whether the session is over.
    pub ended: bool,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens: the holder is gone or hasn't started.
    #[error("no holder answers at {path} ({source})")]
    Gone {
        /// The socket's path.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The listener belongs to another user.
    #[error("the process that answers at {path} is another user's; nothing was sent to it")]
    Stranger {
        /// The socket's path.
        path: String,
    },
    /// The listener doesn't send a valid greeting.
    #[error("the holder at {path} doesn't greet: {why}")]
    Mute {
        /// The socket's path.
        path: String,
        /// The reason, in words.
        why: String,
    },
}

/// Why an order has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The connection closed first. The journal shows whether the order was carried out.
    #[error("the holder closed the connection before it answered")]
    Closed,
    /// The holder refused the order.
    #[error("the holder refused the order: {message}")]
    Refused {
        /// The refusal's stable name.
        code: String,
        /// The refusal in words.
        message: String,
    },
    /// The holder's answer can't be understood by this version.
    #[error("the holder gave an answer that this version of Repose doesn't understand ({why})")]
    Strange {
        /// The parser's error.
        why: String,
    },
}

impl CallError {
    /// Whether an end was refused because the freeze has lapsed, so that another verdict is needed.
    #[must_use]
    pub fn is_thawed(&self) -> bool {
        self.is(THAWED)
    }

    /// Whether the session had ended, or was ending: nothing was done, and there is nothing left to do it to.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is(OVER)
    }

    fn is(&self, refusal: &str) -> bool {
        match self {
            Self::Refused { code, .. } => code == refusal,
            Self::Closed | Self::Strange { .. } => false,
        }
    }
}

/// The part of a journal after a given number.
#[derive(Debug, Clone, PartialEq)]
pub enum Journal {
    /// All entries, oldest first.
    Entries(Vec<Numbered>),
    /// The next entries are gone; this is the present state. Continue from [`State::last_seq`].
    Gap(Box<State>),
}

impl Client {
    /// Connects to the holder of this session, and verifies that it runs as this user. From now on its news
    /// arrives through the receiver, which ends with the connection.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub async fn connect(
        session_dir: &Path,
        build: &str,
    ) -> Result<(Self, mpsc::Receiver<Pushed>), ConnectError> {
        let stream = connect(session_dir).await?;
        let (read, write) = stream.into_split();
        let waiting = Arc::new(Mutex::new(Waiting::default()));
        let (push, pushed) = mpsc::channel(PUSHED_WAITING);
        let reader = tokio::spawn(listen(read, Arc::clone(&waiting), push));
        let mut client = Self {
            write: write.into(),
            waiting,
            next: AtomicU64::new(1),
            reader,
            protocol: 0,
            build: String::new(),
        };
        let hello = client.call(Op::Hello { protocol: PROTOCOL, build: build.to_owned() });
        let greeting = tokio::time::timeout(GREETS_WITHIN, hello).await;
        let mute = |why: String| ConnectError::Mute { path: shown(session_dir), why };
        let value = greeting
            .map_err(|_| mute(format!("no word for {} s", GREETS_WITHIN.as_secs())))?
            .map_err(|error| mute(error.to_string()))?;
        let begin: Begin = serde_json::from_value(value).map_err(|error| mute(error.to_string()))?;
        client.protocol = begin.protocol;
        client.build = begin.build;
        Ok((client, pushed))
    }

    /// The protocol version of the holder. Of another version only the frozen part is certain:
    /// [`Client::standing`], [`Client::freeze`] and [`Client::end`] work, while [`Client::journal_from`] and
    /// [`Client::state`] may be answered with [`CallError::Strange`].
    #[must_use]
    pub fn protocol(&self) -> u32 {
        self.protocol
    }

    /// The holder's build.
    #[must_use]
    pub fn build(&self) -> &str {
        &self.build
    }

    /// The present state of the holder and its session.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn state(&self) -> Result<State, CallError> {
        self.ask(Op::State).await
    }

    /// The part of [`Client::state`] that holders of every version report.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn standing(&self) -> Result<Standing, CallError> {
        let state = self.call(Op::State).await?;
        let pid = |name: &str| state[name].as_u64().and_then(|pid| u32::try_from(pid).ok());
        Ok(Standing {
            holder_pid: pid("holder_pid"),
            engine_pid: pid("engine_pid"),
            ended: !state["ended"].is_null(),
        })
    }

    /// The journal's entries after `seq`.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn journal_from(&self, seq: u64) -> Result<Journal, CallError> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Found {
            Entries(<Vec<Numbered> as Carry>::Wire),
            Gap(Box<<State as Carry>::Wire>),
        }
        let found = self.call(Op::JournalFrom { seq }).await?;
        Ok(match serde_json::from_value(found).map_err(strange)? {
            Found::Entries(entries) => Journal::Entries(Carry::back(entries)),
            Found::Gap(state) => Journal::Gap(Box::new(Carry::back(*state))),
        })
    }

    /// Tells the holder that everything up to `seq` has been stored. If its session has ended, the holder
    /// then exits.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn commit(&self, seq: u64) -> Result<(), CallError> {
        self.call(Op::Commit { seq }).await.map(drop)
    }

    /// Types an ask, if that is possible now.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn submit(&self, ask: &AskId, text: &str) -> Result<Submitted, CallError> {
        self.ask(Op::Submit { ask: ask.out(), text: text.to_owned() }).await
    }

    /// Interrupts the turn, as Esc would.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn interrupt(&self) -> Result<(), CallError> {
        self.call(Op::Interrupt).await.map(drop)
    }

    /// Takes a decision to the engine. Returns whether the decision was still open.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn decide(&self, decision: &DecisionId, pick: &Pick) -> Result<bool, CallError> {
        self.ask(Op::Decide { decision: decision.out(), pick: pick.out() }).await
    }

    /// First step of an end: freezes and judges the session.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn freeze(&self, freeze: Freeze) -> Result<Verdict, CallError> {
        let Freeze { interrupt, must_resume, id } = freeze;
        let verdict = self.call(Op::Freeze { interrupt, must_resume, ordered: id.0 }).await?;
        match serde_json::from_value(verdict.clone()) {
            Ok(verdict) => Ok(Verdict::back(verdict)),
            Err(error) => frozen_verdict(&verdict).ok_or_else(|| strange(error)),
        }
    }

    /// Withdraws a freeze.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn thaw(&self) -> Result<(), CallError> {
        self.call(Op::Thaw).await.map(drop)
    }

    /// Second step of an end: ends the engine and its tree. Returns once both are gone.
    ///
    /// # Errors
    /// [`CallError`]; [`CallError::is_thawed`] if the freeze that was named has lapsed.
    pub async fn end(&self, end_if: EndIf) -> Result<Ended, CallError> {
        self.ask(Op::End { freeze: end_if.out() }).await
    }

    /// Lets the engine go early for this reason, if it is idle and nothing holds it.
    ///
    /// # Errors
    /// [`CallError`]. A holder of an older build refuses, and its engine stays.
    pub async fn evict(&self, over: Excess) -> Result<(), CallError> {
        self.call(Op::Evict { over: over.out() }).await.map(drop)
    }

    /// Takes or renews a lease for [`repose_core::session::LEASE_LASTS`], or gives it up.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn lease(&self, lease: Lease, held: bool) -> Result<(), CallError> {
        self.call(Op::Lease { lease: lease.out(), held }).await.map(drop)
    }

    /// Sets the session's parameters.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn params(&self, params: Params) -> Result<(), CallError> {
        self.call(Op::Params { params: params.out() }).await.map(drop)
    }

    /// The memory of the engine's tree, measured now.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn memory(&self) -> Result<Memory, CallError> {
        self.ask(Op::Memory).await
    }

    /// The processes of the engine's tree that count as work, from a new scan.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn scan(&self) -> Result<Vec<Resident>, CallError> {
        self.ask(Op::Scan).await
    }

    async fn ask<A: Carry>(&self, op: Op) -> Result<A, CallError> {
        let value = self.call(op).await?;
        serde_json::from_value(value).map(A::back).map_err(strange)
    }

    async fn call(&self, op: Op) -> Result<Value, CallError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.waiting().add(id, answer)?;
        let frame = frame::json(ASK, &Asked { id, op });
        if self.write.lock().await.write_all(&frame).await.is_err() {
            self.waiting().answers.remove(&id);
            return Err(CallError::Closed);
        }
        let reply = answered.await.map_err(|_| CallError::Closed)?;
        match (reply.ok, reply.error) {
            (_, Some(refusal)) => Err(CallError::Refused { code: refusal.code, message: refusal.message }),
            (Some(value), None) => Ok(value),
            (None, None) => Err(CallError::Strange { why: "an empty answer".into() }),
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// Those who wait for answers, until the connection closes.
#[derive(Debug, Default)]
struct Waiting {
    answers: HashMap<u64, oneshot::Sender<Reply>>,
    closed: bool,
}

impl Waiting {
    fn add(&mut self, id: u64, answer: oneshot::Sender<Reply>) -> Result<(), CallError> {
        if self.closed {
            return Err(CallError::Closed);
        }
        self.answers.insert(id, answer);
        Ok(())
    }
}

async fn listen(read: OwnedReadHalf, waiting: Arc<Mutex<Waiting>>, push: mpsc::Sender<Pushed>) {
    let mut frames = Frames::new(read);
    while let Ok(Some(frame)) = frames.next().await {
        match frame.kind {
            REPLY => {
                let Ok(reply) = serde_json::from_slice::<Reply>(&frame.body) else { continue };
                let answer = waiting.lock().unwrap_or_else(PoisonError::into_inner).answers.remove(&reply.id);
                // Whoever asked may have given up.
                let _ = answer.map(|answer| answer.send(reply));
            }
            PUSH => {
                // News that only another version knows.
                let Ok(news) = serde_json::from_slice(&frame.body) else { continue };
                // A runner that doesn't want news still wants answers.
                let _ = push.send(Push::back(news).into()).await;
            }
            _ => {}
        }
    }
    let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.closed = true;
    waiting.answers.clear();
}

/// A verdict of another version. Whether the session is frozen is certain; the details may not be.
fn frozen_verdict(verdict: &Value) -> Option<Verdict> {
    let says = |word: &str| verdict.as_str() == Some(word) || verdict.get(word).is_some();
    if says("frozen") {
        return Some(Verdict::Frozen(Vec::new()));
    }
    if says("not_resumable") || says("would_be_lost") {
        return Some(Verdict::NotResumable);
    }
    let what = "only the version of Repose that keeps it can say".to_owned();
    let since = repose_sys::clock::now().wall;
    says("held").then(|| Verdict::Held(vec![Hold::new(since, Kind::Unseen(what))]))
}

async fn connect(session_dir: &Path) -> Result<UnixStream, ConnectError> {
    let path = socket_path(session_dir);
    let gone = |source| ConnectError::Gone { path: shown(session_dir), source };
    let stream = tokio::time::timeout(GREETS_WITHIN, UnixStream::connect(&path))
        .await
        .map_err(|_| gone(io::ErrorKind::TimedOut.into()))?
        .map_err(gone)?;
    match repose_sys::peer::is_me(&stream) {
        Ok(true) => Ok(stream),
        Ok(false) | Err(_) => Err(ConnectError::Stranger { path: shown(session_dir) }),
    }
}

fn shown(session_dir: &Path) -> String {
    socket_path(session_dir).display().to_string()
}

fn strange(error: serde_json::Error) -> CallError {
    CallError::Strange { why: error.to_string() }
}
