//! Errors as answers, and what requests may bring.

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

/// The status that goes with a trouble.
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

/// A limit in bytes, as people say it.
pub(super) fn size(bytes: usize) -> String {
    words::bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// An error of the protocol's, which no verb can meet.
pub(super) fn plain(status: StatusCode, code: &str, sentence: &str) -> Response {
    let title = if status == StatusCode::PAYLOAD_TOO_LARGE { "Too large" } else { "Not understood" };
    let error = wire::Trouble {
        code: code.into(),
        title: title.into(),
        message: sentence.into(),
        hints: vec!["`GET /api/openapi.json` describes this API.".into()],
        severity: "notice".into(),
    };
    (status, Json(wire::Failure { error })).into_response()
}

/// A JSON body. Nothing at all stands for the default.
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
            let nothing = axum::body::Bytes::from_request(request, state).await;
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
        match Json::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(error) => Err(unreadable(&error)),
        }
    }
}

fn unreadable(error: &JsonRejection) -> Response {
    plain(error.status(), "bad_request", &error.body_text())
}
