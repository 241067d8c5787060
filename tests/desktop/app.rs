//! The app in a world, on a screen of its own.

use std::ffi::OsStr;
use std::fs::File;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::bus::{Notifications, Panel};
use crate::screen::Screen;
use crate::support::World;
use crate::support::processes::Process;

/// The program under test.
const DESKTOP: &str = env!("CARGO_BIN_EXE_repose-desktop");

/// The window's program, in the same folder.
const WINDOW: &str = "repose-window";

/// Asks one of this test's processes to end.
pub(crate) fn terminate(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("our own process");
}

/// The path of the window's program.
pub(crate) fn window_program() -> PathBuf {
    Path::new(DESKTOP).with_file_name(WINDOW)
}

/// The programs as in an installation without the window, copied into a separate folder.
fn without_window(folder: &Path) -> PathBuf {
    std::fs::create_dir_all(folder).expect("a writable home");
    for program in ["repose", "repose-desktop"] {
        let to = folder.join(program);
        if !to.exists() {
            written("cp", &[Path::new(DESKTOP).with_file_name(program).as_os_str(), to.as_os_str()]);
        }
    }
    folder.join("repose-desktop")
}

/// Has another process write a program. One that this process writes is busy while another test forks: the child has the
/// file open for a moment.
fn written(by: &str, args: &[&OsStr]) {
    let written = Command::new(by).args(args).status().expect("a usual program");
    assert!(written.success(), "{by} {args:?}");
}

/// A desktop with a panel and notifications, and a user's home. The app runs once it is started.
pub(crate) struct Desk {
    app: Option<Child>,
    starts: usize,
    /// Variables in the app's environment, in addition to or instead of the others.
    pub(crate) env: Vec<(String, String)>,
    /// Whether the window's program isn't installed.
    pub(crate) windowless: bool,
    pub(crate) notes: Notifications,
    pub(crate) panel: Option<Panel>,
    // The screen goes last: what is shown on it ends on its own.
    pub(crate) world: World,
    pub(crate) screen: Screen,
}

impl Desk {
    /// A desktop with one trusted repo `work` and this `config.toml`. Nothing runs yet.
    pub(crate) fn new(settings: &str) -> Self {
        let mut desk = Self::without_panel(settings);
        desk.panel = Some(Panel::start(&desk.screen.bus));
        desk
    }

    /// [`Desk::new`] on a desktop that shows no icons.
    pub(crate) fn without_panel(settings: &str) -> Self {
        let screen = Screen::start();
        let world = World::new();
        world.settings(settings);
        world.add_repo("work");
        let notes = Notifications::start(&screen.bus);
        Self { app: None, starts: 0, env: Vec::new(), windowless: false, notes, panel: None, world, screen }
    }

    /// [`Desk::new`] with the app started hidden and the repo added.
    pub(crate) fn running(settings: &str) -> Self {
        let mut desk = Self::new(settings);
        desk.launch(&["--hidden"]);
        desk.add();
        desk
    }

    /// Adds the repo `work`.
    pub(crate) fn add(&self) {
        self.world.ok(&["add", self.world.repo("work").to_str().expect("UTF-8")]);
    }

    /// Starts the app, and waits until it answers.
    pub(crate) fn launch(&mut self, args: &[&str]) {
        assert!(self.app.is_none(), "it runs already");
        self.app = Some(self.spawn(args));
        self.wait_for_runner(self.app_pid());
    }

    /// Waits until this process is the runner.
    pub(crate) fn wait_for_runner(&self, pid: u32) {
        self.eventually("the app to be the runner", || {
            let status = self.world.repose(&["status"]);
            (status.json["runner"]["pid"] == pid).then_some(())
        });
    }

    /// Starts the app again, and waits until that process ends.
    pub(crate) fn second_start(&mut self, args: &[&str]) -> ExitStatus {
        self.spawn(args).wait().expect("our own child")
    }

    /// Starts the app again before the running one has ended: that one ends, and this one takes its place.
    pub(crate) fn replace(&mut self, args: &[&str]) {
        let mut old = self.app.take().expect("a running app");
        let icons = self.panel().icons();
        self.launch(args);
        self.eventually("the icon of the new one", || (self.panel().icons() > icons).then_some(()));
        let ended = self.eventually("the app's end", || old.try_wait().expect("our own child"));
        assert!(ended.success(), "{ended}");
    }

    /// The output of the last start.
    pub(crate) fn said(&self) -> String {
        let log = self.world.home().join(format!("app-{}.log", self.starts));
        std::fs::read_to_string(log).expect("a log")
    }

    /// Waits until an app has written this to Repose's log.
    pub(crate) fn logged(&self, words: &str) {
        let says = |file: &Path| std::fs::read_to_string(file).is_ok_and(|text| text.contains(words));
        self.eventually(&format!("{words:?} in the log"), || {
            let mut files = std::fs::read_dir(self.world.state().join("logs")).ok()?;
            files.any(|file| file.is_ok_and(|file| says(&file.path()))).then_some(())
        });
    }

    /// Installs a window's program that can't run, as on a machine without WebKitGTK.
    pub(crate) fn no_webkit(&mut self) {
        self.windowless = true;
        let programs = self.world.home().join("programs");
        without_window(&programs);
        self.script(&programs.join(WINDOW), "exit 127");
    }

    /// Makes the desktop know no browser.
    pub(crate) fn no_browser(&self) {
        self.script(&self.world.engine().with_file_name("xdg-open"), "exit 3");
    }

    /// Installs a browser that opens nothing and records each link.
    pub(crate) fn browser(&self) {
        let opener = self.world.engine().with_file_name("xdg-open");
        self.script(&opener, &format!("echo \"$1\" >>{}", self.opened().display()));
    }

    /// Creates a program with these lines.
    pub(crate) fn script(&self, path: &Path, lines: &str) {
        let write = "printf '#!/bin/sh\n%s\n' \"$2\" >\"$1\" && chmod +x \"$1\"";
        written("sh", &["-c".as_ref(), write.as_ref(), "sh".as_ref(), path.as_os_str(), lines.as_ref()]);
    }

    /// Waits for the browser's `n`-th link, from 0.
    pub(crate) fn link(&self, n: usize) -> String {
        self.eventually("the browser to be opened", || {
            let text = std::fs::read_to_string(self.opened()).ok()?;
            text.lines().nth(n).map(str::to_owned)
        })
    }

    fn opened(&self) -> PathBuf {
        self.world.home().join("opened")
    }

    /// Starts the app without waiting for it.
    pub(crate) fn spawn(&mut self, args: &[&str]) -> Child {
        self.starts += 1;
        let log = self.world.home().join(format!("app-{}.log", self.starts));
        let log = File::create(log).expect("a log");
        let program = if self.windowless {
            without_window(&self.world.home().join("programs"))
        } else {
            PathBuf::from(DESKTOP)
        };
        let mut app = Command::new(program);
        app.args(args)
            .env_clear()
            .envs(self.world.env())
            .envs(self.screen.env())
            .envs(self.env.iter().cloned())
            .current_dir(self.world.home())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log);
        app.spawn().expect("the app starts")
    }

    pub(crate) fn app_pid(&self) -> u32 {
        self.app.as_ref().expect("a running app").id()
    }

    /// Stops a process until it is continued.
    pub(crate) fn freeze(&self, process: &Process) {
        let pid = rustix::process::Pid::from_raw(process.pid).expect("a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("the app's child");
    }

    /// Ends a runner that this test didn't start itself.
    pub(crate) fn end_runner(&self, runner: &Process) {
        terminate(runner.pid.cast_unsigned());
        self.eventually("the runner's end", || (!runner.alive()).then_some(()));
    }

    /// Ends the app as a session manager does.
    pub(crate) fn end(&mut self) {
        let Some(mut app) = self.app.take() else { return };
        terminate(app.id());
        let ended = app.wait().expect("our own child");
        assert!(ended.success() || std::thread::panicking(), "{ended}");
    }

    /// Kills the app's process.
    pub(crate) fn lose(&mut self) {
        let mut app = self.app.take().expect("a running app");
        app.kill().and_then(|()| app.wait()).expect("our own child");
    }

    /// Waits until the app has ended on its own.
    pub(crate) fn ends(&mut self) {
        let mut app = self.app.take().expect("a running app");
        let ended = self.eventually("the app's end", || app.try_wait().expect("our own child"));
        assert!(ended.success(), "{ended}");
    }

    /// The panel.
    pub(crate) fn panel(&self) -> &Panel {
        self.panel.as_ref().expect("a panel")
    }

    /// The processes of the window.
    pub(crate) fn windows(&self) -> Vec<Process> {
        let all = self.processes();
        all.into_iter().filter(|process| process.program.ends_with(WINDOW)).collect()
    }

    /// The process of the one window.
    pub(crate) fn the_window(&self) -> Process {
        self.eventually("one window process", || match self.windows().as_slice() {
            [window] => Some(window.clone()),
            _ => None,
        })
    }

    /// The process of the window's page.
    pub(crate) fn the_page(&self) -> Process {
        self.eventually("one process of a page", || self.page_or_none())
    }

    /// The process of the window's page, if there is exactly one.
    pub(crate) fn page_or_none(&self) -> Option<Process> {
        let all = self.processes();
        let page = |process: &&Process| process.program.ends_with("WebKitWebProcess");
        match all.iter().filter(page).collect::<Vec<_>>().as_slice() {
            [page] => Some((*page).clone()),
            _ => None,
        }
    }

    /// Has the repo `work` do a turn whose answer nobody waits for.
    pub(crate) fn turn(&self, text: &str) {
        self.world.ok(&["ask", "work", text, "--no-wait"]);
    }

    /// Waits until the window and everything that it started are gone.
    pub(crate) fn no_window(&self) {
        self.eventually("the window's processes to end", || {
            let web = |process: &Process| process.command.contains("WebKit");
            (self.windows().is_empty() && !self.processes().iter().any(web)).then_some(())
        });
    }
}

impl Deref for Desk {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl DerefMut for Desk {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.end();
    }
}
