//! `console`: opens or prints a one-time link.

use std::process::Stdio;

use repose_console::wire;
use repose_core::trouble::Code;
use serde_json::json;

use super::Says;
use crate::client::{Client, read};
use crate::failure::Failure;

/// The program that opens a link in the user's browser.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

pub(super) async fn console(print: bool, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.post("/api/link", &json!({})).await?;
    if print {
        return says.answer(value, |value| Ok(read::<wire::Link>(value)?.link));
    }
    let link = read::<wire::Link>(value.clone())?.link;
    let mut opener = tokio::process::Command::new(OPENER);
    let opener = opener.arg(&link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let opened = opener.status().await.is_ok_and(|status| status.success());
    if !opened {
        return Err(Failure::new(
            Code::Internal,
            format!("No browser could be opened with `{OPENER}`."),
            ["`repose console --print` prints the link; open it yourself."],
        ));
    }
    says.answer(value, |_| Ok("The console is open in your browser.".into()))
}
