//! What a request's head says of where it comes from. Pure: headers in, verdict out.

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN, UPGRADE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method};

/// Why a request is turned away before anybody looks at who sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// `Host` names no loopback address: a name of somebody's own that was made to point here (DNS
    /// rebinding).
    Host,
    /// `Origin` isn't the console's own.
    Origin,
    /// A change or an upgrade without an `Origin`. Browsers always send one there.
    NoOrigin,
    /// The browser says that another site's page sent it (`Sec-Fetch-Site`).
    Site,
}

/// Judges a request that came over loopback TCP.
///
/// `Host` may have any port: one may look at the console through a forwarded port. `Origin` must be exactly
/// that host, so a page that another program serves on this machine is foreign too.
pub(super) fn judge(method: &Method, headers: &HeaderMap, enters: bool) -> Result<(), Foreign> {
    let host = one(headers, HOST).filter(|host| loopback(host)).ok_or(Foreign::Host)?;
    match headers.contains_key(ORIGIN) {
        true => {
            let ours = format!("http://{host}");
            if one(headers, ORIGIN) != Some(ours.as_str()) {
                return Err(Foreign::Origin);
            }
        }
        false if method != Method::GET || headers.contains_key(UPGRADE) => return Err(Foreign::NoOrigin),
        false => {}
    }
    // A link to the login may stand anywhere; its code is the proof.
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    match site {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) if enters => Ok(()),
        Some(_) => Err(Foreign::Site),
    }
}

/// The bearer token that is shown.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    one(headers, AUTHORIZATION)?.strip_prefix("Bearer ")
}

/// The values of a cookie. Another path's cookie of that name may stand before ours.
pub(super) fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).filter_map(move |pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}

/// The header's value, if it stands there exactly once and is text.
fn one(headers: &HeaderMap, name: axum::http::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

fn loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let plain = !host.contains('@');
    plain && matches!(authority.host(), "127.0.0.1" | "localhost" | "[::1]")
}
