//! Errors as answers, and limits on requests.

use std::future::Future;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use repose_core::trouble::{Code, Kind, Trouble};
use repose_core::words;
use serde::de::DeserializeOwned;

use super::BODY_MAX;
use crate::wire;

/// A trouble as the answer.
#[derive(Debug)]
pub(super) struct Refused(pub(super) Trouble);

impl From<Trouble> for Refused {
    fn from(trouble: Trouble) -> Self {
        Self(trouble)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (status(self.0.code), Json(wire::Failure::from(self.0))).into_response()
    }
}

/// The HTTP status of a trouble.
pub(super) fn status(code: Code) -> StatusCode {
    match (code, code.kind()) {
        (Code::NoSuchRepo | Code::NoSuchConversation | Code::NoSuchAsk, _) => StatusCode::NOT_FOUND,
        (Code::UnfitImage, _) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        (Code::NotShown, _) => StatusCode::NOT_IMPLEMENTED,
        (_, Kind::Usage) => StatusCode::BAD_REQUEST,
        (_, Kind::Refused) => StatusCode::CONFLICT,
        (_, Kind::Offline) => StatusCode::SERVICE_UNAVAILABLE,
        (_, Kind::TimedOut) => StatusCode::GATEWAY_TIMEOUT,
        (_, Kind::TurnFailed) => StatusCode::BAD_GATEWAY,
        (_, Kind::Fault) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A limit in bytes, in words.
pub(super) fn size(bytes: usize) -> String {
    words::bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// An error of the protocol, which no verb can cause.
pub(super) fn plain(status: StatusCode, code: &str, sentence: &str) -> Response {
    let title = match code {
        "too_large" => "Too large",
        "too_many" => "Too many",
        "asleep" => "Asleep",
        "too_slow" => "Too slow",
        "ending" => "Ending",
        _ => "Not understood",
    };
    let error = wire::Trouble {
        code: code.into(),
        title: title.into(),
        message: sentence.into(),
        hints: vec!["`GET /api/openapi.json` describes this API.".into()],
        severity: "notice".into(),
        work: None,
        about: None,
    };
    (status, Json(wire::Failure { error })).into_response()
}

/// How long a body may take over loopback: one that trickles would occupy its connection for ever. It is
/// answered with 408.
pub(super) const BODY_WITHIN: Duration = Duration::from_secs(30);

/// Reads a body, unless that takes too long.
pub(super) async fn in_time<T>(reading: impl Future<Output = T>) -> Result<T, Response> {
    tokio::time::timeout(BODY_WITHIN, reading).await.map_err(|_| {
        let sentence = format!(
            "The body came too slowly: it must be here within {}. Nothing was done.",
            words::span(BODY_WITHIN)
        );
        plain(StatusCode::REQUEST_TIMEOUT, "too_slow", &sentence)
    })
}

/// A JSON body. An empty body means the default.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for Body<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let told =
            request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if told.is_some_and(|length: usize| length > BODY_MAX) {
            let sentence = format!("A body may have {}. Nothing was done.", size(BODY_MAX));
            return Err(plain(StatusCode::PAYLOAD_TOO_LARGE, "too_large", &sentence));
        }
        if !request.headers().contains_key(CONTENT_TYPE) {
            let nothing = in_time(axum::body::Bytes::from_request(request, state)).await?;
            return match nothing {
                Ok(bytes) if bytes.is_empty() => Ok(Self(T::default())),
                Ok(_) => Err(plain(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "bad_request",
                    "A body must say `Content-Type: application/json`.",
                )),
                Err(error) => Err(plain(error.status(), "bad_request", &error.body_text())),
            };
        }
        match in_time(Json::from_request(request, state)).await? {
            Ok(Json(body)) => Ok(Self(body)),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

fn unreadable(error: &JsonRejection) -> Response {
    plain(error.status(), "bad_request", &error.body_text())
}

#[cfg(test)]
mod tests {
    use axum::body::{Body as Bytes, to_bytes};
    use axum::extract::{FromRequest, Request};
    use axum::http::StatusCode;
    use axum::response::Response;
    use futures_util::{StreamExt, stream};

    use super::{BODY_WITHIN, Body};
    use crate::wire::Interrupt;

    /// The answer to a body that begins and then stops.
    async fn trickling(kind: Option<&str>) -> Response {
        let begun = stream::iter([Ok::<_, std::io::Error>("{")]).chain(stream::pending());
        let mut request = Request::new(Bytes::from_stream(begun));
        if let Some(kind) = kind {
            request.headers_mut().insert("content-type", kind.parse().expect("a header"));
        }
        let read = Body::<Interrupt>::from_request(request, &()).await;
        read.err().expect("it never ends")
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_trickles_is_answered_and_holds_no_place_for_ever() {
        for kind in [Some("application/json"), None] {
            let begun = tokio::time::Instant::now();
            let answer = trickling(kind).await;
            assert_eq!((answer.status(), begun.elapsed()), (StatusCode::REQUEST_TIMEOUT, BODY_WITHIN));
            let said = to_bytes(answer.into_body(), 4096).await.expect("a short answer");
            assert!(String::from_utf8_lossy(&said).contains("\"too_slow\""), "{said:?}");
        }
    }
}
