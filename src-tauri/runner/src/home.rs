//! Where Repose keeps what it keeps.

use std::env;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use repose_sys::private::{PrivateError, create_private_dir};

/// The folders, and the names of what is in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    state: PathBuf,
    config: PathBuf,
}

/// Why there is no home.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither `REPOSE_HOME` nor the user's home folder is known.
    #[error("where to keep state is not known: neither REPOSE_HOME nor a home folder is set")]
    Unknown,
    /// `REPOSE_HOME` is relative.
    #[error("REPOSE_HOME is `{}`, and must be an absolute path", .0.display())]
    Relative(PathBuf),
    /// A folder can't be made or used.
    #[error("{0}")]
    Folder(#[from] PrivateError),
}

impl Home {
    /// Everything under one folder.
    #[must_use]
    pub fn under(folder: PathBuf) -> Self {
        Self { state: folder.clone(), config: folder }
    }

    /// `REPOSE_HOME`, if it is set: everything is in it. Else the platform's own folders for state and
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

    /// Makes the folders that aren't there, each for this user alone.
    ///
    /// # Errors
    /// If one can't be made, or is another user's.
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

    /// The folder of everything but the settings.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// The settings.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.state.join("state.db")
    }

    /// One folder for each session.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// Copies of the program, one folder for each build.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        self.state.join("programs")
    }

    /// One folder for each repo with pictures.
    #[must_use]
    pub fn images(&self) -> PathBuf {
        self.state.join("images")
    }

    /// Logs.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.state.join("logs")
    }

    /// What a runner writes of what it does.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.logs().join("repose.log")
    }

    /// Where that is put aside when it is full.
    #[must_use]
    pub fn log_put_aside(&self) -> PathBuf {
        self.logs().join("repose.log.1")
    }

    /// The lock that one runner has.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.state.join("lock")
    }

    /// Where the command line reaches the runner. By the same rule as a holder's socket: in the folder, or
    /// where that path is too long for a socket, in a folder of this user's own.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        repose_hold::socket_path(&self.state)
    }
}
