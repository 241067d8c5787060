//! Folders that may be added. Nothing here adds one.

use axum::Json;
use axum::extract::{Query, State};

use super::App;
use crate::wire::{Folders, Matches};

/// Folders in which an engine was used before and that still exist, latest first.
#[utoipa::path(get, path = "/api/folders", responses((status = 200, body = Folders)))]
pub(super) async fn used(State(app): State<App>) -> Json<Folders> {
    let folders = app.runner.folders().await.iter().map(Into::into).collect();
    Json(Folders { folders })
}

/// A typed path.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Typed {
    /// The beginning of a path: absolute, or below the home folder with `~`.
    prefix: String,
}

/// Folders whose paths begin with the typed text, by name.
#[utoipa::path(get, path = "/api/complete", params(Typed), responses((status = 200, body = Matches)))]
pub(super) async fn complete(State(app): State<App>, Query(Typed { prefix }): Query<Typed>) -> Json<Matches> {
    Json(Matches { matches: app.runner.complete(&prefix).await })
}
