use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use repose_core::ids::ConversationId;
use repose_sys::ProcessId;

use crate::claude::Claude;
use crate::engine::Engine;
use crate::env::Env;

/// A process that lives until it is dropped.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        let child = Command::new("/bin/sleep").arg("600").stdin(Stdio::null()).spawn();
        let sleeper = Self(child.expect("sleep starts"));
        // In the instant in which it becomes that program it shows no command.
        let until = Instant::now() + Duration::from_secs(30);
        while sleeper.id().command().is_none_or(|command| command.is_empty()) {
            assert!(Instant::now() < until, "sleep shows no command");
        }
        sleeper
    }

    fn id(&self) -> ProcessId {
        ProcessId::of(self.0.id()).expect("it lives")
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn status(home: &Path, pid: u32, start: &str, conversation: &str) {
    let folder = home.join(".claude/sessions");
    fs::create_dir_all(&folder).expect("made");
    let content =
        format!(r#"{{"pid":{pid},"procStart":"{start}","sessionId":"{conversation}","status":"idle"}}"#);
    fs::write(folder.join(format!("{pid}.json")), content).expect("written");
}

fn pids(home: &Path, conversation: &str, ours: &[u32]) -> Vec<u32> {
    let env = Env::new([("HOME", home.as_os_str())]);
    let found = Claude.owners(&env, &ConversationId::new(conversation), ours).expect("reads");
    found.into_iter().map(|owner| owner.pid).collect()
}

#[test]
fn only_a_living_process_of_that_start_with_that_conversation_owns_it() {
    let temp = tempfile::tempdir().expect("temp");
    assert_eq!(pids(temp.path(), "c", &[]), Vec::<u32>::new());
    let sleeper = Sleeper::start();
    let ProcessId { pid, start } = sleeper.id();
    status(temp.path(), pid, &start.to_string(), "c");
    assert_eq!(pids(temp.path(), "c", &[]), [pid]);
    let env = Env::new([("HOME", temp.path().as_os_str())]);
    let opened = Claude.opened(&env, &[]).expect("reads");
    assert_eq!(opened[0].1.command.as_deref(), Some("/bin/sleep 600"));
    assert_eq!(pids(temp.path(), "other", &[]), Vec::<u32>::new());
    assert_eq!(pids(temp.path(), "c", &[pid]), Vec::<u32>::new());
    drop(sleeper);
    assert_eq!(pids(temp.path(), "c", &[]), Vec::<u32>::new());
}

#[test]
#[cfg(target_os = "linux")]
fn a_pid_that_came_to_another_process_owns_nothing() {
    let temp = tempfile::tempdir().expect("temp");
    let sleeper = Sleeper::start();
    let ProcessId { pid, start } = sleeper.id();
    status(temp.path(), pid, &(start + 1).to_string(), "c");
    assert_eq!(pids(temp.path(), "c", &[]), Vec::<u32>::new());
    // A start time in a form that isn't known can't rule the process out.
    status(temp.path(), pid, "Sun Nov 29", "c");
    assert_eq!(pids(temp.path(), "c", &[]), [pid]);
}

#[test]
fn what_lies_beside_status_files_is_passed_over() {
    let temp = tempfile::tempdir().expect("temp");
    let sleeper = Sleeper::start();
    let ProcessId { pid, start } = sleeper.id();
    status(temp.path(), pid, &start.to_string(), "c");
    let folder = temp.path().join(".claude/sessions");
    fs::write(folder.join("1.json"), r#"{"pid":1,"sessio"#).expect("written");
    fs::write(folder.join("1.abc.key"), "{}").expect("written");
    fs::create_dir(folder.join("2.json")).expect("made");
    assert_eq!(pids(temp.path(), "c", &[]), [pid]);
}

#[test]
fn records_that_cannot_be_read_are_an_error_and_not_nobody() {
    let temp = tempfile::tempdir().expect("temp");
    fs::create_dir(temp.path().join(".claude")).expect("made");
    fs::write(temp.path().join(".claude/sessions"), "a file").expect("written");
    let env = Env::new([("HOME", temp.path().as_os_str())]);
    assert!(Claude.owners(&env, &ConversationId::new("c"), &[]).is_err());
}
