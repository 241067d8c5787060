//! A terminal over a WebSocket. The messages are described in [`crate::wire::FromServer`]'s module.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use repose_core::ids::RepoId;
use repose_core::repo::State as RepoState;
use repose_core::time::Awake;
use repose_core::typing::{Front, Line};
use repose_hold::{Attach, Attached, Keys, Shown, Shows};
use repose_runner::Use;

use super::answer::Refused;
use super::{App, TERMINALS_MAX, answer};
use crate::wire::{Failure, FromClient, FromServer};

/// The most bytes of a client's message: a paste comes in several.
const MESSAGE_MAX: usize = 1024 * 1024;

/// How long a client may not read before it counts as gone: the holder stops sending to a slow one long
/// before that, so only the network can be the cause.
const TAKES_WITHIN: Duration = Duration::from_secs(60);

/// How long the runner may take to hear of a session's end: it reads a journal's last entry and writes a row.
const HEARD_WITHIN: Duration = Duration::from_secs(3);

/// The properties of the terminal that attaches.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Size {
    /// Its width in columns.
    #[serde(default = "default_cols")]
    cols: u16,
    /// Its height in lines.
    #[serde(default = "default_rows")]
    rows: u16,
    /// Whether it wants the scrollback, for which it is reset. The screen comes first, and the scrollback
    /// with the screen once that was acknowledged.
    #[serde(default)]
    scrollback: bool,
    /// Whether a sleeping repo opens for it. With `false` it is refused with `asleep`, so that a page that
    /// reconnects on its own opens nothing.
    #[serde(default = "opens")]
    open: bool,
}

fn opens() -> bool {
    true
}

fn default_cols() -> u16 {
    80
}

fn default_rows() -> u16 {
    24
}

/// Attaches a terminal as a WebSocket with binary messages, whose first byte gives the kind. From the server:
/// 0 the screen, 1 output, 2 the end with a sentence. From the client: 0 input, 1 bytes written since
/// attaching (u64, little endian), 2 columns and lines (u16 each, little endian), 3 what the terminal sends
/// on its own. A sleeping repo opens for it, unless the request has `open=false`. Without an upgrade, such a
/// request gets the refusal that it would meet, or 426 if there is none.
#[utoipa::path(get, path = "/api/repos/{id}/terminal", params(("id" = String, Path), Size), responses(
    (status = 101, description = "Attached"), (status = 409, body = Failure), (status = 503, body = Failure)))]
pub(super) async fn attach(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(size): Query<Size>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    let id = app.find(&id).await?;
    let Size { cols, rows, scrollback, open } = size;
    let no_socket = |error: &WebSocketUpgradeRejection| {
        answer::plain(StatusCode::UPGRADE_REQUIRED, "bad_request", &error.body_text())
    };
    // A WebSocket can't receive the reason: a client that opens nothing may request it.
    if open && let Err(error) = &upgrade {
        return Ok(no_socket(error));
    }
    // A paused repo refuses anyway.
    if !open
        && app
            .runner
            .shown(&id)
            .is_some_and(|shown| !shown.state.is_live() && shown.state != RepoState::Paused)
    {
        let sentence = "No agent is open, and this terminal opens none.";
        return Ok(answer::plain(StatusCode::CONFLICT, "asleep", sentence));
    }
    let Ok(place) = Arc::clone(&app.terminals).try_acquire_owned() else {
        let sentence = format!("{TERMINALS_MAX} terminals are attached already. Close one.");
        return Ok(answer::plain(StatusCode::SERVICE_UNAVAILABLE, "too_many", &sentence));
    };
    let user = app.runner.client(&id)?;
    let attached = app.runner.attach(&id, Attach { cols, rows, scrollback }).await?;
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(error) => return Ok(no_socket(&error)),
    };
    let upgrade = upgrade.max_message_size(MESSAGE_MAX).max_frame_size(MESSAGE_MAX);
    Ok(upgrade
        .on_upgrade(async move |socket| {
            between(socket, attached, user, &app, &id).await;
            drop(place);
        })
        .into_response())
}

/// Forwards both directions until one side ends.
async fn between(socket: WebSocket, attached: Attached, user: Use, app: &App, id: &RepoId) {
    let Attached { shows, keys } = attached;
    let (mut send, receive) = socket.split();
    let over = tokio::select! {
        () = app.stop.cancelled() => false,
        () = up(receive, keys, user) => false,
        over = down(shows, &mut send) => over,
    };
    // A client that is gone receives neither.
    if over {
        let why = FromServer::<&[u8]>::Ended(ending(app, id).await);
        let _ = tokio::time::timeout(TAKES_WITHIN, send.send(Message::Binary(why.encode().into()))).await;
    }
    let _ = tokio::time::timeout(TAKES_WITHIN, send.close()).await;
}

async fn up(mut receive: SplitStream<WebSocket>, mut keys: Keys, user: Use) {
    while let Some(Ok(message)) = receive.next().await {
        let bytes = match message {
            Message::Binary(bytes) => bytes,
            Message::Text(_) | Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => continue,
        };
        let passed = match FromClient::decode(&bytes) {
            Ok(FromClient::Input(typed)) => {
                // A terminal also answers queries; only a person uses it.
                if Line::default().feed(typed, Front::Line, Awake(0)).by_person {
                    user.used();
                }
                keys.input(typed).await
            }
            Ok(FromClient::Report(bytes)) => keys.report(bytes).await,
            Ok(FromClient::Ack(total)) => keys.ack(total).await,
            Ok(FromClient::Resize { cols, rows }) => keys.resize(cols, rows).await,
            Err(_) => return,
        };
        if passed.is_err() {
            // The session is over, and the other direction reports it.
            std::future::pending::<()>().await;
        }
    }
}

/// Whether the session is over; otherwise the client is gone.
async fn down(mut shows: Shows, send: &mut SplitSink<WebSocket, Message>) -> bool {
    while let Some(shown) = shows.next().await {
        let message = match shown {
            Shown::Snapshot(bytes) => FromServer::Snapshot(bytes).encode(),
            Shown::Output(bytes) => FromServer::Output(bytes).encode(),
        };
        let sent = tokio::time::timeout(TAKES_WITHIN, send.send(Message::Binary(message.into()))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return false;
        }
    }
    true
}

/// Why the session is over, as shown by the repo: the holder closes its terminals before the runner has heard
/// of the end.
async fn ending(app: &App, id: &RepoId) -> String {
    let mut changes = app.runner.subscribe();
    let shown = async {
        loop {
            let shown = app.runner.shown(id);
            if shown.as_ref().is_none_or(|shown| !shown.state.is_live()) {
                return shown;
            }
            // Some may be missed; what is shown is read again anyway.
            let _ = changes.recv().await;
        }
    };
    match tokio::time::timeout(HEARD_WITHIN, shown).await.unwrap_or_else(|_| app.runner.shown(id)) {
        None => "the repo was removed.".into(),
        Some(shown) => match &shown.trouble {
            Some(trouble) => trouble.sentence.clone(),
            None if shown.state.is_live() => "its agent has ended, and another one is open.".into(),
            None => format!("its agent has ended; the repo is {}.", shown.state.as_str()),
        },
    }
}
