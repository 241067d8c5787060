//! The real window, driven through WebKitWebDriver with the W3C's WebDriver protocol over plain HTTP.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::app::{Desk, window_program};
use crate::support::patience::{PATIENCE, eventually};
use crate::support::processes::Process;

/// Its path on Debian.
const DRIVER: &str = "/usr/bin/WebKitWebDriver";

/// How WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A driven window, until dropped.
pub(crate) struct Driven {
    driver: Child,
    window: Option<Process>,
    port: u16,
    session: String,
}

impl Driven {
    /// The app's window on the console of whatever runner there is.
    pub(crate) fn start(desk: &Desk) -> Self {
        let link = desk.ok(&["console", "--print"])["link"].as_str().expect("a link").to_owned();
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let driver = Command::new(DRIVER)
            .args([format!("--port={port}"), "--host=127.0.0.1".into()])
            .env_clear()
            .envs(desk.env())
            .envs(desk.screen.env())
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .current_dir(desk.home())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("WebKitWebDriver: `scripts/setup.sh desktop-tests` installs it");
        let mut driven = Self { driver, port, session: String::new(), window: None };
        eventually(
            || "WebKitWebDriver to listen".into(),
            || {
                let ended = driven.driver.try_wait().expect("our own child");
                assert!(ended.is_none(), "WebKitWebDriver ended: {ended:?}");
                TcpStream::connect(("127.0.0.1", port)).ok()
            },
        );
        let window = window_program();
        let options = json!({ "binary": window, "args": [link] });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "webkitgtk:browserOptions": options } } });
        let session = driven.send("POST", "/session", &wanted).expect("a session");
        driven.session = session["sessionId"].as_str().expect("its id").to_owned();
        driven.window = Some(desk.the_window());
        driven
    }

    /// Waits for an element that contains exactly these words, and clicks it.
    #[track_caller]
    pub(crate) fn click(&self, element: &str, words: &str) {
        let path = format!(
            "//{element}[normalize-space(.)=\"{words}\" or @aria-label=\"{words}\" or @title=\"{words}\"]"
        );
        eventually(
            || format!("a click on {words:?}; the page says {:?}", self.text()),
            || {
                let found = self.find("xpath", &path)?;
                self.at("POST", &format!("/element/{found}/click"), &json!({})).ok()
            },
        );
    }

    /// Waits for the element with this selector, and clicks it.
    #[track_caller]
    pub(crate) fn choose(&self, selector: &str) {
        eventually(
            || format!("a click on {selector:?}; the page says {:?}", self.text()),
            || {
                let found = self.find("css selector", selector)?;
                self.at("POST", &format!("/element/{found}/click"), &json!({})).ok()
            },
        );
    }

    /// Types into the element with this selector, once it is there.
    #[track_caller]
    pub(crate) fn type_into(&self, selector: &str, text: &str) {
        eventually(
            || format!("to type into {selector:?}; the page says {:?}", self.text()),
            || {
                let found = self.find("css selector", selector)?;
                self.at("POST", &format!("/element/{found}/value"), &json!({ "text": text })).ok()
            },
        );
    }

    /// Waits until the page says these words.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) {
        eventually(
            || format!("{words:?} in the page, which says {:?}", self.text()),
            || self.text().contains(words).then_some(()),
        );
    }

    /// The text of the page.
    pub(crate) fn text(&self) -> String {
        self.script("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// The page's address.
    pub(crate) fn address(&self) -> String {
        self.script("return location.href").as_str().unwrap_or_default().to_owned()
    }

    /// The result of a script in the page.
    pub(crate) fn script(&self, script: &str) -> Value {
        let call = json!({ "script": script, "args": [] });
        self.at("POST", "/execute/sync", &call).unwrap_or_default()
    }

    /// Waits until the page's present text is on the screen.
    pub(crate) fn painted(&self) {
        let twice = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))";
        self.at("POST", "/execute/async", &json!({ "script": twice, "args": [] })).expect("two frames");
    }

    fn find(&self, using: &str, value: &str) -> Option<String> {
        let found = self.at("POST", "/element", &json!({ "using": using, "value": value })).ok()?;
        Some(found[ELEMENT].as_str()?.to_owned())
    }

    fn at(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        self.send(method, &format!("/session/{}{path}", self.session), body)
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("WebKitWebDriver");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let body = body.to_string();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        let mut some = [0; 8192];
        // Its answers have a length, and it may keep the connection open.
        loop {
            let text = String::from_utf8_lossy(&answer).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
                });
                if length.is_some_and(|length| body.len() >= length) {
                    let value: Value = serde_json::from_str(body).expect("JSON");
                    let good = head.starts_with("HTTP/1.1 200");
                    return if good { Ok(value["value"].clone()) } else { Err(value["value"].clone()) };
                }
            }
            let count = stream.read(&mut some).expect("an answer");
            assert!(count > 0, "WebKitWebDriver hung up in the middle of {text:?}");
            answer.extend(&some[..count]);
        }
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            // The window ends with the session.
            let _closed = self.at("DELETE", "", &json!({}));
        }
        let _ended = self.driver.kill().and_then(|()| self.driver.wait());
        // It would survive its driver otherwise.
        if let Some(window) = &self.window {
            window.kill();
        }
    }
}
