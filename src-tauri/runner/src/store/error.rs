//! Errors of the store.

use std::path::{Path, PathBuf};

use repose_core::trouble::{Code, Trouble};
use rusqlite::ErrorCode;

/// Why a call to the store failed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The content of the file is invalid.
    #[error(
        "Repose's state in {} is damaged ({why}), and was left as it is. Move it away to begin anew, or put a copy \
         of it back; conversations are their engine's and not in it",
        path.display()
    )]
    Corrupt {
        /// The file's path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another program has locked the file.
    #[error("Another program keeps Repose's state in {} locked, so nothing was changed. Close it and try again", path.display())]
    Locked {
        /// The file's path.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("There is no room on the disk for Repose's state in {}, so nothing was changed. Free some and try again", path.display())]
    Full {
        /// The file's path.
        path: PathBuf,
    },
    /// A newer Repose wrote the file.
    #[error(
        "Repose's state in {} is of a newer Repose (form {version}), and was left as it is. Start that one, or move \
         the file away to begin anew",
        path.display()
    )]
    Newer {
        /// The file's path.
        path: PathBuf,
        /// The file's version.
        version: u32,
    },
    /// The file that is open isn't the one at the path any more.
    #[error(
        "Repose's state in {} was removed or replaced while Repose runs, so nothing was changed: it wouldn't last. Put \
         the file back, then end Repose and start it again; agents go on meanwhile",
        path.display()
    )]
    Moved {
        /// The file's path.
        path: PathBuf,
    },
    /// Any other failure.
    #[error("Repose's state in {} couldn't be read or written ({why}), so nothing was changed. Look at the file and its folder, and try again", path.display())]
    Failed {
        /// The file's path.
        path: PathBuf,
        /// The error of the system or SQLite.
        why: String,
    },
}

impl StoreError {
    /// The error as a trouble.
    #[must_use]
    pub fn trouble(&self) -> Trouble {
        let text = self.to_string();
        let (sentence, hint) = text.rsplit_once(". ").unwrap_or((&text, ""));
        let code = match self {
            Self::Full { .. } => Code::DiskFull,
            Self::Corrupt { .. }
            | Self::Locked { .. }
            | Self::Newer { .. }
            | Self::Moved { .. }
            | Self::Failed { .. } => Code::StoreFailed,
        };
        let hints = Some(hint).filter(|hint| !hint.is_empty()).map(|hint| format!("{hint}."));
        Trouble::new(code, format!("{sentence}."), hints)
    }
}

/// A [`StoreError`] without the path.
#[derive(Debug)]
pub(super) enum Fault {
    Sql(rusqlite::Error),
    /// A value that this version didn't write.
    Unreadable(String),
    /// The repo doesn't exist.
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
            // A value of the wrong type for its column: STRICT tables hold none that Repose wrote.
            None if matches!(error, rusqlite::Error::InvalidColumnType(..)) => {
                StoreError::Corrupt { path, why }
            }
            Some(_) | None => StoreError::Failed { path, why },
        }
    }
}
