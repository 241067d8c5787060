//! The user's browser, as their desktop opens it.

use std::io;
use std::process::Stdio;

/// What desktops have for it (xdg-utils).
const OPENER: &str = "xdg-open";

/// Opens this link, and waits until the opener is done: with some desktops that is when the browser ends.
///
/// Its arguments can be seen by others of this machine: a link must be good once only.
///
/// # Errors
/// If nothing could be opened.
pub(crate) async fn open(link: &str) -> io::Result<()> {
    let mut opener = tokio::process::Command::new(OPENER);
    let opener = opener.arg(link).stdin(Stdio::null()).stdout(Stdio::null());
    let ended = opener.status().await.map_err(|error| io::Error::other(format!("`{OPENER}`: {error}")))?;
    if ended.success() { Ok(()) } else { Err(io::Error::other(format!("`{OPENER}` ended with {ended}"))) }
}
