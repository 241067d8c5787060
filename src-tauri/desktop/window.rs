//! The window, seen from the app: a process of its own, so that closing it gives all of its memory back.
//!
//! It is told lines on its stdin and says lines on its stdout: [`Said`]. The program is `window/main.rs`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use repose_core::ids::RepoId;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};

use crate::event::{Event, Events};
use crate::quit::{Choice, Question};

/// What the window's process says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// It is in front, or isn't.
    Front(bool),
    /// It has done what it was told last.
    Shown,
    /// Somebody wants to quit the app.
    Quit,
    /// It is closed. With words if it ended badly.
    Closed(Option<String>),
}

/// What follows from what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing, or it was said by one that another has replaced.
    Nothing,
    /// Somebody wants to quit the app.
    Quit,
    /// Somebody has closed it.
    Closed,
    /// It ended before it had shown what it was told to: that is to be shown still.
    Missed(Option<RepoId>),
    /// It ended by itself, with these words.
    Broke(String),
}

/// Which of the windows of this app's life: one that is ending can still speak when the next is open.
pub(crate) type Number = u64;

/// The window, open or not.
#[derive(Debug)]
pub(crate) struct Window {
    program: Option<PathBuf>,
    events: Events,
    open: Option<Open>,
    opened: Number,
}

#[derive(Debug)]
struct Open {
    number: Number,
    stdin: ChildStdin,
    front: bool,
    /// What it was told to show, and hasn't said that it has.
    owes: Option<Option<RepoId>>,
}

impl Window {
    /// One that is closed, and will be this program, if there is one.
    pub(crate) fn new(program: Option<PathBuf>, events: Events) -> Self {
        Self { program, events, open: None, opened: 0 }
    }

    /// It is in front.
    pub(crate) fn front(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.front)
    }

    /// Brings it to the front, with this repo if one is named. `link` lets a new one in, once.
    ///
    /// # Errors
    /// If its program isn't there or can't be started.
    pub(crate) async fn show(
        &mut self,
        repo: Option<&RepoId>,
        link: impl Fn() -> String,
    ) -> std::io::Result<()> {
        let place = repo.map(|repo| format!("#/repo/{repo}"));
        if let Some(open) = &mut self.open {
            let go = place.as_ref().map(|place| format!("go {place}\n")).unwrap_or_default();
            if open.stdin.write_all(format!("{go}show\n").as_bytes()).await.is_ok() {
                open.owes = Some(repo.cloned());
                return Ok(());
            }
            // It is ending, and its end is not heard yet.
        }
        let Some(program) = &self.program else {
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "repose-window is not installed"));
        };
        let mut child = Command::new(program)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .envs(quirks())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(std::io::Error::other("the window's process has no pipes"));
        };
        let first = format!("{}{}\n", link(), place.unwrap_or_default());
        stdin.write_all(first.as_bytes()).await?;
        self.opened += 1;
        self.open = Some(Open { number: self.opened, stdin, front: false, owes: None });
        tokio::spawn(listen(self.opened, child, stdout, self.events.clone()));
        Ok(())
    }

    /// What it said is so.
    pub(crate) fn said(&mut self, number: Number, said: Said) -> Heard {
        let Some(open) = self.open.as_mut().filter(|open| open.number == number) else {
            return Heard::Nothing;
        };
        match said {
            Said::Front(front) => open.front = front,
            Said::Shown => open.owes = None,
            Said::Quit => return Heard::Quit,
            Said::Closed(words) => {
                let owes = open.owes.take();
                self.open = None;
                return match (owes, words) {
                    (Some(repo), _) => Heard::Missed(repo),
                    (None, Some(words)) => Heard::Broke(words),
                    (None, None) => Heard::Closed,
                };
            }
        }
        Heard::Nothing
    }
}

/// Asks in a dialog, in a process of its own too. A dialog that can't be shown answers nothing.
pub(crate) async fn ask(program: &Path, question: Question) -> Choice {
    let Question { title, text, choices } = question;
    let asked = async {
        let mut child = Command::new(program)
            .args(["--ask", &title, &text])
            .args(choices.iter().map(|(_, label)| label))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let mut answer = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut answer).await?;
        }
        child.wait().await?;
        std::io::Result::Ok(answer)
    };
    let answer = asked.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the question whether to quit can't be shown");
        String::new()
    });
    let at = answer.trim().parse::<usize>().ok();
    at.and_then(|at| choices.get(at)).map_or(Choice::Cancel, |(choice, _)| *choice)
}

async fn listen(number: Number, mut child: Child, stdout: tokio::process::ChildStdout, events: Events) {
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
    let words = match child.wait().await {
        Ok(status) if status.success() => None,
        Ok(status) => Some(status.to_string()),
        Err(error) => Some(error.to_string()),
    };
    events.tell(Event::Window(number, Said::Closed(words)));
}

/// What its environment has besides, on this machine.
pub(crate) fn quirks() -> Option<(&'static str, &'static str)> {
    let nvidia = Path::new("/proc/driver/nvidia/version").exists();
    quirk(nvidia, std::env::var_os(RENDERER_OFF).is_some())
}

/// Switches WebKitGTK's DMA-BUF renderer off.
const RENDERER_OFF: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// With NVIDIA's own driver that renderer shows an empty window (WebKit bug 180739 and its kin). What the user `set`
/// wins.
fn quirk(nvidia: bool, set: bool) -> Option<(&'static str, &'static str)> {
    (nvidia && !set).then_some((RENDERER_OFF, "1"))
}

#[cfg(test)]
mod tests {
    use super::{RENDERER_OFF, quirk};

    #[test]
    fn the_renderer_that_shows_nothing_with_nvidias_driver_is_off_unless_the_user_says_otherwise() {
        assert_eq!(quirk(true, false), Some((RENDERER_OFF, "1")));
        assert_eq!(quirk(true, true), None);
        assert_eq!(quirk(false, false), None);
    }
}
