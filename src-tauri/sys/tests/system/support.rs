//! What the tests on real processes share: a process of one's own, bash scripts, waiting for events.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use repose_sys::ProcessId;

const IN_OWN_PROCESS: &str = "REPOSE_SYS_TEST_OWN_PROCESS";

/// Longest a test waits for an event that should come: 20 s, for a machine under load.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Runs `body` in a process that has nothing else to do: the test binary started anew for this test
/// alone. For what changes the whole process (subreaper) or counts its children.
pub(crate) fn in_own_process(test: &str, body: impl FnOnce()) {
    if std::env::var_os(IN_OWN_PROCESS).is_some() {
        return body();
    }
    let program = std::env::current_exe().expect("the test binary");
    let status = Command::new(program)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(IN_OWN_PROCESS, "1")
        .stdout(Stdio::null())
        .status()
        .expect("the test binary starts");
    assert!(status.success(), "{test} in its own process: {status}");
}

/// bash with nothing but a PATH, in `dir`.
pub(crate) fn bash(dir: &Path, script: &str) -> Command {
    let mut command = Command::new("bash");
    command.args(["--norc", "--noprofile", "-c", script]).current_dir(dir);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", dir);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub(crate) fn spawn(mut command: Command) -> (Child, ProcessId) {
    let child = command.spawn().expect("it starts");
    let id = ProcessId::of(child.id()).expect("it lives");
    (child, id)
}

/// Polls until `look` has something to say.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The process whose pid a script wrote into this file.
pub(crate) fn written(file: &Path) -> ProcessId {
    until(&format!("a pid in {}", file.display()), || {
        let text = std::fs::read_to_string(file).ok()?;
        ProcessId::of(text.strip_suffix('\n')?.trim().parse().ok()?)
    })
}
