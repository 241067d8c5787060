//! What somebody at this machine gives to a repo or wants to see of it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use repose_runner::IMAGE_MAX;

use super::answer::{Body, Refused, size};
use super::{App, answer};
use crate::wire::{Failure, Kept, Show};

/// Names are never reused. The answer is for this browser only, since nobody else has its login.
const NEVER_CHANGES: &str = "private, max-age=31536000, immutable";

/// Stores a picture as a file that the engine can read; its path goes into a prompt. PNG, JPEG, GIF or WebP,
/// whatever the request's `Content-Type` says.
#[utoipa::path(post, path = "/api/repos/{id}/images", params(("id" = String, Path)),
    request_body(content = Vec<u8>, content_type = "image/*"), responses(
    (status = 201, body = Kept), (status = 413, body = Failure), (status = 415, body = Failure)))]
pub(super) async fn keep_image(
    State(app): State<App>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let id = app.find(&id).await?;
    let bytes = match answer::in_time(Bytes::from_request(request, &app)).await {
        Ok(bytes) => bytes,
        Err(too_slow) => return Ok(too_slow),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            let sentence = format!("A picture may have {}. Nothing was kept.", size(IMAGE_MAX));
            return Ok(answer::plain(StatusCode::PAYLOAD_TOO_LARGE, "too_large", &sentence));
        }
        Err(error) => return Ok(answer::plain(error.status(), "bad_request", &error.body_text())),
    };
    let path = app.runner.keep_image(&id, bytes.into()).await?;
    let kept = Kept { path: path.to_string_lossy().into_owned() };
    Ok((StatusCode::CREATED, Json(kept)).into_response())
}

/// A picture that was stored this way.
#[utoipa::path(get, path = "/api/repos/{id}/images/{name}", params(("id" = String, Path), ("name" = String, Path)),
    responses((status = 200, content_type = "image/*", body = Vec<u8>),
    (status = 404, body = Failure, description = "`not_found`: it isn't kept any more")))]
pub(super) async fn image(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let Some((bytes, media)) = app.runner.image(&app.find(&id).await?, name).await? else {
        return Ok(answer::plain(StatusCode::NOT_FOUND, "not_found", "This picture isn't kept any more."));
    };
    Ok(([(CONTENT_TYPE, media), (CACHE_CONTROL, NEVER_CHANGES)], bytes).into_response())
}

/// Opens the repo's folder on this machine's screen.
#[utoipa::path(post, path = "/api/repos/{id}/show", params(("id" = String, Path)), request_body = Show, responses(
    (status = 204, description = "It is shown"),
    (status = 501, body = Failure, description = "`not_shown`: there is no desktop, or no such program")))]
pub(super) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(show): Body<Show>,
) -> Result<StatusCode, Refused> {
    app.runner.show(&app.find(&id).await?, show.place.into()).await?;
    Ok(StatusCode::NO_CONTENT)
}
