//! Reading the SQLite database in which OpenCode keeps all its conversations, with a write-ahead log.
//!
//! It is opened read-only. Readers take no lock that a writer would wait for, and leave the log as it is,
//! even if they are the last to have it open.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};

use super::files;
use super::message::Message;

/// How long to wait for a writer that has locked the start of the log for a moment, while it recovers what a
/// kill left behind.
const BUSY_WITHIN: Duration = Duration::from_millis(500);

/// The database as it was when it was opened.
#[derive(Debug)]
pub(super) struct Database(Connection);

impl Database {
    /// # Errors
    /// If it doesn't exist or can't be read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // SQLite's own error doesn't say that the file is missing.
        std::fs::metadata(path)?;
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        // Without a log nobody has it open: this way, reading needs no file beside it.
        let quiet = !files::log(path).exists();
        let uri = format!("file:{}?mode=ro{}", in_uri(path), if quiet { "&immutable=1" } else { "" });
        Self::begin(&uri, flags).map_err(io::Error::other)
    }

    fn begin(uri: &str, flags: OpenFlags) -> rusqlite::Result<Self> {
        let connection = Connection::open_with_flags(uri, flags)?;
        connection.busy_timeout(BUSY_WITHIN)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.execute_batch("BEGIN")?;
        Ok(Self(connection))
    }

    /// One row, if there is one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> io::Result<Option<T>> {
        self.0.query_row(sql, params, read).optional().map_err(io::Error::other)
    }

    /// The first column of each row.
    pub(super) fn column<T: FromSql>(&self, sql: &str, params: impl Params) -> io::Result<Vec<T>> {
        let read = || {
            let mut statement = self.0.prepare(sql)?;
            statement.query_map(params, |row| row.get(0))?.collect::<rusqlite::Result<Vec<T>>>()
        };
        read().map_err(io::Error::other)
    }

    /// Passes on a conversation's messages, from the last one before message `before` backwards, until `take`
    /// has enough.
    pub(super) fn backward(
        &self,
        id: &str,
        before: Option<u64>,
        mut take: impl FnMut(Read) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut read = || -> rusqlite::Result<()> {
            let counted = "SELECT count(*) FROM message WHERE session_id = ?1";
            let count: i64 = self.0.query_row(counted, [id], |row| row.get(0))?;
            let asked = before.and_then(|before| i64::try_from(before).ok());
            let mut at = asked.map_or(count, |before| before.min(count));
            let mut messages = self.0.prepare(
                "SELECT id, data FROM message WHERE session_id = ?1 \
                 ORDER BY time_created DESC, id DESC LIMIT -1 OFFSET ?2",
            )?;
            let mut parts = self.0.prepare("SELECT data FROM part WHERE message_id = ?1 ORDER BY id")?;
            let mut rows = messages.query(rusqlite::params![id, count - at])?;
            while let Some(row) = rows.next()? {
                at -= 1;
                let (id, data): (String, String) = (row.get(0)?, row.get(1)?);
                let texts =
                    parts.query_map([&id], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
                let bytes = data.len() + texts.iter().map(String::len).sum::<usize>();
                let message = Message::read(id, &data, &texts);
                let read =
                    Read { at: unsigned(at), bytes: u64::try_from(bytes).unwrap_or(u64::MAX), message };
                if take(read).is_break() {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(io::Error::other)
    }
}

/// A message as it was read.
#[derive(Debug)]
pub(super) struct Read {
    /// How many messages of the conversation precede it.
    pub(super) at: u64,
    /// Its size in bytes.
    pub(super) bytes: u64,
    /// The message. `None`: it can't be understood.
    pub(super) message: Option<Message>,
}

/// A count or a time from the database.
pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

/// A path in a URI, where `?`, `#` and `%` have a meaning.
fn in_uri(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}
