//! A home for each test, runners that start and stop in it, and the processes that they start.

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use repose_core::ids::RepoId;
use repose_core::repo::State;
use repose_core::trouble::{Code, Trouble};
use repose_runner::{AskOutcome, Home, NewAsk, NewRepo, Options, Runner, Shown, StartError};
use repose_sys::ProcessId;
use tokio::runtime::Runtime;

/// Nothing in these tests takes longer, even on a loaded machine; a test that waits this long has failed.
const DEADLINE: Duration = Duration::from_secs(60);

/// The pause between two checks.
const LOOK: Duration = Duration::from_millis(10);

/// Holds no conversation and needs nothing: a shell without a start-up file.
pub(crate) const SHELL: &str = "[engines.shell]\ncommand = \"/bin/sh\"\n";

/// A home.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// One life of a runner. Dropping it is its crash: whatever it was about to do isn't done.
pub(crate) struct Life {
    runtime: Runtime,
    pub(crate) runner: Runner,
}

impl World {
    /// A home with these settings, and a folder `repos/work` in it.
    pub(crate) fn new(settings: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "repos/work", "repose"] {
            std::fs::create_dir_all(world.path(folder)).unwrap();
        }
        world.settings(settings);
        world
    }

    pub(crate) fn settings(&self, text: &str) {
        std::fs::write(self.path("repose/config.toml"), text).unwrap();
    }

    pub(crate) fn path(&self, part: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(part)
    }

    fn env(&self) -> Vec<(OsString, OsString)> {
        [("HOME", self.path("home")), ("REPOSE_HOME", self.path("repose")), ("PATH", "/usr/bin:/bin".into())]
            .into_iter()
            .chain([("SHELL", "/bin/sh".into()), ("PS1", "$ ".into()), ("LANG", "C.UTF-8".into())])
            .map(|(name, value): (&str, PathBuf)| (name.into(), value.into()))
            .collect()
    }

    /// Starts a runner in this home.
    pub(crate) fn start(&self) -> Result<Life, StartError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let home = Home::under(self.path("repose"));
        let options = Options { program: program(), env: self.env() };
        let runner = runtime.block_on(Runner::start(home, options))?;
        Ok(Life { runtime, runner })
    }

    /// Starts a runner in this home, with the folder `repos/work` added as `work`.
    pub(crate) fn start_with_work(&self) -> (Life, RepoId) {
        let life = self.start().unwrap();
        let added = life.add(self.path("repos/work")).unwrap();
        assert_eq!(added.name, "work");
        (life, added.id)
    }

    /// The folders of existing sessions.
    pub(crate) fn sessions(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path("repose")).into_iter().flatten().flatten();
        let inner =
            entries.flat_map(|entry| std::fs::read_dir(entry.path().join("sessions")).into_iter().flatten());
        let own = std::fs::read_dir(self.path("repose/sessions")).into_iter().flatten();
        own.chain(inner).flatten().map(|entry| entry.path()).collect()
    }

    /// Processes whose command line names this home: the holders.
    pub(crate) fn holders(&self) -> Vec<ProcessId> {
        let home = self.path("").to_string_lossy().into_owned();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(ProcessId::of))
            .filter(|process| {
                let command = process.command().unwrap_or_default();
                command.iter().any(|word| word == "hold") && command.iter().any(|word| word.contains(&home))
            })
            .collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let mut left = self.holders();
        for session in self.sessions() {
            left.extend(repose_hold::leftovers(&session));
        }
        let _ = repose_sys::end::these(&left, Duration::from_secs(5));
    }
}

impl Life {
    pub(crate) fn run<T>(&self, what: impl Future<Output = T>) -> T {
        self.runtime
            .block_on(async { tokio::time::timeout(DEADLINE, what).await.expect("an answer in time") })
    }

    pub(crate) fn shown(&self, repo: &RepoId) -> Shown {
        self.runner.shown(repo).expect("the repo")
    }

    /// Lets the runner work until this is true.
    pub(crate) fn until(&self, what: &str, mut holds: impl FnMut(&Runner) -> bool) {
        let begun = Instant::now();
        while !holds(&self.runner) {
            assert!(begun.elapsed() < DEADLINE, "waited in vain for {what}: {:#?}", self.runner.list());
            self.runtime.block_on(async { tokio::time::sleep(LOOK).await });
        }
    }

    pub(crate) fn until_state(&self, repo: &RepoId, state: State) -> Shown {
        self.until(state.as_str(), |runner| runner.shown(repo).is_some_and(|shown| shown.state == state));
        self.shown(repo)
    }

    /// Adds this folder with the engine `shell`.
    pub(crate) fn add(&self, path: PathBuf) -> Result<Shown, Trouble> {
        self.run(self.runner.add(NewRepo { path, engine: Some("shell".into()), name: None, adopt: true }))
    }

    /// The settings' command of the shell.
    pub(crate) fn until_shell(&self, command: &Path) {
        self.until("the settings", |runner| {
            let settings = runner.settings().0;
            settings.engines.get("shell").and_then(|shell| shell.command.as_deref()).map(Path::new)
                == Some(command)
        });
    }

    /// The answer to an ask.
    pub(crate) fn ask(&self, repo: &RepoId, text: &str) -> String {
        let asked =
            self.run(self.runner.ask(repo, NewAsk { text: text.into(), wait: true, ..NewAsk::default() }));
        match asked.unwrap() {
            AskOutcome::Answered { text, .. } => text,
            AskOutcome::Accepted { .. } => panic!("only accepted"),
        }
    }

    /// The engine's process.
    pub(crate) fn engine(&self) -> u32 {
        let live = self.run(self.runner.diagnostics());
        live.first().and_then(|live| live.engine_pid).expect("a live engine")
    }
}

/// Sends a signal to a holder.
pub(crate) fn send(holder: ProcessId, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(holder.pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

pub(crate) fn code<T: std::fmt::Debug>(refused: Result<T, Trouble>) -> Code {
    refused.expect_err("a refusal").code
}

fn program() -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let program = deps.parent().and_then(Path::parent).unwrap().join("examples/repose");
    assert!(program.exists(), "{} isn't built: cargo build -p repose-runner --examples", program.display());
    program
}
