//! Where Repose keeps its files.

use std::env;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use repose_sys::private::{PrivateError, create_private_dir};

/// Repose's folders, and the names of the files in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    state: PathBuf,
    config: PathBuf,
}

/// Why there is no place for Repose's files.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither `REPOSE_HOME` nor the user's home folder is known.
    #[error("where to keep state is not known: neither REPOSE_HOME nor a home folder is set")]
    Unknown,
    /// `REPOSE_HOME` is relative.
    #[error("REPOSE_HOME is `{}`, and must be an absolute path", .0.display())]
    Relative(PathBuf),
    /// A folder can't be created or used.
    #[error("{0}")]
    Folder(#[from] PrivateError),
}

impl Home {
    /// A home with everything in one folder.
    #[must_use]
    pub fn under(folder: PathBuf) -> Self {
        Self { state: folder.clone(), config: folder }
    }

    /// `REPOSE_HOME`, if it is set, with everything in it; otherwise the platform's own folders for state and
    /// settings.
    ///
    /// # Errors
    /// If neither is known.
    pub fn from_env() -> Result<Self, HomeError> {
        match env::var_os("REPOSE_HOME").filter(|home| !home.is_empty()).map(PathBuf::from) {
            Some(home) if home.is_absolute() => Ok(Self::under(home)),
            Some(home) => Err(HomeError::Relative(home)),
            None => {
                let dirs = ProjectDirs::from("", "", "repose").ok_or(HomeError::Unknown)?;
                let state = dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir());
                Ok(Self { state: state.to_owned(), config: dirs.config_dir().to_owned() })
            }
        }
    }

    /// Creates the folders that don't exist, each accessible to this user only.
    ///
    /// # Errors
    /// If one can't be created, or belongs to another user.
    pub fn create(&self) -> Result<(), HomeError> {
        for folder in [self.state.clone(), self.config.clone(), self.sessions(), self.programs(), self.logs()]
        {
            create_private_dir(&folder)?;
        }
        if let Some(folder) = self.socket().parent() {
            create_private_dir(folder)?;
        }
        Ok(())
    }

    /// The folder of everything except the settings.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// The path of the settings file.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The path of the store.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.state.join("state.db")
    }

    /// The folder with one folder for each session.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// The folder of program copies, with one folder for each build.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        self.state.join("programs")
    }

    /// The folder with one folder for each repo with pictures.
    #[must_use]
    pub fn images(&self) -> PathBuf {
        self.state.join("images")
    }

    /// The folder of logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.state.join("logs")
    }

    /// The path of the runner's own log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.logs().join("repose.log")
    }

    /// The path to which a full log is moved.
    #[must_use]
    pub fn log_put_aside(&self) -> PathBuf {
        self.logs().join("repose.log.1")
    }

    /// The path of the lock that the running runner holds.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.state.join("lock")
    }

    /// The path of the file whose time says when a runner was last alive.
    #[must_use]
    pub fn alive(&self) -> PathBuf {
        self.state.join("alive")
    }

    /// The socket through which the command line reaches the runner. Like a holder's socket it is in the
    /// folder, or, if that path is too long for a socket, in a private folder of this user's.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        repose_hold::socket_path(&self.state)
    }
}
