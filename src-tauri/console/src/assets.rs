//! The console's page: its files, built into the program, as answers. They aren't secret, so anybody who can
//! reach the listener may read them. Knows nothing of repos and logins.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// The page's content security policy. Only `style` attributes may be inline: the terminal writes true
/// colours with them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// For a file whose name is derived from its content, which never changes.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// For the page that names the current files: it is requested again each time.
const ANEW: &str = "no-cache";

const NO_PAGE: &str = "This build of Repose has no console page: build one that has with `make run`.\n";

/// The page as it was built. A debug build reads it from the source folder at each request.
#[derive(rust_embed::RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../ui/dist"]
struct Files;

/// Where the page is served.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/", get(async || page(file("index.html"))))
        .route("/theme.js", get(async || sent(file("theme.js"), "theme.js", ANEW)))
        .route("/icon.svg", get(async || sent(file("icon.svg"), "icon.svg", ANEW)))
        .route("/assets/{name}", get(asset))
}

async fn asset(Path(name): Path<String>) -> Response {
    if !plain(&name) {
        return missing();
    }
    sent(file(&format!("assets/{name}")), &name, FOR_GOOD)
}

fn file(path: &str) -> Option<Cow<'static, [u8]>> {
    Files::get(path).map(|found| found.data)
}

/// Whether this is the name of a file rather than a path to another place.
fn plain(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.starts_with('.') && name.bytes().all(fits)
}

fn page(html: Option<Cow<'static, [u8]>>) -> Response {
    let Some(html) = html else {
        let text = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
        return (StatusCode::NOT_FOUND, text, NO_PAGE).into_response();
    };
    let head = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, ANEW),
        (CONTENT_SECURITY_POLICY, POLICY),
    ];
    (head, html).into_response()
}

fn sent(data: Option<Cow<'static, [u8]>>, name: &str, caching: &'static str) -> Response {
    match (data, content_type(name)) {
        (Some(data), Some(kind)) => ([(CONTENT_TYPE, kind), (CACHE_CONTROL, caching)], data).into_response(),
        (None, _) | (_, None) => missing(),
    }
}

/// The media type of a file, by its extension. `None`: the page has no such files.
fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "png" => Some("image/png"),
        "svg" => Some("image/svg+xml"),
        "woff2" => Some("font/woff2"),
        _ => None,
    }
}

fn missing() -> Response {
    let text = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
    (StatusCode::NOT_FOUND, text, "The console's page has no such file.\n").into_response()
}
