//! The log of what happened in a repo.

use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::continuity::Continuity;
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId};
use repose_core::repo::Freed;
use repose_core::time::{Wall, millis};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::error::Fault;
use super::kept::{ContinuityTwin, ExcessTwin, FreedTwin, Kept, from_json, int, nat, to_json};

/// The most rows of a repo's log, and of what was ordered for all at once: some months of daily use. The oldest are
/// deleted.
pub(super) const LOG_ROWS_KEPT: u32 = 2_000;

/// A row of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRow {
    /// The row's number; later rows have higher ones.
    pub id: i64,
    /// When it happened.
    pub at: Wall,
    /// What happened.
    pub what: LogWhat,
}

/// The content of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogWhat {
    /// Somebody asked.
    Asked {
        /// The ask's id.
        ask: AskId,
        /// The text of the ask.
        text: String,
    },
    /// The engine answered.
    Answered {
        /// The ask's id.
        ask: AskId,
        /// The answer in the engine's words.
        text: String,
    },
    /// An ask ended without an answer.
    Failed {
        /// The ask's id.
        ask: AskId,
        /// The trouble's stable name.
        code: String,
        /// The trouble's sentence.
        sentence: String,
    },
    /// An ask was withdrawn before the engine had it.
    TakenBack {
        /// The ask's id.
        ask: AskId,
        /// The beginning of its text. Empty: it wasn't recorded.
        asked: String,
    },
    /// An open resumed a conversation or began a new one.
    Opened {
        /// The statement of the open.
        continuity: Continuity,
        /// The conversation that is open since then. `None`: the engine keeps none.
        conversation: Option<ConversationId>,
    },
    /// An idle engine was let go.
    Reaped {
        /// How long it had been idle, to the millisecond.
        idle: Duration,
        /// Why it was let go early. `None`: it was due.
        over: Option<Excess>,
        /// The memory given back, if measured.
        freed: Option<Freed>,
    },
    /// The repo was paused, with the memory given back, if measured.
    Paused(Option<Freed>),
    /// The engine changed to this conversation.
    Moved(ConversationId),
    /// The engine ended on its own.
    Ended {
        /// The engine's last output.
        words: String,
    },
    /// Something was wrong.
    Trouble {
        /// The trouble's stable name.
        code: String,
        /// The trouble's sentence.
        sentence: String,
    },
    /// An order from before a restart was dropped.
    OrderDropped {
        /// What the order was for.
        purpose: String,
        /// The work that it would have lost.
        work: Vec<String>,
    },
    /// The repo was stopped, with the memory given back, if measured.
    Stopped(Option<Freed>),
    /// Somebody lifted a pause.
    Resumed,
    /// Somebody interrupted a turn outside the engine's terminal.
    Interrupted {
        /// The beginning of what had been asked, if it was an ask's turn.
        asked: Option<String>,
    },
    /// The engine began to wait for somebody's decision.
    Waited {
        /// What it waited for.
        words: String,
    },
    /// Somebody decided outside the engine's terminal.
    Decided {
        /// The label of the option that was chosen.
        choice: String,
    },
    /// Somebody changed the engine.
    Engine {
        /// The new one's name.
        name: EngineName,
    },
    /// Somebody paused everything, or resumed it. It is no single repo's row.
    Gate {
        /// Whether no sleeping repo opens from then on.
        closed: bool,
    },
}

/// A row of the log, with its repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRowOf {
    /// The repo in which it happened. `None`: it was ordered for all.
    pub repo: Option<RepoId>,
    /// What happened there.
    pub row: LogRow,
}

pub(super) fn add(connection: &Connection, repo: &RepoId, what: &LogWhat, now: Wall) -> Result<(), Fault> {
    add_row(connection, Some(repo), what, now)
}

/// Adds a row of what was ordered for all repos at once.
pub(super) fn add_of_all(connection: &Connection, what: &LogWhat, now: Wall) -> Result<(), Fault> {
    add_row(connection, None, what, now)
}

fn add_row(connection: &Connection, repo: Option<&RepoId>, what: &LogWhat, now: Wall) -> Result<(), Fault> {
    let repo = repo.map(RepoId::as_str);
    connection.execute(
        "INSERT INTO log (repo, at, what) VALUES (?, ?, ?)",
        params![repo, int(now.0), to_json(what)?],
    )?;
    connection.execute(
        "DELETE FROM log WHERE repo IS ?1 AND id <=
             (SELECT id FROM log WHERE repo IS ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        params![repo, LOG_ROWS_KEPT],
    )?;
    Ok(())
}

pub(super) fn read(
    connection: &Connection,
    repo: &RepoId,
    after: Option<i64>,
    limit: usize,
) -> Result<Vec<LogRow>, Fault> {
    let sql = match after {
        Some(_) => "SELECT id, at, what FROM log WHERE repo = ? AND id > ? ORDER BY id LIMIT ?",
        None => {
            "SELECT id, at, what FROM (SELECT * FROM log WHERE repo = ? AND id > ? ORDER BY id DESC LIMIT ?) \
             ORDER BY id"
        }
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![repo.as_str(), after.unwrap_or(0), limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let what = from_json(&row.get::<_, String>("what")?)?;
        found.push(LogRow { id: row.get("id")?, at: Wall(nat(row.get("at")?)), what });
    }
    if after.is_none() {
        // A row may be written long after what it tells of. Whoever follows gets each when it is written.
        found.sort_by_key(|row| (row.at, row.id));
    }
    Ok(found)
}

/// The last rows of all repos, latest first.
pub(super) fn latest(connection: &Connection, limit: usize) -> Result<Vec<LogRowOf>, Fault> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement =
        connection.prepare_cached("SELECT repo, id, at, what FROM log ORDER BY id DESC LIMIT ?")?;
    let mut rows = statement.query([limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let what = from_json(&row.get::<_, String>("what")?)?;
        let repo = row.get::<_, Option<String>>("repo")?.map(RepoId::new);
        found
            .push(LogRowOf { repo, row: LogRow { id: row.get("id")?, at: Wall(nat(row.get("at")?)), what } });
    }
    // Each repo writes its rows a moment after what they tell of.
    found.sort_by_key(|of| std::cmp::Reverse((of.row.at, of.row.id)));
    Ok(found)
}

/// The conditions must repeat the index's exactly, or SQLite reads every row.
pub(super) const OPENS: &str = "SELECT id, at, what FROM log WHERE repo = ? AND json_extract(what, '$.what') = 'opened' \
     AND json_extract(what, '$.conversation') = ? ORDER BY id";

/// The opens of one conversation, oldest first.
pub(super) fn opens(
    connection: &Connection,
    repo: &RepoId,
    conversation: &ConversationId,
) -> Result<Vec<LogRow>, Fault> {
    let mut statement = connection.prepare_cached(OPENS)?;
    let mut rows = statement.query(params![repo.as_str(), conversation.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let what = from_json(&row.get::<_, String>("what")?)?;
        found.push(LogRow { id: row.get("id")?, at: Wall(nat(row.get("at")?)), what });
    }
    Ok(found)
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(super) enum LogTwin {
    Asked {
        ask: String,
        text: String,
    },
    Answered {
        ask: String,
        text: String,
    },
    Failed {
        ask: String,
        code: String,
        sentence: String,
    },
    TakenBack {
        ask: String,
        #[serde(default)]
        asked: String,
    },
    Opened {
        continuity: ContinuityTwin,
        #[serde(default)]
        conversation: Option<String>,
    },
    Reaped {
        idle_ms: u64,
        over: Option<ExcessTwin>,
        freed: Option<FreedTwin>,
    },
    Paused {
        freed: Option<FreedTwin>,
    },
    Moved {
        conversation: String,
    },
    Ended {
        words: String,
    },
    Trouble {
        code: String,
        sentence: String,
    },
    OrderDropped {
        purpose: String,
        work: Vec<String>,
    },
    Stopped {
        freed: Option<FreedTwin>,
    },
    Resumed,
    Interrupted {
        #[serde(default)]
        asked: Option<String>,
    },
    Waited {
        words: String,
    },
    Decided {
        choice: String,
    },
    Engine {
        name: String,
    },
    Gate {
        closed: bool,
    },
}

impl Kept for LogWhat {
    type Twin = LogTwin;

    fn out(&self) -> LogTwin {
        match self.clone() {
            Self::Asked { ask, text } => LogTwin::Asked { ask: ask.as_str().into(), text },
            Self::Answered { ask, text } => LogTwin::Answered { ask: ask.as_str().into(), text },
            Self::Failed { ask, code, sentence } => {
                LogTwin::Failed { ask: ask.as_str().into(), code, sentence }
            }
            Self::TakenBack { ask, asked } => LogTwin::TakenBack { ask: ask.as_str().into(), asked },
            Self::Opened { continuity, conversation } => LogTwin::Opened {
                continuity: continuity.out(),
                conversation: conversation.map(|id| id.as_str().into()),
            },
            Self::Reaped { idle, over, freed } => LogTwin::Reaped {
                idle_ms: millis(idle),
                over: over.map(|over| over.out()),
                freed: freed.map(|freed| freed.out()),
            },
            Self::Paused(freed) => LogTwin::Paused { freed: freed.map(|freed| freed.out()) },
            Self::Moved(conversation) => LogTwin::Moved { conversation: conversation.as_str().into() },
            Self::Ended { words } => LogTwin::Ended { words },
            Self::Trouble { code, sentence } => LogTwin::Trouble { code, sentence },
            Self::OrderDropped { purpose, work } => LogTwin::OrderDropped { purpose, work },
            Self::Stopped(freed) => LogTwin::Stopped { freed: freed.map(|freed| freed.out()) },
            Self::Resumed => LogTwin::Resumed,
            Self::Interrupted { asked } => LogTwin::Interrupted { asked },
            Self::Waited { words } => LogTwin::Waited { words },
            Self::Decided { choice } => LogTwin::Decided { choice },
            Self::Engine { name } => LogTwin::Engine { name: name.to_string() },
            Self::Gate { closed } => LogTwin::Gate { closed },
        }
    }

    fn back(twin: LogTwin) -> Self {
        match twin {
            LogTwin::Asked { ask, text } => Self::Asked { ask: AskId::new(ask), text },
            LogTwin::Answered { ask, text } => Self::Answered { ask: AskId::new(ask), text },
            LogTwin::Failed { ask, code, sentence } => Self::Failed { ask: AskId::new(ask), code, sentence },
            LogTwin::TakenBack { ask, asked } => Self::TakenBack { ask: AskId::new(ask), asked },
            LogTwin::Opened { continuity, conversation } => Self::Opened {
                continuity: Continuity::back(continuity),
                conversation: conversation.map(ConversationId::new),
            },
            LogTwin::Reaped { idle_ms, over, freed } => Self::Reaped {
                idle: Duration::from_millis(idle_ms),
                over: over.map(Excess::back),
                freed: freed.map(Freed::back),
            },
            LogTwin::Paused { freed } => Self::Paused(freed.map(Freed::back)),
            LogTwin::Moved { conversation } => Self::Moved(ConversationId::new(conversation)),
            LogTwin::Ended { words } => Self::Ended { words },
            LogTwin::Trouble { code, sentence } => Self::Trouble { code, sentence },
            LogTwin::OrderDropped { purpose, work } => Self::OrderDropped { purpose, work },
            LogTwin::Stopped { freed } => Self::Stopped(freed.map(Freed::back)),
            LogTwin::Resumed => Self::Resumed,
            LogTwin::Interrupted { asked } => Self::Interrupted { asked },
            LogTwin::Waited { words } => Self::Waited { words },
            LogTwin::Decided { choice } => Self::Decided { choice },
            LogTwin::Engine { name } => Self::Engine { name: EngineName::new(name) },
            LogTwin::Gate { closed } => Self::Gate { closed },
        }
    }
}
