//! Inferring what an engine doesn't report: that it is open, that it works, that a turn began or ended.

use std::path::Path;
use std::time::Duration;

use repose_core::hold::Kind;
use repose_core::ids::ConversationId;
use repose_core::session::Activity;
use repose_core::signal::{Author, Level, Said, Signal};
use repose_engine::engine::{LevelBy, Opening, Turned, TurnsBy};
use repose_engine::transcript::Place;
use repose_sys::clock::now;
use tokio::time::Instant;

use super::ending::Phase;
use super::job::Job;
use super::look::{CLOSELY, OPENING_SCAN};
use super::session::Holder;

/// How often a title that says "working" in a new form is reported again as a sign of life.
const SIGN_EVERY: Duration = Duration::from_secs(5);

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
    pub(super) fn turned<'a>(
        &'a self,
        conversation: &'a ConversationId,
        tree: &'a [u32],
    ) -> Option<Turned<'a>> {
        let holds = self.session.view(now()).holds;
        let turn = holds.iter().find(|hold| matches!(hold.kind, Kind::Turn))?;
        Some(Turned {
            env: &self.env,
            folder: Path::new(&self.spec.cwd),
            tree,
            conversation,
            began: turn.since,
            sent: self.looks.asked,
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
        self.hear_what_it_asks();
    }

    /// An engine may ask something while its title says that it is idle.
    fn hear_what_it_asks(&mut self) {
        if self.titled_level() == Some(Level::Idle) {
            let asks = self.seen(|seen| self.engine.asks(seen));
            self.hear_level(Some(asks.map_or(Level::Idle, Level::Waiting)));
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
        let view = self.session.view(now());
        let turn = view.holds.iter().any(|hold| matches!(hold.kind, Kind::Turn));
        let waits = matches!(view.activity, Activity::Waiting { .. });
        match level {
            Level::Busy | Level::Waiting(_) if !turn => {
                self.looks.rested_before = self.looks.rested;
                self.looks.asked = self.session.sent_text().and(self.looks.sent);
            }
            // A dialog that is answered isn't drawn any more before the turn goes on.
            Level::Idle if !waits => self.looks.rested = now().wall,
            Level::Idle | Level::Busy | Level::Waiting(_) | Level::Shell | Level::Unknown(_) => {}
        }
        match (self.engine.speaks().turns, level) {
            (TurnsBy::Hooks | TurnsBy::Events, _) => {}
            (turns @ (TurnsBy::Transcript | TurnsBy::Screen), Level::Busy) if !turn => {
                if self.session.awaits_proof_of().is_none() {
                    self.screen.unasked();
                }
                // What isn't sent yet didn't begin this turn.
                let text = self.session.sent_text().map(str::to_owned);
                match turns {
                    TurnsBy::Transcript if text.is_none() => {}
                    TurnsBy::Transcript | TurnsBy::Screen | TurnsBy::Hooks | TurnsBy::Events => {
                        self.prompt_taken(text.unwrap_or_default());
                    }
                }
            }
            // It may ask something before it says that it works. That is the turn's, and not to be asked
            // twice.
            (TurnsBy::Transcript | TurnsBy::Screen, Level::Waiting(_)) if !turn => {
                if let Some(text) = self.session.sent_text().map(str::to_owned) {
                    self.prompt_taken(text);
                }
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

    pub(super) fn prompt_taken(&mut self, text: String) {
        self.says(Said::PromptTaken { prompt: None, text, author: Author::Person });
    }

    /// Handles an inferred signal as if the engine had reported it.
    pub(super) fn says(&mut self, said: Said) {
        self.signal(Signal { conversation: self.conversation().cloned(), at: now().wall, said });
    }
}
