//! The turns of a program that reports nothing, such as a shell: it works while another program is in the
//! foreground of its terminal, and until it reads its next line.
//!
//! What a turn wrote comes before the prompt, in the same stream. So a turn is over only once everything that
//! was written has been read, and the program waits for a line after that.

use std::time::Duration;

use repose_core::signal::{Level, Said};
use repose_engine::engine::LevelBy;
use repose_sys::{ProcessId, tree};
use tokio::time::Instant;

use super::look::CLOSELY;
use super::session::Holder;

/// How long nothing may be drawn before a prompt counts as the end of a turn.
const SETTLES: Duration = Duration::from_millis(150);

/// The same for a program that reads keys and shows no known prompt.
const SETTLES_UNKNOWN: Duration = Duration::from_secs(1);

/// The same for one of which neither a prompt is known nor that it edits its lines: whether it reads can't be
/// seen.
const SETTLES_UNSEEN: Duration = Duration::from_secs(2);

/// The same for one that should have shown its prompt: it reads something else, or became another program.
const SETTLES_ELSEWHERE: Duration = Duration::from_secs(30);

/// A program that reads keys again for this long is done, even if what it left running goes on drawing.
const DRAWN_OVER: Duration = Duration::from_secs(5);

/// How long a program may take to show its first sign of a line, which is ending the line on the screen. On a
/// busy machine that takes long; one that shows nothing by then has answered nothing.
const ECHOES_WITHIN: Duration = Duration::from_secs(10);

/// Why an ask came to nothing whose line isn't complete.
const GOES_ON: &str = "the line isn't complete (an open quote, perhaps) and was broken off";

/// What is in the foreground of the terminal of an engine that reports nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    /// Unknown, since nobody has looked yet.
    Unseen,
    /// The engine itself, waiting for a line.
    Engine,
    /// The engine, which was sent a line and has given no sign of it. It gives none after this moment.
    Sent(Instant),
    /// A program that the engine started.
    Command,
    /// The engine again, or still, after a sign of the line.
    Back(Back),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Back {
    since: Instant,
    /// When something was last drawn.
    drew: Instant,
    /// Whether it is certain that the engine took the line: it did something else than reading keys.
    took: bool,
}

impl Back {
    fn new(took: bool) -> Self {
        let now = Instant::now();
        Self { since: now, drew: now, took }
    }
}

/// What may run below an engine whose turn is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    Anything,
    /// Nothing in its own process group, as the parts of a command of its own are.
    NoPart,
    Nothing,
}

impl Job {
    /// Whether something is at work in the terminal, or was a moment ago.
    pub(super) fn goes_on(self) -> bool {
        match self {
            Self::Sent(_) | Self::Command | Self::Back(_) => true,
            Self::Unseen | Self::Engine => false,
        }
    }

    /// The screen changed.
    pub(super) fn drew(&mut self) {
        match self {
            Self::Sent(_) => *self = Self::Back(Back::new(false)),
            Self::Back(back) => back.drew = Instant::now(),
            Self::Unseen | Self::Engine | Self::Command => {}
        }
    }
}

impl Holder {
    /// A prompt was sent to an engine that won't report taking it: it reads a line as soon as the line ends.
    pub(super) fn sent(&mut self, text: String) {
        match self.engine.speaks().level {
            LevelBy::Foreground => {
                // What came of the line hasn't been read yet.
                self.looks.edits |= self.takes_keys();
                self.looks.job = Job::Sent(Instant::now() + ECHOES_WITHIN);
                self.looks.next = Instant::now() + CLOSELY;
                self.prompt_taken(text);
            }
            LevelBy::File | LevelBy::Title | LevelBy::Events => {}
        }
    }

    /// Derives the level of an engine that reports nothing. One that edits its lines itself also works while it
    /// doesn't take keys: it carries out a command of its own, such as `wait`.
    pub(super) fn look_at_job(&mut self) {
        let Some(engine) = self.engine_id else { return };
        let takes_keys = self.takes_keys();
        let works = self.works_in_front().is_some() || (self.looks.edits && !takes_keys);
        match (self.looks.job, works) {
            (Job::Unseen | Job::Engine, true) => {
                self.looks.job = Job::Command;
                self.says(Said::Level(Level::Busy));
            }
            (Job::Sent(_) | Job::Command | Job::Back(_), true) => {
                self.looks.job = Job::Command;
                self.says(Said::ToolUsed);
            }
            (Job::Unseen | Job::Engine, false) => self.looks.edits = takes_keys,
            (Job::Command, false) => self.looks.job = Job::Back(Back::new(true)),
            (Job::Sent(by), false) if Instant::now() < by => {}
            (Job::Sent(_) | Job::Back(_), false) => {
                // What it wrote before it was looked at is read before it is judged.
                self.read_written();
                if self.is_back(engine, takes_keys) {
                    self.job_over();
                }
            }
        }
    }

    fn job_over(&mut self) {
        self.looks.job = Job::Engine;
        if self.waits_for_the_rest() {
            self.screen.unasked();
            self.write(self.engine.interrupt());
            self.says(Said::Failed { error: GOES_ON.into() });
        } else {
            let text = self.screen.answer().unwrap_or_else(|| self.screen.last_words());
            self.says(Said::Stopped { prompt: None, text, background: None, wakeups: None });
        }
        self.says(Said::Level(Level::Idle));
        // What it left running holds it from now on.
        self.looks.next_scan = Instant::now();
    }

    /// Whether the engine waits for its next line, or for the rest of this one.
    fn is_back(&self, engine: ProcessId, takes_keys: bool) -> bool {
        let Back { since, drew, took } = match self.looks.job {
            Job::Back(back) => back,
            Job::Sent(by) => return Instant::now() >= by,
            Job::Unseen | Job::Engine | Job::Command => return false,
        };
        let (settles, below) = match (takes_keys, self.screen.at_prompt()) {
            (_, Some(true)) => (SETTLES, Below::Anything),
            (true, _) if took => (SETTLES, Below::Anything),
            (true, _) => (SETTLES_UNKNOWN, Below::Anything),
            (false, _) if self.waits_for_the_rest() => (SETTLES_UNSEEN, Below::NoPart),
            (false, None) => (SETTLES_UNSEEN, Below::NoPart),
            (false, Some(false)) => (SETTLES_ELSEWHERE, Below::Nothing),
        };
        let settled = drew.elapsed() >= settles || (takes_keys && since.elapsed() >= DRAWN_OVER);
        settled && self.outbox.is_empty() && !engine.at_work() && self.runs_only(engine, below)
    }

    /// Whether the engine shows that the line which was asked of it isn't complete.
    fn waits_for_the_rest(&self) -> bool {
        let shown = self.screen.before_cursor();
        self.screen.asked_after().is_some_and(|before| self.engine.waits_for_the_rest(before, &shown))
    }

    /// Whether nothing else runs below the engine.
    fn runs_only(&self, engine: ProcessId, below: Below) -> bool {
        let others = || tree::below(engine).members;
        match below {
            Below::Anything => true,
            Below::NoPart => others().iter().all(|other| other.group != engine.pid),
            Below::Nothing => others().is_empty(),
        }
    }

    /// The process group in the foreground of the terminal, if that isn't the engine's own.
    pub(super) fn works_in_front(&self) -> Option<u32> {
        let engine = self.engine_id?;
        self.pty.as_ref()?.foreground().filter(|group| *group != engine.pid)
    }

    /// Whether the program in the foreground takes each key at once, as one that edits its lines does while it
    /// reads one.
    pub(super) fn takes_keys(&self) -> bool {
        self.pty.as_ref().is_some_and(crate::pty::Pty::takes_keys)
    }
}
