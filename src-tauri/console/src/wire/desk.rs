//! What somebody at this machine gives to a repo or wants to see of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A picture that was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Kept {
    /// Its path, for use in a prompt.
    pub path: String,
}

/// Where to show a repo's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// The program to show it in.
    #[serde(rename = "in", default)]
    pub place: Place,
}

/// A program that shows a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The editor in the settings, or a known one.
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
