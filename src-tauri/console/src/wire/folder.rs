//! Folders that may be added.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Conversation, Owner};

/// Folders in which an engine was used before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Folders {
    /// The folders that still exist, latest first.
    pub folders: Vec<Folder>,
}

/// A folder in which an engine was used before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Folder {
    /// Its path.
    pub path: String,
    /// The last part of its path.
    pub name: String,
    /// The engine that was used in it.
    pub engine: String,
    /// Its newest conversation, which becomes the current one when it is added. `null`: there is none that
    /// could be resumed, or it wasn't read in time.
    pub conversation: Option<Conversation>,
    /// The first prompt of that conversation, on one line.
    pub title: Option<String>,
    /// The size of its transcript; 0 without a conversation.
    pub bytes: u64,
    /// Whether it is a repo already.
    pub added: bool,
    /// Another program that has that conversation open.
    pub owner: Option<Owner>,
}

/// Folders whose paths begin with what was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Matches {
    /// The paths in the form in which they would be typed, with `~` kept.
    pub matches: Vec<String>,
}

impl From<&repose_runner::Folder> for Folder {
    fn from(folder: &repose_runner::Folder) -> Self {
        let name = folder.path.file_name().unwrap_or(folder.path.as_os_str());
        Self {
            path: folder.path.to_string_lossy().into_owned(),
            name: name.to_string_lossy().into_owned(),
            engine: folder.engine.as_str().into(),
            conversation: folder.conversation.as_ref().map(Into::into),
            title: folder.title.clone(),
            bytes: folder.size,
            added: folder.added,
            owner: folder.owner.as_ref().map(Into::into),
        }
    }
}
