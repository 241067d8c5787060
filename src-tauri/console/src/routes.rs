//! The routes: each translates one request for the runner, and its answer.

mod answer;
mod ask;
mod desk;
mod events;
mod folders;
mod login;
mod look;
mod openapi;
mod repos;
mod settings;
mod terminal;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode};
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use repose_runner::Runner;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::assets;
use crate::auth::{self, Auth};

/// The most bytes of a request's body. A longer prompt belongs into a file in the repo; it is answered with
/// 413.
pub const BODY_MAX: usize = 4 * 1024 * 1024;

/// The most terminals that are attached at a time, over all repos. Each has a queue in its holder and one
/// here. A further one is answered with 503.
pub const TERMINALS_MAX: usize = 64;

/// The most readers of the events stream at a time: one per tab. A further one is answered with 503.
pub const READERS_MAX: usize = 64;

/// Where to request the app's window.
pub type Front = tokio::sync::mpsc::Sender<Wanted>;

/// A request to the app.
#[derive(Debug)]
pub enum Wanted {
    /// Its window is wanted.
    Window {
        /// The repo to show; `None`: as it was.
        repo: Option<String>,
        /// Notified once the app handles it. An app that exits drops it instead, and the asker looks
        /// elsewhere.
        comes: tokio::sync::oneshot::Sender<()>,
    },
    /// What it finds of the desktop is wanted, for the doctor.
    Checks(tokio::sync::oneshot::Sender<Vec<repose_runner::Check>>),
}

/// What the routes need.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) runner: Runner,
    pub(crate) auth: Arc<Auth>,
    /// The console's address: `http://127.0.0.1:PORT`.
    pub(crate) console: Arc<str>,
    /// Whether no other program may take over as the runner.
    pub(crate) stay: bool,
    /// Where to request the window, if there is one.
    pub(crate) front: Option<Front>,
    pub(crate) terminals: Arc<Semaphore>,
    pub(crate) readers: Arc<Semaphore>,
    pub(crate) pages: events::Pages,
    pub(crate) stop: CancellationToken,
    /// Cancelled once another program is to take over as the runner.
    pub(crate) handed_over: CancellationToken,
}

impl App {
    pub(crate) fn new(
        runner: Runner,
        auth: Arc<Auth>,
        console: &str,
        stay: bool,
        front: Option<Front>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            runner,
            auth,
            console: console.into(),
            stay,
            front,
            terminals: Arc::new(Semaphore::new(TERMINALS_MAX)),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
            pages: events::Pages::default(),
            stop,
            handed_over: CancellationToken::new(),
        }
    }
}

/// The routes over loopback: the page and the login, and everything else behind authentication.
pub(crate) fn guarded(app: App) -> Router {
    let auth = Arc::clone(&app.auth);
    let outside = assets::routes()
        .route("/login", get(login::log_in))
        .method_not_allowed_fallback(no_such_method)
        .layer(middleware::from_fn(auth::entrance));
    routes()
        .layer(middleware::from_fn_with_state(auth, auth::door))
        .merge(outside)
        .layer(middleware::from_fn(auth::harden))
        .with_state(app)
}

/// The routes on the CLI's socket, where the kernel identifies the caller.
pub(crate) fn trusted(app: App) -> Router {
    routes()
        .route("/api/link", post(login::link))
        .route("/api/window-link", post(login::window_link))
        .route("/api/hand-over", post(login::hand_over))
        .route("/api/show", post(login::show))
        .with_state(app)
}

fn routes() -> Router<App> {
    Router::new()
        .route("/api/openapi.json", get(openapi::document))
        .route("/api/status", get(look::status))
        .route("/api/doctor", get(look::doctor))
        .route("/api/engines", get(look::engines))
        .route("/api/diagnostics", get(look::diagnostics))
        .route("/api/diagnostics/log", get(look::runner_log))
        .route("/api/log", get(look::recent))
        .route("/api/settings", get(settings::read).patch(settings::change))
        .route("/api/events", get(events::stream))
        .route("/api/folders", get(folders::used))
        .route("/api/complete", get(folders::complete))
        .route("/api/pause-all", post(repos::pause_all))
        .route("/api/resume-all", post(repos::resume_all))
        .route("/api/asks/{ask}", get(ask::answer))
        .route("/api/repos", get(repos::list).post(repos::add))
        .route("/api/repos/{id}", get(repos::show).delete(repos::remove))
        .route("/api/repos/{id}/ensure", post(repos::ensure))
        .route("/api/repos/{id}/ask", post(ask::ask))
        .route("/api/repos/{id}/asks", get(look::asks))
        .route("/api/repos/{id}/asks/{ask}", axum::routing::delete(ask::withdraw))
        .route("/api/repos/{id}/pause", post(repos::pause))
        .route("/api/repos/{id}/resume", post(repos::resume))
        .route("/api/repos/{id}/fresh", post(repos::fresh))
        .route("/api/repos/{id}/stop", post(repos::stop))
        .route("/api/repos/{id}/engine", post(repos::switch))
        .route("/api/repos/{id}/interrupt", post(repos::interrupt))
        .route(
            "/api/repos/{id}/images",
            post(desk::keep_image).layer(DefaultBodyLimit::max(repose_runner::IMAGE_MAX)),
        )
        .route("/api/repos/{id}/images/{name}", get(desk::image))
        .route("/api/repos/{id}/show", post(desk::show))
        .route("/api/repos/{id}/fork", post(repos::fork))
        .route("/api/repos/{id}/answer", post(repos::answer))
        .route("/api/repos/{id}/used", post(repos::used))
        .route("/api/repos/{id}/pin", post(repos::pin))
        .route("/api/repos/{id}/unpin", post(repos::unpin))
        .route("/api/repos/{id}/why", get(look::why))
        .route("/api/repos/{id}/conversations", get(look::conversations))
        .route("/api/repos/{id}/conversation", get(look::conversation))
        .route("/api/repos/{id}/conversation/find", get(look::find))
        .route("/api/repos/{id}/log", get(look::log))
        .route("/api/repos/{id}/terminal", get(terminal::attach))
        .fallback(no_such_route)
        .method_not_allowed_fallback(no_such_method)
        .layer(DefaultBodyLimit::max(BODY_MAX))
}

async fn no_such_route() -> Response {
    answer::plain(StatusCode::NOT_FOUND, "not_found", "There is nothing at this address.")
}

async fn no_such_method(method: Method) -> Response {
    let sentence = format!("{method} can't be done at this address.");
    answer::plain(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &sentence)
}
