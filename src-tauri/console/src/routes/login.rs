//! Logging in to the console.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::header::{ACCEPT, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use repose_core::trouble::{Code, Trouble};

use super::answer::{self, Body, Refused};
use super::{App, Wanted};
use crate::auth::{self, BadLink};
use crate::wire::{Failure, Link, ShowApp};

/// The page, which then says why the link lets nobody in.
fn says(bad: BadLink) -> &'static str {
    match bad {
        BadLink::Used => "/#/used",
        BadLink::Expired => "/#/expired",
        BadLink::Unknown => "/#/unknown-link",
    }
}

/// Exchanges a one-time link for a cookie, and redirects to the page. An invalid link also leads a person
/// there; a program is answered with 401.
pub(super) async fn log_in(
    State(app): State<App>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let code = query.as_deref().and_then(|query| query.strip_prefix("code=")).unwrap_or_default();
    let cookie = match app.auth.log_in(code, repose_sys::clock::now().wall) {
        Ok(Ok(cookie)) => cookie,
        Ok(Err(bad)) if reads_pages(&headers) => return goes_on(says(bad)).into_response(),
        Ok(Err(_)) => return auth::unknown(),
        Err(error) => {
            let hint = "Look at the state folder: `repose doctor`.";
            return Refused(Trouble::new(
                Code::StoreFailed,
                format!("You were not logged in: {error}."),
                [hint],
            ))
            .into_response();
        }
    };
    let Ok(cookie) = HeaderValue::from_str(&cookie) else { return auth::unknown() };
    let (status, location) = goes_on("/");
    (status, location, [(SET_COOKIE, cookie)]).into_response()
}

fn goes_on(to: &'static str) -> (StatusCode, [(HeaderName, HeaderValue); 1]) {
    (StatusCode::SEE_OTHER, [(LOCATION, HeaderValue::from_static(to))])
}

/// Whether a browser requests this for somebody to read.
fn reads_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Creates a one-time link. Only on the CLI's socket: a browser can't let another one in.
#[utoipa::path(post, path = "/api/link", responses((status = 200, body = Link)))]
pub(super) async fn link(State(app): State<App>) -> Json<Link> {
    Json(link_for(&app, auth::Guest::Browser))
}

/// Creates a one-time link for the app's window, if the runner is another program. Its login isn't kept, and
/// ends that of the previous window. Only on the CLI's socket.
#[utoipa::path(post, path = "/api/window-link", responses((status = 200, body = Link)))]
pub(super) async fn window_link(State(app): State<App>) -> Json<Link> {
    Json(link_for(&app, auth::Guest::Window))
}

fn link_for(app: &App, guest: auth::Guest) -> Link {
    let (path, until) = app.auth.link(guest, repose_sys::clock::now().wall);
    Link { link: format!("{}{path}", app.console), until: until.into() }
}

/// Brings the app's window to the front, with a repo if one is named. Only on the CLI's socket.
#[utoipa::path(post, path = "/api/show", request_body = ShowApp, responses((status = 202, description = "It comes"), (status = 404, description = "This runner has no window"), (status = 503, description = "This app ends now")))]
pub(super) async fn show(State(app): State<App>, Body(ShowApp { repo }): Body<ShowApp>) -> Response {
    let Some(front) = &app.front else {
        return answer::plain(StatusCode::NOT_FOUND, "no_window", "This runner has no window.");
    };
    let (comes, seen_to) = tokio::sync::oneshot::channel();
    if front.send(Wanted::Window { repo, comes }).await.is_err() || seen_to.await.is_err() {
        return answer::plain(StatusCode::SERVICE_UNAVAILABLE, "ending", "This app ends now.");
    }
    StatusCode::ACCEPTED.into_response()
}

/// Stops this runner, so that the caller can take its place and adopt its engines. Only on the CLI's socket.
#[utoipa::path(post, path = "/api/hand-over", responses((status = 202, description = "It ends"), (status = 409, body = Failure)))]
pub(super) async fn hand_over(State(app): State<App>) -> Result<StatusCode, Refused> {
    let pid = app.runner.info().pid;
    if app.front.is_some() {
        return Err(Trouble::new(
            Code::RunnerElsewhere,
            format!("Process {pid} is the Repose app, so it doesn't make room."),
            ["Use it, or quit it first."],
        )
        .into());
    }
    if app.stay {
        return Err(Trouble::new(
            Code::RunnerElsewhere,
            format!("Process {pid} was started with `repose serve --stay`, so it doesn't make room."),
            ["Be its client, or end it first."],
        )
        .into());
    }
    tracing::info!("another start of Repose takes over; agents go on");
    app.handed_over.cancel();
    Ok(StatusCode::ACCEPTED)
}
