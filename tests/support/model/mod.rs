//! A stand-in for the model APIs on loopback: enough for the real agent programs to hold a conversation.
//!
//! Owns the replies, the record of requests, and the gates that let a test stop in the middle of a turn.
//! Knows nothing of Repose. There is one file per API: [`messages`], [`responses`], [`chat`], [`gemini`].
//!
//! The last user text decides the reply (the engine sends the text of a turn that failed before it, again and
//! again): `RUN{cmd}` asks for the tool that runs commands · `BG{cmd}` the same, in the background ·
//! `SAY{text}` says that before it (Messages only) · `CHOICE{question|one|other}` asks the user that, with
//! these choices; further questions stand behind `;`, one with a `*` takes several, and behind its `~` stands
//! what is shown of a choice · `PLAN{text}` writes that as its plan and shows it to the user (Messages, in plan
//! mode) · `SUB{text}` asks for a subagent that is told this (OpenCode) · `SLOW{s}` spreads the reply over s
//! seconds · `HOLD{name}` sends the first word and waits for [`Model::release`] · `MUTE{name}` waits before it ·
//! `FAIL{n}` answers with status n · `LONG{n}` a reply of n words · `MD{text}` exactly that text. Otherwise the
//! reply says what it was sent: `Reply 2 to 'the text'; 3 messages.`

mod chat;
mod gemini;
mod messages;
mod reply;
mod responses;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use reply::{Content, Wire};

/// How long a test waits for a request: far longer than an engine takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most bytes of a request: a long conversation with tools is far below. A larger one is answered with
/// 413.
const LARGEST_REQUEST: usize = 64 << 20;

/// One request as the engine sent it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The last user text, without the engine's own reminders.
    pub(crate) text: String,
    /// Only the last of them: what was typed, without anything before it.
    pub(crate) prompt: String,
    /// Every message, oldest first: role and text.
    pub(crate) messages: Vec<(String, String)>,
    /// How many user messages contain text.
    pub(crate) turns: usize,
    /// Whether the engine asks for a session's title rather than a turn.
    pub(crate) title: bool,
}

impl Request {
    /// Whether any message of the conversation contains these words.
    pub(crate) fn mentions(&self, words: &str) -> bool {
        self.messages.iter().any(|(_, text)| text.contains(words))
    }
}

#[derive(Default)]
struct Record {
    requests: Vec<Request>,
    holding: HashSet<String>,
}

struct Shared {
    record: Mutex<Record>,
    changed: Condvar,
    released: watch::Sender<HashSet<String>>,
}

impl Shared {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().expect("no thread panicked with the record")
    }

    fn note(&self, change: impl FnOnce(&mut Record)) {
        change(&mut self.record());
        self.changed.notify_all();
    }
}

/// The running stand-in, until dropped.
pub(crate) struct Model {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Model {
    /// Starts on a free port of loopback, on a thread of its own.
    pub(crate) fn start() -> Self {
        Self::start_on(0)
    }

    /// Starts on this port of loopback (0: any free one).
    pub(crate) fn start_on(port: u16) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port)).expect("a port of loopback");
        listener.set_nonblocking(true).expect("a socket that tokio can drive");
        let address = listener.local_addr().expect("a bound address");
        let shared = Arc::new(Shared {
            record: Mutex::default(),
            changed: Condvar::new(),
            released: watch::Sender::new(HashSet::new()),
        });
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn({
            let shared = shared.clone();
            move || serve(listener, shared, stopped)
        });
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// The value for `ANTHROPIC_BASE_URL`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests for a turn so far, oldest first, without requests for titles.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.record().requests.iter().filter(|request| !request.title).cloned().collect()
    }

    /// Waits for a request for a turn that matches, including earlier ones.
    pub(crate) fn wait_for(&self, why: &str, fits: impl Fn(&Request) -> bool) -> Request {
        self.wait(why, |record| {
            record.requests.iter().find(|request| !request.title && fits(request)).cloned()
        })
    }

    /// Waits until a reply is stopped at the gate `HOLD{name}`: its first word has been sent, and the turn is
    /// in progress.
    pub(crate) fn wait_held(&self, name: &str) {
        self.wait(&format!("a reply that holds at {name:?}"), |record| {
            record.holding.contains(name).then_some(())
        });
    }

    /// Opens the gate `HOLD{name}` for all waiting and later replies.
    pub(crate) fn release(&self, name: &str) {
        self.shared.released.send_modify(|names| {
            names.insert(name.to_owned());
        });
    }

    fn wait<T>(&self, why: &str, look: impl Fn(&Record) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        let mut record = self.shared.record();
        loop {
            if let Some(found) = look(&record) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let seen: Vec<_> = record.requests.iter().map(|request| request.text.clone()).collect();
                drop(record);
                panic!("waited {PATIENCE:?} at the model for {why}; it was sent {seen:#?}");
            }
            record = self.shared.changed.wait_timeout(record, left).expect("the record is sound").0;
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the model's thread panicked");
        }
    }
}

fn serve(listener: std::net::TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime for the model");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener inside the runtime");
        let routes = Router::new().fallback(answer).with_state(shared);
        tokio::select! {
            ended = axum::serve(listener, routes) => ended.expect("the model serves until it is stopped"),
            _ = stopped => {}
        }
    });
}

async fn answer(State(shared): State<Arc<Shared>>, uri: Uri, body: Body) -> Response {
    let Ok(raw) = axum::body::to_bytes(body, LARGEST_REQUEST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let path = uri.path();
    if path.ends_with("count_tokens") {
        return Json(json!({ "input_tokens": raw.len() / 4 })).into_response();
    }
    let heard: fn(&Value) -> reply::Heard = match path {
        _ if path.ends_with("/messages") => messages::heard,
        _ if path.ends_with("/responses") => responses::heard,
        _ if path.ends_with("/chat/completions") => chat::heard,
        _ if path.ends_with(gemini::STREAMS) => gemini::heard,
        _ if path.ends_with(gemini::ASIDE) => gemini::heard_aside,
        _ => return (StatusCode::NOT_FOUND, Json(json!({}))).into_response(),
    };
    let Ok(body) = serde_json::from_slice::<Value>(&raw) else {
        return error(StatusCode::BAD_REQUEST, "not JSON");
    };
    let (request, reply) = reply::choose(heard(&body));
    shared.note(|record| record.requests.push(request));
    if let Content::Status(status) = reply.content {
        return error(status, "asked for");
    }
    let (id, input) = (shared.record().requests.len(), raw.len() / 4);
    let mut wire: Box<dyn Wire> = match path {
        _ if path.ends_with("/messages") => Box::new(messages::Messages::new(&body, id, input)),
        _ if path.ends_with("/chat/completions") => Box::new(chat::Chat::new(&body, id, input)),
        _ if path.ends_with("enerateContent") => Box::new(gemini::Gemini::new(input)),
        _ => Box::new(responses::Responses::new(&body, id, input)),
    };
    if body["stream"] == json!(true) || path.ends_with(gemini::STREAMS) {
        reply::stream(shared, wire, reply)
    } else {
        Json(wire.whole(&reply.content)).into_response()
    }
}

/// Worded so that every API's client finds something in it.
fn error(status: StatusCode, message: &str) -> Response {
    let code = status.as_u16();
    let error =
        json!({ "type": "api_error", "message": message, "code": code, "status": "INVALID_ARGUMENT" });
    (status, Json(json!({ "type": "error", "error": error }))).into_response()
}
