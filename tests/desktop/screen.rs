//! A screen and a session bus for one test.

use std::io::{BufRead, BufReader};
use std::os::fd::AsRawFd;
use std::process::{Child, Command, Output, Stdio};

use crate::support::patience::eventually;

/// The packages that `scripts/setup.sh desktop-tests` installs.
const TOOLS: &str = "/usr/bin:/bin:/usr/local/bin";

/// An X server with a window manager, and a D-Bus daemon, until dropped.
pub(crate) struct Screen {
    children: Vec<Child>,
    display: String,
    pub(crate) bus: String,
}

impl Screen {
    /// Starts both, empty.
    pub(crate) fn start() -> Self {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty()).expect("a pipe to hand down");
        let xvfb = tool("Xvfb")
            .args(["-displayfd", &writer.as_raw_fd().to_string(), "-screen", "0", "1280x900x24"])
            .args(["-nolisten", "tcp"])
            .spawn()
            .expect("Xvfb: `scripts/setup.sh desktop-tests` installs it");
        drop(writer);
        let display = format!(":{}", first_line(reader));
        let mut daemon = tool("dbus-daemon")
            .args(["--session", "--nofork", "--print-address=1"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon: `scripts/setup.sh desktop-tests` installs it");
        let bus = first_line(daemon.stdout.take().expect("piped"));
        let manager = tool("openbox").env("DISPLAY", &display).spawn().expect("openbox");
        Self { children: vec![manager, daemon, xvfb], display, bus }
    }

    /// The environment variables with which a program runs here.
    pub(crate) fn env(&self) -> Vec<(String, String)> {
        let pairs = [
            ("DISPLAY", self.display.as_str()),
            ("DBUS_SESSION_BUS_ADDRESS", &self.bus),
            ("GDK_BACKEND", "x11"),
            ("NO_AT_BRIDGE", "1"),
            ("GTK_A11Y", "none"),
            ("LIBGL_ALWAYS_SOFTWARE", "1"),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    /// The numbers of the visible windows with this title. The page's title may be preceded by how many repos
    /// wait, and the repo that it shows, and followed by where the app's state is.
    pub(crate) fn windows(&self, title: &str) -> Vec<String> {
        let pattern = format!("^(\\([0-9]+\\) )?([^ ]+ [^ ]+ )?{title}( \\(/.*\\))?$");
        // It fails if it finds none.
        let found = self.run("xdotool", &["search", "--onlyvisible", "--name", &pattern]);
        String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect()
    }

    /// Waits for a window with this title.
    pub(crate) fn window(&self, title: &str) -> String {
        eventually(|| format!("a window {title:?}"), || self.windows(title).pop())
    }

    /// Waits for the page's window to show this repo.
    pub(crate) fn shows(&self, repo: &str) -> String {
        self.window(&format!("{repo} [^ ]+ Repose"))
    }

    /// The name by which the desktop knows a window.
    pub(crate) fn class(&self, window: &str) -> String {
        let said = self.run("xprop", &["-id", window, "WM_CLASS"]);
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    /// Sets keyboards with these layouts, the first in use.
    pub(crate) fn layouts(&self, layouts: &str) {
        self.does("setxkbmap", &["-layout", layouts]);
    }

    /// Waits until there is no such window.
    pub(crate) fn no_window(&self, title: &str) {
        eventually(|| format!("no window {title:?}"), || self.windows(title).is_empty().then_some(()));
    }

    /// Presses keys in a window, as `xdotool` names them.
    pub(crate) fn press(&self, window: &str, keys: &str) {
        self.does("xdotool", &["windowfocus", "--sync", window]);
        self.does("xdotool", &["key", "--clearmodifiers", keys]);
    }

    /// Clicks a place on the screen with this mouse button.
    pub(crate) fn click(&self, (x, y): (u32, u32), button: u32) {
        let (x, y, button) = (x.to_string(), y.to_string(), button.to_string());
        self.does("xdotool", &["mousemove", &x, &y, "click", &button]);
    }

    /// Presses keys for whatever has the focus, for example a menu.
    pub(crate) fn keys(&self, keys: &str) {
        self.does("xdotool", &["key", keys]);
    }

    /// Does something, and waits until the screen has changed and no longer changes.
    pub(crate) fn changed_by(&self, does: impl FnOnce()) {
        let look = || self.run("import", &["-window", "root", "-depth", "8", "rgb:-"]).stdout;
        let before = look();
        does();
        let mut last = before.clone();
        eventually(
            || "the screen to change".into(),
            || {
                let now = look();
                let rests = now == last && now != before;
                last = now;
                rests.then_some(())
            },
        );
    }

    /// The colour near the lower right corner of a window, as red, green and blue.
    pub(crate) fn colour(&self, window: &str) -> Option<(u8, u8, u8)> {
        let corner = ["-gravity", "SouthEast", "-crop", "1x1+4+4", "-depth", "8", "rgb:-"];
        let all: Vec<&str> = ["-window", window].into_iter().chain(corner).collect();
        match self.run("import", &all).stdout.as_slice() {
            [red, green, blue] => Some((*red, *green, *blue)),
            _ => None,
        }
    }

    /// Types text for whatever has the focus.
    pub(crate) fn types(&self, text: &str) {
        self.does("xdotool", &["type", text]);
    }

    /// Brings a window to the front.
    pub(crate) fn front(&self, window: &str) {
        self.does("xdotool", &["windowactivate", "--sync", window]);
    }

    /// Minimises a window.
    pub(crate) fn minimise(&self, window: &str) {
        self.does("xdotool", &["windowminimize", "--sync", window]);
    }

    /// Closes a window as its title bar does.
    pub(crate) fn close(&self, window: &str) {
        self.does("wmctrl", &["-i", "-c", window]);
    }

    /// Takes a picture of everything for people to look at, if `REPOSE_SHOTS` names a folder.
    pub(crate) fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("REPOSE_SHOTS") else { return };
        let path = std::path::Path::new(&folder).join(format!("{name}.png"));
        let status =
            tool("import").env("DISPLAY", &self.display).args(["-window", "root"]).arg(path).status();
        assert!(status.is_ok_and(|status| status.success()), "`import` takes a picture");
    }

    fn does(&self, name: &str, args: &[&str]) {
        let output = self.run(name, args);
        assert!(output.status.success(), "{name} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn run(&self, name: &str, args: &[&str]) -> Output {
        let mut tool = tool(name);
        let tool =
            tool.env("DISPLAY", &self.display).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        tool.output().unwrap_or_else(|_| panic!("{name}: `scripts/setup.sh desktop-tests` installs it"))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It may have ended with the server, which has the same result.
            let _ended = child.kill().and_then(|()| child.wait());
        }
    }
}

fn tool(name: &str) -> Command {
    let mut command = Command::new(name);
    command
        .env_clear()
        .env("PATH", TOOLS)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn first_line(from: impl std::io::Read) -> String {
    let mut line = String::new();
    BufReader::new(from).read_line(&mut line).expect("a line");
    line.trim().to_owned()
}
