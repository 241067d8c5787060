//! Access over loopback: the token, one-time links, and the logins for which they are exchanged.
//!
//! Any program and any page on this machine can reach the listener. A program must show the token, which only
//! this user can read; a browser must show a cookie, which it gets with a link that only this user's CLI can
//! create. [`request`] judges where a request may come from. This module must not know what it protects.

mod door;
mod logins;
mod request;
mod secret;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::HeaderMap;
use repose_core::time::Wall;
use repose_sys::private::{self, PrivateError};

use logins::{Codes, Logins};
use secret::Secret;

pub(crate) use door::{door, entrance, harden, unknown};
pub(crate) use logins::{BadLink, Guest};

/// How long a one-time link is valid: long enough for a browser to start, short enough that one left in a
/// terminal's scrollback or a shell's history is useless. After that it is answered with 401, and a new link
/// takes one command.
pub const LINK_LASTS: Duration = Duration::from_secs(5 * 60);

/// How long a browser stays logged in, from its last login.
pub const LOGIN_LASTS: Duration = Duration::from_secs(90 * 86_400);

/// What is needed to let somebody in.
#[derive(Debug)]
pub(crate) struct Auth {
    port: u16,
    token: Secret,
    codes: Mutex<Codes>,
    logins: Mutex<Logins>,
}

impl Auth {
    /// Reads the token and the logins, and creates what is missing. `port` is part of the cookie's name,
    /// since cookies are separated by host but not by port.
    ///
    /// # Errors
    /// [`PrivateError`], if they can't be read or written.
    pub(crate) fn open(token: &Path, logins: &Path, port: u16) -> Result<Self, PrivateError> {
        Ok(Self {
            port,
            token: load_token(token)?,
            codes: Mutex::default(),
            logins: Mutex::new(Logins::load(logins)),
        })
    }

    /// The path, below the console's address, that lets one guest in once, and until when.
    pub(crate) fn link(&self, guest: Guest, now: Wall) -> (String, Wall) {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let (code, until) = codes.issue(guest, now);
        (format!("/login?code={}", code.text()), until)
    }

    /// Exchanges a link's code for a cookie.
    ///
    /// # Errors
    /// [`PrivateError`], if the login can't be written.
    pub(crate) fn log_in(&self, code: &str, now: Wall) -> Result<Result<String, BadLink>, PrivateError> {
        let redeemed = self.codes.lock().unwrap_or_else(PoisonError::into_inner).redeem(code, now);
        let mut logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
        let (login, lasts) = match redeemed {
            Err(bad) => return Ok(Err(bad)),
            Ok(Guest::Browser) => (logins.begin(now)?, format!("; Max-Age={}", LOGIN_LASTS.as_secs())),
            Ok(Guest::Window) => (logins.begin_window(), String::new()),
        };
        let name = self.cookie();
        Ok(Ok(format!("{name}={}; Path=/{lasts}; HttpOnly; SameSite=Strict", login.text())))
    }

    /// Whether these headers carry the token or a login.
    pub(crate) fn admits(&self, headers: &HeaderMap, now: Wall) -> bool {
        if request::bearer(headers).is_some_and(|shown| self.token.is(shown)) {
            return true;
        }
        let cookie = self.cookie();
        let logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
        request::cookies(headers, &cookie).any(|shown| logins.has(shown, now))
    }

    fn cookie(&self) -> String {
        format!("repose-{}", self.port)
    }
}

fn load_token(path: &Path) -> Result<Secret, PrivateError> {
    if let Some(token) = std::fs::read_to_string(path).ok().and_then(|text| Secret::read(text.trim())) {
        // Whoever widened the mode may have let others read it. The mode is narrowed; deleting the file
        // creates a new token.
        private::write_private(path, token.text().as_bytes())?;
        return Ok(token);
    }
    let token = Secret::new();
    private::write_private(path, token.text().as_bytes())?;
    Ok(token)
}
