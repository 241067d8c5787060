//! Reads the engines' own files of settings and state. Some are in the repo, where anybody may have put
//! anything.

use std::path::Path;

use repose_sys::regular;

/// The most bytes of such a file to read. They have some kilobytes, or some megabytes after years; a larger
/// one isn't read and counts as empty.
const SETUP_MAX: u64 = 32 * 1024 * 1024;

/// The text of such a file. `None`: it doesn't exist or can't be read.
pub(crate) fn text(path: &Path) -> Option<String> {
    String::from_utf8(regular::read(path, SETUP_MAX).ok()?).ok()
}

/// The content of such a JSON file. `None`: it doesn't exist or can't be understood.
pub(crate) fn json(path: &Path) -> Option<serde_json::Value> {
    serde_json::from_str(&text(path)?).ok()
}
