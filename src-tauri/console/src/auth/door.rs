//! The layers that requests over loopback pass through.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::HeaderValue;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Auth;
use super::request::{self, Foreign};
use crate::wire::{Failure, Trouble};

/// Headers of every answer: nothing from elsewhere, nothing inline, no frame around it, no cache.
const HARDENING: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
];

/// Lets authorised requests in, and answers all others with 401 whatever they request, so that they don't
/// learn what exists.
pub(crate) async fn door(State(auth): State<Arc<Auth>>, request: Request, next: Next) -> Response {
    if let Err(foreign) = request::judge(request.method(), request.headers(), false) {
        return turned_away(foreign);
    }
    if auth.admits(request.headers(), repose_sys::clock::now().wall) {
        return next.run(request).await;
    }
    unknown()
}

/// Lets in anybody who may have followed a link from anywhere. A browser also calls a redirect after such a
/// link cross-site, so this rule applies to the login and to the page that it redirects to.
pub(crate) async fn entrance(request: Request, next: Next) -> Response {
    match request::judge(request.method(), request.headers(), true) {
        Ok(()) => next.run(request).await,
        Err(foreign) => turned_away(foreign),
    }
}

/// Adds [`HARDENING`] to every answer. A route may have set `Cache-Control` itself.
pub(crate) async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HARDENING {
        response.headers_mut().entry(*name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// The answer to a request with neither token nor login.
pub(crate) fn unknown() -> Response {
    let trouble = Trouble {
        code: "unauthorized".into(),
        title: "Not logged in".into(),
        message: "This console doesn't know you, or the link was used before or is too old.".into(),
        hints: vec!["Open it with `repose console`; `repose console --print` prints a link.".into()],
        severity: "warning".into(),
        work: None,
        about: None,
    };
    (StatusCode::UNAUTHORIZED, Json(Failure { error: trouble })).into_response()
}

fn turned_away(foreign: Foreign) -> Response {
    let (code, message) = match foreign {
        Foreign::Host => ("foreign_host", "The request's Host is no address of this machine's own."),
        Foreign::Origin => ("foreign_origin", "The request's Origin isn't this console."),
        Foreign::NoOrigin => ("no_origin", "A change, or a connection that stays, must say its Origin."),
        Foreign::Site => ("foreign_site", "Another site's page sent this request."),
    };
    let trouble = Trouble {
        code: code.into(),
        title: "Turned away".into(),
        message: format!("{message} Nothing was done."),
        hints: vec!["Open the console with `repose console`.".into()],
        severity: "warning".into(),
        work: None,
        about: None,
    };
    (StatusCode::FORBIDDEN, Json(Failure { error: trouble })).into_response()
}
