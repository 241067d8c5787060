//! Where a request comes from, according to its headers. Pure: headers in, verdict out.

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN, UPGRADE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method};

/// Why a request is rejected before anybody looks at who sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// `Host` isn't a loopback address, but a name that somebody made point here (DNS rebinding).
    Host,
    /// `Origin` isn't the console's own.
    Origin,
    /// A change or an upgrade without an `Origin`, which browsers always send there.
    NoOrigin,
    /// The browser says that another site's page sent the request (`Sec-Fetch-Site`).
    Site,
}

/// Judges a request that came over loopback TCP.
///
/// `Host` may have any port, since the console may be reached through a forwarded port. `Origin` must be
/// exactly that host, so that a page served by another program on this machine is foreign too.
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
    // A link to the login may be anywhere; its code is the proof.
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    match site {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) if enters => Ok(()),
        Some(_) => Err(Foreign::Site),
    }
}

/// The bearer token in the headers.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    one(headers, AUTHORIZATION)?.strip_prefix("Bearer ")
}

/// The values of a cookie. Another path's cookie with the same name may precede ours.
pub(super) fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).filter_map(move |pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}

/// The header's value, if it occurs exactly once and is text.
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
