//! A session's folder, its holder process, and an engine that is a shell script.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use repose_core::ids::{ConversationId, EngineName, RepoId, SessionId};
use repose_core::policy::Policy;
use repose_hold::{Client, Entry, How, Numbered, Params, Pushed, Spec, State};
use tokio::sync::mpsc::Receiver;

/// Nothing in these tests takes longer, even on a loaded machine; a test that waits this long has failed.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// It has begun its conversation, and its title says that it is ready.
const OPENS_LIKE_GEMINI: &str = r#"
cd "$HOME"; mkdir -p .gemini/tmp/home/chats; pwd -P | tr -d '\n' >.gemini/tmp/home/.project_root
printf '{"sessionId":"%s","startTime":"%s","kind":"main"}\n' "$ID" "$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)" \
    >".gemini/tmp/home/chats/session-2026-01-01T00-00-11111111.jsonl"
ready() { printf '\033]0;\342\227\207  Ready (work)\007'; }
"#;

pub(crate) struct World {
    pub(crate) home: tempfile::TempDir,
    pub(crate) dir: PathBuf,
    pub(crate) holder: Child,
}

impl World {
    /// A holder of the engine `shell`, which runs this script.
    pub(crate) fn of_script(script: &str) -> Self {
        Self::with(script, |_| {})
    }

    pub(crate) fn with(script: &str, change: impl FnOnce(&mut Spec)) -> Self {
        Self::started(Command::new(program()).arg("hold"), script, change)
    }

    /// Like [`Self::of_script`], with an engine that opens like Gemini CLI once its script calls `ready`.
    pub(crate) fn like_gemini(script: &str) -> Self {
        let id = ConversationId::new("11111111-2222-4333-8444-555555555555");
        Self::with(&format!("{OPENS_LIKE_GEMINI}{script}"), |spec| {
            spec.engine = EngineName::new("gemini");
            spec.conversation = Some(id.clone());
            spec.env.push(("ID".into(), id.as_str().into()));
            spec.env.push(("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into()));
        })
    }

    /// The holder's disk is full: none of its files can have any content.
    pub(crate) fn on_a_full_disk(script: &str, change: impl FnOnce(&mut Spec)) -> Self {
        let bounded = "trap '' XFSZ; ulimit -S -f 0; exec \"$0\" hold \"$1\"";
        Self::started(Command::new("/bin/sh").args(["-c", bounded]).arg(program()), script, change)
    }

    fn started(holder: &mut Command, script: &str, change: impl FnOnce(&mut Spec)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("state/sessions/s1");
        let mut spec = Spec {
            session: SessionId::new("s1"),
            repo: RepoId::new("r1"),
            name: "work".into(),
            own: serde_json::Value::Null,
            resumes: false,
            forks: false,
            engine: EngineName::new("shell"),
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: environment(home.path()),
            cwd: home.path().into(),
            cols: 80,
            rows: 24,
            params: Params { policy: Policy::default(), pinned: false },
            conversation: None,
            plan: serde_json::json!({ "why": "first" }),
            build: "test".into(),
        };
        change(&mut spec);
        spec.write(&dir).unwrap();
        let holder = repose_sys::detached::spawn(
            holder.arg(&dir).env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit()),
        )
        .unwrap();
        Self { home, dir, holder }
    }

    pub(crate) async fn client(&self) -> (Client, Receiver<Pushed>) {
        let begun = Instant::now();
        loop {
            match Client::connect(&self.dir, "test").await {
                Ok(connected) => return connected,
                Err(error) => assert!(begun.elapsed() < DEADLINE, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Waits for the holder to exit, and returns how its session ended.
    pub(crate) async fn over(&mut self) -> repose_hold::Ended {
        until("the holder to go", || self.holder.try_wait().unwrap().is_some()).await;
        repose_hold::end(&self.dir).unwrap().expect("a record of the end")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Ok(None) = self.holder.try_wait() {
            let _ = self.holder.kill();
            let _ = self.holder.wait();
            // The engine ends with its terminal, unless a test made it stubborn.
            for member in repose_sys::tree::marked("s1") {
                let ours =
                    member.command.iter().any(|word| word.contains(&*self.home.path().to_string_lossy()));
                if ours {
                    let _ = repose_sys::end::kill_exact(member.id);
                }
            }
            let _ = repose_sys::end::these(&repose_hold::leftovers(&self.dir), Duration::from_secs(2));
        }
    }
}

pub(crate) fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    vec![
        ("HOME".into(), home.into()),
        ("PATH".into(), "/usr/bin:/bin".into()),
        ("TERM".into(), "xterm-256color".into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("HOLDER_PROGRAM".into(), program().into()),
    ]
}

pub(crate) fn program() -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let program = deps.parent().and_then(Path::parent).unwrap().join("examples/holder");
    assert!(program.exists(), "{} isn't built: cargo build -p repose-hold --examples", program.display());
    program
}

/// Waits for something to become true.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits until the state matches.
pub(crate) async fn state(client: &Client, what: &str, wanted: impl Fn(&State) -> bool) -> State {
    let begun = Instant::now();
    loop {
        let state = client.state().await.unwrap();
        if wanted(&state) {
            return state;
        }
        assert!(begun.elapsed() < DEADLINE, "waited in vain for {what}: {state:#?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The next entry of the journal.
pub(crate) async fn entry(pushed: &mut Receiver<Pushed>) -> Numbered {
    loop {
        match tokio::time::timeout(DEADLINE, pushed.recv())
            .await
            .expect("an entry in time")
            .expect("a connection")
        {
            Pushed::Journal(entry) => return entry,
            Pushed::View(_) => {}
        }
    }
}

/// Waits for the end of the session.
pub(crate) async fn end(pushed: &mut Receiver<Pushed>) -> How {
    loop {
        if let Entry::Ended(ended) = entry(pushed).await.entry {
            return ended.how;
        }
    }
}

pub(crate) fn alive(pid: &str) -> bool {
    repose_sys::ProcessId::of(pid.trim().parse().unwrap()).is_some()
}
