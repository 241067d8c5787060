//! The window as the app sees it: a separate process, so that closing it gives all of its memory back.
//!
//! The app writes lines to its stdin and reads lines from its stdout: [`Said`]. The program is
//! `window/main.rs`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use repose_core::ids::RepoId;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::event::{Event, Events};

/// A place in the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Wherever the page is; at first, its home.
    Any,
    Repo(RepoId),
    Settings,
}

impl Place {
    /// The fragment of the page's address.
    pub(crate) fn fragment(&self) -> Option<String> {
        match self {
            Self::Any => None,
            Self::Repo(repo) => Some(format!("#/repo/{repo}")),
            Self::Settings => Some("#/settings".into()),
        }
    }
}

/// What the window's process reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// Whether it is in front.
    Front(bool),
    /// It has done the last thing that it was told; at first, that it exists.
    Shown,
    /// It reported nothing in time after this many orders.
    NothingSince(u64),
    /// Somebody wants to quit the app.
    Quit,
    /// It is closed. With words if it ended badly.
    Closed(Option<String>),
}

/// What follows from a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing, or it came from a window that has been replaced.
    Nothing,
    /// Somebody wants to quit the app.
    Quit,
    /// Somebody has closed it.
    Closed,
    /// It hung, or ended before it had shown what it was told to: that must still be shown.
    Missed(Place),
    /// This machine can't show one: it ended before its first report, as the one before did, or hung before
    /// it. What it was to show, and why.
    Cannot(Place, String),
    /// It ended on its own, with these words.
    Broke(String),
}

/// The number of a window in this app's life: one that is ending can still report when the next is open.
pub(crate) type Number = u64;

/// How long a window may take to open: it usually takes a second, and far longer on a machine that swaps or
/// is busy. After this it hangs, and is killed.
const BEGINS_WITHIN: Duration = Duration::from_secs(30);

/// How long an open window may take to do what it is told. After this it hangs.
const SHOWN_WITHIN: Duration = Duration::from_secs(10);

/// How long the window may take to end with the app. Then it is killed.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// The window's program, beside this one.
pub(crate) const PROGRAM: &str = "repose-window";

/// Has that program show one dialog.
const ASK: &str = "--ask";

/// The window, open or not.
#[derive(Debug)]
pub(crate) struct Window {
    program: Option<PathBuf>,
    events: Events,
    open: Option<Open>,
    opened: Number,
    /// How many times it was told to show something.
    told: u64,
    /// Whether the last one ended before its first report.
    stillborn: bool,
}

#[derive(Debug)]
struct Open {
    number: Number,
    stdin: ChildStdin,
    front: bool,
    shows: Shows,
    listener: JoinHandle<()>,
    /// Kills its process.
    kill: oneshot::Sender<()>,
}

/// Whether it shows what it was told to.
#[derive(Debug)]
enum Shows {
    /// It hasn't reported anything yet; it is to show this.
    Begins(Place),
    /// It shows something, and hasn't reported that it shows this.
    Owes(Place),
    /// It shows everything.
    All,
}

impl Window {
    /// A window that is closed and will run this program, if it exists.
    pub(crate) fn new(program: Option<PathBuf>, events: Events) -> Self {
        Self { program, events, open: None, opened: 0, told: 0, stillborn: false }
    }

    /// Whether it is in front.
    pub(crate) fn front(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.front)
    }

    /// Brings it to the front, at this place. `link` lets a new one in, once.
    ///
    /// # Errors
    /// If its program doesn't exist or can't be started.
    pub(crate) async fn show(&mut self, place: &Place, link: impl Fn() -> String) -> std::io::Result<()> {
        let fragment = place.fragment();
        if let Some(open) = &mut self.open {
            let go = fragment.as_ref().map(|fragment| format!("go {fragment}\n")).unwrap_or_default();
            // A full pipe means that nobody reads it; a hanging window is detected anyway.
            let said = format!("{go}show\n");
            match tokio::time::timeout(ENDS_WITHIN, open.stdin.write_all(said.as_bytes())).await {
                Ok(Err(_)) => {} // it is ending, and its end hasn't been heard yet
                Ok(Ok(())) | Err(_) => {
                    let (shows, within) = match open.shows {
                        Shows::Begins(_) => (Shows::Begins(place.clone()), BEGINS_WITHIN),
                        Shows::Owes(_) | Shows::All => (Shows::Owes(place.clone()), SHOWN_WITHIN),
                    };
                    open.shows = shows;
                    let number = open.number;
                    self.watch(number, within);
                    return Ok(());
                }
            }
        }
        let Some(program) = &self.program else {
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "repose-window is not installed"));
        };
        let mut child = Command::new(program)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .envs(quirks())
            .kill_on_drop(true)
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(std::io::Error::other("the window's process has no pipes"));
        };
        let first = format!("{}{}\n", link(), fragment.unwrap_or_default());
        // If it is gone, its end reports that.
        let _ = stdin.write_all(first.as_bytes()).await;
        self.opened += 1;
        let (kill, killed) = oneshot::channel();
        let listener = tokio::spawn(listen(self.opened, child, stdout, killed, self.events.clone()));
        let shows = Shows::Begins(place.clone());
        self.open = Some(Open { number: self.opened, stdin, front: false, shows, listener, kill });
        self.watch(self.opened, BEGINS_WITHIN);
        Ok(())
    }

    /// Checks later whether it has done what it was told now.
    fn watch(&mut self, number: Number, span: Duration) {
        self.told += 1;
        let (told, events) = (self.told, self.events.clone());
        tokio::spawn(async move {
            tokio::time::sleep(span).await;
            events.tell(Event::Window(number, Said::NothingSince(told)));
        });
    }

    /// Takes in its report.
    pub(crate) fn said(&mut self, number: Number, said: Said) -> Heard {
        let Some(open) = self.open.as_mut().filter(|open| open.number == number) else {
            return Heard::Nothing;
        };
        match said {
            Said::Front(front) => open.front = front,
            Said::Shown => {
                open.shows = Shows::All;
                self.stillborn = false;
                tracing::info!(number, "the window is there");
            }
            Said::Quit => return Heard::Quit,
            Said::NothingSince(told) if told == self.told => {
                let hangs = "it hangs".to_owned();
                return match std::mem::replace(&mut open.shows, Shows::All) {
                    Shows::All => Heard::Nothing,
                    Shows::Owes(place) => {
                        self.kill();
                        Heard::Missed(place)
                    }
                    Shows::Begins(place) => {
                        self.kill();
                        Heard::Cannot(place, hangs)
                    }
                };
            }
            Said::NothingSince(_) => {} // it was told something later, which is checked too
            Said::Closed(words) => {
                let shows = std::mem::replace(&mut open.shows, Shows::All);
                self.open = None;
                return match (shows, words) {
                    (Shows::Begins(place), Some(words)) if std::mem::replace(&mut self.stillborn, true) => {
                        Heard::Cannot(place, words)
                    }
                    (Shows::Begins(place), Some(_)) => Heard::Missed(place),
                    (Shows::Owes(place), _) => Heard::Missed(place),
                    (Shows::All, Some(words)) => Heard::Broke(words),
                    (Shows::Begins(_) | Shows::All, None) => Heard::Closed,
                };
            }
        }
        Heard::Nothing
    }

    fn kill(&mut self) {
        if let Some(open) = self.open.take() {
            let _ = open.kill.send(());
        }
    }

    /// Ends it with the app, by force if it doesn't end on its own. Takes at most two seconds.
    pub(crate) async fn end(&mut self) {
        let Some(Open { stdin, kill, mut listener, .. }) = self.open.take() else { return };
        drop(stdin);
        if tokio::time::timeout(ENDS_WITHIN, &mut listener).await.is_err() {
            tracing::warn!("the window hangs, so it was killed");
            let _ = kill.send(());
            let _ = listener.await;
        }
    }
}

/// A dialog, which is also a separate process. It is given this over its stdin: any user of the machine can read what a
/// program is started with.
#[derive(Debug, Serialize)]
pub(crate) struct Dialog<'a> {
    /// What its title bar says.
    pub(crate) name: &'a str,
    pub(crate) title: &'a str,
    pub(crate) text: &'a str,
    /// Return chooses the first, and whoever closes it chooses the last.
    pub(crate) choices: Vec<&'a str>,
    /// The number of the choice that ends what somebody may want to go on.
    pub(crate) ends: Option<usize>,
}

impl Dialog<'_> {
    fn line(&self) -> std::io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// Shows a dialog until somebody has chosen; returns the number of the choice. Each `raise` brings it to the front;
/// it is gone with the returned future.
///
/// # Errors
/// If it can't be shown, or didn't answer.
pub(crate) async fn ask(
    program: &Path,
    dialog: &Dialog<'_>,
    mut raise: UnboundedReceiver<()>,
) -> std::io::Result<usize> {
    let mut child = Command::new(program)
        .arg(ASK)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
        return Err(std::io::Error::other("the dialog's process has no pipes"));
    };
    let mut stdout = BufReader::new(stdout);
    let mut answer = String::new();
    // If it is gone, its end reports that.
    let _ = stdin.write_all(dialog.line()?.as_bytes()).await;
    loop {
        tokio::select! {
            read = stdout.read_line(&mut answer) => {
                read?;
                break;
            }
            Some(()) = raise.recv() => drop(stdin.write_all(b"show\n").await),
        }
    }
    let ended = child.wait().await?;
    let at = answer.trim().parse::<usize>().ok().filter(|at| *at < dialog.choices.len());
    at.ok_or_else(|| std::io::Error::other(format!("{} ended with {ended}", program.display())))
}

/// Tells something in a dialog, and returns when somebody has read it. At once if none can be shown.
pub(crate) fn tell(title: &str, text: &str) {
    let Ok(own) = std::env::current_exe() else { return };
    let Ok(line) = (Dialog { name: "Repose", title, text, choices: vec!["OK"], ends: None }).line() else {
        return;
    };
    let mut dialog = std::process::Command::new(own.with_file_name(PROGRAM));
    let dialog = dialog.arg(ASK).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // It ends with its stdin, which is closed once it is over.
    let shown = dialog.spawn();
    let Ok(std::process::Child { stdin: Some(mut open), stdout: Some(mut answer), .. }) = shown else {
        return;
    };
    let _ = open.write_all(line.as_bytes());
    let _ = answer.read_to_string(&mut String::new());
}

async fn listen(
    number: Number,
    mut child: Child,
    stdout: tokio::process::ChildStdout,
    kill: oneshot::Receiver<()>,
    events: Events,
) {
    let said = async {
        let mut lines = BufReader::new(stdout).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            match line.as_str() {
                "front" => events.tell(Event::Window(number, Said::Front(true))),
                "behind" => events.tell(Event::Window(number, Said::Front(false))),
                "shown" => events.tell(Event::Window(number, Said::Shown)),
                "quit" => events.tell(Event::Window(number, Said::Quit)),
                other => tracing::debug!(other, "the window said something unknown"),
            }
        }
        child.wait().await
    };
    let ended = tokio::select! {
        ended = said => ended,
        Ok(()) = kill => match child.kill().await {
            Ok(()) => child.wait().await,
            Err(error) => Err(error),
        },
    };
    let words = match ended {
        Ok(status) if status.success() => None,
        Ok(status) => Some(status.to_string()),
        Err(error) => Some(error.to_string()),
    };
    events.tell(Event::Window(number, Said::Closed(words)));
}

/// Additional environment variables on this machine.
pub(crate) fn quirks() -> Option<(&'static str, &'static str)> {
    let nvidia = Path::new("/proc/driver/nvidia/version").exists();
    quirk(nvidia, std::env::var_os(RENDERER_OFF).is_some())
}

/// Switches off WebKitGTK's DMA-BUF renderer.
const RENDERER_OFF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// With NVIDIA's own driver that renderer shows an empty window (WebKit bug 180739 and related ones). What
/// the user `set` takes precedence.
fn quirk(nvidia: bool, set: bool) -> Option<(&'static str, &'static str)> {
    (nvidia && !set).then_some((RENDERER_OFF, "1"))
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::{Dialog, RENDERER_OFF, ask, quirk};

    #[tokio::test]
    async fn what_a_dialog_says_is_in_no_command_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let (program, got) = (folder.path().join("window"), folder.path().join("got"));
        let lines =
            format!("#!/bin/sh\nread -r line\nprintf '%s %s' \"$*\" \"$line\" >{}\necho 1\n", got.display());
        // By another process: a program that this one writes is busy while another test forks, since the child has it
        // open for a moment.
        let mut writer = std::process::Command::new("sh");
        writer.args(["-c", "printf %s \"$2\" >\"$1\" && chmod +x \"$1\"", "sh"]).arg(&program).arg(lines);
        assert!(writer.status().expect("a shell").success());
        let (title, text) = ("1 repo is working.", "At work: shop (`rm -r x`).\nAnd more.");
        let dialog = Dialog { name: "Quit", title, text, choices: vec!["Leave", "Stop"], ends: Some(1) };
        let (_raise, raised) = unbounded_channel();
        assert_eq!(ask(&program, &dialog, raised).await.expect("an answer"), 1);
        let got = std::fs::read_to_string(got).expect("what it got");
        let (args, line) = got.split_once(' ').expect("its arguments, and a line");
        assert_eq!(args, "--ask");
        let line: serde_json::Value = serde_json::from_str(line).expect("one line of JSON");
        assert_eq!((&line["text"], &line["ends"]), (&text.into(), &1.into()));
    }

    #[test]
    fn the_renderer_that_shows_nothing_with_nvidias_driver_is_off_unless_the_user_says_otherwise() {
        assert_eq!(quirk(true, false), Some((RENDERER_OFF, "1")));
        assert_eq!(quirk(true, true), None);
        assert_eq!(quirk(false, false), None);
    }
}
