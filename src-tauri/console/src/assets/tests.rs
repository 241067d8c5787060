use axum::body::to_bytes;
use axum::http::StatusCode;

use super::{content_type, page, plain, sent};

async fn text(response: axum::response::Response) -> String {
    let bytes = to_bytes(response.into_body(), 1024).await.expect("a body");
    String::from_utf8(bytes.into()).expect("text")
}

#[tokio::test]
async fn a_build_without_a_page_says_how_to_get_one() {
    let answer = page(None);
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
    let said = text(answer).await;
    assert!(said.contains("no console page") && said.contains("`make run`"), "{said}");
    assert_eq!(said.lines().count(), 1);
}

#[tokio::test]
async fn the_page_is_asked_for_anew_and_runs_nothing_inline() {
    let answer = page(Some(b"<p>".as_slice().into()));
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(answer.headers()["cache-control"], "no-cache");
    let policy = answer.headers()["content-security-policy"].to_str().expect("text").to_owned();
    let parts: Vec<&str> = policy.split("; ").collect();
    let strict = [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ];
    for part in strict {
        assert!(parts.contains(&part), "no {part} in {policy}");
    }
    assert_eq!(policy.matches("unsafe").count(), 1, "{policy}");
    assert_eq!(text(answer).await, "<p>");
}

#[test]
fn a_name_leads_nowhere_else() {
    for good in ["index-CdpWfvJZ.js", "prefs.svelte-BMLi4S-7.js", "Refused--DfoA9US.js", "a_b.css"] {
        assert!(plain(good), "{good}");
    }
    for bad in
        ["..", ".", ".built", "../index.html", "a/b.js", "a\\b.js", "a\0.js", "a b.js", "é.js", "%2e.js"]
    {
        assert!(!plain(bad), "{bad}");
    }
}

#[test]
fn what_the_page_is_not_made_of_is_not_sent() {
    for (name, kind) in [
        ("a.js", Some("text/javascript; charset=utf-8")),
        ("a.css", Some("text/css; charset=utf-8")),
        ("icon.svg", Some("image/svg+xml")),
        ("a.js.map", None),
        ("a", None),
    ] {
        assert_eq!(content_type(name), kind, "{name}");
        let answer = sent(Some(b"x".as_slice().into()), name, "no-cache");
        assert_eq!(answer.status() == StatusCode::OK, kind.is_some(), "{name}");
    }
}
