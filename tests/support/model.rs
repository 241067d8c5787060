//! A stand-in for the Messages API on loopback: enough for the real Claude Code to hold a conversation.
//!
//! Owns the replies, the record of what it was sent, and the gates that let a test stand in mid-turn for as long
//! as it wants. Knows nothing of Repose.
//!
//! The last user text decides the reply (the engine sends the text of a turn that failed before it, again and again):
//! `RUN{cmd}` asks for the Bash tool · `BG{cmd}` the same, in the background · `CHOICE{question|one|other}` asks
//! the user that, with these choices · `SLOW{s}` spreads the reply over s seconds · `HOLD{name}` sends the first word
//! and waits for [`Model::release`] · `MUTE{name}` waits before it · `FAIL{n}` answers with status n ·
//! `LONG{n}` a reply of n words · `MD{text}` exactly that text. Otherwise the reply says what it was sent:
//! `Reply 2 to 'the text'; 3 messages.`

use std::collections::HashSet;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};

/// How long a test waits for a request: far beyond what an engine needs to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Words that a reply may run ahead of a client that reads slowly.
const WORDS_AHEAD: usize = 64;

/// The largest request taken, 64 MiB: a long conversation with tools is far below. Beyond it: status 413.
const LARGEST_REQUEST: usize = 64 << 20;

/// One request as the engine sent it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The last user text, without the engine's own reminders.
    pub(crate) text: String,
    /// Every message, oldest first: role and text.
    pub(crate) messages: Vec<(String, String)>,
    /// How many messages of the user hold text.
    pub(crate) turns: usize,
    /// The engine asks for a session's title, not for a turn.
    pub(crate) title: bool,
}

impl Request {
    /// Whether any message of the conversation holds these words.
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

/// The running stand-in; it ends with the value.
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

    /// What `ANTHROPIC_BASE_URL` has to be.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request for a turn so far, oldest first (title requests left out).
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.record().requests.iter().filter(|request| !request.title).cloned().collect()
    }

    /// Waits until a request for a turn fits, also one that came before.
    pub(crate) fn wait_for(&self, why: &str, fits: impl Fn(&Request) -> bool) -> Request {
        self.wait(why, |record| {
            record.requests.iter().find(|request| !request.title && fits(request)).cloned()
        })
    }

    /// Waits until a reply stands at the gate `HOLD{name}`: its first word is out, the turn is in progress.
    pub(crate) fn wait_held(&self, name: &str) {
        self.wait(&format!("a reply that holds at {name:?}"), |record| {
            record.holding.contains(name).then_some(())
        });
    }

    /// Opens the gate `HOLD{name}`, for every reply that stands there and every later one.
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
    if uri.path().ends_with("/count_tokens") {
        return Json(json!({ "input_tokens": raw.len() / 4 })).into_response();
    }
    if !uri.path().ends_with("/messages") {
        return (StatusCode::NOT_FOUND, Json(json!({}))).into_response();
    }
    let Ok(body) = serde_json::from_slice::<Value>(&raw) else {
        return error(StatusCode::BAD_REQUEST, "not JSON");
    };
    let (request, reply) = read(&body);
    shared.note(|record| record.requests.push(request));
    if let Content::Status(status) = reply.content {
        return error(status, "asked for");
    }
    let frame =
        Frame { model: body["model"].clone(), id: shared.record().requests.len(), input: raw.len() / 4 };
    if body["stream"] == json!(true) {
        stream(shared, frame, reply)
    } else {
        Json(frame.whole(&reply)).into_response()
    }
}

fn error(status: StatusCode, message: &str) -> Response {
    let body = json!({ "type": "error", "error": { "type": "api_error", "message": message } });
    (status, Json(body)).into_response()
}

/// What the model says, and how fast.
struct Reply {
    content: Content,
    slow: Duration,
    hold: Option<String>,
    /// The gate before the first word.
    mute: Option<String>,
}

enum Content {
    Text(String),
    Tool { name: &'static str, input: Value },
    Status(StatusCode),
}

fn read(body: &Value) -> (Request, Reply) {
    let empty = Vec::new();
    let messages = body["messages"].as_array().unwrap_or(&empty);
    let tail = last_turn(messages);
    let text = without_reminders(&tail.iter().map(|message| text_of(message)).collect::<Vec<_>>().join(" "));
    let request = Request {
        turns: messages.iter().filter(|m| m["role"] == "user" && !text_of(m).trim().is_empty()).count(),
        messages: messages
            .iter()
            .map(|m| (m["role"].as_str().unwrap_or_default().to_owned(), text_of(m)))
            .collect(),
        title: text.starts_with("<session>"),
        text,
    };
    let tools = body["tools"].as_array().unwrap_or(&empty);
    let agent = tools.iter().any(|tool| tool["name"] == "Bash");
    let prompts = tail.iter().flat_map(|message| texts_of(message)).map(without_reminders);
    let prompt = prompts.rev().find(|text| !text.is_empty()).unwrap_or_default();
    let reply = choose(&request, &prompt, agent && !tail.iter().any(|message| answers_a_tool(message)));
    (request, reply)
}

fn choose(request: &Request, text: &str, may_call: bool) -> Reply {
    let plain = |content| Reply { content, slow: Duration::ZERO, hold: None, mute: None };
    if request.title {
        return plain(Content::Text(r#"{"title":"A conversation"}"#.to_owned()));
    }
    if let Some(status) = word(text, "FAIL").and_then(|n| n.parse().ok()) {
        return plain(Content::Status(StatusCode::from_u16(status).expect("FAIL{n} with an HTTP status")));
    }
    if may_call && let Some(command) = word(text, "RUN") {
        return plain(Content::Tool { name: "Bash", input: bash_input(command, false) });
    }
    if may_call && let Some(command) = word(text, "BG") {
        return plain(Content::Tool { name: "Bash", input: bash_input(command, true) });
    }
    if may_call && let Some(choice) = word(text, "CHOICE") {
        return plain(Content::Tool { name: "AskUserQuestion", input: choice_input(choice) });
    }
    let said = if let Some(exact) = word(text, "MD") {
        exact.to_owned()
    } else if let Some(n) = word(text, "LONG").and_then(|n| n.parse::<usize>().ok()) {
        (0..n).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ")
    } else {
        let start = text.char_indices().rev().take(200).last().map_or(0, |(at, _)| at);
        format!("Reply {} to '{}'; {} messages.", request.turns, &text[start..], request.messages.len())
    };
    let slow =
        word(text, "SLOW").and_then(|s| s.parse().ok()).map_or(Duration::ZERO, Duration::from_secs_f64);
    let gate = |name| word(text, name).map(str::to_owned);
    Reply { content: Content::Text(said), slow, hold: gate("HOLD"), mute: gate("MUTE") }
}

/// The user's messages after the last one of the assistant (system lines may stand between them).
fn last_turn(messages: &[Value]) -> Vec<&Value> {
    let mut tail: Vec<_> = messages
        .iter()
        .rev()
        .take_while(|message| message["role"] != "assistant")
        .filter(|message| message["role"] == "user")
        .collect();
    tail.reverse();
    tail
}

fn text_of(message: &Value) -> String {
    texts_of(message).join("\n")
}

fn texts_of(message: &Value) -> Vec<&str> {
    match &message["content"] {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str())
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn answers_a_tool(message: &Value) -> bool {
    message["content"]
        .as_array()
        .is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "tool_result"))
}

fn without_reminders(text: &str) -> String {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        kept.push_str(before);
        rest = after.split_once(CLOSE).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

/// The inside of `NAME{…}`.
fn word<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("{name}{{"))?;
    Some(after.split_once('}')?.0)
}

/// What stands around the content of one reply.
struct Frame {
    model: Value,
    id: usize,
    input: usize,
}

impl Frame {
    fn whole(&self, reply: &Reply) -> Value {
        let block = match &reply.content {
            Content::Text(text) => json!({ "type": "text", "text": text }),
            Content::Tool { name, input } => {
                let mut block = self.tool(name);
                block["input"] = input.clone();
                block
            }
            Content::Status(_) => unreachable!("answered before"),
        };
        let mut message = self.message();
        message["content"] = json!([block]);
        message["stop_reason"] = json!(stop_reason(reply));
        message
    }

    fn message(&self) -> Value {
        json!({
            "id": format!("msg_{:020}", self.id), "type": "message", "role": "assistant", "model": self.model,
            "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": { "input_tokens": self.input, "output_tokens": 20 },
        })
    }

    fn tool(&self, name: &str) -> Value {
        json!({ "type": "tool_use", "id": format!("toolu_{:020}", self.id), "name": name, "input": {} })
    }
}

fn bash_input(command: &str, background: bool) -> Value {
    let mut input = json!({ "command": command, "description": "asked for" });
    if background {
        input["run_in_background"] = json!(true);
    }
    input
}

fn choice_input(choice: &str) -> Value {
    let mut words = choice.split('|');
    let question = words.next().unwrap_or_default();
    let options: Vec<_> = words.map(|word| json!({ "label": word, "description": "as it says" })).collect();
    let one = json!({ "question": question, "header": "Choice", "options": options, "multiSelect": false });
    json!({ "questions": [one] })
}

fn stop_reason(reply: &Reply) -> &'static str {
    if matches!(reply.content, Content::Tool { .. }) { "tool_use" } else { "end_turn" }
}

fn stream(shared: Arc<Shared>, frame: Frame, reply: Reply) -> Response {
    let (send, receive) = mpsc::channel(WORDS_AHEAD);
    tokio::spawn(async move {
        // A client that went away (Esc, a killed engine) ends the reply: nobody is left to hear it.
        let _gone = tell(&shared, &frame, &reply, &send).await;
    });
    let events = stream::unfold(receive, |mut receive| async { Some((receive.recv().await?, receive)) });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}

type Events = mpsc::Sender<Result<Bytes, Infallible>>;

async fn tell(shared: &Shared, frame: &Frame, reply: &Reply, to: &Events) -> Option<()> {
    if let Some(name) = &reply.mute {
        hold(shared, name, to).await?;
    }
    emit(to, "message_start", json!({ "message": frame.message() })).await?;
    match &reply.content {
        Content::Text(text) => {
            let block = json!({ "type": "text", "text": "" });
            emit(to, "content_block_start", json!({ "index": 0, "content_block": block })).await?;
            let words: Vec<_> = text.split_inclusive(' ').collect();
            let pause = reply.slow / u32::try_from(words.len().max(1)).expect("a reply of few words");
            for (at, word) in words.iter().enumerate() {
                if !pause.is_zero() {
                    tokio::time::sleep(pause).await;
                }
                emit(to, "content_block_delta", delta(json!({ "type": "text_delta", "text": word }))).await?;
                if at == 0
                    && let Some(name) = &reply.hold
                {
                    hold(shared, name, to).await?;
                }
            }
        }
        Content::Tool { name, input } => {
            emit(to, "content_block_start", json!({ "index": 0, "content_block": frame.tool(name) })).await?;
            let part = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
            emit(to, "content_block_delta", delta(part)).await?;
        }
        Content::Status(_) => unreachable!("answered before"),
    }
    emit(to, "content_block_stop", json!({ "index": 0 })).await?;
    let end = json!({ "stop_reason": stop_reason(reply), "stop_sequence": null });
    emit(to, "message_delta", json!({ "delta": end, "usage": { "output_tokens": 20 } })).await?;
    emit(to, "message_stop", json!({})).await
}

async fn hold(shared: &Shared, name: &str, to: &Events) -> Option<()> {
    let mut released = shared.released.subscribe();
    shared.note(|record| {
        record.holding.insert(name.to_owned());
    });
    let outcome = tokio::select! {
        opened = released.wait_for(|names| names.contains(name)) => opened.ok().map(drop),
        () = to.closed() => None,
    };
    shared.note(|record| {
        record.holding.remove(name);
    });
    outcome
}

fn delta(delta: Value) -> Value {
    json!({ "index": 0, "delta": delta })
}

async fn emit(to: &Events, name: &str, mut data: Value) -> Option<()> {
    data["type"] = json!(name);
    to.send(Ok(Bytes::from(format!("event: {name}\ndata: {data}\n\n")))).await.ok()
}
