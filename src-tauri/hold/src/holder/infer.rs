//! Inferring what an engine doesn't report: that it is open, that it works, that a turn began or ended.

use std::path::Path;
use std::time::Duration;

use repose_core::hold::Kind;
use repose_core::ids::ConversationId;
use repose_core::signal::{Author, Level, Said, Signal};
use repose_engine::engine::{LevelBy, Opening, Turned, TurnsBy};
use repose_engine::transcript::Place;
use repose_sys::clock::now;
use tokio::time::Instant;

use super::ending::Phase;
use super::look::{CLOSELY, OPENING_SCAN};
use super::session::Holder;

/// How often a title that says "working" in a new form is reported again as a sign of life.
const SIGN_EVERY: Duration = Duration::from_secs(5);

/// How long after a command's end its output may take to reach the screen, and how long after a shell's first
/// sign the output of its own commands may take.
const SHELL_SETTLES: Duration = Duration::from_millis(150);

/// How long a shell may take to give its first sign of a line, which is ending the line on the screen. On a
/// busy machine that takes long; a shell that shows nothing by then has answered nothing.
const SHELL_ECHOES: Duration = Duration::from_secs(2);

/// Why an ask came to nothing whose line isn't complete.
const GOES_ON: &str = "the line isn't complete (an open quote, perhaps) and was broken off";

/// What is in the foreground of the terminal of an engine that reports nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    /// Unknown, since nobody has looked yet.
    Unseen,
    /// The engine itself, waiting for a line.
    Engine,
    /// A program that the engine started.
    Command,
    /// The engine again, which may not have shown everything that came of a line. It will have by this
    /// moment.
    Settling(Instant),
}

impl Job {
    /// Whether something is at work in the terminal, or was a moment ago.
    pub(super) fn goes_on(self) -> bool {
        match self {
            Self::Command | Self::Settling(_) => true,
            Self::Unseen | Self::Engine => false,
        }
    }

    /// The screen changed: the rest of a line's output comes soon.
    pub(super) fn drew(&mut self) {
        if let Self::Settling(by) = self {
            *by = (*by).min(Instant::now() + SHELL_SETTLES);
        }
    }
}

impl Holder {
    /// Checks whether the engine can be seen to have opened, if it reports that through no hook.
    pub(super) fn look_whether_open(&mut self) {
        if self.session.is_confirmed() {
            return;
        }
        if self.looks.level.is_none() && !self.looks.is_still(Instant::now()) {
            // The process that reports may be one that the engine's launcher is about to start.
            self.looks.next_scan = self.looks.next_scan.min(Instant::now() + OPENING_SCAN);
        }
        let level = self.titled_level();
        let tree: Vec<u32> = self.looks.tree.iter().map(|process| process.pid).collect();
        let opened = self.engine.confirmed(&Opening {
            env: &self.env,
            folder: Path::new(&self.spec.cwd),
            tree: &tree,
            asked: self.spec.conversation.as_ref(),
            resumes: self.spec.resumes,
            forks: self.spec.forks,
            since: self.started,
            now: now().wall,
            title: self.screen.title(),
            level: level.as_ref(),
        });
        // Records that can't be read now are read again later.
        let Ok(Some(opened)) = opened else { return };
        let transcript = opened.transcript.map(|path| path.to_string_lossy().into_owned());
        let said = Said::Started { source: opened.source, transcript };
        self.signal(Signal { conversation: opened.conversation, at: now().wall, said });
        match self.engine.speaks().level {
            LevelBy::Foreground => {
                self.says(Said::Level(Level::Idle));
                self.looks.job = Job::Engine;
            }
            LevelBy::Title => {
                self.looks.titled = None;
                self.hear_level(level);
            }
            // Nothing has been asked yet; whatever it reports from now on is heard.
            LevelBy::Events => self.says(Said::Level(Level::Idle)),
            LevelBy::File => {}
        }
    }

    /// Whether the turn that is over was in another conversation after all. The session then looks at it
    /// again in that one.
    pub(super) fn follow(&mut self, conversation: &ConversationId) -> bool {
        let tree: Vec<u32> = self.looks.tree.iter().map(|process| process.pid).collect();
        let Some(turned) = self.turned(conversation, &tree) else { return false };
        let Some(moved) = self.engine.moved_to(&turned) else { return false };
        let transcript = moved.transcript.map(|path| path.to_string_lossy().into_owned());
        let said = Said::Started { source: moved.source, transcript };
        self.signal(Signal { conversation: moved.conversation, at: now().wall, said });
        true
    }

    /// The current turn, in the form in which engines look for it.
    fn turned<'a>(&'a self, conversation: &'a ConversationId, tree: &'a [u32]) -> Option<Turned<'a>> {
        let holds = self.session.view(now()).holds;
        let turn = holds.iter().find(|hold| matches!(hold.kind, Kind::Turn))?;
        Some(Turned {
            env: &self.env,
            folder: Path::new(&self.spec.cwd),
            tree,
            conversation,
            began: turn.since,
            after: self.looks.rested_before,
        })
    }

    fn titled_level(&self) -> Option<Level> {
        match self.engine.speaks().level {
            LevelBy::Events if !self.hears() => None,
            LevelBy::Title | LevelBy::Events => {
                self.screen.title().and_then(|title| self.engine.title_level(title))
            }
            LevelBy::File | LevelBy::Foreground => None,
        }
    }

    /// Takes in all titles that the engine set, since a short turn begins and ends within one piece of
    /// output.
    pub(super) fn hear_titles(&mut self, titles: &[String]) {
        match self.engine.speaks().level {
            LevelBy::Title => {}
            LevelBy::Events => return self.listen(titles),
            LevelBy::File | LevelBy::Foreground => return,
        }
        for title in titles {
            self.hear_level(self.engine.title_level(title));
        }
    }

    /// Reports the level that the title shows, if it changed. An unchanged one is a sign of life if the
    /// engine draws its work in the title.
    fn hear_level(&mut self, level: Option<Level>) {
        if !self.session.is_confirmed() || !matches!(self.phase, Phase::Live) {
            return;
        }
        let Some(level) = level else { return };
        let before = self.looks.titled.take();
        let same = before.as_ref().is_some_and(|(_, known)| *known == level);
        if let Some((at, known)) = before
            && same
            && (level == Level::Idle || at.elapsed() < SIGN_EVERY)
        {
            self.looks.titled = Some((at, known));
            return;
        }
        self.looks.titled = Some((Instant::now(), level.clone()));
        if !same {
            self.turn_by_title(&level);
        }
        self.says(Said::Level(level));
        // How the turn ended may have to be looked for.
        self.looks.next = self.looks.next.min(Instant::now() + CLOSELY);
    }

    /// Begins and ends a turn by the title, for an engine without hooks. If a transcript tells how the turn
    /// ended, it also tells whether anything was asked: a command of the user's own also works, and asks
    /// nothing.
    fn turn_by_title(&mut self, level: &Level) {
        let turn = self.session.view(now()).holds.iter().any(|hold| matches!(hold.kind, Kind::Turn));
        match level {
            Level::Busy if !turn => self.looks.rested_before = self.looks.rested,
            Level::Idle => self.looks.rested = now().wall,
            Level::Busy | Level::Waiting(_) | Level::Shell | Level::Unknown(_) => {}
        }
        match (self.engine.speaks().turns, level) {
            (TurnsBy::Hooks | TurnsBy::Events, _) => {}
            (TurnsBy::Transcript | TurnsBy::Screen, Level::Busy) if !turn => {
                let text = self.session.awaits_proof_of().map(str::to_owned);
                if text.is_none() {
                    self.screen.unasked();
                }
                if self.engine.speaks().turns == TurnsBy::Screen || text.is_some() {
                    self.prompt_taken(text.unwrap_or_default());
                }
            }
            // It may ask something before it says that it works. That is the turn's, and not to be asked
            // twice.
            (TurnsBy::Screen, Level::Waiting(_)) if !turn && self.has_sent() => {
                let text = self.session.awaits_proof_of().map(str::to_owned);
                self.prompt_taken(text.unwrap_or_default());
            }
            (TurnsBy::Transcript, Level::Idle) if self.session.works_unasked() && self.was_asked() => {
                self.prompt_taken(String::new());
            }
            (TurnsBy::Screen, Level::Idle) if turn => {
                let text = self.screen.answer().filter(|text| !text.is_empty());
                // A program that draws its answer above the question leaves nothing below it.
                let text = text.unwrap_or_else(|| self.screen.last_words());
                self.says(Said::Stopped { prompt: None, text, background: None, wakeups: None });
            }
            (TurnsBy::Transcript | TurnsBy::Screen, _) => {}
        }
    }

    /// Whether something was asked in the turn that is over, in this conversation or in another.
    fn was_asked(&mut self) -> bool {
        let Some(id) = self.conversation().cloned() else { return false };
        let Some(turned) = self.turned(&id, &[]) else { return false };
        let here = self.transcript_path().is_some_and(|path| {
            // If it can't be read now, it may contain the prompt; the search for the turn's end goes on until
            // that is known.
            self.engine.asked_in(Place { path: &path, id: &id }, &turned).unwrap_or(true)
        });
        here || self.follow(&id)
    }

    fn prompt_taken(&mut self, text: String) {
        self.says(Said::PromptTaken { prompt: None, text, author: Author::Person });
    }

    /// A prompt was sent to an engine that won't report taking it: it reads a line as soon as the line ends.
    pub(super) fn sent(&mut self, text: String) {
        match self.engine.speaks().level {
            LevelBy::Foreground => {
                // What came of the line hasn't been read yet.
                self.looks.edits_lines |= self.screen.takes_pastes();
                self.looks.job = Job::Settling(Instant::now() + SHELL_ECHOES);
                self.looks.next = Instant::now() + CLOSELY;
                self.prompt_taken(text);
            }
            LevelBy::File | LevelBy::Title | LevelBy::Events => {}
        }
    }

    /// Derives the level of an engine that reports nothing: it works while another process is in the
    /// foreground of its terminal. One that edits its lines itself also works while it doesn't ask for one: it
    /// carries out a command of its own, such as `wait`.
    pub(super) fn look_at_job(&mut self) {
        let Some(pty) = &self.pty else { return };
        let Some(engine) = self.engine_id else { return };
        let asks = self.screen.takes_pastes();
        let works =
            pty.foreground().is_some_and(|group| group != engine.pid) || (self.looks.edits_lines && !asks);
        let now = Instant::now();
        match (self.looks.job, works) {
            (Job::Unseen | Job::Engine, true) => {
                self.looks.job = Job::Command;
                self.says(Said::Level(Level::Busy));
            }
            (Job::Command | Job::Settling(_), true) => {
                self.looks.job = Job::Command;
                self.says(Said::ToolUsed);
            }
            (Job::Command, false) => self.looks.job = Job::Settling(now + SHELL_SETTLES),
            (Job::Settling(by), false) if now >= by => {
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
            }
            (Job::Unseen | Job::Engine, false) => self.looks.edits_lines |= asks,
            (Job::Settling(_), false) => {}
        }
    }

    /// Whether the engine shows that the line which was asked of it isn't complete.
    fn waits_for_the_rest(&self) -> bool {
        let shown = self.screen.before_cursor();
        self.screen.asked_after().is_some_and(|before| self.engine.waits_for_the_rest(before, &shown))
    }

    /// Handles an inferred signal as if the engine had reported it.
    pub(super) fn says(&mut self, said: Said) {
        self.signal(Signal { conversation: self.conversation().cloned(), at: now().wall, said });
    }
}
