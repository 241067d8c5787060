//! Listening to an engine that serves its events on a port of its own: the events as they arrive, and its
//! present state whenever listening begins.
//!
//! What it asks there can be answered there. Does nothing for other engines. Whatever breaks or takes too
//! long is started again until the engine is gone.

use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use repose_core::decision::{Decision, Pick};
use repose_core::ids::DecisionId;
use repose_core::session::Event;
use repose_core::signal::{Level, Said, Signal};
use repose_engine::engine::LevelBy;
use repose_engine::feed::{Feed, Known, News as Heard, Reply};
use repose_sys::clock::now;
use repose_sys::{ProcessId, sockets};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::ending::Phase;
use super::lines::Lines;
use super::session::Holder;

/// How long to wait for an answer to begin: a program that is still starting accepts connections before it
/// answers.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// How long a stream may be silent before it counts as broken: OpenCode 1.18.33 sends a sign of life every 10
/// s.
const SILENT_MAX: Duration = Duration::from_secs(45);

/// The pause before listening is tried again.
const AGAIN: Duration = Duration::from_millis(200);

/// The most bytes of a state to read; it usually has a few hundred. A longer one isn't read, and listening
/// begins again.
const STANDING_MAX: usize = 1024 * 1024;

/// How much news may wait for the holder. Beyond that the stream isn't read, and the engine keeps it.
const WAITING_MAX: usize = 64;

/// The level of an engine that should be heard and can't be.
const FEED_LOST: &str = "not heard";

/// What listening reports.
#[derive(Debug)]
pub(super) enum News {
    /// Everything is heard from now on, at this address.
    Begins(SocketAddr),
    /// The engine said this.
    Said(&'static str, Vec<u8>),
    /// Nothing is heard until listening begins again.
    Broke,
}

/// Listening to one engine, until dropped.
#[derive(Debug)]
pub(super) struct Listening {
    news: mpsc::Receiver<News>,
    feed: Feed,
    /// Where everything is heard. `None`: nothing is.
    hears: Option<SocketAddr>,
    known: Known,
    /// The engine's id of what it shows in its dialog, and the decision as which it is offered.
    offered: Option<(String, DecisionId)>,
    task: AbortHandle,
}

impl Listening {
    pub(super) fn begin(engine: ProcessId, feed: Feed) -> Self {
        let (tell, news) = mpsc::channel(WAITING_MAX);
        let task = tokio::spawn(listen(engine, feed.clone(), tell)).abort_handle();
        Self { news, feed, hears: None, known: Known::default(), offered: None, task }
    }

    pub(super) async fn next(&mut self) -> Option<News> {
        self.news.recv().await
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Listening failed. The reason is dropped, since it is tried again anyway.
#[derive(Debug)]
struct Broken;

impl Holder {
    /// Whether everything is heard that the engine reports on its port.
    pub(super) fn hears(&self) -> bool {
        self.listening.as_ref().is_some_and(|listening| listening.hears.is_some())
    }

    /// The level of an engine that reports on its port and can't be heard: it may be doing anything.
    pub(super) fn feed_lost_level(&self) -> Option<Signal> {
        let tells = self.session.is_confirmed() && self.engine.speaks().level == LevelBy::Events;
        let said = Said::Level(Level::Unknown(FEED_LOST.into()));
        (tells && !self.hears()).then(|| Signal {
            conversation: self.conversation().cloned(),
            at: now().wall,
            said,
        })
    }

    /// Starts listening once a title says that the engine accepts keys: a request to a program that is still
    /// starting may hang.
    pub(super) fn listen(&mut self, titles: &[String]) {
        let ready = titles.iter().any(|title| self.engine.title_level(title).is_some());
        if let (true, None, Some(engine)) = (ready, &self.listening, self.engine_id) {
            self.listening = self.engine.feed(&self.env).map(|feed| Listening::begin(engine, feed));
        }
    }

    pub(super) fn hear(&mut self, news: News) {
        match news {
            News::Begins(_) | News::Broke => {
                if let Some(listening) = &mut self.listening {
                    listening.hears = match news {
                        News::Begins(address) => Some(address),
                        News::Broke | News::Said(..) => None,
                    };
                }
                if matches!(self.phase, Phase::Live) {
                    self.look_whether_open();
                }
            }
            // What happens while a program opens follows from what it has opened.
            News::Said(..) if !self.session.is_confirmed() => {}
            News::Said(from, body) => {
                let conversation = self.conversation().cloned();
                let Some(listening) = &mut self.listening else { return };
                let heard = Heard {
                    env: &self.env,
                    conversation: conversation.as_ref(),
                    since: self.started,
                    at: now().wall,
                    from,
                    body: &body,
                };
                let signals = self.engine.heard(&heard, &mut listening.known);
                signals.into_iter().for_each(|signal| self.signal(signal));
                self.offer();
            }
        }
    }

    /// Offers what the engine shows in its dialog as a decision: the oldest of what waits.
    fn offer(&mut self) {
        let conversation = self.conversation().cloned();
        let Some(listening) = &mut self.listening else { return };
        let waits =
            listening.known.waits.iter().find(|waits| Some(&waits.conversation) == conversation.as_ref());
        let shown = waits.map(|waits| &waits.id);
        if listening.offered.as_ref().map(|(of, _)| of) == shown {
            return;
        }
        let next = waits.cloned();
        let before = listening.offered.take();
        if let Some((_, decision)) = before {
            self.feed(Event::DecisionGone(decision));
        }
        let Some(next) = next else { return };
        let id = self.decision_id();
        if let Some(listening) = &mut self.listening {
            listening.offered = Some((next.id, id.clone()));
        }
        if let Some(question) = next.question {
            self.feed(Event::Decides(Decision { id, question }));
        }
    }

    /// Answers what was offered as this decision. `None`: it wasn't offered here. `false`: the engine isn't heard, or
    /// there is no such answer.
    pub(super) fn reply(&self, decision: &DecisionId, pick: &Pick) -> Option<bool> {
        let listening = self.listening.as_ref()?;
        let (id, _) = listening.offered.as_ref().filter(|(_, offered)| offered == decision)?;
        let (Some(address), Some(reply)) = (listening.hears, self.engine.reply(id, pick)) else {
            return Some(false);
        };
        let feed = listening.feed.clone();
        // Whether the engine took it is in its events; if it didn't, its dialog is still there.
        tokio::spawn(async move { post(address, &feed, reply).await.map(drop) });
        Some(true)
    }
}

async fn listen(engine: ProcessId, feed: Feed, tell: mpsc::Sender<News>) {
    while engine.alive() {
        for address in addresses(engine) {
            if follow(address, &feed, &tell).await.is_err() && tell.send(News::Broke).await.is_err() {
                return; // nobody wants it any more
            }
        }
        sleep(AGAIN).await;
    }
}

/// The addresses on which the engine itself listens. It chose the port.
fn addresses(engine: ProcessId) -> Vec<SocketAddr> {
    let all = sockets::listening(&[engine]).unwrap_or_default();
    all.into_iter().map(|socket| socket.address).filter(|address| address.ip().is_loopback()).collect()
}

async fn follow(address: SocketAddr, feed: &Feed, tell: &mpsc::Sender<News>) -> Result<(), Broken> {
    let mut events = ask(address, feed, feed.events).await?.into_body();
    let mut lines = Lines::default();
    let mut begun = false;
    loop {
        let within = if begun { SILENT_MAX } else { ANSWERS_WITHIN };
        let frame = timeout(within, events.frame()).await.map_err(|_| Broken)?;
        let Some(Ok(frame)) = frame else { return Err(Broken) };
        let Ok(bytes) = frame.into_data() else { continue };
        // The stream's first message says that events follow from now on. The state is requested after that,
        // so nothing is missed in between.
        if !std::mem::replace(&mut begun, true) {
            say(tell, News::Begins(address)).await?;
            for path in feed.standing {
                say(tell, News::Said(path, standing(address, feed, path).await?)).await?;
            }
        }
        for event in lines.feed(&bytes) {
            say(tell, News::Said(feed.events, event)).await?;
        }
    }
}

async fn say(tell: &mpsc::Sender<News>, news: News) -> Result<(), Broken> {
    tell.send(news).await.map_err(|_| Broken)
}

async fn standing(address: SocketAddr, feed: &Feed, path: &'static str) -> Result<Vec<u8>, Broken> {
    let body = Limited::new(ask(address, feed, path).await?.into_body(), STANDING_MAX);
    let whole = timeout(ANSWERS_WITHIN, body.collect()).await.map_err(|_| Broken)?;
    Ok(whole.map_err(|_| Broken)?.to_bytes().to_vec())
}

async fn ask(address: SocketAddr, feed: &Feed, path: &str) -> Result<Response<Incoming>, Broken> {
    send(address, feed, Method::GET, path, Bytes::new()).await
}

async fn post(
    address: SocketAddr,
    feed: &Feed,
    Reply { path, body }: Reply,
) -> Result<Response<Incoming>, Broken> {
    send(address, feed, Method::POST, &path, body.into()).await
}

async fn send(
    address: SocketAddr,
    feed: &Feed,
    method: Method,
    path: &str,
    body: Bytes,
) -> Result<Response<Incoming>, Broken> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, address.to_string())
        .header(AUTHORIZATION, &feed.authorization)
        .header(ACCEPT, "text/event-stream, application/json")
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(body))
        .map_err(|_| Broken)?;
    let answer = timeout(ANSWERS_WITHIN, async {
        let stream = TcpStream::connect(address).await.map_err(|_| Broken)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|_| Broken)?;
        // Ends with the answer's body, or with the engine.
        tokio::spawn(connection);
        sender.send_request(request).await.map_err(|_| Broken)
    });
    let answer = answer.await.map_err(|_| Broken)??;
    if answer.status() == StatusCode::OK { Ok(answer) } else { Err(Broken) }
}

#[cfg(test)]
mod tests;
