//! Folders to add.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Conversation, Owner};

/// Folders in which an engine was used before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Folders {
    /// Those that still exist, the latest first.
    pub folders: Vec<Folder>,
}

/// A folder in which an engine was used before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Folder {
    /// Where.
    pub path: String,
    /// Its own name.
    pub name: String,
    /// Whose.
    pub engine: String,
    /// Its newest conversation, which becomes the current one when it is added. `null`: there is none that
    /// could be resumed, or it was not read in time.
    pub conversation: Option<Conversation>,
    /// That one's first prompt, on one line.
    pub title: Option<String>,
    /// Its transcript's size; 0 without one.
    pub bytes: u64,
    /// It is a repo already.
    pub added: bool,
    /// Another program has that conversation open.
    pub owner: Option<Owner>,
}

/// Folders whose paths begin as somebody has typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Matches {
    /// As they would be typed: `~` stays what it is.
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
