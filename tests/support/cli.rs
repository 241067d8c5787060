//! One run of the program `repose`: arguments in, exit code and JSON out.

use std::fmt::{Display, Formatter};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::world::REPOSE;

/// The longest a verb may take in a test: opening, a turn, and many others on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// How often to check whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The result of a verb.
pub(crate) struct Output {
    /// The command that was run.
    pub(crate) verb: String,
    /// The exit code.
    pub(crate) code: i32,
    /// What `--json` printed; null if it printed nothing.
    pub(crate) json: Value,
    /// What went to stderr.
    pub(crate) stderr: String,
}

impl Output {
    /// The JSON of a verb that must have succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.code, 0, "{self}");
        self.json
    }

    /// The error of a verb that must have ended with this exit code and this error code.
    #[track_caller]
    pub(crate) fn refused(self, exit: i32, code: &str) -> Value {
        assert_eq!(self.code, exit, "{self}");
        assert_eq!(self.json["error"]["code"], code, "{self}");
        self.json["error"].clone()
    }
}

impl Display for Output {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { verb, code, json, stderr } = self;
        write!(out, "`repose {verb}` ended with {code} and {json:#}; stderr: {stderr}")
    }
}

/// A running verb.
pub(crate) struct Running {
    verb: String,
    child: Child,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
}

/// Starts a verb with `--json`.
pub(crate) fn start(folder: &Path, env: &[(String, String)], args: &[&str]) -> Running {
    start_with_input(folder, env, args, "")
}

/// Starts a verb with `--json` and this on its standard input.
pub(crate) fn start_with_input(
    folder: &Path,
    env: &[(String, String)],
    args: &[&str],
    input: &str,
) -> Running {
    let mut child = Command::new(REPOSE)
        .args(args)
        .arg("--json")
        .env_clear()
        .envs(env.iter().cloned())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`repose` starts");
    // A verb that doesn't read may have ended already.
    let _unread = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let stdout = collect(child.stdout.take().expect("piped"));
    let stderr = collect(child.stderr.take().expect("piped"));
    Running { verb: args.join(" "), child, stdout, stderr }
}

impl Running {
    /// Waits for its end.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Output {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("our own child") {
                break status;
            }
            if Instant::now() > deadline {
                self.child.kill().and_then(|()| self.child.wait()).expect("our own child");
                let stderr = self.stderr.join().expect("a reader");
                panic!("`repose {}` still ran after {PATIENCE:?}; stderr: {stderr}", self.verb);
            }
            std::thread::sleep(LOOK);
        };
        let stdout = self.stdout.join().expect("a reader");
        let stderr = self.stderr.join().expect("a reader");
        let json = match stdout.trim() {
            "" => Value::Null,
            text => serde_json::from_str(text)
                .unwrap_or_else(|error| panic!("`repose {} --json` printed {text:?}: {error}", self.verb)),
        };
        Output { verb: self.verb, code: status.code().unwrap_or(-1), json, stderr }
    }

    /// Presses Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("our own child");
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("our own child").is_some()
    }

    /// Kills the caller, as closing its terminal does.
    pub(crate) fn kill(mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("our own child");
    }
}

fn collect(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
