//! Asks: handing them in, waiting for them, withdrawing them.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use repose_core::ids::AskId;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_runner::{AskOutcome, AskStage, AskTrouble, NewAsk, Shown};

use super::App;
use super::answer::{Body, Refused, status};
use crate::wire::{ANSWER_WITHIN_MAX, Answered, Ask, Changed, Failure, Unanswered};

/// How long to wait for an answer, unless the asker says.
const ANSWER_WITHIN: Duration = Duration::from_secs(30 * 60);

/// How long to wait for an answer.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Patience {
    /// Milliseconds, at most a day; a higher value counts as that. Absent: 30 minutes. After that the answer
    /// is 504, and the ask goes on.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// Asks something. A sleeping repo opens for it; asks run one turn at a time, in order.
#[utoipa::path(post, path = "/api/repos/{id}/ask", params(("id" = String, Path)), request_body = Ask, responses(
    (status = 200, body = Answered), (status = 202, body = Answered, description = "Accepted; the answer comes later"),
    (status = 409, body = Unanswered), (status = 502, body = Unanswered, description = "The turn failed or was interrupted"),
    (status = 503, body = Unanswered), (status = 504, body = Unanswered, description = "Not yet; the ask goes on")))]
pub(super) async fn ask(
    State(app): State<App>,
    Path(id): Path<String>,
    Body(ask): Body<Ask>,
) -> Result<Response, Refused> {
    let id = app.find(&id).await?;
    let Ask { text, fresh, queue, wait, timeout_ms } = ask;
    // Accepted first and answered later: if this connection breaks in between, the ask still exists.
    let accepted = app.runner.ask(&id, NewAsk { text, fresh, queue, wait: false }).await;
    match accepted {
        Ok(AskOutcome::Accepted { ask, shown, waits_for_resume }) if !wait || waits_for_resume => {
            let answered = Answered {
                answer: None,
                continuity: None,
                ask: ask.as_str().into(),
                waits_for_resume,
                repo: shown.as_ref().into(),
            };
            Ok((StatusCode::ACCEPTED, Json(answered)).into_response())
        }
        Ok(AskOutcome::Accepted { ask, .. }) => Ok(wait_for(&app, &ask, timeout_ms).await),
        outcome => Ok(tell(outcome)),
    }
}

/// Waits for the answer to an ask that was accepted earlier. Returns it at once if it exists already.
#[utoipa::path(get, path = "/api/asks/{ask}", params(("ask" = String, Path), Patience), responses(
    (status = 200, body = Answered), (status = 404, body = Failure), (status = 502, body = Unanswered),
    (status = 504, body = Unanswered)))]
pub(super) async fn answer(
    State(app): State<App>,
    Path(ask): Path<String>,
    Query(Patience { timeout_ms }): Query<Patience>,
) -> Response {
    wait_for(&app, &AskId::new(ask), timeout_ms).await
}

/// Withdraws a waiting ask.
#[utoipa::path(delete, path = "/api/repos/{id}/asks/{ask}", params(("id" = String, Path), ("ask" = String, Path)),
    responses((status = 200, body = Changed), (status = 404, body = Failure)))]
pub(super) async fn withdraw(
    State(app): State<App>,
    Path((id, ask)): Path<(String, String)>,
) -> Result<Json<Changed>, Refused> {
    let shown = app.runner.withdraw(&app.find(&id).await?, &AskId::new(ask)).await?;
    Ok(Json(Changed { repo: (&shown).into(), opened: false }))
}

async fn wait_for(app: &App, ask: &AskId, timeout_ms: Option<u64>) -> Response {
    let patience = timeout_ms.map_or(ANSWER_WITHIN, Duration::from_millis).min(ANSWER_WITHIN_MAX);
    match tokio::time::timeout(patience, app.runner.await_ask(ask)).await {
        Ok(outcome) => tell(outcome),
        Err(_) => {
            let known = |repo: &Shown| {
                let known = repo.asks.iter().find(|known| known.id == *ask)?;
                Some((repo.clone(), known.clone()))
            };
            let asked = app.runner.map(known).into_iter().flatten().next();
            let called =
                asked.as_ref().map_or_else(|| "REPO".into(), |(repo, _)| words::shell_word(&repo.name));
            let why = asked.as_ref().and_then(|(_, ask)| ask.reason.as_ref());
            let end = match asked.as_ref().map(|(_, ask)| ask.stage) {
                Some(AskStage::Taken) => Some(format!("Or end the turn: `repose interrupt {called}`.")),
                Some(AskStage::Waiting) => {
                    Some(format!("Or take it back: `repose withdraw {called} {ask}`."))
                }
                Some(AskStage::Typed) | None => None,
            };
            let log = format!("Its answer will be in the log: `repose log {called}`.");
            let trouble = Trouble::new(
                Code::TimedOut,
                format!(
                    "No answer within {}. The ask goes on.{}",
                    words::span(patience),
                    why.map_or_else(String::new, |why| format!(" {why}"))
                ),
                std::iter::once(log).chain(end),
            );
            let late = Unanswered {
                error: (&trouble).into(),
                ask: Some(ask.as_str().into()),
                continuity: None,
                repo: asked.as_ref().map(|(repo, _)| repo.into()),
            };
            (status(trouble.code), Json(late)).into_response()
        }
    }
}

fn tell(outcome: Result<AskOutcome, AskTrouble>) -> Response {
    match outcome {
        Ok(AskOutcome::Answered { ask, text, continuity, shown }) => Json(Answered {
            answer: Some(text),
            continuity: continuity.as_ref().map(Into::into),
            ask: ask.as_str().into(),
            waits_for_resume: false,
            repo: shown.as_ref().into(),
        })
        .into_response(),
        Ok(AskOutcome::Accepted { ask, shown, waits_for_resume }) => {
            let repo = shown.as_ref().into();
            let ask = ask.as_str().into();
            let answered = Answered { answer: None, continuity: None, ask, waits_for_resume, repo };
            (StatusCode::ACCEPTED, Json(answered)).into_response()
        }
        Err(AskTrouble { trouble, ask, continuity, shown }) => {
            let unanswered = Unanswered {
                error: (&trouble).into(),
                ask: ask.map(|ask| ask.as_str().into()),
                continuity: continuity.as_ref().map(Into::into),
                repo: shown.as_deref().map(Into::into),
            };
            (status(trouble.code), Json(unanswered)).into_response()
        }
    }
}
