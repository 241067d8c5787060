//! Opens links in the user's browser, by the desktop's means.

use std::io;
use std::process::Stdio;

/// The desktop's program for that (xdg-utils).
const OPENER: &str = "xdg-open";

/// Opens this link, and waits until the opener ends: on some desktops that is when the browser ends.
///
/// Others on this machine can see its arguments, so a link must be valid only once.
///
/// # Errors
/// If nothing could be opened.
pub(crate) async fn open(link: &str) -> io::Result<()> {
    let mut opener = tokio::process::Command::new(OPENER);
    let opener = opener.arg(link).stdin(Stdio::null()).stdout(Stdio::null());
    let ended = opener.status().await.map_err(|error| io::Error::other(format!("`{OPENER}`: {error}")))?;
    if ended.success() { Ok(()) } else { Err(io::Error::other(format!("`{OPENER}` ended with {ended}"))) }
}
