//! Reading from the store.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use repose_core::ask::{Ask, Stage};
use repose_core::continuity::Plan;
use repose_core::conversation::{Conversation, Fork, Transcript};
use repose_core::ids::{AskId, ConversationId, EngineName, PromptId, RepoId, SessionId};
use repose_core::repo::{Intent, Stored};
use repose_core::time::Wall;
use rusqlite::{Connection, Row, params};

use super::error::Fault;
use super::kept::{Kept, from_json, nat, on_disk_back, on_work_back, purpose_back, turns_back};
use super::{AskRow, RepoRow, SessionRow};

pub(super) fn repos(connection: &Connection) -> Result<Vec<RepoRow>, Fault> {
    let mut statement = connection.prepare_cached("SELECT * FROM repo ORDER BY number")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(repo(connection, row)?);
    }
    Ok(found)
}

pub(super) fn conversations(
    connection: &Connection,
    repo: &RepoId,
) -> Result<Vec<(Conversation, bool)>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM conversation WHERE repo = ? ORDER BY last_turn DESC NULLS LAST, rowid DESC",
    )?;
    let mut rows = statement.query([repo.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let current: Option<i64> = row.get("current")?;
        found.push((conversation(row)?, current.is_some()));
    }
    Ok(found)
}

pub(super) fn ask(connection: &Connection, id: &AskId) -> Result<Option<AskRow>, Fault> {
    let mut statement = connection.prepare_cached("SELECT * FROM ask WHERE id = ?")?;
    let mut rows = statement.query([id.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(AskRow { repo: RepoId::new(row.get::<_, String>("repo")?), ask: one_ask(row)? }))
}

pub(super) fn sessions(connection: &Connection) -> Result<Vec<SessionRow>, Fault> {
    let mut statement = connection.prepare_cached("SELECT * FROM session ORDER BY number")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(SessionRow {
            session: SessionId::new(row.get::<_, String>("id")?),
            repo: RepoId::new(row.get::<_, String>("repo")?),
            plan: from_json::<Plan>(&row.get::<_, String>("plan")?)?,
            begun: Wall(nat(row.get("begun")?)),
            confirmed: row.get("confirmed")?,
            committed: nat(row.get("committed")?),
        });
    }
    Ok(found)
}

fn last_fork(row: &Row<'_>) -> Result<Option<Fork>, Fault> {
    let id = |column| row.get::<_, Option<String>>(column).map(|id| id.map(ConversationId::new));
    Ok(id("copy")?.zip(id("copy_of")?).map(|(copy, of)| Fork { id: copy, of }))
}

fn repo(connection: &Connection, row: &Row<'_>) -> Result<RepoRow, Fault> {
    let id = RepoId::new(row.get::<_, String>("id")?);
    let engine = EngineName::new(row.get::<_, String>("engine")?);
    let stored = Stored {
        intent: intent(row)?,
        conversation: current(connection, &id, &engine)?,
        continuity: optional(row, "continuity")?,
        untold: row.get("untold")?,
        interrupted: serde_json::from_str(&row.get::<_, String>("interrupted")?)?,
        fresh_next: row.get("fresh_next")?,
        last_fork: last_fork(row)?,
        asks: asks(connection, &id)?,
        pinned: row.get("pinned")?,
        freed: optional(row, "freed")?,
    };
    let path = OsString::from_vec(row.get("path")?).into();
    Ok(RepoRow { id, name: row.get("name")?, path, engine, added: wall(row, "added")?, stored })
}

fn intent(row: &Row<'_>) -> Result<Intent, Fault> {
    let kind: String = row.get("intent")?;
    Ok(match kind.as_str() {
        "open" => Intent::Open,
        "paused" => Intent::Paused { since: wall(row, "paused_since")? },
        "leaving" => Intent::Ending {
            session: SessionId::new(row.get::<_, String>("leaving_session")?),
            purpose: purpose_back(&row.get::<_, String>("leaving_purpose")?, row.get("leaving_target")?)?,
            on_work: on_work_back(row.get("leaving_interrupt")?, row.get("leaving_named")?),
        },
        other => return Err(Fault::Unreadable(format!("an intent `{other}` is unknown"))),
    })
}

/// The current conversation with this engine, or else the latest one with another, so that an open can name
/// it.
pub(super) fn current(
    connection: &Connection,
    repo: &RepoId,
    engine: &EngineName,
) -> Result<Option<Conversation>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM conversation WHERE repo = ? AND current IS NOT NULL ORDER BY engine = ? DESC, current DESC \
         LIMIT 1",
    )?;
    let mut rows = statement.query(params![repo.as_str(), engine.as_str()])?;
    rows.next()?.map(conversation).transpose()
}

fn conversation(row: &Row<'_>) -> Result<Conversation, Fault> {
    let engine = EngineName::new(row.get::<_, String>("engine")?);
    let transcript: Option<String> = row.get("transcript")?;
    Ok(Conversation {
        id: ConversationId::new(row.get::<_, String>("id")?),
        transcript: transcript.map(|path| Transcript::new(engine.clone(), path)),
        engine,
        last_turn: row.get::<_, Option<i64>>("last_turn")?.map(|at| Wall(nat(at))),
        turns: turns_back(row.get("turns")?, row.get("counted")?),
        context_tokens: row.get::<_, Option<i64>>("context_tokens")?.map(nat),
        on_disk: on_disk_back(row.get("on_disk")?),
    })
}

fn asks(connection: &Connection, repo: &RepoId) -> Result<Vec<Ask>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM ask WHERE repo = ? AND over IS NULL ORDER BY number")?;
    let mut rows = statement.query([repo.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(one_ask(row)?);
    }
    Ok(found)
}

fn one_ask(row: &Row<'_>) -> Result<Ask, Fault> {
    let stage: String = row.get("stage")?;
    let session = || row.get::<_, String>("session").map(SessionId::new);
    let stage = match stage.as_str() {
        "waiting" => Stage::Waiting,
        "submitted" => Stage::Submitted(session()?),
        "taken" => Stage::Taken {
            session: session()?,
            prompt: row.get::<_, Option<String>>("prompt")?.map(PromptId::new),
        },
        "answered" => Stage::Over(Ok(row.get("answer")?)),
        "failed" => Stage::Over(Err(from_json(&row.get::<_, String>("trouble")?)?)),
        other => return Err(Fault::Unreadable(format!("an ask's stage `{other}` is unknown"))),
    };
    Ok(Ask {
        id: AskId::new(row.get::<_, String>("id")?),
        text: row.get("text")?,
        queued: row.get("queued")?,
        fresh: row.get("fresh")?,
        at: wall(row, "at")?,
        stage,
        told: optional(row, "told")?,
        over: None,
    })
}

fn wall(row: &Row<'_>, column: &str) -> Result<Wall, Fault> {
    Ok(Wall(nat(row.get(column)?)))
}

fn optional<K: Kept>(row: &Row<'_>, column: &str) -> Result<Option<K>, Fault> {
    row.get::<_, Option<String>>(column)?.map(|json| from_json(&json)).transpose()
}
