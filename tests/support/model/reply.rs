//! The model's reply, chosen by the words of a prompt, whatever API brought it.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::Value;
use tokio::sync::mpsc;

use super::{Request, Shared};
use std::sync::Arc;

/// How many words a reply may be ahead of a client that reads slowly.
const WORDS_AHEAD: usize = 64;

/// The content of an API's request.
#[derive(Default)]
pub(super) struct Heard {
    /// Every message, oldest first: role and text.
    pub(super) messages: Vec<(String, String)>,
    /// The user's texts after the model's last message.
    pub(super) tail: Vec<String>,
    /// Whether a tool's result follows the model's last message.
    pub(super) tool_answered: bool,
    /// Whether the engine offers a tool that runs commands.
    pub(super) runs_commands: bool,
    /// Whether the engine asks for a title rather than a turn.
    pub(super) title: bool,
    /// Whether, after the model's last message, the engine has a plan in its file.
    pub(super) planned: bool,
}

/// What the model says, and how fast.
pub(super) struct Reply {
    pub(super) content: Content,
    slow: Duration,
    hold: Option<String>,
    /// The gate before the first word.
    mute: Option<String>,
}

pub(super) enum Content {
    Text(String),
    /// With a text before it, if there is one; an API without a form for that leaves it out.
    Command {
        command: String,
        background: bool,
        before: Option<String>,
    },
    Choice(String),
    /// A subagent, with its task.
    Subagent(String),
    /// A plan: written into the engine's file, or, if there is none, shown to the user.
    Plan(Option<Planned>),
    Status(StatusCode),
}

impl Content {
    /// What it says, if it says something.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Command { .. } | Self::Choice(_) | Self::Subagent(_) | Self::Plan(_) | Self::Status(_) => {
                ""
            }
        }
    }
}

/// A plan, and the path where the engine wants it.
pub(super) struct Planned {
    pub(super) file: String,
    pub(super) text: String,
}

/// An API's form of a reply: events, with names if it has them, and data.
pub(super) trait Wire: Send {
    /// What precedes the content.
    fn begin(&mut self, content: &Content) -> Events;
    /// One word of a text.
    fn word(&mut self, word: &str) -> Events;
    /// What follows the content, including a command.
    fn end(&mut self, content: &Content) -> Events;
    /// The whole reply, for a client that doesn't stream.
    fn whole(&mut self, content: &Content) -> Value;
}

pub(super) type Events = Vec<(&'static str, Value)>;

/// The question, and the model's reply.
pub(super) fn choose(heard: Heard) -> (Request, Reply) {
    let text = without_reminders(&heard.tail.join(" "));
    let prompts = heard.tail.iter().map(|text| without_reminders(text));
    let prompt = prompts.rev().find(|text| !text.is_empty()).unwrap_or_default();
    let turns = heard.messages.iter().filter(|(role, text)| role == "user" && !text.trim().is_empty());
    let turns = turns.count();
    let request = Request { turns, text, prompt, messages: heard.messages, title: heard.title };
    if heard.planned {
        return (request, plain(Content::Plan(None)));
    }
    let reply = reply(&request, &request.prompt, heard.runs_commands && !heard.tool_answered);
    (request, reply)
}

fn plain(content: Content) -> Reply {
    Reply { content, slow: Duration::ZERO, hold: None, mute: None }
}

fn reply(request: &Request, text: &str, may_call: bool) -> Reply {
    if request.title {
        return plain(Content::Text(r#"{"title":"A conversation"}"#.to_owned()));
    }
    if may_call && let Some(told) = word(text, "SUB") {
        return plain(Content::Subagent(told.to_owned()));
    }
    if may_call && let Some(plan) = word(text, "PLAN") {
        let file = plan_file(request).expect("an engine in plan mode");
        return plain(Content::Plan(Some(Planned { file, text: plan.to_owned() })));
    }
    if let Some(status) = word(text, "FAIL").and_then(|n| n.parse().ok()) {
        return plain(Content::Status(StatusCode::from_u16(status).expect("FAIL{n} with an HTTP status")));
    }
    for (name, background) in [("RUN", false), ("BG", true)] {
        if may_call && let Some(command) = word(text, name) {
            let before = word(text, "SAY").map(str::to_owned);
            return plain(Content::Command { command: command.to_owned(), background, before });
        }
    }
    if may_call && let Some(choice) = word(text, "CHOICE") {
        return plain(Content::Choice(choice.to_owned()));
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

/// The path where Claude Code wants a plan, from its messages.
fn plan_file(request: &Request) -> Option<String> {
    let mut words = request.messages.iter().flat_map(|(_, text)| text.split_whitespace());
    words.find(|word| word.contains("/plans/") && word.ends_with(".md")).map(str::to_owned)
}

/// The text without what the engine adds to a prompt.
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

/// The content of `NAME{…}`, which may contain further such words.
fn word<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("{name}{{"))?;
    let mut open = 1_u32;
    let end = after.find(|letter| {
        match letter {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        open == 0
    })?;
    Some(&after[..end])
}

/// The reply as a stream of events.
pub(super) fn stream(shared: Arc<Shared>, mut wire: Box<dyn Wire>, reply: Reply) -> Response {
    let (send, receive) = mpsc::channel(WORDS_AHEAD);
    tokio::spawn(async move {
        // A client that went away (Esc, a killed engine) ends the reply: nobody reads it.
        let _gone = tell(&shared, &mut *wire, &reply, &send).await;
    });
    let events = stream::unfold(receive, |mut receive| async { Some((receive.recv().await?, receive)) });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}

type Out = mpsc::Sender<Result<Bytes, Infallible>>;

async fn tell(shared: &Shared, wire: &mut dyn Wire, reply: &Reply, to: &Out) -> Option<()> {
    if let Some(name) = &reply.mute {
        hold(shared, name, to).await?;
    }
    emit(to, wire.begin(&reply.content)).await?;
    if let Content::Text(text) = &reply.content {
        let words: Vec<_> = text.split_inclusive(' ').collect();
        let pause = reply.slow / u32::try_from(words.len().max(1)).expect("a reply of few words");
        for (at, word) in words.iter().enumerate() {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            emit(to, wire.word(word)).await?;
            if at == 0
                && let Some(name) = &reply.hold
            {
                hold(shared, name, to).await?;
            }
        }
    }
    emit(to, wire.end(&reply.content)).await
}

async fn hold(shared: &Shared, name: &str, to: &Out) -> Option<()> {
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

async fn emit(to: &Out, events: Events) -> Option<()> {
    for (name, data) in events {
        let named = if name.is_empty() { String::new() } else { format!("event: {name}\n") };
        to.send(Ok(Bytes::from(format!("{named}data: {data}\n\n")))).await.ok()?;
    }
    Some(())
}
