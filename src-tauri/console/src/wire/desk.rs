//! What somebody at this machine hands to a repo, or wants to see of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A picture that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Kept {
    /// Its file, as it goes into a prompt.
    pub path: String,
}

/// In what to show a repo's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// In what.
    #[serde(rename = "in", default)]
    pub place: Place,
}

/// In what a folder is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The editor of the settings, or one that is known.
    Editor,
    /// The file manager.
    #[default]
    Files,
}

impl From<Place> for repose_runner::Place {
    fn from(place: Place) -> Self {
        match place {
            Place::Editor => Self::Editor,
            Place::Files => Self::Files,
        }
    }
}
