use std::os::unix::fs::PermissionsExt;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use repose_core::time::Wall;
use tempfile::TempDir;

use super::request::{Foreign, judge};
use super::{Auth, BadLink, Guest, LINK_LASTS, LOGIN_LASTS};

const NOW: Wall = Wall(1_800_000_000_000);

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers
}

fn auth(folder: &TempDir) -> Auth {
    Auth::open(&folder.path().join("token"), &folder.path().join("logins"), 4000).expect("a writable folder")
}

fn after(span: std::time::Duration) -> Wall {
    Wall(NOW.0 + u64::try_from(span.as_millis()).expect("a short span"))
}

/// The cookie as a browser sends it back.
fn log_in(auth: &Auth, now: Wall) -> HeaderMap {
    let (path, _) = auth.link(Guest::Browser, now);
    let code = path.strip_prefix("/login?code=").expect("a link");
    let cookie = auth.log_in(code, now).expect("a writable folder").expect("a fresh code");
    let pair = cookie.split(';').next().expect("a cookie");
    let mut headers = HeaderMap::new();
    headers.insert("cookie", HeaderValue::from_str(&format!("other=1; {pair}")).expect("a header"));
    headers
}

/// The sender, the method and headers, and the verdict.
type Case<'a> = (&'a str, &'a Method, &'a [(&'a str, &'a str)], Result<(), Foreign>);

#[test]
fn where_a_request_comes_from() {
    use Foreign::{Host, NoOrigin, Origin, Site};
    const HOST: (&str, &str) = ("host", "127.0.0.1:4000");
    const OURS: (&str, &str) = ("origin", "http://127.0.0.1:4000");
    let get = Method::GET;
    let post = Method::POST;
    let table: &[Case] = &[
        ("a plain look", &get, &[HOST], Ok(())),
        ("by name", &get, &[("host", "localhost:4000")], Ok(())),
        ("over IPv6", &get, &[("host", "[::1]:4000")], Ok(())),
        ("through a forwarded port", &get, &[("host", "localhost:9")], Ok(())),
        ("a change of ours", &post, &[HOST, OURS], Ok(())),
        ("no host", &get, &[], Err(Host)),
        ("rebound name", &get, &[("host", "evil.example:4000")], Err(Host)),
        ("a name that begins like ours", &get, &[("host", "127.0.0.1.evil.example")], Err(Host)),
        ("a name that ends like ours", &get, &[("host", "evil-localhost")], Err(Host)),
        ("a user before the host", &get, &[("host", "localhost@evil.example")], Err(Host)),
        ("a host after a user", &get, &[("host", "evil.example@127.0.0.1")], Err(Host)),
        ("another address of this machine", &get, &[("host", "192.168.1.2:4000")], Err(Host)),
        ("any address", &get, &[("host", "0.0.0.0:4000")], Err(Host)),
        ("a number", &get, &[("host", "2130706433")], Err(Host)),
        ("two hosts", &get, &[HOST, ("host", "evil.example")], Err(Host)),
        ("a foreign page", &get, &[HOST, ("origin", "http://evil.example")], Err(Origin)),
        ("a foreign page's change", &post, &[HOST, ("origin", "http://evil.example")], Err(Origin)),
        ("a sandboxed page", &get, &[HOST, ("origin", "null")], Err(Origin)),
        ("another program's page", &post, &[HOST, ("origin", "http://127.0.0.1:3000")], Err(Origin)),
        ("by another name of ours", &post, &[HOST, ("origin", "http://localhost:4000")], Err(Origin)),
        ("over TLS, which we don't speak", &post, &[HOST, ("origin", "https://127.0.0.1:4000")], Err(Origin)),
        ("an origin that goes on", &post, &[HOST, ("origin", "http://127.0.0.1:40000")], Err(Origin)),
        ("two origins", &post, &[HOST, OURS, ("origin", "http://evil.example")], Err(Origin)),
        ("no origin on a change", &post, &[HOST], Err(NoOrigin)),
        ("no origin on a removal", &Method::DELETE, &[HOST], Err(NoOrigin)),
        ("no origin on a preflight", &Method::OPTIONS, &[HOST], Err(NoOrigin)),
        ("no origin on a head", &Method::HEAD, &[HOST], Err(NoOrigin)),
        ("no origin on an upgrade", &get, &[HOST, ("upgrade", "websocket")], Err(NoOrigin)),
        ("an upgrade of ours", &get, &[HOST, OURS, ("upgrade", "websocket")], Ok(())),
        ("a foreign page's image", &get, &[HOST, ("sec-fetch-site", "cross-site")], Err(Site)),
        ("another port's script", &get, &[HOST, ("sec-fetch-site", "same-site")], Err(Site)),
        ("our own page", &get, &[HOST, ("sec-fetch-site", "same-origin")], Ok(())),
        ("the address bar", &get, &[HOST, ("sec-fetch-site", "none")], Ok(())),
    ];
    for (what, method, pairs, expected) in table {
        let headers = {
            let mut headers = HeaderMap::new();
            for (name, value) in *pairs {
                let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
                headers.append(name, HeaderValue::from_str(value).expect("a value"));
            }
            headers
        };
        assert_eq!(judge(method, &headers, false), *expected, "{what}");
    }
    let linked = headers(&[HOST, ("sec-fetch-site", "cross-site")]);
    assert_eq!(judge(&get, &linked, true), Ok(()), "a link to the login may stand anywhere");
}

#[test]
fn the_token_lets_in_and_nothing_like_it() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let first = auth(&folder);
    let path = folder.path().join("token");
    let token = std::fs::read_to_string(&path).expect("a token");
    assert_eq!(token.len(), 64);
    assert_eq!(std::fs::metadata(&path).expect("a token").permissions().mode() & 0o777, 0o600);
    let shows = |shown: &str| {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_str(shown).expect("a header"));
        first.admits(&headers, NOW)
    };
    assert!(shows(&format!("Bearer {token}")));
    for wrong in ["", "Bearer ", "Bearer", &token, &format!("Basic {token}"), &format!("Bearer {token}0")] {
        assert!(!shows(wrong), "{wrong}");
    }
    assert!(!shows(&format!("Bearer {}", token.to_uppercase().replace(|c: char| c.is_ascii_digit(), "f"))));
    assert!(!shows(&format!("Bearer {}", &token[..63])));
    drop(first);
    auth(&folder);
    assert_eq!(std::fs::read_to_string(&path).expect("a token"), token, "it is kept");
}

#[test]
fn a_token_file_that_holds_none_is_replaced() {
    let folder = tempfile::tempdir().expect("a temp folder");
    for broken in ["", "short", &"g".repeat(64)] {
        std::fs::write(folder.path().join("token"), broken).expect("a writable folder");
        auth(&folder);
        let token = std::fs::read_to_string(folder.path().join("token")).expect("a token");
        assert!(token.len() == 64 && token != broken, "{broken:?} became {token:?}");
    }
}

#[test]
fn a_link_is_good_once_and_not_for_long() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let auth = auth(&folder);
    let code = |path: String| path.strip_prefix("/login?code=").expect("a link").to_owned();
    let used = code(auth.link(Guest::Browser, NOW).0);
    let shown = |code: &str, now| auth.log_in(code, now).expect("written").err();
    assert_eq!(shown(&used, NOW), None);
    assert_eq!(shown(&used, NOW), Some(BadLink::Used));
    assert_eq!(shown(&used, after(LINK_LASTS)), Some(BadLink::Used));
    let late = code(auth.link(Guest::Browser, NOW).0);
    assert_eq!(shown(&late, after(LINK_LASTS)), Some(BadLink::Expired));
    for wrong in ["", "0", &used[..10]] {
        assert_eq!(shown(wrong, NOW), Some(BadLink::Unknown), "{wrong:?}");
    }
    // What lets nobody in any more makes room first.
    let good: Vec<_> = (0..15).map(|_| code(auth.link(Guest::Browser, after(LINK_LASTS)).0)).collect();
    assert_eq!(shown(&used, NOW), Some(BadLink::Unknown));
    assert!(good.iter().all(|code| shown(code, after(LINK_LASTS)).is_none()));
}

#[test]
fn a_login_survives_a_restart_and_ends_in_time() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let browser = log_in(&auth(&folder), NOW);
    let mode = std::fs::metadata(folder.path().join("logins")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = auth(&folder);
    assert!(again.admits(&browser, NOW));
    assert!(!again.admits(&browser, after(LOGIN_LASTS)));
    assert!(!again.admits(&headers(&[("cookie", "repose-4000=; repose-4000=x")]), NOW));

    let other_port = Auth::open(&folder.path().join("token"), &folder.path().join("logins"), 4001)
        .expect("a writable folder");
    assert!(!other_port.admits(&browser, NOW), "the cookie is named after the port");
}

#[test]
fn many_logins_push_the_oldest_out() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let auth = auth(&folder);
    let browsers: Vec<_> = (0..40).map(|_| log_in(&auth, NOW)).collect();
    assert!(!auth.admits(&browsers[0], NOW));
    assert!(auth.admits(&browsers[39], NOW));
    let lines = std::fs::read_to_string(folder.path().join("logins")).expect("a file").lines().count();
    assert_eq!(lines, 32);
}

#[test]
fn the_apps_window_has_one_login_that_pushes_no_browser_out() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let auth = auth(&folder);
    let browser = log_in(&auth, NOW);
    let window = || {
        let (path, _) = auth.link(Guest::Window, NOW);
        let code = path.strip_prefix("/login?code=").expect("a link");
        let cookie = auth.log_in(code, NOW).expect("a writable folder").expect("a fresh code");
        assert!(!cookie.contains("Max-Age"), "{cookie}");
        let mut headers = HeaderMap::new();
        let pair = cookie.split(';').next().expect("a cookie");
        headers.insert("cookie", HeaderValue::from_str(pair).expect("a header"));
        headers
    };
    let first = window();
    assert!(auth.admits(&first, NOW));
    let windows: Vec<_> = (0..40).map(|_| window()).collect();
    assert!(!auth.admits(&first, NOW), "a window that is closed");
    assert!(auth.admits(windows.last().expect("forty"), NOW));
    assert!(auth.admits(&browser, NOW));
    let later = Auth::open(&folder.path().join("token"), &folder.path().join("logins"), 4000)
        .expect("a writable folder");
    assert!(!later.admits(windows.last().expect("forty"), NOW), "it isn't kept");
    assert!(later.admits(&browser, NOW));
}
