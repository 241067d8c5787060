//! Holders of other versions: shown as such, left alone, and still possible to pause.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};

use repose_core::repo::State;
use repose_core::trouble::Code;
use repose_core::work::OnWork;
use repose_hold::Attach;
use repose_runner::NewAsk;
use serde_json::{Value, json};

use crate::world::{SHELL, World, code};

/// The beginnings of orders and of answers.
const ASK: u8 = 0x01;
const REPLY: u8 = 0x02;

/// A holder that speaks another protocol: the part that never changes, and nothing else that this version
/// knows.
struct Stranger {
    protocol: u32,
    process: Arc<Mutex<Child>>,
    orders: Arc<Mutex<Vec<String>>>,
    socket: PathBuf,
}

impl Stranger {
    fn holds(session: &Path, protocol: u32) -> Arc<Self> {
        let socket = repose_hold::socket_path(session);
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let process = Command::new("/bin/sleep").arg("600").spawn().unwrap();
        let process = Arc::new(Mutex::new(process));
        let stranger = Arc::new(Self { protocol, process, orders: Arc::default(), socket });
        let answering = Arc::clone(&stranger);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stranger = Arc::clone(&answering);
                std::thread::spawn(move || stranger.answer(stream.unwrap()));
            }
        });
        stranger
    }

    fn answer(&self, mut stream: UnixStream) -> Option<()> {
        loop {
            let mut length = [0; 4];
            stream.read_exact(&mut length).ok()?;
            let mut frame = vec![0; u32::from_le_bytes(length) as usize];
            stream.read_exact(&mut frame).ok()?;
            let (&kind, body) = frame.split_first()?;
            assert_eq!(kind, ASK);
            let asked: Value = serde_json::from_slice(body).unwrap();
            let op = asked["op"].as_str()?.to_owned();
            let pid = self.process.lock().unwrap().id();
            let (ok, ends) = match op.as_str() {
                "hello" => (json!({ "protocol": self.protocol, "build": "7.0.0-other" }), false),
                "state" => {
                    (json!({ "holder_pid": pid, "engine_pid": pid, "ended": null, "mood": "good" }), false)
                }
                "journal_from" => (json!({ "scrolls": [] }), false),
                "freeze" => (json!({ "frozen": { "what": "nothing" } }), false),
                "end" => (json!({ "gone": true }), true),
                _ => (Value::Null, false),
            };
            self.orders.lock().unwrap().push(op);
            if ends {
                let mut process = self.process.lock().unwrap();
                process.kill().and_then(|()| process.wait()).unwrap();
                std::fs::remove_file(&self.socket).unwrap();
            }
            let reply = match ok {
                Value::Null => json!({ "id": asked["id"], "error": { "code": "unknown", "message": "no" } }),
                ok @ (Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_)) => {
                    json!({ "id": asked["id"], "ok": ok })
                }
            };
            let body = reply.to_string().into_bytes();
            let mut frame = u32::try_from(body.len() + 1).unwrap().to_le_bytes().to_vec();
            frame.push(REPLY);
            frame.extend(body);
            stream.write_all(&frame).ok()?;
            if ends {
                return None;
            }
        }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let mut process = self.process.lock().unwrap();
        // It may have ended as ordered.
        let _ = process.kill().and_then(|()| process.wait());
    }
}

#[test]
fn a_holder_of_another_version_is_shown_left_alone_and_can_be_paused() {
    for protocol in [0, repose_hold::PROTOCOL + 1] {
        let world = World::new(SHELL);
        let (life, work) = world.start_with_work();
        life.ask(&work, "echo ready");
        drop(life);
        let holders = world.holders();
        let _ = repose_sys::end::these(&holders, std::time::Duration::from_secs(5));
        let [session] = <[PathBuf; 1]>::try_from(world.sessions()).expect("one session");
        let stranger = Stranger::holds(&session, protocol);

        let life = world.start().unwrap();
        life.until("the trouble", |runner| {
            let trouble = runner.shown(&work).and_then(|shown| shown.trouble);
            trouble.is_some_and(|trouble| trouble.code == Code::OtherVersion)
        });
        let shown = life.shown(&work);
        assert!(shown.state.is_live(), "{shown:?}");
        let trouble = shown.trouble.unwrap();
        assert!(trouble.sentence.contains("7.0.0-other"), "{trouble:?}");
        assert!(trouble.hints.iter().any(|hint| hint.contains("`repose pause work`")), "{trouble:?}");

        let ask = NewAsk { text: "hello".into(), wait: true, ..NewAsk::default() };
        let refused = life.run(life.runner.ask(&work, ask)).expect_err("it can't be asked");
        assert_eq!(refused.trouble.code, Code::OtherVersion);
        let attach = Attach { cols: 80, rows: 24, scrollback: false };
        assert_eq!(code(life.run(life.runner.attach(&work, attach)).map(drop)), Code::OtherVersion);
        let report = life.run(life.runner.doctor());
        assert!(report.checks.iter().any(|check| check.code == Some(Code::OtherVersion)), "{report:#?}");
        let leftovers = report.checks.iter().find(|check| check.name == "leftovers").unwrap();
        assert_eq!(leftovers.health, repose_runner::Health::Ok, "{leftovers:?}");
        let ordered = stranger.orders.lock().unwrap().clone();
        assert!(!ordered.iter().any(|op| op == "end" || op == "freeze"), "{ordered:?}");

        life.run(life.runner.pause(&work, OnWork::Refuse)).unwrap();
        assert_eq!(life.shown(&work).state, State::Paused);
        assert!(stranger.orders.lock().unwrap().iter().any(|op| op == "freeze"));
        life.until("the session's folder to be gone", |_| world.sessions().is_empty());
        life.run(life.runner.resume(&work, None)).unwrap();
        assert!(life.ask(&work, "echo again").contains("again"));
    }
}
