//! What can be wrong with the store.

use std::path::{Path, PathBuf};

use repose_core::trouble::{Code, Trouble};
use rusqlite::ErrorCode;

/// Why the store couldn't do it. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// What is in the file can't be right.
    #[error(
        "Repose's state in {} is damaged ({why}), and was left as it is. Move it away to begin anew, or put a copy \
         of it back; conversations are their engine's and not in it",
        path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another program keeps the file to itself.
    #[error("Another program keeps Repose's state in {} locked, so nothing was changed. Close it and try again", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// There is no room.
    #[error("There is no room on the disk for Repose's state in {}, so nothing was changed. Free some and try again", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// A newer Repose wrote it.
    #[error(
        "Repose's state in {} is of a newer Repose (form {version}), and was left as it is. Start that one, or move \
         the file away to begin anew",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its form.
        version: u32,
    },
    /// Anything else.
    #[error("Repose's state in {} couldn't be read or written ({why}), so nothing was changed. Look at the file and its folder, and try again", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the system or SQLite said.
        why: String,
    },
}

impl StoreError {
    /// What to tell a user.
    #[must_use]
    pub fn trouble(&self) -> Trouble {
        let text = self.to_string();
        let (sentence, hint) = text.rsplit_once(". ").unwrap_or((&text, ""));
        let code = match self {
            Self::Full { .. } => Code::DiskFull,
            Self::Corrupt { .. } | Self::Locked { .. } | Self::Newer { .. } | Self::Failed { .. } => {
                Code::StoreFailed
            }
        };
        let hints = Some(hint).filter(|hint| !hint.is_empty()).map(|hint| format!("{hint}."));
        Trouble::new(code, format!("{sentence}."), hints)
    }
}

/// A [`StoreError`] without the file.
#[derive(Debug)]
pub(super) enum Fault {
    Sql(rusqlite::Error),
    /// A value that this version didn't write.
    Unreadable(String),
    /// The repo isn't there.
    NoRepo,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl Fault {
    pub(super) fn at(self, path: &Path) -> StoreError {
        let path = path.to_owned();
        let error = match self {
            Self::Unreadable(why) => return StoreError::Corrupt { path, why },
            Self::NoRepo => return StoreError::Failed { path, why: "the repo isn't in it".into() },
            Self::Sql(error) => error,
        };
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt { path, why },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked { path },
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            // A value of another type than its column's: STRICT tables hold none that we wrote.
            None if matches!(error, rusqlite::Error::InvalidColumnType(..)) => {
                StoreError::Corrupt { path, why }
            }
            Some(_) | None => StoreError::Failed { path, why },
        }
    }
}
