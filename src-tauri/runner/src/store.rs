//! The store: what must outlive the runner, in one SQLite file.
//!
//! Owns the file, its versions, and the form in which the core's values lie in it. It decides nothing: it
//! writes the changes that the core orders, those of one event in one transaction that is on the disk when
//! the call returns, and reads them back. It must not know of processes, holders or engines.
//!
//! Every call blocks the calling thread until the disk has it.

mod apply;
mod error;
mod file;
mod kept;
mod log;
mod read;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
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
pub use self::log::{LogRow, LogWhat};

/// The store. Clones share the one connection.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    path: Arc<Path>,
    connection: Arc<Mutex<Connection>>,
}

/// A repo, as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepoRow {
    pub(crate) id: RepoId,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) engine: EngineName,
    pub(crate) added: Wall,
    /// What its machine begins from.
    pub(crate) stored: Stored,
}

/// An ask and whose it is. What the open before it came to is in [`Ask::told`].
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
    /// What was asked of its engine.
    pub(crate) plan: Plan,
    /// The engine has confirmed its conversation.
    pub(crate) confirmed: bool,
    /// Up to which number of the holder's journal everything is in the store.
    pub(crate) committed: u64,
}

const GATE: &str = "gate";

/// Under which the run of the machine is kept that what was freed was freed in.
const BOOT: &str = "boot";

const CLOSED: &str = "closed";
const OPEN: &str = "open";

impl Store {
    /// Opens the store at `path`, makes it if there is none, and brings an older one up to date, with a copy
    /// of it beside. Its folder must be there.
    ///
    /// # Errors
    /// [`StoreError`]; the file is then as it was.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = file::open(path)?;
        Ok(Self { path: path.into(), connection: Arc::new(Mutex::new(connection)) })
    }

    /// The repos, in the order of adding.
    ///
    /// # Errors
    /// [`StoreError`], as everywhere here.
    pub(crate) fn repos(&self) -> Result<Vec<RepoRow>, StoreError> {
        self.with(|connection| read::repos(connection))
    }

    /// Adds a repo that is asleep and has nothing yet.
    ///
    /// # Errors
    /// [`StoreError`], also for an id or a folder that is there already.
    pub(crate) fn add_repo(
        &self,
        id: &RepoId,
        name: &str,
        path: &Path,
        engine: &EngineName,
        now: Wall,
    ) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.execute(
                "INSERT INTO repo (id, name, path, engine, added) VALUES (?, ?, ?, ?, ?)",
                params![id.as_str(), name, path.as_os_str().as_bytes(), engine.as_str(), int(now.0)],
            )?;
            Ok(())
        })
    }

    /// Notes what a repo's folder is known by.
    ///
    /// # Errors
    /// [`StoreError`]
    pub(crate) fn mark(&self, repo: &RepoId, mark: &str) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.execute("UPDATE repo SET mark = ?1 WHERE id = ?2", params![mark, repo.as_str()])?;
            Ok(())
        })
    }

    /// The folders of the repos whose folder was known by this.
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

    /// Writes the changes of one event. All of them are on the disk when this returns, or none.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was written.
    pub(crate) fn apply(&self, repo: &RepoId, changes: &[Change], now: Wall) -> Result<(), StoreError> {
        self.with(|connection| apply::apply(connection, repo, changes, now))?;
        self.written(&changes);
        Ok(())
    }

    /// Every conversation that was ever known of the repo, the one with the newest turn first, and whether it
    /// is the current one with its engine.
    pub(crate) fn conversations(&self, repo: &RepoId) -> Result<Vec<(Conversation, bool)>, StoreError> {
        self.with(|connection| read::conversations(connection, repo))
    }

    /// The conversation that the repo has with this engine, or else the latest that it has with another.
    pub(crate) fn current(
        &self,
        repo: &RepoId,
        engine: &EngineName,
    ) -> Result<Option<Conversation>, StoreError> {
        self.with(|connection| read::current(connection, repo, engine))
    }

    /// An ask, also one that is over; of these the last [`apply::OVER_ASKS_KEPT`] of a repo are kept.
    pub(crate) fn ask(&self, id: &AskId) -> Result<Option<AskRow>, StoreError> {
        self.with(|connection| read::ask(connection, id))
    }

    /// The sessions that aren't over, in the order in which they began.
    pub(crate) fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.with(|connection| read::sessions(connection))
    }

    /// Everything of this session's journal up to `seq` is in the store. A session that is over is passed by.
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

    /// What happened in the repo, oldest first: at most `limit` rows after the row `after`, or the last ones.
    pub(crate) fn log(
        &self,
        repo: &RepoId,
        after: Option<i64>,
        limit: usize,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.with(|connection| log::read(connection, repo, after, limit))
    }

    /// What the opens of a conversation came to, oldest first.
    pub(crate) fn opens(
        &self,
        repo: &RepoId,
        conversation: &ConversationId,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.with(|connection| log::opens(connection, repo, conversation))
    }

    /// Notes what happened in the repo. It keeps the last [`log::LOG_ROWS_KEPT`].
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

    /// Everything is paused, or resumed.
    pub(crate) fn set_gate(&self, closed: bool) -> Result<(), StoreError> {
        self.set_value(GATE, if closed { CLOSED } else { OPEN })
    }

    /// A value that the runner keeps under `key`.
    pub(crate) fn value(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.with(|connection| {
            let found =
                connection.query_row("SELECT value FROM value WHERE key = ?", [key], |row| row.get(0));
            Ok(found.optional()?)
        })
    }

    /// Keeps `value` under `key`, in place of what was there.
    pub(crate) fn set_value(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.with(|connection| {
            connection.execute("INSERT OR REPLACE INTO value (key, value) VALUES (?, ?)", [key, value])?;
            Ok(())
        })
    }

    /// What ends gave back before the machine started anew is no longer free by them: it is forgotten. `boot`
    /// names the machine's present run.
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

    /// Reads all of the file and says whether it is sound and can be written. Takes as long as reading the
    /// file does.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it isn't sound, else what keeps it from being written.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.with(|connection| {
            drop(connection.transaction_with_behavior(TransactionBehavior::Immediate)?);
            file::sound(connection, "integrity_check")?;
            read::repos(connection)?;
            read::sessions(connection)?;
            Ok(())
        })
    }

    fn written(&self, what: &dyn std::fmt::Debug) {
        if let Some(state) = self.path.parent() {
            repose_sys::steps::on_disk(state, what);
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        // A panic in between rolled its transaction back: the connection is as good as before.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut connection).map_err(|fault| fault.at(&self.path))
    }
}
