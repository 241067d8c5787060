//! The settings.

use axum::Json;
use axum::extract::State;

use super::App;
use super::answer::{Body, Refused};
use crate::wire::{Failure, Settings, SettingsPatch};

/// The settings in force.
#[utoipa::path(get, path = "/api/settings", responses((status = 200, body = Settings)))]
pub(super) async fn read(State(app): State<App>) -> Json<Settings> {
    let (settings, trouble) = app.runner.settings();
    Json(Settings::new(&settings, &app.runner.home().config_file(), trouble.as_ref()))
}

/// Changes settings in their file; its comments stay. They take effect a moment later, and an event reports
/// it.
#[utoipa::path(patch, path = "/api/settings", request_body = SettingsPatch,
    responses((status = 200, body = Settings, description = "As they will be"), (status = 400, body = Failure)))]
pub(super) async fn change(
    State(app): State<App>,
    Body(patch): Body<SettingsPatch>,
) -> Result<Json<Settings>, Refused> {
    let settings = app.runner.change_settings(|settings| patch.applied(settings))?;
    Ok(Json(Settings::new(&settings, &app.runner.home().config_file(), None)))
}
