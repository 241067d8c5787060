//! Repos: the list, and orders to one or all.

use std::future::Future;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use repose_core::decision::Pick;
use repose_core::ids::{DecisionId, RepoId};
use repose_core::trouble::{Code, Trouble};
use repose_runner::{NewRepo, Shown};

use super::App;
use super::answer::{Body, Refused};
use crate::wire::{
    Added, Changed, Decided, Ensure, Failure, Interrupt, New, Outcome, Outcomes, Paused, Repo, Repos, Resume,
    Switch, Used,
};

/// The most characters of the random id with which a page identifies itself; a longer one is invalid.
pub(super) const CLIENT_MAX: usize = 64;

type Answer<T> = Result<Json<T>, Refused>;

impl App {
    /// The repo named in a path, by id, by name, or by folder.
    pub(super) async fn find(&self, reference: &str) -> Result<RepoId, Refused> {
        Ok(self.runner.find(reference).await?)
    }
}

/// What comes of an order: the repo, and whether that opened it. An open says so by a statement of its own.
async fn changed(
    app: &App,
    id: &RepoId,
    order: impl Future<Output = Result<Shown, Trouble>>,
) -> Answer<Changed> {
    let before = app.runner.shown(id).and_then(|shown| shown.continuity);
    let shown = order.await?;
    let opened = shown.continuity.is_some() && shown.continuity != before;
    Ok(Json(Changed { repo: (&shown).into(), opened }))
}

/// All repos and their totals. Opens nothing.
#[utoipa::path(get, path = "/api/repos", responses((status = 200, body = Repos)))]
pub(super) async fn list(State(app): State<App>) -> Json<Repos> {
    let repos = app.runner.map(|repo| repo.into());
    Json(Repos { repos, totals: app.runner.totals().into() })
}

/// One repo. Opens nothing.
#[utoipa::path(get, path = "/api/repos/{id}", params(("id" = String, Path, description = "Id, name, or the folder, percent-encoded")),
    responses((status = 200, body = Repo), (status = 404, body = Failure)))]
pub(super) async fn show(State(app): State<App>, Path(id): Path<String>) -> Answer<Repo> {
    let id = app.find(&id).await?;
    let shown = app.runner.shown(&id).ok_or_else(|| Refused(gone()))?;
    Ok(Json((&shown).into()))
}

/// Adds a folder. Opens nothing, and works without the engine.
#[utoipa::path(post, path = "/api/repos", request_body = New,
    responses((status = 201, body = Added), (status = 409, body = Failure), (status = 400, body = Failure)))]
pub(super) async fn add(
    State(app): State<App>,
    Body(new): Body<New>,
) -> Result<(StatusCode, Json<Added>), Refused> {
    let Some(path) = app.runner.typed_path(&new.path).await else {
        let sentence = "A repo's `path` must begin at the root, or with `~/`. Nothing was added.";
        return Err(Trouble::new(Code::BadRequest, sentence, ["Write the whole path."]).into());
    };
    let New { engine, name, adopt, .. } = new;
    let added = app.runner.add(NewRepo { path, engine, name, adopt }).await?;
    let mut moved = None;
    if adopt && added.conversation.is_none() {
        // This is only an offer: if the engine's files can't be read, there is none.
        let listed = app.runner.conversations(&added.id).await.unwrap_or_default();
        moved = listed.iter().find(|listed| listed.moved_from.is_some()).map(Into::into);
    }
    Ok((StatusCode::CREATED, Json(Added { repo: (&added).into(), moved })))
}

/// Removes a repo from the list. The folder and the engine's files stay.
#[utoipa::path(delete, path = "/api/repos/{id}", params(("id" = String, Path), ("interrupt" = Option<bool>, Query),
    ("at_most" = Option<String>, Query, description = "The `work` of a refusal")),
    responses((status = 200, body = Changed), (status = 409, body = Failure)))]
pub(super) async fn remove(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(word): Query<Interrupt>,
) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.remove(&id, word.into())).await
}

/// Makes sure that the repo has a live engine, and answers once it is confirmed.
#[utoipa::path(post, path = "/api/repos/{id}/ensure", params(("id" = String, Path)), request_body = Ensure, responses(
    (status = 200, body = Changed), (status = 202, body = Changed, description = "It will be opened when it is free"),
    (status = 409, body = Failure), (status = 503, body = Failure)))]
pub(super) async fn ensure(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Ensure { when_free }): Body<Ensure>,
) -> Result<(StatusCode, Json<Changed>), Refused> {
    let id = app.find(&id).await?;
    let runner = &app.runner;
    let ensured =
        async { if when_free { runner.ensure_when_free(&id).await } else { runner.ensure(&id).await } };
    let answer = changed(&app, &id, ensured).await?;
    let status = if answer.repo.opens_when_free { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok((status, answer))
}

/// Continues with a copy of the current conversation, or of the named one; the original stays as it is, even
/// if another program has it open.
#[utoipa::path(post, path = "/api/repos/{id}/fork", params(("id" = String, Path)), request_body = Resume,
    responses((status = 200, body = Changed), (status = 409, body = Failure), (status = 503, body = Failure)))]
pub(super) async fn fork(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Resume { conversation }): Body<Resume>,
) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.fork(&id, conversation.as_deref())).await
}

/// Ends the engine, keeps the conversation, and prevents the repo from opening.
#[utoipa::path(post, path = "/api/repos/{id}/pause", params(("id" = String, Path)), request_body = Interrupt,
    responses((status = 200, body = Paused), (status = 409, body = Failure)))]
pub(super) async fn pause(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(word): Body<Interrupt>,
) -> Answer<Paused> {
    let paused = app.runner.pause(&app.find(&id).await?, word.into()).await?;
    Ok(Json(Paused {
        freed_bytes: paused.freed.map(|freed| freed.bytes),
        measured: paused.freed.map(|freed| freed.measured.into()),
        took_ms: paused.freed.map(|freed| freed.took_ms),
        repo: (&paused.shown).into(),
    }))
}

/// Lifts a pause, resumes the conversation at any age, and answers once it is confirmed.
#[utoipa::path(post, path = "/api/repos/{id}/resume", params(("id" = String, Path)), request_body = Resume,
    responses((status = 200, body = Changed), (status = 409, body = Failure), (status = 503, body = Failure)))]
pub(super) async fn resume(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Resume { conversation }): Body<Resume>,
) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.resume(&id, conversation.as_deref())).await
}

/// Begins a new conversation.
#[utoipa::path(post, path = "/api/repos/{id}/fresh", params(("id" = String, Path)), request_body = Interrupt,
    responses((status = 200, body = Changed), (status = 409, body = Failure), (status = 503, body = Failure)))]
pub(super) async fn fresh(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(word): Body<Interrupt>,
) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.fresh(&id, word.into())).await
}

/// Ends the engine, and forgets the pause and the queue.
#[utoipa::path(post, path = "/api/repos/{id}/stop", params(("id" = String, Path)), request_body = Interrupt,
    responses((status = 200, body = Changed), (status = 409, body = Failure)))]
pub(super) async fn stop(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(word): Body<Interrupt>,
) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.stop(&id, word.into())).await
}

/// Changes to another engine. Each keeps its own current conversation of the repo.
#[utoipa::path(post, path = "/api/repos/{id}/engine", params(("id" = String, Path)), request_body = Switch,
    responses((status = 200, body = Changed), (status = 409, body = Failure)))]
pub(super) async fn switch(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Switch { engine, interrupt, at_most }): Body<Switch>,
) -> Answer<Changed> {
    let word = Interrupt { interrupt, at_most };
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.switch(&id, &engine, word.into())).await
}

/// Ends the turn in progress, as Esc does.
#[utoipa::path(post, path = "/api/repos/{id}/interrupt", params(("id" = String, Path)),
    responses((status = 200, body = Changed), (status = 409, body = Failure)))]
pub(super) async fn interrupt(State(app): State<App>, Path(id): Path<String>) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.interrupt(&id)).await
}

/// Makes a decision that the engine waits for (the repo's `decision`). Whoever answers first counts,
/// including in the terminal. Of several questions each is a decision of its own.
#[utoipa::path(post, path = "/api/repos/{id}/answer", params(("id" = String, Path)), request_body = Decided,
    responses((status = 200, body = Changed), (status = 409, body = Failure, description = "`decision_over`, `unfit_text`: nothing was answered")))]
pub(super) async fn answer(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Decided { decision, choice, words }): Body<Decided>,
) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.decide(&id, DecisionId::new(decision), Pick { choice, words })).await
}

/// Keeps the engine, however long it is idle.
#[utoipa::path(post, path = "/api/repos/{id}/pin", params(("id" = String, Path)), responses((status = 200, body = Changed)))]
pub(super) async fn pin(State(app): State<App>, Path(id): Path<String>) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.pin(&id, true)).await
}

/// Lets the engine go again once it is idle.
#[utoipa::path(post, path = "/api/repos/{id}/unpin", params(("id" = String, Path)), responses((status = 200, body = Changed)))]
pub(super) async fn unpin(State(app): State<App>, Path(id): Path<String>) -> Answer<Changed> {
    let id = app.find(&id).await?;
    changed(&app, &id, app.runner.pin(&id, false)).await
}

/// A page reports that a person uses the repo through it: the engine is then held for two minutes, or until
/// the page is closed. A page that is open, polling or in the background doesn't count. 204.
#[utoipa::path(post, path = "/api/repos/{id}/used", params(("id" = String, Path)), request_body = Used, responses(
    (status = 204, description = "Noted"), (status = 400, body = Failure), (status = 409, body = Failure)))]
pub(super) async fn used(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(Used { client, in_use }): Body<Used>,
) -> Result<StatusCode, Refused> {
    if client.chars().count() > CLIENT_MAX {
        let sentence = format!("A client's word is longer than {CLIENT_MAX} characters. Nothing was noted.");
        return Err(Trouble::new(Code::BadRequest, sentence, ["Choose a shorter one."]).into());
    }
    app.runner.used(&app.find(&id).await?, &client, in_use)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pauses all live repos, and prevents all others from opening.
#[utoipa::path(post, path = "/api/pause-all", request_body = Interrupt, responses((status = 200, body = Outcomes),
    (status = 500, body = Failure)))]
pub(super) async fn pause_all(
    State(app): State<App>,
    Body(word): Body<Interrupt>,
) -> Result<Json<Outcomes>, Refused> {
    let outcomes = app.runner.pause_all(word.into()).await?.into_iter();
    let results: Vec<Outcome> = outcomes
        .filter_map(|(id, result)| match result {
            Ok(paused) => Some(Outcome {
                repo: (&paused.shown).into(),
                freed_bytes: paused.freed.map(|freed| freed.bytes),
                error: None,
            }),
            // Nothing was live, which is what was wanted.
            Err(trouble) if trouble.code == Code::NothingToPause => None,
            Err(trouble) => refusal(&app, &id, &trouble),
        })
        .collect();
    let freed_bytes = results.iter().filter_map(|outcome| outcome.freed_bytes).sum();
    Ok(Json(Outcomes { results, freed_bytes }))
}

/// Lifts every pause. Opens nothing.
#[utoipa::path(post, path = "/api/resume-all", responses((status = 200, body = Outcomes), (status = 500, body = Failure)))]
pub(super) async fn resume_all(State(app): State<App>) -> Result<Json<Outcomes>, Refused> {
    let outcomes = app.runner.resume_all().await?.into_iter();
    let results = outcomes.filter_map(|(id, result)| match result {
        Ok(shown) => Some(Outcome { repo: (&shown).into(), freed_bytes: None, error: None }),
        Err(trouble) => refusal(&app, &id, &trouble),
    });
    Ok(Json(Outcomes { results: results.collect(), freed_bytes: 0 }))
}

/// The repo as shown. `None`: it was removed in the meantime.
fn refusal(app: &App, id: &RepoId, trouble: &Trouble) -> Option<Outcome> {
    let repo = (&app.runner.shown(id)?).into();
    Some(Outcome { repo, freed_bytes: None, error: Some(trouble.into()) })
}

/// A repo that existed a moment ago.
pub(super) fn gone() -> Trouble {
    Trouble::new(Code::NoSuchRepo, "The repo was removed meanwhile.", ["`repose ls` lists what there is."])
}
