//! The store: what must outlive the runner, in one SQLite file.
//!
//! Owns the file, its versions, and the form in which the core's values are stored. It decides nothing: it
//! writes the changes that the core orders, those of one event in one transaction that is on disk when the
//! call returns, and reads them back. It must not know of processes, holders or engines.
//!
//! Every call blocks the calling thread until the data is on disk.

mod apply;
mod error;
mod file;
mod kept;
mod log;
mod read;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use repose_core::ask::Ask;
use repose_core::continuity::Plan;
use repose_core::conversation::Conversation;
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId, SessionId};
use repose_core::repo::{Change, Stored};
use repose_core::time::Wall;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use self::error::Fault;
pub use self::error::StoreError;
use self::kept::int;
pub use self::log::{LogRow, LogRowOf, LogWhat};

/// The store. Clones share one connection.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    path: Arc<Path>,
    /// The file's device and number.
    file: (u64, u64),
    connection: Arc<Mutex<Connection>>,
}

/// A repo as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepoRow {
    pub(crate) id: RepoId,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) engine: EngineName,
    pub(crate) added: Wall,
    /// The state from which its core machine begins.
    pub(crate) stored: Stored,
}

/// An ask with its repo. The statement of the open before it is in [`Ask::told`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskRow {
    pub(crate) repo: RepoId,
    pub(crate) ask: Ask,
}

/// A session that isn't over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionRow {
    pub(crate) session: SessionId,
    pub(crate) repo: RepoId,
    /// What its engine was asked to do.
    pub(crate) plan: Plan,
    /// When that was decided.
    pub(crate) begun: Wall,
    /// Whether the engine has confirmed its conversation.
    pub(crate) confirmed: bool,
    /// The number of the holder's journal entry up to which everything is in the store.
    pub(crate) committed: u64,
}

const GATE: &str = "gate";

/// The key of the machine's boot in which freed memory was last recorded.
const BOOT: &str = "boot";

const CLOSED: &str = "closed";
const OPEN: &str = "open";

impl Store {
    /// Opens the store at `path`. Creates it if there is none; brings an older version up to date, keeping a
    /// copy of it. The folder must exist.
    ///
    /// # Errors
    /// [`StoreError`]; the file is then unchanged.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = file::open(path)?;
        let file = file::number(path)
            .map_err(|error| StoreError::Failed { path: path.to_owned(), why: error.to_string() })?;
        Ok(Self { path: path.into(), file, connection: Arc::new(Mutex::new(connection)) })
    }

    /// Looks at the store at `path` without changing what it holds: whether it is whole, of a version that
    /// this one knows, and can be written. `false`: there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(crate) fn look(path: &Path) -> Result<bool, StoreError> {
        file::look(path)
    }

    /// The repos, in the order of adding.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(crate) fn repos(&self) -> Result<Vec<RepoRow>, StoreError> {
        self.with(|connection| read::repos(connection))
    }

    /// Adds a repo that is asleep and has no conversation yet.
    ///
    /// # Errors
    /// [`StoreError`], also if the id or the folder exists already.
    pub(crate) fn add_repo(
        &self,
        id: &RepoId,
        name: &str,
        path: &Path,
        engine: &EngineName,
        now: Wall,
    ) -> Result<(), StoreError> {
        self.in_place()?;
        self.with(|connection| {
            connection.execute(
                "INSERT INTO repo (id, name, path, engine, added) VALUES (?, ?, ?, ?, ?)",
                params![id.as_str(), name, path.as_os_str().as_bytes(), engine.as_str(), int(now.0)],
            )?;
            Ok(())
        })
    }

    /// Records the mark of a repo's folder.
    ///
    /// # Errors
    /// [`StoreError`]
    pub(crate) fn mark(&self, repo: &RepoId, mark: &str) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.execute("UPDATE repo SET mark = ?1 WHERE id = ?2", params![mark, repo.as_str()])?;
            Ok(())
        })
    }

    /// The folders of the repos whose folder had this mark.
    ///
    /// # Errors
    /// [`StoreError`]
    pub(crate) fn marked(&self, mark: &str) -> Result<Vec<PathBuf>, StoreError> {
        self.with(|connection| {
            let mut rows =
                connection.prepare_cached("SELECT path FROM repo WHERE mark = ? ORDER BY number")?;
            let paths = rows.query_map([mark], |row| row.get(0))?;
            Ok(paths.map(|path| path.map(OsString::from_vec).map(PathBuf::from)).collect::<Result<_, _>>()?)
        })
    }

    /// Writes the changes of one event. When this returns, either all or none of them are on disk.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    pub(crate) fn apply(&self, repo: &RepoId, changes: &[Change], now: Wall) -> Result<(), StoreError> {
        self.in_place()?;
        self.with(|connection| apply::apply(connection, repo, changes, now))?;
        self.written(&changes);
        Ok(())
    }

    /// All conversations that the repo ever had, newest turn first, each with whether it is the current one
    /// with its engine.
    pub(crate) fn conversations(&self, repo: &RepoId) -> Result<Vec<(Conversation, bool)>, StoreError> {
        self.with(|connection| read::conversations(connection, repo))
    }

    /// The conversation that the repo has with this engine, or else its latest one with another engine.
    pub(crate) fn current(
        &self,
        repo: &RepoId,
        engine: &EngineName,
    ) -> Result<Option<Conversation>, StoreError> {
        self.with(|connection| read::current(connection, repo, engine))
    }

    /// An ask, including one that is over; the last [`apply::OVER_ASKS_KEPT`] of those are kept for each
    /// repo.
    pub(crate) fn ask(&self, id: &AskId) -> Result<Option<AskRow>, StoreError> {
        self.with(|connection| read::ask(connection, id))
    }

    /// The sessions that aren't over, in the order of their start.
    pub(crate) fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.with(|connection| read::sessions(connection))
    }

    /// Records that everything in this session's journal up to `seq` is in the store. Ignores a session that
    /// is over.
    pub(crate) fn committed(&self, session: &SessionId, seq: u64) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.execute(
                "UPDATE session SET committed = MAX(committed, ?) WHERE id = ?",
                params![int(seq), session.as_str()],
            )?;
            Ok(())
        })?;
        self.written(&"Committed");
        Ok(())
    }

    /// What happened in the repo, oldest first: at most `limit` rows after the row `after`, or the last rows.
    pub(crate) fn log(
        &self,
        repo: &RepoId,
        after: Option<i64>,
        limit: usize,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.with(|connection| log::read(connection, repo, after, limit))
    }

    /// What happened last in all repos, latest first: at most `limit` rows.
    pub(crate) fn latest(&self, limit: usize) -> Result<Vec<LogRowOf>, StoreError> {
        self.with(|connection| log::latest(connection, limit))
    }

    /// The statements of a conversation's opens, oldest first.
    pub(crate) fn opens(
        &self,
        repo: &RepoId,
        conversation: &ConversationId,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.with(|connection| log::opens(connection, repo, conversation))
    }

    /// Adds a row to the repo's log, which keeps the last [`log::LOG_ROWS_KEPT`].
    pub(crate) fn note(&self, repo: &RepoId, what: &LogWhat, now: Wall) -> Result<(), StoreError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            log::add(&transaction, repo, what, now)?;
            Ok(transaction.commit()?)
        })?;
        self.written(what);
        Ok(())
    }

    /// Whether everything is paused.
    pub(crate) fn gate(&self) -> Result<bool, StoreError> {
        Ok(self.value(GATE)?.as_deref() == Some(CLOSED))
    }

    /// Records whether everything is paused, and in the log that somebody ordered it.
    pub(crate) fn set_gate(&self, closed: bool, now: Wall) -> Result<(), StoreError> {
        self.in_place()?;
        let what = LogWhat::Gate { closed };
        self.with(|connection| {
            let transaction = connection.transaction()?;
            let row = [GATE, if closed { CLOSED } else { OPEN }];
            transaction.execute("INSERT OR REPLACE INTO value (key, value) VALUES (?, ?)", row)?;
            log::add_of_all(&transaction, &what, now)?;
            Ok(transaction.commit()?)
        })
    }

    /// The value that the runner stored under `key`.
    pub(crate) fn value(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.with(|connection| {
            let found =
                connection.query_row("SELECT value FROM value WHERE key = ?", [key], |row| row.get(0));
            Ok(found.optional()?)
        })
    }

    /// Stores `value` under `key`, replacing the previous one.
    pub(crate) fn set_value(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.execute("INSERT OR REPLACE INTO value (key, value) VALUES (?, ?)", [key, value])?;
            Ok(())
        })
    }

    /// Forgets the memory freed before the machine's present boot, since a restart freed all memory. `boot`
    /// identifies the present boot.
    pub(crate) fn of_boot(&self, boot: &str) -> Result<(), StoreError> {
        if self.value(BOOT)?.as_deref() == Some(boot) {
            return Ok(());
        }
        self.with(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute("UPDATE repo SET freed = NULL", [])?;
            let row = [BOOT, boot];
            transaction.execute("INSERT OR REPLACE INTO value (key, value) VALUES (?, ?)", row)?;
            Ok(transaction.commit()?)
        })
    }

    /// Reads the whole file and checks whether it is intact and can be written. Takes as long as reading the
    /// file.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it isn't intact, otherwise what prevents writing.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.in_place()?;
        self.with(|connection| {
            drop(connection.transaction_with_behavior(TransactionBehavior::Immediate)?);
            file::sound(connection, "integrity_check")?;
            read::repos(connection)?;
            read::sessions(connection)?;
            Ok(())
        })
    }

    /// Fails if the open file isn't the one at the path any more: the next runner would find nothing of what is written
    /// to it.
    fn in_place(&self) -> Result<(), StoreError> {
        match file::number(&self.path) {
            Ok(number) if number == self.file => Ok(()),
            Ok(_) => Err(StoreError::Moved { path: self.path.to_path_buf() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Moved { path: self.path.to_path_buf() })
            }
            // What can't be looked at isn't known to be gone.
            Err(_) => Ok(()),
        }
    }

    fn written(&self, what: &dyn std::fmt::Debug) {
        if let Some(state) = self.path.parent() {
            repose_sys::steps::on_disk(state, what);
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        // A panic while it was held has rolled back its transaction: the connection is as good as before.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut connection).map_err(|fault| fault.at(&self.path))
    }
}
