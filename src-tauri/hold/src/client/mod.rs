//! The other end: how a runner speaks to a holder, and how a terminal attaches to one.

mod attach;

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::hold::{Hold, Kind, Resident};
use repose_core::ids::{AskId, DecisionId};
use repose_core::session::{Freeze, Lease, Params, Verdict};
use repose_core::time::Awake;
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
    Asked, Begin, Ended, Numbered, Op, PROTOCOL, Push, Pushed, Reply, State, Submitted, THAWED,
};

pub use attach::{Attached, Keys, Shown, Shows, attach};

/// A holder that doesn't accept or greet within this is taken for dead: one that lives does both within a
/// millisecond, and even while it ends a tree within two seconds.
pub const GREETS_WITHIN: Duration = Duration::from_secs(5);

/// News that wait for the runner. If it takes none the holder is left waiting, and closes the connection; the
/// runner connects anew and catches up from the journal.
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

/// What a holder of any version says of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The holder's process.
    pub holder_pid: Option<u32>,
    /// The engine's process. `None`: it has ended, or that version doesn't say.
    pub engine_pid: Option<u32>,
    /// The session is over.
    pub ended: bool,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens: the holder is gone, or hasn't begun.
    #[error("no holder answers at {path} ({source})")]
    Gone {
        /// The socket.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// Another user listens there.
    #[error("the process that answers at {path} is another user's; nothing was sent to it")]
    Stranger {
        /// The socket.
        path: String,
    },
    /// It doesn't greet.
    #[error("the holder at {path} doesn't greet: {why}")]
    Mute {
        /// The socket.
        path: String,
        /// In words.
        why: String,
    },
}

/// Why an order has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The connection closed first. Whether the order was carried out, the journal says.
    #[error("the holder closed the connection before it answered")]
    Closed,
    /// The holder refused it.
    #[error("the holder refused the order: {message}")]
    Refused {
        /// A stable name.
        code: String,
        /// In words.
        message: String,
    },
    /// The holder's answer isn't one that this version understands.
    #[error("the holder gave an answer that this version of Repose doesn't understand ({why})")]
    Strange {
        /// The parser's words.
        why: String,
    },
}

impl CallError {
    /// It goes on again, because the freeze has lapsed: it wants another verdict.
    #[must_use]
    pub fn is_thawed(&self) -> bool {
        match self {
            Self::Refused { code, .. } => code == THAWED,
            Self::Closed | Self::Strange { .. } => false,
        }
    }
}

/// The journal after a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Journal {
    /// All of it, oldest first.
    Entries(Vec<Numbered>),
    /// What came right after the number is gone; this is how things stand now. Go on from
    /// [`State::last_seq`].
    Gap(Box<State>),
}

impl Client {
    /// Connects to the holder of this session, and makes sure that it is this user's. News come through the
    /// receiver from now on; it ends when the connection does.
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

    /// The protocol that the holder speaks. Of another one only the frozen part is sure:
    /// [`Client::standing`], [`Client::freeze`] and [`Client::end`] work, [`Client::journal_from`] and
    /// [`Client::state`] may be answered with [`CallError::Strange`].
    #[must_use]
    pub fn protocol(&self) -> u32 {
        self.protocol
    }

    /// The build that the holder is of.
    #[must_use]
    pub fn build(&self) -> &str {
        &self.build
    }

    /// How things stand.
    ///
    /// # Errors
    /// [`CallError`], as with all that follow.
    pub async fn state(&self) -> Result<State, CallError> {
        self.ask(Op::State).await
    }

    /// The part of [`Client::state`] that holders of every version say.
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

    /// What was journaled after `seq`.
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

    /// The runner has stored everything up to `seq`. The holder of a session that has ended ends with this.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn commit(&self, seq: u64) -> Result<(), CallError> {
        self.call(Op::Commit { seq }).await.map(drop)
    }

    /// Types an ask, if that can be done now.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn submit(&self, ask: &AskId, text: &str) -> Result<Submitted, CallError> {
        self.ask(Op::Submit { ask: ask.out(), text: text.to_owned() }).await
    }

    /// Ends the turn, as its user's Esc would.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn interrupt(&self) -> Result<(), CallError> {
        self.call(Op::Interrupt).await.map(drop)
    }

    /// Takes a decision to the engine. False: it is over, or never was.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn decide(&self, decision: &DecisionId, choice: &str) -> Result<bool, CallError> {
        self.ask(Op::Decide { decision: decision.out(), choice: choice.to_owned() }).await
    }

    /// First step of an end: freeze and judge.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn freeze(&self, freeze: Freeze) -> Result<Verdict, CallError> {
        let Freeze { interrupt, must_resume, ordered } = freeze;
        let verdict = self.call(Op::Freeze { interrupt, must_resume, ordered: ordered.0 }).await?;
        match serde_json::from_value(verdict.clone()) {
            Ok(verdict) => Ok(Verdict::back(verdict)),
            Err(error) => frozen_verdict(&verdict).ok_or_else(|| strange(error)),
        }
    }

    /// It was thought better of.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn thaw(&self) -> Result<(), CallError> {
        self.call(Op::Thaw).await.map(drop)
    }

    /// Second step: ends the engine and its tree, if it is still frozen by the order of this moment. The
    /// answer comes when both are gone. `None`: in any case.
    ///
    /// # Errors
    /// [`CallError`]; [`CallError::is_thawed`] if it isn't.
    pub async fn end(&self, freeze: Option<Awake>) -> Result<Ended, CallError> {
        self.ask(Op::End { freeze: freeze.map(|ordered| ordered.0) }).await
    }

    /// Lets it go if it is idle and nothing holds it, for this reason.
    ///
    /// # Errors
    /// [`CallError`]. A holder of an older build refuses; its engine stays.
    pub async fn evict(&self, over: Excess) -> Result<(), CallError> {
        self.call(Op::Evict { over: over.out() }).await.map(drop)
    }

    /// Holds a lease, for [`repose_core::session::LEASE_LASTS`] at a time, or gives it up.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn lease(&self, lease: Lease, held: bool) -> Result<(), CallError> {
        self.call(Op::Lease { lease: lease.out(), held }).await.map(drop)
    }

    /// Sets what the session goes by.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn params(&self, params: Params) -> Result<(), CallError> {
        self.call(Op::Params { params: params.out() }).await.map(drop)
    }

    /// Memory of the engine's tree, measured now.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn memory(&self) -> Result<Memory, CallError> {
        self.ask(Op::Memory).await
    }

    /// The processes of the engine's tree that count as work, looked for now.
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

/// Who waits for an answer, until the connection closes.
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
                // Who asked may have given up.
                let _ = answer.map(|answer| answer.send(reply));
            }
            PUSH => {
                // News of another version's that this one doesn't know.
                let Ok(news) = serde_json::from_slice(&frame.body) else { continue };
                // A runner that doesn't want news still wants its answers.
                let _ = push.send(Push::back(news).into()).await;
            }
            _ => {}
        }
    }
    let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.closed = true;
    waiting.answers.clear();
}

/// A verdict of another version's: whether it is frozen is sure, what it names beside that is not.
fn frozen_verdict(verdict: &Value) -> Option<Verdict> {
    let says = |word: &str| verdict.as_str() == Some(word) || verdict.get(word).is_some();
    if says("frozen") {
        return Some(Verdict::Frozen(Vec::new()));
    }
    if says("not_resumable") || says("would_be_lost") {
        return Some(Verdict::NotResumable);
    }
    let what = "work that only that version can name".to_owned();
    let since = repose_sys::clock::now().wall;
    says("held").then(|| Verdict::Held(vec![Hold { since, kind: Kind::Unknown(what) }]))
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
