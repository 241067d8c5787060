//! Writing the core's changes to the store.

use repose_core::ask::{Ask, Stage};
use repose_core::conversation::{Conversation, Fork, Transcript};
use repose_core::ids::{RepoId, SessionId};
use repose_core::repo::{Change, Freed, Intent};
use repose_core::time::Wall;
use repose_core::words;
use rusqlite::types::{Null, ToSql};
use rusqlite::{Connection, OptionalExtension, params};

use super::error::Fault;
use super::kept::{int, on_work_out, purpose_out, to_json};
use super::log::{self, LogWhat};

/// The number of a repo's finished asks that can still be fetched by id: more than anybody asks before
/// fetching the answers. The oldest are deleted; the log still has them.
pub(super) const OVER_ASKS_KEPT: u32 = 200;

/// The number of a repo's known conversations: one a day for some years. Beyond it, those whose files are
/// gone are forgotten first, then the oldest. Those that the engine still has are listed anyway.
pub(super) const CONVERSATIONS_KEPT: u32 = 1_000;

pub(super) fn apply(
    connection: &mut Connection,
    repo: &RepoId,
    changes: &[Change],
    now: Wall,
) -> Result<(), Fault> {
    let transaction = connection.transaction()?;
    for change in changes {
        write(&transaction, repo, change, now)?;
    }
    Ok(transaction.commit()?)
}

fn write(connection: &Connection, repo: &RepoId, change: &Change, now: Wall) -> Result<(), Fault> {
    match change {
        Change::Intent(intent) => write_intent(connection, repo, intent),
        Change::Current(conversation) => {
            write_conversation(connection, repo, conversation)?;
            make_current(connection, repo, conversation)?;
            forget_old_conversations(connection, repo, conversation)
        }
        Change::Known(conversation) => {
            write_conversation(connection, repo, conversation)?;
            forget_old_conversations(connection, repo, conversation)
        }
        Change::Continuity(continuity) => {
            set(connection, repo, "continuity", &to_json(continuity)?)?;
            connection.execute(
                "UPDATE session SET confirmed = 1 WHERE number = (SELECT MAX(number) FROM session WHERE repo = ?)",
                [repo.as_str()],
            )?;
            Ok(())
        }
        Change::Untold(untold) => set(connection, repo, "untold", untold),
        Change::Interrupted(work) => set(connection, repo, "interrupted", &serde_json::to_string(work)?),
        Change::FreshNext(fresh) => set(connection, repo, "fresh_next", fresh),
        Change::Forked(Fork { id: copy, of }) => {
            set(connection, repo, "copy", &copy.as_str())?;
            set(connection, repo, "copy_of", &of.as_str())
        }
        Change::Ask(ask) => write_ask(connection, repo, ask, now),
        Change::AskGone(ask) => {
            let mut gone =
                connection.prepare_cached("DELETE FROM ask WHERE repo = ? AND id = ? RETURNING text")?;
            let text: Option<String> =
                gone.query_row(params![repo.as_str(), ask.as_str()], |row| row.get(0)).optional()?;
            match text {
                None => Ok(()),
                Some(text) => {
                    let back = LogWhat::TakenBack { ask: ask.clone(), asked: words::line(&text) };
                    log::add(connection, repo, &back, now)
                }
            }
        }
        Change::SessionBegins { session, plan } => {
            connection.execute(
                "INSERT INTO session (id, repo, plan, begun) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET plan = ?3",
                params![session.as_str(), repo.as_str(), to_json(plan)?, int(now.0)],
            )?;
            Ok(())
        }
        Change::SessionOver { session, freed } => write_over(connection, repo, session, *freed),
        Change::Pinned(pinned) => set(connection, repo, "pinned", pinned),
        Change::Engine(engine) => {
            set(connection, repo, "engine", &engine.as_str())?;
            set(connection, repo, "continuity", &Null)?;
            set(connection, repo, "freed", &Null)?;
            log::add(connection, repo, &LogWhat::Engine { name: engine.clone() }, now)
        }
        Change::Removed => {
            connection.execute("DELETE FROM repo WHERE id = ?", [repo.as_str()])?;
            Ok(())
        }
    }
}

fn set(connection: &Connection, repo: &RepoId, column: &'static str, value: &dyn ToSql) -> Result<(), Fault> {
    let sql = format!("UPDATE repo SET {column} = ? WHERE id = ?");
    found(connection.execute(&sql, params![value, repo.as_str()])?)
}

fn found(rows: usize) -> Result<(), Fault> {
    if rows == 1 { Ok(()) } else { Err(Fault::NoRepo) }
}

fn write_intent(connection: &Connection, repo: &RepoId, intent: &Intent) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE repo SET intent = ?, paused_since = ?, leaving_session = ?, leaving_purpose = ?, \
         leaving_target = ?, leaving_interrupt = ?, leaving_named = ? WHERE id = ?",
    )?;
    let (kind, since, leaving) = match intent {
        Intent::Open => ("open", None, None),
        Intent::Paused { since } => ("paused", Some(int(since.0)), None),
        Intent::Ending { session, purpose, on_work } => {
            ("leaving", None, Some((session.as_str(), purpose_out(purpose), on_work_out(on_work))))
        }
    };
    let (interrupt, named) =
        leaving.as_ref().map_or((false, None), |(.., (interrupt, named))| (*interrupt, named.as_ref()));
    found(statement.execute(params![
        kind,
        since,
        leaving.as_ref().map(|(session, ..)| session),
        leaving.as_ref().map(|(_, (purpose, _), _)| purpose),
        leaving.as_ref().and_then(|(_, (_, target), _)| *target),
        interrupt,
        named,
        repo.as_str(),
    ])?)
}

fn write_conversation(
    connection: &Connection,
    repo: &RepoId,
    conversation: &Conversation,
) -> Result<(), Fault> {
    let Conversation { id, engine, last_turn, turns, context_tokens, transcript, on_disk } = conversation;
    let (turns, counted) = super::kept::turns(*turns);
    connection.execute(
        "INSERT INTO conversation (repo, engine, id, last_turn, turns, context_tokens, transcript, on_disk, counted)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (repo, engine, id) DO UPDATE
         SET last_turn = ?4, turns = ?5, context_tokens = ?6, transcript = ?7, on_disk = ?8, counted = ?9",
        params![
            repo.as_str(),
            engine.as_str(),
            id.as_str(),
            last_turn.map(|at| int(at.0)),
            turns,
            context_tokens.map(int),
            transcript.as_ref().map(Transcript::shown),
            super::kept::on_disk(*on_disk),
            counted
        ],
    )?;
    Ok(())
}

fn forget_old_conversations(
    connection: &Connection,
    repo: &RepoId,
    kept: &Conversation,
) -> Result<(), Fault> {
    // The current conversation stays, however old it is.
    connection.execute(
        "DELETE FROM conversation WHERE repo = ?1 AND current IS NULL AND id <> ?3 AND rowid IN
             (SELECT rowid FROM conversation WHERE repo = ?1
              ORDER BY current IS NOT NULL DESC, id = ?3 DESC, on_disk <> 0 DESC, last_turn DESC NULLS LAST
              LIMIT -1 OFFSET ?2)",
        params![repo.as_str(), CONVERSATIONS_KEPT, kept.id.as_str()],
    )?;
    Ok(())
}

fn make_current(connection: &Connection, repo: &RepoId, conversation: &Conversation) -> Result<(), Fault> {
    let latest: i64 = connection.query_row(
        "SELECT COALESCE(MAX(current), 0) FROM conversation WHERE repo = ?",
        [repo.as_str()],
        |row| row.get(0),
    )?;
    connection.execute(
        "UPDATE conversation SET current = NULL WHERE repo = ? AND engine = ? AND current IS NOT NULL",
        params![repo.as_str(), conversation.engine.as_str()],
    )?;
    connection.execute(
        "UPDATE conversation SET current = ? WHERE repo = ? AND engine = ? AND id = ?",
        params![latest + 1, repo.as_str(), conversation.engine.as_str(), conversation.id.as_str()],
    )?;
    Ok(())
}

fn write_ask(connection: &Connection, repo: &RepoId, ask: &Ask, now: Wall) -> Result<(), Fault> {
    let before: Option<bool> = connection
        .query_row("SELECT over IS NOT NULL FROM ask WHERE id = ?", [ask.id.as_str()], |row| row.get(0))
        .optional()?;
    let (stage, session, prompt, answer, trouble) = match &ask.stage {
        Stage::Waiting => ("waiting", None, None, None, None),
        Stage::Submitted(session) => ("submitted", Some(session), None, None, None),
        Stage::Taken { session, prompt } => ("taken", Some(session), prompt.as_ref(), None, None),
        Stage::Over(Ok(answer)) => ("answered", None, None, Some(answer), None),
        Stage::Over(Err(trouble)) => ("failed", None, None, None, Some(to_json(trouble)?)),
    };
    let is_over = matches!(ask.stage, Stage::Over(_));
    connection.execute(
        "INSERT INTO ask (id, repo, text, queued, fresh, at, stage, session, prompt, answer, trouble, told, over)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
                 CASE WHEN ?13 THEN (SELECT COALESCE(MAX(over), 0) + 1 FROM ask WHERE repo = ?2) END)
         ON CONFLICT (id) DO UPDATE
         SET text = ?3, queued = ?4, fresh = ?5, at = ?6, stage = ?7, session = ?8, prompt = ?9, answer = ?10,
             trouble = ?11, told = ?12, over = CASE WHEN ?13 THEN COALESCE(over, excluded.over) END",
        params![
            ask.id.as_str(),
            repo.as_str(),
            ask.text,
            ask.queued,
            ask.fresh,
            int(ask.at.0),
            stage,
            session.map(SessionId::as_str),
            prompt.map(|prompt| prompt.as_str()),
            answer,
            trouble,
            ask.told.as_ref().map(to_json).transpose()?,
            is_over,
        ],
    )?;
    if before.is_none() {
        let what = LogWhat::Asked { ask: ask.id.clone(), text: ask.text.clone() };
        log::add(connection, repo, &what, ask.at)?;
    }
    match &ask.stage {
        Stage::Over(result) if before != Some(true) => {
            let (at, ask) = (ask.over.unwrap_or(now), ask.id.clone());
            let what = match result {
                Ok(answer) => LogWhat::Answered { ask, text: answer.clone() },
                Err(trouble) => LogWhat::Failed {
                    ask,
                    code: trouble.code.as_str().into(),
                    sentence: trouble.sentence.clone(),
                },
            };
            log::add(connection, repo, &what, at)?;
            forget_old_answers(connection, repo)
        }
        Stage::Waiting | Stage::Submitted(_) | Stage::Taken { .. } | Stage::Over(_) => Ok(()),
    }
}

fn forget_old_answers(connection: &Connection, repo: &RepoId) -> Result<(), Fault> {
    connection.execute(
        "DELETE FROM ask WHERE repo = ?1 AND over <=
             (SELECT over FROM ask WHERE repo = ?1 AND over IS NOT NULL ORDER BY over DESC LIMIT 1 OFFSET ?2)",
        params![repo.as_str(), OVER_ASKS_KEPT],
    )?;
    Ok(())
}

fn write_over(
    connection: &Connection,
    repo: &RepoId,
    session: &SessionId,
    freed: Option<Freed>,
) -> Result<(), Fault> {
    connection.execute("DELETE FROM session WHERE id = ?", [session.as_str()])?;
    set(connection, repo, "freed", &freed.as_ref().map(to_json).transpose()?)
}
