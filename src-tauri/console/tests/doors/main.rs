//! Both doors of a real runner, from outside: what gets in, and what is told to whom.

mod crowd;
mod settings;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use repose_console::{BODY_MAX, CancellationToken, Options, TOKEN, Wanted};
use repose_runner::{Home, Runner};
use tempfile::TempDir;

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

struct Doors {
    _folder: TempDir,
    home: Home,
    console: String,
    stop: CancellationToken,
    serving: std::thread::JoinHandle<()>,
}

impl Doors {
    fn open() -> Self {
        Self::of(Options::default())
    }

    fn of(options: Options) -> Self {
        let folder = tempfile::tempdir().expect("a temp folder");
        let home = Home::under(folder.path().join("repose"));
        let (tell, told) = std::sync::mpsc::channel();
        let stop = CancellationToken::new();
        let serving = std::thread::spawn({
            let (home, stop) = (home.clone(), stop.clone());
            move || {
                let runtime =
                    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    let program = PathBuf::from("/bin/false");
                    let env =
                        vec![("PATH".into(), "/usr/bin:/bin".into()), ("SHELL".into(), "/bin/sh".into())];
                    let begun = repose_runner::Options { program, env };
                    let runner = Runner::start(home, begun).await.expect("a runner");
                    let served = repose_console::open(runner.clone(), options).await.expect("two doors");
                    tell.send(served.console.clone()).expect("a listener");
                    served.until_told(stop).await.expect("signals");
                    runner.shutdown();
                });
            }
        });
        let console = told.recv_timeout(PATIENCE).expect("the console's address");
        Self { _folder: folder, home, console, stop, serving }
    }

    fn address(&self) -> &str {
        self.console.strip_prefix("http://").expect("an http address")
    }

    /// What comes back for these bytes over loopback.
    fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address()).expect("the console listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        exchange(&mut stream, request)
    }

    /// The answer to a request with a host of ours and these lines in its head.
    fn send(&self, first: &str, lines: &[&str]) -> Answer {
        let mut request = format!("{first} HTTP/1.1\r\nConnection: close\r\n");
        if !lines.iter().any(|line| line.to_lowercase().starts_with("host:")) {
            request.push_str(&format!("Host: {}\r\n", self.address()));
        }
        for line in lines {
            request.push_str(&format!("{line}\r\n"));
        }
        request.push_str("\r\n");
        Answer(self.raw(request.as_bytes()))
    }

    fn token(&self) -> String {
        let token = std::fs::read_to_string(self.home.state().join(TOKEN)).expect("a token");
        format!("Authorization: Bearer {token}")
    }

    /// A browser's cookie, as it sends it back.
    fn log_in(&self) -> String {
        let link = self.local("POST /api/link");
        let path =
            link.0.split("/login?code=").nth(1).and_then(|rest| rest.split('"').next()).expect("a link");
        let answer = self.send(&format!("GET /login?code={path}"), &[]);
        let cookie = answer.header("set-cookie").expect("a cookie");
        format!("Cookie: {}", cookie.split(';').next().expect("a pair"))
    }

    fn local(&self, first: &str) -> Answer {
        let mut stream = UnixStream::connect(self.home.socket()).expect("the socket answers");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let request =
            format!("{first} HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        Answer(exchange(&mut stream, request.as_bytes()))
    }

    fn close(self) {
        self.stop.cancel();
        self.serving.join().expect("it ended well");
        assert!(!self.home.socket().exists(), "nobody finds a socket that nobody serves");
    }
}

fn exchange(stream: &mut (impl Read + Write), request: &[u8]) -> String {
    // A server that has seen enough may hang up first.
    let _unread = stream.write_all(request);
    let mut answer = Vec::new();
    let _cut = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[derive(Debug)]
struct Answer(String);

impl Answer {
    fn status(&self) -> u16 {
        let status = self.0.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.unwrap_or_else(|| panic!("no HTTP answer: {:?}", self.0))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next()?;
        head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

#[test]
fn hostile_requests_are_turned_away_and_told_nothing() {
    let doors = Doors::open();
    let token = doors.token();
    let ours = format!("Origin: {}", doors.console);
    let table: &[(&str, &str, &[&str], u16)] = &[
        ("nobody", "GET /api/repos", &[], 401),
        ("nobody, at nothing", "GET /api/no-such-thing", &[], 401),
        ("nobody, with a wrong method", "PUT /api/repos", &[&ours], 401),
        (
            "nobody, upgrading",
            "GET /api/repos/x/terminal",
            &[&ours, "Upgrade: websocket", "Connection: Upgrade"],
            401,
        ),
        ("nobody, logging in", "GET /login", &[], 401),
        ("nobody, with a made-up code", "GET /login?code=0123", &[], 401),
        ("nobody, changing the page", "POST /", &[&ours, "Content-Length: 0"], 405),
        ("nobody, at no asset", "GET /assets/none.js", &[], 404),
        ("nobody, at the assets", "GET /assets/", &[], 401),
        ("nobody, climbing from the assets", "GET /assets/../api/repos", &[], 401),
        ("nobody, climbing in a name", "GET /assets/..", &[], 404),
        ("nobody, climbing in a coded name", "GET /assets/%2e%2e%2findex.html", &[], 404),
        ("nobody, climbing far", "GET /assets/..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd", &[], 404),
        ("nobody, climbing twice coded", "GET /assets/%252e%252e%252findex.html", &[], 404),
        ("nobody, with a backslash", "GET /assets/..%5cindex.html", &[], 404),
        ("nobody, with a nul", "GET /assets/%00.js", &[], 404),
        ("nobody, with no text", "GET /assets/%ff.js", &[], 400),
        ("nobody, before the page", "GET //api/repos", &[], 401),
        ("a rebound name, at the page", "GET /", &["Host: evil.example"], 403),
        ("a foreign page's script, at the page", "GET /", &["Origin: http://evil.example"], 403),
        ("a foreign page, at an asset", "GET /assets/none.js", &["Origin: http://evil.example"], 403),
        ("nobody, climbing", "GET /login/../api/repos", &[], 401),
        ("nobody, climbing in code", "GET /login%2f..%2fapi/repos", &[], 401),
        ("a wrong token", "GET /api/repos", &["Authorization: Bearer 00"], 401),
        ("an empty token", "GET /api/repos", &["Authorization: Bearer "], 401),
        ("a made-up cookie", "GET /api/repos", &["Cookie: repose=1; repose-1=2"], 401),
        ("the CLI's own, over loopback", "POST /api/link", &[&token, &ours, "Content-Length: 0"], 404),
        ("the window's, over loopback", "POST /api/window-link", &[&token, &ours, "Content-Length: 0"], 404),
        ("the app's, over loopback", "POST /api/show", &[&token, &ours, "Content-Length: 0"], 404),
        ("its other one", "POST /api/hand-over", &[&token, &ours, "Content-Length: 0"], 404),
        ("a rebound name", "GET /api/repos", &[&token, "Host: evil.example"], 403),
        ("a rebound name, at the login", "GET /login?code=0123", &["Host: evil.example"], 403),
        ("a foreign page", "GET /api/repos", &[&token, "Origin: http://evil.example"], 403),
        ("another program's page", "GET /api/repos", &[&token, "Origin: http://127.0.0.1:1"], 403),
        ("a change without an origin", "POST /api/resume-all", &[&token, "Content-Length: 0"], 403),
        ("a removal without an origin", "DELETE /api/repos/x", &[&token], 403),
        ("a preflight", "OPTIONS /api/repos", &[&token, "Origin: http://evil.example"], 403),
        ("an upgrade without an origin", "GET /api/repos/x/terminal", &[&token, "Upgrade: websocket"], 403),
        ("another port's script", "GET /api/repos", &[&token, "Sec-Fetch-Site: same-site"], 403),
        ("a look at the head alone, without an origin", "HEAD /", &[], 403),
        ("somebody of ours", "GET /api/repos", &[&token], 200),
        ("a change of ours", "POST /api/resume-all", &[&token, &ours, "Content-Length: 0"], 200),
        ("ours, at nothing", "GET /api/no-such-thing", &[&token], 404),
        ("ours, at no repo", "GET /api/repos/none", &[&token], 404),
        ("ours, with a wrong method", "PUT /api/repos", &[&token, &ours, "Content-Length: 0"], 405),
        (
            "a form, which any page may send",
            "POST /api/repos",
            &[&token, &ours, "Content-Type: text/plain", "Content-Length: 0"],
            415,
        ),
    ];
    for (who, first, lines, status) in table {
        let answer = doors.send(first, lines);
        assert_eq!(answer.status(), *status, "{who}: {answer:?}");
        assert!(answer.header("set-cookie").is_none(), "{who}: {answer:?}");
        assert!(answer.header("access-control-allow-origin").is_none(), "{who}: {answer:?}");
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{who}: {answer:?}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{who}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{who}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{who}");
    }
    doors.close();
}

#[test]
fn a_link_for_the_window_lets_it_in_for_as_long_as_the_runner_runs() {
    let doors = Doors::open();
    let link = doors.local("POST /api/window-link");
    assert_eq!(link.status(), 200, "{link:?}");
    let from = link.0.find("/login?code=").expect("a link");
    let path = link.0[from..].split('"').next().expect("its end").to_owned();
    let answer = doors.send(&format!("GET {path}"), &[]);
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(!cookie.contains("Max-Age="), "it isn't kept: {cookie}");
    doors.close();
}

#[test]
fn a_link_lets_one_browser_in_once() {
    let doors = Doors::open();
    let link = doors.local("POST /api/link");
    assert_eq!(link.status(), 200, "{link:?}");
    let from = link.0.find("/login?code=").expect("a link");
    let path = link.0[from..].split('"').next().expect("its end").to_owned();
    let first = doors.send(&format!("GET {path}"), &["Sec-Fetch-Site: cross-site"]);
    assert_eq!((first.status(), first.header("location")), (303, Some("/")), "{first:?}");
    let cookie = first.header("set-cookie").expect("a cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let port = doors.address().rsplit(':').next().expect("a port");
    assert!(cookie.starts_with(&format!("repose-{port}=")), "{cookie}");
    let pair = format!("Cookie: {}", cookie.split(';').next().expect("a pair"));
    assert_eq!(doors.send("GET /api/repos", &[&pair]).status(), 200);
    let second = doors.send(&format!("GET {path}"), &[]);
    assert_eq!((second.status(), second.header("set-cookie")), (401, None), "{second:?}");
    for (bad, says) in
        [(path.as_str(), "/#/used"), ("/login", "/#/unknown-link"), ("/login?code=0123", "/#/unknown-link")]
    {
        let shown = doors.send(&format!("GET {bad}"), &["Accept: text/html,*/*;q=0.8"]);
        assert_eq!((shown.status(), shown.header("location")), (303, Some(says)), "{bad}: {shown:?}");
        assert!(shown.header("set-cookie").is_none(), "{bad}: {shown:?}");
    }
    doors.close();
}

#[test]
fn a_logged_in_browser_upgrades_with_its_origin_alone() {
    let doors = Doors::open();
    let folder = doors.home.state().join("a-repo");
    std::fs::create_dir(&folder).expect("a folder");
    let cookie = doors.log_in();
    let host = doors.address().to_owned();
    let handshake = |origin: Option<&str>| {
        let mut lines = vec![
            cookie.clone(),
            "Upgrade: websocket".into(),
            "Connection: Upgrade".into(),
            "Sec-WebSocket-Version: 13".into(),
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==".into(),
        ];
        lines.extend(origin.map(|origin| format!("Origin: {origin}")));
        let head = format!(
            "GET /api/repos/none/terminal HTTP/1.1\r\nHost: {host}\r\n{}\r\n\r\n",
            lines.join("\r\n")
        );
        let mut stream = TcpStream::connect(&host).expect("the console listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = [0; 4096];
        let length = stream.read(&mut answer).expect("an answer");
        Answer(String::from_utf8_lossy(&answer[..length]).into_owned()).status()
    };
    assert_eq!(handshake(None), 403, "a page of another site sends the cookie too, and no origin of ours");
    assert_eq!(handshake(Some("http://evil.example")), 403);
    assert_eq!(handshake(Some("http://127.0.0.1:1")), 403, "another program's page");
    assert_eq!(handshake(Some(&doors.console)), 404, "let in, and there is no such repo");
    doors.close();
}

#[test]
fn the_page_is_for_anybody_on_this_machine() {
    let doors = Doors::open();
    let page = doors.send("GET /", &["Sec-Fetch-Site: cross-site"]);
    assert!(page.header("access-control-allow-origin").is_none(), "{page:?}");
    assert_eq!(page.header("cross-origin-resource-policy"), Some("same-origin"), "{page:?}");
    if page.status() == 404 {
        // Compiled without npm: what it says then is told apart in a test of its own.
        assert!(page.0.contains("`make run`"), "{page:?}");
        return doors.close();
    }
    assert_eq!(page.status(), 200, "{page:?}");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.contains("script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'"),
        "{policy}"
    );
    let names: Vec<&str> =
        page.0.split("\"/assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(names.len() >= 2, "a script and a sheet: {page:?}");
    for name in names {
        let asset = doors.send(&format!("GET /assets/{name}"), &["Sec-Fetch-Site: same-origin"]);
        let kind = if name.ends_with(".css") { "text/css" } else { "text/javascript" };
        assert_eq!(asset.status(), 200, "{name}");
        assert!(asset.header("content-type").is_some_and(|told| told.starts_with(kind)), "{name}");
        assert_eq!(asset.header("cache-control"), Some("public, max-age=31536000, immutable"), "{name}");
        assert_eq!(asset.header("x-content-type-options"), Some("nosniff"), "{name}");
    }
    let icon = doors.send("GET /icon.svg", &[]);
    assert_eq!((icon.status(), icon.header("content-type")), (200, Some("image/svg+xml")), "{icon:?}");
    doors.close();
}

#[test]
fn what_is_too_large_or_no_http_is_refused() {
    let doors = Doors::open();
    let (token, ours) = (doors.token(), format!("Origin: {}", doors.console));
    let long = format!("Content-Length: {}", BODY_MAX + 1);
    let json = "Content-Type: application/json";
    let answer = doors.send("POST /api/repos", &[&token, &ours, json, &long]);
    assert_eq!(answer.status(), 413, "{answer:?}");
    let head = doors
        .send("GET /api/repos", &[&token, &format!("X-Long: {}", "x".repeat(2 * repose_console::HEAD_MAX))]);
    // A connection that is closed with bytes unread may take its answer along.
    assert!(head.0.is_empty() || head.status() == 431, "{head:?}");
    let garbage = doors.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 no HTTP at all\r\n\r\n");
    assert!(garbage.is_empty() || garbage.starts_with("HTTP/1.1 400"), "{garbage}");
    for body in ["{", "[]", "{\"path\":1}", "{\"path\":\"/x\",\"surprise\":1}", "{\"path\":\"relative\"}"] {
        let length = format!("Content-Length: {}", body.len());
        let request = format!(
            "POST /api/repos HTTP/1.1\r\nConnection: close\r\nHost: {}\r\n{token}\r\n{ours}\r\n{json}\r\n{length}\r\n\r\n{body}",
            doors.address()
        );
        let answer = Answer(doors.raw(request.as_bytes()));
        assert!([400, 422].contains(&answer.status()), "{body}: {answer:?}");
        assert!(answer.0.contains("\"bad_request\""), "{body}: {answer:?}");
    }
    doors.close();
}

#[test]
fn the_socket_is_this_users_alone_and_needs_no_token() {
    let doors = Doors::open();
    let mode = std::fs::metadata(doors.home.socket()).expect("the socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mode = std::fs::metadata(doors.home.state().join(TOKEN)).expect("the token").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(doors.local("GET /api/status").status(), 200);
    let document = doors.local("GET /api/openapi.json");
    for path in [
        "/api/repos/{id}/ask",
        "/api/repos/{id}/terminal",
        "/api/events",
        "/api/settings",
        "/api/link",
        "/api/folders",
        "/api/complete",
    ] {
        assert!(document.0.contains(&format!("\"{path}\"")), "{path} isn't described");
    }
    doors.close();
}

#[test]
fn the_events_begin_with_everything_and_go_on_with_what_changes() {
    let doors = Doors::open();
    let mut stream = TcpStream::connect(doors.address()).expect("the console listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    let head = format!("GET /api/events HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n", doors.address(), doors.token());
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut seen = String::new();
    let mut read_until = |text: &str| {
        let mut buffer = [0; 4096];
        while !seen.contains(text) {
            let length =
                stream.read(&mut buffer).unwrap_or_else(|error| panic!("no {text}: {error}; {seen}"));
            assert!(length > 0, "it ended before {text}: {seen}");
            seen.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
        seen.clone()
    };
    let first = read_until("event: snapshot");
    assert!(!first.contains("event: delta"), "{first}");
    let folder = doors.home.state().join("a-repo");
    std::fs::create_dir(&folder).expect("a folder");
    let body = format!("{{\"path\":\"{}\",\"engine\":\"shell\"}}", folder.display());
    let request = format!(
        "POST /api/repos HTTP/1.1\r\nConnection: close\r\nHost: {}\r\n{}\r\nOrigin: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        doors.address(),
        doors.token(),
        doors.console,
        body.len()
    );
    assert_eq!(Answer(doors.raw(request.as_bytes())).status(), 201);
    let changed = read_until("\"a-repo\"");
    assert!(changed.contains("event: delta") && changed.contains("\"seq\":1"), "{changed}");
    doors.close();
}

#[test]
fn a_path_is_completed_and_added_as_it_is_typed() {
    let doors = Doors::open();
    let folder = doors.home.state().join("some repo");
    std::fs::create_dir(&folder).expect("a folder");
    let state = doors.home.state().display().to_string();
    let found = doors.send(&format!("GET /api/complete?prefix={state}/SOME"), &[&doors.token()]);
    assert_eq!(found.status(), 200, "{found:?}");
    assert!(found.0.contains(&format!("{{\"matches\":[\"{state}/some repo\"]}}")), "{found:?}");
    let folders = doors.send("GET /api/folders", &[&doors.token()]);
    assert!(folders.0.ends_with("{\"folders\":[]}"), "nobody used an engine in this home: {folders:?}");
    doors.close();
}

#[test]
fn a_picture_is_kept_and_nothing_else_is() {
    let doors = Doors::open();
    let folder = doors.home.state().join("a-repo");
    std::fs::create_dir(&folder).expect("a folder");
    let post = |path: &str, kind: &str, body: &[u8]| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nConnection: close\r\nHost: {}\r\n{}\r\nOrigin: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            doors.address(),
            doors.token(),
            doors.console,
            body.len()
        );
        Answer(doors.raw(&[head.as_bytes(), body].concat()))
    };
    let added = format!("{{\"path\":\"{}\",\"engine\":\"shell\"}}", folder.display());
    assert_eq!(post("/api/repos", "application/json", added.as_bytes()).status(), 201);
    let images = "/api/repos/a-repo/images";
    // Larger than any other body may be.
    let picture = [&b"\x89PNG\r\n\x1a\n"[..], &vec![7; BODY_MAX]].concat();
    let kept = post(images, "image/png", &picture);
    assert_eq!(kept.status(), 201, "{kept:?}");
    let path = kept.0.split("\"path\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
    assert!(path.starts_with(&doors.home.images().display().to_string()), "{path}");
    assert_eq!(std::fs::read(path).expect("the picture"), picture);
    let page = post(images, "image/png", b"<svg onload=alert(1)>");
    assert_eq!(page.status(), 415, "{page:?}");
    assert!(page.0.contains("\"unfit_image\""), "{page:?}");
    assert_eq!(post("/api/repos/none/images", "image/png", &picture).status(), 404);
    let long = [&picture[..], &vec![7; repose_runner::IMAGE_MAX]].concat();
    let refused = post(images, "image/png", &long);
    // A connection that is closed with bytes unread may take its answer along.
    assert!(refused.0.is_empty() || refused.status() == 413, "{refused:?}");
    doors.close();
}

#[test]
fn the_console_keeps_its_port() {
    let doors = Doors::open();
    let (home, console, folder) = (doors.home.clone(), doors.console.clone(), doors._folder);
    doors.stop.cancel();
    doors.serving.join().expect("it ended well");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let options = repose_runner::Options { program: "/bin/false".into(), env: Vec::new() };
        let runner = Runner::start(home, options).await.expect("the next runner");
        let served = repose_console::open(runner.clone(), Options::default()).await.expect("two doors");
        assert_eq!(served.console, console);
        runner.shutdown();
    });
    drop(folder);
}

#[test]
fn a_wish_for_the_window_is_granted_only_by_an_app_that_sees_to_it() {
    let none = Doors::open();
    assert_eq!(none.local("POST /api/show").status(), 404, "this one has no window");
    none.close();

    let (front, mut wishes) = tokio::sync::mpsc::channel(1);
    let app = Doors::of(Options { front: Some(front), ..Options::default() });
    let sees = std::thread::spawn(move || {
        let Wanted::Window { comes, .. } = wishes.blocking_recv().expect("a wish") else {
            panic!("another wish");
        };
        comes.send(()).expect("somebody who waits");
        wishes.blocking_recv().expect("a second wish"); // and ends before it sees to that one
    });
    assert_eq!(app.local("POST /api/show").status(), 202);
    assert_eq!(app.local("POST /api/show").status(), 503);
    sees.join().expect("two wishes");
    assert_eq!(app.local("POST /api/show").status(), 503, "nobody reads them any more");
    app.close();
}
