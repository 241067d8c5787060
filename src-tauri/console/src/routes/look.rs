//! Looking at repos and the runner. Nothing here opens an engine.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use repose_core::ids::RepoId;
use repose_core::trouble::Trouble;
use repose_runner::{Change, Check, Health};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;

use super::answer::Refused;
use super::repos::gone;
use super::{App, Wanted as WantedOfApp};
use crate::wire::{
    Asks, Conversations, Diagnostics, Engines, Failure, Found, Log, Page, Recent, Report, Runner, RunnerLog,
    Status, Why,
};

type Answer<T> = Result<Json<T>, Refused>;

/// The number of entries in a page of a conversation, unless the reader says.
const PAGE: usize = 50;

/// The most entries in a page of a conversation; more counts as that.
const PAGE_MAX: usize = 500;

/// The number of entries in a part of a log, unless the reader says.
const LOG: usize = 50;

/// The most entries in a part of a log; more counts as that.
const LOG_MAX: usize = 1_000;

/// How many lines of the runner's own log to show: what happened lately. The rest is in its file.
const LOG_LINES: usize = 400;

/// How long a reader of the log may wait for news in one request; more counts as that.
const NEWS_WITHIN_MAX: Duration = Duration::from_secs(60);

/// How long the app may take to say what it finds of the desktop. It waits 2 s itself for a bus that is stuck.
const SAYS_WITHIN: Duration = Duration::from_secs(5);

/// The runner, and totals over all repos.
#[utoipa::path(get, path = "/api/status", responses((status = 200, body = Status)))]
pub(super) async fn status(State(app): State<App>) -> Json<Status> {
    let info = app.runner.info();
    let runner = Runner {
        pid: info.pid,
        version: info.version,
        app: app.front.is_some(),
        started: info.started.into(),
        console: Some(app.console.to_string()),
    };
    Json(Status { runner, totals: app.runner.totals().into() })
}

/// Checks everything that Repose needs.
#[utoipa::path(get, path = "/api/doctor", responses((status = 200, body = Report)))]
pub(super) async fn doctor(State(app): State<App>) -> Json<Report> {
    let mut report = app.runner.doctor().await;
    report.checks.extend(of_the_desktop(&app).await);
    Json((&report).into())
}

/// What the app finds of the desktop, which only it can say: another program may have none, or another one.
async fn of_the_desktop(app: &App) -> Vec<Check> {
    let one = |health, sentence: &str, hints: &[&str]| {
        let hints = hints.iter().map(|hint| (*hint).into()).collect();
        vec![Check { name: "app".into(), health, code: None, sentence: sentence.into(), hints }]
    };
    let Some(front) = &app.front else {
        return one(Health::Ok, "The app isn't running: `repose serve` is the runner.", &[]);
    };
    let (found, checks) = oneshot::channel();
    let answer = async {
        front.send(WantedOfApp::Checks(found)).await.ok()?;
        checks.await.ok()
    };
    match tokio::time::timeout(SAYS_WITHIN, answer).await {
        Ok(Some(checks)) => checks,
        Ok(None) | Err(_) => one(
            Health::Warning,
            "It doesn't say what it finds of the desktop.",
            &["Quit it, and start it again."],
        ),
    }
}

/// What runs for the repos: sessions, holders, engines.
#[utoipa::path(get, path = "/api/diagnostics", responses((status = 200, body = Diagnostics)))]
pub(super) async fn diagnostics(State(app): State<App>) -> Json<Diagnostics> {
    let sessions = app.runner.diagnostics().await.iter().map(Into::into).collect();
    let memory = app.runner.measures().iter().map(Into::into).collect();
    Json(Diagnostics { sessions, memory })
}

/// All engines that a repo can have, as installed on this machine.
#[utoipa::path(get, path = "/api/engines", responses((status = 200, body = Engines)))]
pub(super) async fn engines(State(app): State<App>) -> Json<Engines> {
    Json(Engines { engines: app.runner.engines().await.iter().map(Into::into).collect() })
}

/// The end of the runner's own log. It never contains what was said.
#[utoipa::path(get, path = "/api/diagnostics/log", responses((status = 200, body = RunnerLog)))]
pub(super) async fn runner_log(State(app): State<App>) -> Answer<RunnerLog> {
    let lines = app.runner.log_lines(LOG_LINES).await?;
    Ok(Json(RunnerLog { file: app.runner.home().log().to_string_lossy().into_owned(), lines }))
}

/// What holds the repo's engine, and when it will be let go.
#[utoipa::path(get, path = "/api/repos/{id}/why", params(("id" = String, Path)), responses((status = 200, body = Why)))]
pub(super) async fn why(State(app): State<App>, Path(id): Path<String>) -> Answer<Why> {
    let shown = app.runner.looked_at(&app.find(&id).await?).await.ok_or_else(|| Refused(gone()))?;
    Ok(Json(crate::wire::Repo::from(&shown).into()))
}

/// All asks of the repo that have no answer yet, in order. The repo itself shows only the first.
#[utoipa::path(get, path = "/api/repos/{id}/asks", params(("id" = String, Path)), responses((status = 200, body = Asks)))]
pub(super) async fn asks(State(app): State<App>, Path(id): Path<String>) -> Answer<Asks> {
    let asks = app.runner.asks(&app.find(&id).await?).await.ok_or_else(|| Refused(gone()))?;
    Ok(Json(Asks { asks: asks.iter().map(Into::into).collect() }))
}

/// The repo's conversations, latest first.
#[utoipa::path(get, path = "/api/repos/{id}/conversations", params(("id" = String, Path)),
    responses((status = 200, body = Conversations)))]
pub(super) async fn conversations(State(app): State<App>, Path(id): Path<String>) -> Answer<Conversations> {
    let id = app.find(&id).await?;
    let listed = app.runner.conversations(&id).await?;
    let shown = app.runner.shown(&id).ok_or_else(|| Refused(gone()))?;
    Ok(Json(Conversations { conversations: listed.iter().map(Into::into).collect(), repo: (&shown).into() }))
}

/// A page of a conversation.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    /// The conversation's id. Absent: the current one.
    #[serde(default)]
    conversation: Option<String>,
    /// Only entries before this: `before` of the following page. Absent: the last ones.
    #[serde(default)]
    before: Option<u64>,
    /// The number of entries.
    #[serde(default)]
    limit: Option<usize>,
}

/// A page of a conversation.
#[utoipa::path(get, path = "/api/repos/{id}/conversation", params(("id" = String, Path), Which),
    responses((status = 200, body = Page), (status = 404, body = Failure)))]
pub(super) async fn conversation(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(Which { conversation, before, limit }): Query<Which>,
) -> Answer<Page> {
    let limit = limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let id = app.find(&id).await?;
    let page = app.runner.conversation_page(&id, conversation.as_deref(), before, limit).await?;
    Ok(Json(page.into()))
}

/// A search in a conversation.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// The text; case is ignored.
    q: String,
    /// The conversation's id. Absent: the current one.
    #[serde(default)]
    conversation: Option<String>,
    /// Only entries before this: `before` of a page or of an earlier result. Absent: from the end.
    #[serde(default)]
    before: Option<u64>,
}

/// Searches a conversation for a text. Goes through a part of it; `before` says where to continue.
#[utoipa::path(get, path = "/api/repos/{id}/conversation/find", params(("id" = String, Path), Wanted),
    responses((status = 200, body = Found), (status = 404, body = Failure)))]
pub(super) async fn find(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(Wanted { q, conversation, before }): Query<Wanted>,
) -> Answer<Found> {
    let id = app.find(&id).await?;
    let found = app.runner.conversation_find(&id, conversation.as_deref(), q, before).await?;
    Ok(Json(found.into()))
}

/// A part of a log.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Stretch {
    /// Only entries with a higher number. Absent: the last ones.
    #[serde(default)]
    after: Option<i64>,
    /// The number of entries.
    #[serde(default)]
    limit: Option<usize>,
    /// If there is none, how many milliseconds to wait for one.
    #[serde(default)]
    wait_ms: u64,
}

/// What happened in a repo: asks with their answers, opens, ends, troubles.
#[utoipa::path(get, path = "/api/repos/{id}/log", params(("id" = String, Path), Stretch),
    responses((status = 200, body = Log)))]
pub(super) async fn log(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(Stretch { after, limit, wait_ms }): Query<Stretch>,
) -> Answer<Log> {
    let id = app.find(&id).await?;
    let limit = limit.unwrap_or(LOG).clamp(1, LOG_MAX);
    let patience = Duration::from_millis(wait_ms).min(NEWS_WITHIN_MAX);
    let mut changes = app.runner.subscribe();
    let news = async {
        loop {
            if app.runner.shown(&id).is_none() {
                return Err(gone()); // it was removed in the meantime
            }
            let entries = app.runner.log(&id, after, limit).await?;
            if !entries.is_empty() || wait_ms == 0 {
                return Ok::<_, Trouble>(entries);
            }
            loop {
                match changes.recv().await {
                    Ok(change) if concerns(&change, &id) => break,
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => break,
                    Err(RecvError::Closed) => return Ok(entries),
                }
            }
        }
    };
    let entries = tokio::select! {
        entries = news => entries?,
        () = tokio::time::sleep(patience), if wait_ms > 0 => Vec::new(),
        () = app.stop.cancelled() => Vec::new(),
    };
    Ok(Json(Log { entries: entries.iter().map(Into::into).collect() }))
}

/// How much of what happened last.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Most {
    /// The number of entries.
    #[serde(default)]
    limit: Option<usize>,
}

/// What happened last in all repos.
#[utoipa::path(get, path = "/api/log", params(Most), responses((status = 200, body = Recent)))]
pub(super) async fn recent(State(app): State<App>, Query(Most { limit }): Query<Most>) -> Answer<Recent> {
    let limit = limit.unwrap_or(LOG).clamp(1, LOG_MAX);
    let found = app.runner.latest(limit + 1).await?;
    let entries = found.iter().take(limit).map(Into::into).collect();
    Ok(Json(Recent { entries, earlier: found.len() > limit }))
}

fn concerns(change: &Change, id: &RepoId) -> bool {
    match change {
        Change::Repo(shown) => shown.id == *id,
        Change::Removed(removed) => removed == id,
        Change::Notice(repo, _) => repo == id,
        Change::Totals(_) | Change::Settings | Change::Grew(..) => false,
    }
}
