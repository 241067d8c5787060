//! A world for each test: home, repos, Repose's state, the engine on the path, a model, nothing else.
//!
//! Owns all its processes and leaves none behind: what is left when a world ends is killed by pid, and fails
//! the test.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::cli::{Output, Running};
use super::engines::Under;
use super::model::Model;
use super::patience::{self, LOOK, PATIENCE};
use super::processes::{self, Process};
use super::terminal::Terminal;
use super::{claude, cli, codex, gemini, opencode};

/// The program under test.
pub(crate) const REPOSE: &str = env!("CARGO_BIN_EXE_repose");

/// How long a clean shutdown of everything may take when a world ends.
const FAREWELL: Duration = Duration::from_secs(10);

/// How many bytes of the end of each log a failed test shows.
const LOG_TAIL: usize = 6000;

/// A temp folder with a user's home, repos and Repose's state, and the processes in it.
pub(crate) struct World {
    folder: TempDir,
    /// The model that the engine in this world talks to.
    pub(crate) model: Model,
    serve: Option<Child>,
    serves: usize,
    /// The file from which `repose serve` is run.
    program: PathBuf,
    /// Arguments of `repose serve`.
    serve_args: Vec<String>,
    /// The name of the folder with all of Repose's files.
    state: &'static str,
    /// Variables that the programs of this world don't get.
    without: Vec<&'static str>,
    /// Text in the command line of its engine.
    mark: &'static str,
}

impl World {
    /// A home that has completed the real Claude Code's first run, with it on the path. Nothing runs yet.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("repose-").tempdir().expect("a temp folder");
        let world = Self {
            folder,
            model: Model::start(),
            serve: None,
            serves: 0,
            program: REPOSE.into(),
            serve_args: Vec::new(),
            state: "repose",
            without: Vec::new(),
            mark: "claude",
        };
        for part in ["home", "bin", "repos", "tmp"] {
            std::fs::create_dir(world.path(part)).expect("a new folder");
        }
        // A login shell must not add the developer's own programs.
        std::fs::write(world.home().join(".profile"), "PATH=/usr/bin:/bin\n").expect("a writable home");
        claude::welcome(&world.home());
        symlink(claude::program(), world.engine()).expect("the engine on the path");
        world
    }

    /// A world with this `config.toml`, one trusted repo named `work`, and Repose running.
    pub(crate) fn running(settings: &str) -> Self {
        let mut world = Self::new();
        world.settings(settings);
        world.add_repo("work");
        world.serve();
        world.ok(&["add", world.repo("work").to_str().expect("UTF-8")]);
        world
    }

    /// [`World::running`] with another engine than Claude Code.
    pub(crate) fn running_with(settings: &str, engine: &str, mark: &'static str) -> Self {
        let mut world = Self::new();
        world.mark = mark;
        world.settings(settings);
        world.add_repo("work");
        world.serve();
        world.ok(&["add", world.repo("work").to_str().expect("UTF-8"), "--engine", engine]);
        world
    }

    /// [`World::running`] with one of the engines of the acceptance stories.
    pub(crate) fn under(under: Under, settings: &str) -> Self {
        let mut world = Self::new();
        world.mark = under.mark();
        under.install(&world, &world.path("bin"));
        world.settings(settings);
        let folder = world.add_repo("work");
        under.trust(&world, &folder);
        world.serve();
        world.ok(&["add", world.repo("work").to_str().expect("UTF-8"), "--engine", under.name()]);
        world
    }

    /// [`World::running`] with the scripted engine, which has these faults (see `fake-engine`).
    pub(crate) fn running_fake(faults: &str, settings: &str) -> Self {
        let mut world = Self::new();
        world.fake(faults);
        world.settings(settings);
        world.add_repo("work");
        world.serve();
        world.ok(&["add", world.repo("work").to_str().expect("UTF-8")]);
        world
    }

    fn path(&self, part: &str) -> PathBuf {
        // The canonical path, after which the engine names transcripts.
        self.folder.path().canonicalize().expect("a temp folder that exists").join(part)
    }

    /// The user's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The folder with all of Repose's files.
    pub(crate) fn state(&self) -> PathBuf {
        self.path(self.state)
    }

    /// `claude` on the path.
    pub(crate) fn engine(&self) -> PathBuf {
        self.path("bin/claude")
    }

    /// The path of a repo's folder.
    pub(crate) fn repo(&self, name: &str) -> PathBuf {
        self.path("repos").join(name)
    }

    /// Where Claude Code keeps this repo's transcripts.
    pub(crate) fn transcripts(&self, name: &str) -> PathBuf {
        let folder =
            self.repo(name).to_str().expect("UTF-8").replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        self.home().join(".claude/projects").join(folder)
    }

    /// Creates a git repo that the engine doesn't trust yet.
    pub(crate) fn add_untrusted_repo(&self, name: &str) -> PathBuf {
        let folder = self.repo(name);
        std::fs::create_dir(&folder).expect("a new folder");
        let made = Command::new("git")
            .args(["init", "--quiet", "--initial-branch=main"])
            .env_clear()
            .envs(self.env())
            .current_dir(&folder)
            .status()
            .expect("git");
        assert!(made.success(), "git init: {made}");
        folder
    }

    /// Creates a git repo that the engine trusts.
    pub(crate) fn add_repo(&self, name: &str) -> PathBuf {
        let folder = self.add_untrusted_repo(name);
        claude::trust(&self.home(), &folder);
        folder
    }

    /// Writes `config.toml`.
    pub(crate) fn settings(&self, text: &str) {
        std::fs::create_dir_all(self.state()).expect("a writable temp folder");
        std::fs::write(self.state().join("config.toml"), text).expect("a writable state folder");
    }

    /// Puts the scripted engine on the path instead of the real one, or changes its faults.
    pub(crate) fn fake(&self, faults: &str) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-engine");
        std::fs::remove_file(self.engine()).expect("an engine on the path");
        symlink(script, self.engine()).expect("the scripted engine on the path");
        std::fs::write(self.home().join("faults"), faults).expect("a writable home");
    }

    /// The whole environment of every program in this world.
    pub(crate) fn env(&self) -> Vec<(String, String)> {
        let path = |part: &str| self.path(part).to_str().expect("UTF-8").to_owned();
        let pairs = [
            ("HOME", path("home")),
            // What a program leaves in it disappears with this world.
            ("TMPDIR", path("tmp")),
            ("PATH", format!("{}:/usr/bin:/bin", path("bin"))),
            ("REPOSE_HOME", path(self.state)),
            ("SHELL", "/bin/sh".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            // Elsewhere than where times are kept.
            ("TZ", "HERE-05:45".to_owned()),
            ("RUST_BACKTRACE", "1".to_owned()),
            ("RUST_LOG", "debug".to_owned()),
            ("ANTHROPIC_BASE_URL", self.model.url()),
            ("ANTHROPIC_API_KEY", claude::API_KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ("DISABLE_TELEMETRY", "1".to_owned()),
            (codex::KEY.0, codex::KEY.1.to_owned()),
        ];
        let there = pairs
            .into_iter()
            .chain(opencode::ALONE.map(|(name, value)| (name, value.to_owned())))
            .chain(gemini::variables(&self.model.url()))
            .filter(|(name, _)| !self.without.contains(name));
        there.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// From now on nobody is logged in: there is no key, and no other server.
    pub(crate) fn log_out(&mut self) {
        self.without = vec!["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"];
    }

    /// From now on every program that starts has the key again.
    pub(crate) fn log_in(&mut self) {
        self.without.clear();
    }

    /// From now on `repose serve` is started with these arguments.
    pub(crate) fn serve_with(&mut self, args: &[&str]) {
        self.serve_args = args.iter().map(|arg| (*arg).to_owned()).collect();
    }

    /// From now on `repose serve` is run from this file.
    pub(crate) fn serve_from(&mut self, program: PathBuf) {
        self.program = program;
    }

    /// Repose's files are in a folder with this name. Only before anything runs.
    pub(crate) fn keep_state_in(&mut self, state: &'static str) {
        self.state = state;
    }

    /// Starts `repose serve` and waits until it answers.
    pub(crate) fn serve(&mut self) {
        self.spawn_serve();
        self.eventually("`repose serve` to answer", || {
            let status = self.repose(&["status"]);
            (status.code == 0).then_some(())
        });
    }

    fn spawn_serve(&mut self) {
        assert!(self.serve.is_none(), "a runner of this world runs already");
        self.serves += 1;
        let log = File::create(self.path(&format!("serve-{}.log", self.serves))).expect("a log");
        let child = Command::new(&self.program)
            .arg("serve")
            .args(&self.serve_args)
            .env_clear()
            .envs(self.env())
            .current_dir(self.home())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("`repose serve` starts");
        self.serve = Some(child);
    }

    /// The runner's pid.
    pub(crate) fn serve_pid(&self) -> u32 {
        self.serve.as_ref().expect("a runner").id()
    }

    /// Kills the runner with `kill -9`.
    pub(crate) fn kill_serve(&mut self) {
        let mut child = self.serve.take().expect("a runner");
        child.kill().and_then(|()| child.wait()).expect("our own child");
    }

    /// Waits until the runner has ended on its own.
    pub(crate) fn serve_ends(&mut self) {
        let mut child = self.serve.take().expect("a runner");
        let ended = self.eventually("the runner to end", || child.try_wait().expect("our own child"));
        assert!(ended.success(), "{ended}");
    }

    /// Stops the runner as a service manager does (TERM).
    pub(crate) fn stop_serve(&mut self) {
        let Some(mut child) = self.serve.take() else { return };
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("our own child");
        let deadline = Instant::now() + FAREWELL;
        while child.try_wait().expect("our own child").is_none() {
            if Instant::now() > deadline {
                child.kill().and_then(|()| child.wait()).expect("our own child");
                assert!(std::thread::panicking(), "`repose serve` ignored TERM for {FAREWELL:?}");
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Runs a verb with `--json` in the home folder and waits until it ends.
    pub(crate) fn repose(&self, args: &[&str]) -> Output {
        self.start(args).finish()
    }

    /// Runs a verb with `--json` in this folder and waits until it ends.
    pub(crate) fn repose_in(&self, folder: &Path, args: &[&str]) -> Output {
        cli::start(folder, &self.env(), args).finish()
    }

    /// Runs a verb that must succeed, and returns its JSON.
    pub(crate) fn ok(&self, args: &[&str]) -> Value {
        self.repose(args).ok()
    }

    /// Asks the repo `work` something that must be answered.
    pub(crate) fn ask(&self, text: &str) -> Value {
        self.ok(&["ask", "work", text])
    }

    /// Starts a verb, to be finished later.
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        cli::start(&self.home(), &self.env(), args)
    }

    /// Starts a verb with this on its standard input.
    pub(crate) fn start_with_input(&self, args: &[&str], input: &str) -> Running {
        cli::start_with_input(&self.home(), &self.env(), args, input)
    }

    /// Runs a verb as a user types it, in a separate terminal.
    pub(crate) fn terminal(&self, args: &[&str]) -> Terminal {
        Terminal::start(Path::new(REPOSE), args, &self.home(), &self.env())
    }

    /// The repo, as in `repose status`.
    pub(crate) fn status(&self, repo: &str) -> Value {
        self.ok(&["status", repo])
    }

    /// Waits until the repo's status matches, and returns it.
    pub(crate) fn wait(&self, repo: &str, why: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = self.status(repo);
            if fits(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "waited {PATIENCE:?} for {why}; {repo} is {status:#}");
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until the repo is in this state.
    pub(crate) fn wait_state(&self, repo: &str, state: &str) -> Value {
        self.wait(repo, state, |status| status["state"] == state)
    }

    /// Waits until the repo's log has an answer with this text.
    pub(crate) fn wait_answered(&self, repo: &str, text: &str) {
        self.eventually(&format!("`{text}` to be answered in the log"), || {
            let log = self.ok(&["log", repo]);
            let answers = |entry: &Value| {
                entry["kind"] == "answered" && entry["text"].as_str().is_some_and(|said| said.contains(text))
            };
            log["entries"].as_array().expect("entries").iter().any(answers).then_some(())
        });
    }

    /// Waits until `look` finds something.
    #[track_caller]
    pub(crate) fn eventually<T>(&self, why: &str, look: impl FnMut() -> Option<T>) -> T {
        patience::eventually(|| format!("{why}; alive: {:#?}", self.processes()), look)
    }

    /// Checks for this long, again and again, that something remains true: for what must *not* happen.
    pub(crate) fn stays(&self, span: Duration, why: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + span;
        while Instant::now() < end {
            assert!(holds(), "it did not stay so: {why}; alive: {:#?}", self.processes());
            std::thread::sleep(LOOK);
        }
    }

    /// Every process of this world.
    pub(crate) fn processes(&self) -> Vec<Process> {
        processes::of_home(&self.home())
    }

    /// The holders: `repose hold …`. Between fork and exec, the engine that one starts has its name too.
    pub(crate) fn holders(&self) -> Vec<Process> {
        let mut holds = self.processes();
        holds.retain(|process| process.command.contains(" hold"));
        let pids: Vec<_> = holds.iter().map(|process| process.pid).collect();
        holds.retain(|process| !pids.contains(&process.parent));
        holds
    }

    /// The engine processes of a repo, started by a holder. (Claude Code may fork itself for a moment.)
    pub(crate) fn engines(&self, repo: &str) -> Vec<Process> {
        let holders = self.holders();
        let below = |process: &Process| holders.iter().any(|holder| holder.pid == process.parent);
        let here =
            |process: &Process| process.folder == self.repo(repo) && process.command.contains(self.mark);
        self.processes().into_iter().filter(|process| below(process) && here(process)).collect()
    }

    /// The one engine process of a repo.
    pub(crate) fn the_engine(&self, repo: &str) -> Process {
        self.eventually("one engine process", || match self.engines(repo).as_slice() {
            [engine] => Some(engine.clone()),
            _ => None,
        })
    }

    /// Everything below the holders: the engine and what it started.
    pub(crate) fn tree(&self) -> Vec<Process> {
        let all = self.processes();
        let mut tree = self.holders();
        let holders = tree.len();
        let mut at = 0;
        while at < tree.len() {
            let parent = tree[at].pid;
            tree.extend(all.iter().filter(|process| process.parent == parent).cloned());
            at += 1;
        }
        tree.split_off(holders)
    }

    fn farewell(&mut self) {
        let holds = |world: &Self| !world.holders().is_empty();
        if holds(self) && self.serve.is_none() {
            self.spawn_serve();
        }
        if self.serve.is_some() {
            let deadline = Instant::now() + FAREWELL;
            while holds(self) && Instant::now() < deadline {
                let list = self.repose(&["ls"]);
                for repo in list.json["repos"].as_array().into_iter().flatten() {
                    self.repose(&["stop", repo["id"].as_str().unwrap_or_default(), "--interrupt"]);
                }
            }
            self.stop_serve();
        }
    }

    fn end_everything(&mut self) {
        if let Some(mut child) = self.serve.take() {
            // It may have ended on its own, which has the same result.
            let _ended = child.kill().and_then(|()| child.wait());
        }
        self.processes().iter().for_each(Process::kill);
    }

    #[expect(clippy::print_stderr, reason = "a failed test shows what the programs wrote")]
    fn print_logs(&self) {
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "log") {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    let tail = &bytes[bytes.len().saturating_sub(LOG_TAIL)..];
                    eprintln!("--- {}\n{}", path.display(), String::from_utf8_lossy(tail));
                }
            }
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A second panic would abort the whole test binary: no verbs, only kills by pid.
            self.print_logs();
            self.end_everything();
            return;
        }
        let farewell = std::panic::catch_unwind(AssertUnwindSafe(|| self.farewell()));
        let deadline = Instant::now() + FAREWELL;
        while farewell.is_ok() && !self.processes().is_empty() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        let left = self.processes();
        if farewell.is_err() || !left.is_empty() {
            self.print_logs();
        }
        self.end_everything();
        match farewell {
            Ok(()) => assert!(left.is_empty(), "this world left processes behind: {left:#?}"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
