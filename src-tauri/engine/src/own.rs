//! Engines that users describe in their settings: `[engines.NAME]`.
//!
//! Nothing is known of such a program except what its table says. Without `resume_args` it is treated like a
//! shell: it keeps no conversation, and every open is fresh.

mod pattern;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use repose_core::conversation::{Conversation, OnDisk, Turns};
use repose_core::ids::{ConversationId, EngineName};
use repose_core::signal::{Level, Source};
use repose_core::time::Wall;
use repose_core::typing::Habits;
use repose_sys::tree::Member;
use serde::{Deserialize, Serialize};

use crate::ask::{Keys, Marks, UnfitText, bracketed, typeable};
use crate::engine::{EndBy, Engine, LevelBy, Opened, Opening, Speaks, TurnsBy};
use crate::env::Env;
use crate::launch::{Launch, Open, Order};
use crate::locate::{self, Missing, Program};
use crate::told::{Login, Version};
use crate::transcript::{LastTurn, Listed, Page, Place, Tail};

/// The pause between paste and submit. What a program needs is unknown; in a trial, a submit 150 ms after a
/// paste was lost on a busy machine.
const GAP: Duration = Duration::from_millis(500);

/// Programs that save their work on SIGTERM have done so by then; the tree is ended after this in any case.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Placeholders in arguments and in the transcript's path.
pub const PLACEHOLDERS: [&str; 2] = ["{repo}", "{conversation}"];

/// The user's description of an engine of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its display name; the name, if the table gives none.
    pub title: String,
    /// Its program: a name to look for on `PATH`, or a path. `None`: the settings no longer describe it.
    pub command: Option<String>,
    /// The arguments for a new conversation.
    pub args: Vec<String>,
    /// How it resumes a conversation, if it can.
    pub resume: Option<Resume>,
    /// What its title shows.
    pub titles: Option<Titles>,
}

/// How a conversation is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The arguments, instead of those for a new conversation.
    pub args: Vec<String>,
    /// The path of the transcript, with `*` and `?`. A conversation whose transcript is missing or empty
    /// can't be resumed.
    pub transcript: String,
}

/// Patterns with `*` and `?` that are compared with the whole title of the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Titles {
    /// The engine waits for a prompt.
    pub ready: String,
    /// The engine works.
    pub working: String,
    /// The engine waits for a decision.
    pub waiting: Option<String>,
}

/// An engine of the user's own.
#[derive(Debug, Clone)]
pub struct Own(Description);

impl Own {
    /// The engine with this description.
    #[must_use]
    pub fn new(description: Description) -> Self {
        Self(description)
    }

    /// An engine of some repo that the settings no longer describe: it can't be found.
    #[must_use]
    pub fn undescribed(name: &str) -> Self {
        Self(Description {
            name: name.into(),
            title: name.into(),
            command: None,
            args: Vec::new(),
            resume: None,
            titles: None,
        })
    }

    /// The user's description.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.0
    }
}

impl Engine for Own {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn title(&self) -> &str {
        &self.0.title
    }

    fn own(&self) -> Option<&Description> {
        Some(&self.0)
    }

    fn keeps_conversations(&self) -> bool {
        self.0.resume.is_some()
    }

    /// The table has no setting for that.
    fn forks(&self) -> bool {
        false
    }

    fn cannot(&self) -> Vec<&'static str> {
        let mut cannot =
            vec!["What it asks is answered in its terminal, and an answer is what its screen shows."];
        if self.0.resume.is_none() {
            cannot.push("Without `resume_args` it keeps no conversation: every open is fresh, and a pause is refused.");
        }
        if self.0.resume.is_some() {
            cannot.push("It makes no copy of a conversation: a fork is refused.");
        }
        if self.0.titles.is_none() {
            cannot
                .push("Without `ready` and `working` it counts as idle while it has its terminal to itself.");
        }
        cannot
    }

    fn speaks(&self) -> Speaks {
        let level = if self.0.titles.is_some() { LevelBy::Title } else { LevelBy::Foreground };
        Speaks { level, turns: TurnsBy::Screen }
    }

    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing> {
        let Some(command) = command.or(self.0.command.as_deref()) else {
            return Err(Missing::NotDescribed { name: self.0.name.clone() });
        };
        let path = locate::program(env, command)?;
        Ok(Program { found: path.clone(), exec: path })
    }

    /// How to ask for the version is unknown, and some programs would start for good.
    fn version(&self, _program: &Program, _env: &Env) -> Version {
        Version::NotAsked
    }

    fn login(&self, _env: &Env) -> Login {
        Login::Unknown
    }

    fn trusts(&self, _env: &Env, _folder: &Path) -> Option<bool> {
        None
    }

    fn new_conversation(&self) -> Option<ConversationId> {
        self.keeps_conversations().then(|| ConversationId::new(uuid::Uuid::new_v4().to_string()))
    }

    fn plan(&self, order: &Order<'_>) -> Launch {
        let (args, id) = match (&order.open, &self.0.resume) {
            (Open::Resume { id }, Some(resume)) => (&resume.args, Some(*id)),
            (Open::Fresh { id } | Open::Fork { id, .. }, _) => (&self.0.args, *id),
            (Open::Resume { .. }, None) => (&self.0.args, None),
        };
        let id = id.map_or("", ConversationId::as_str);
        Launch {
            program: order.program.to_owned(),
            args: args.iter().map(|arg| filled(arg, order.folder, id).into()).collect(),
            ..Launch::default()
        }
    }

    fn title_level(&self, title: &str) -> Option<Level> {
        let titles = self.0.titles.as_ref()?;
        let says = |pattern: &str| pattern::fits(pattern, title);
        if titles.waiting.as_deref().is_some_and(says) {
            return Some(Level::Waiting(repose_core::signal::Wait::Choice(String::new())));
        }
        if says(&titles.working) {
            return Some(Level::Busy);
        }
        says(&titles.ready).then_some(Level::Idle)
    }

    /// If nothing else shows its work, a process below it with its own process group is a job, as in a shell.
    /// The program's own parts stay in its group.
    fn left_running(&self, process: &Member, engine: u32) -> bool {
        self.speaks().level == LevelBy::Foreground && process.id.pid != engine && process.group != engine
    }

    /// An engine that can resume has to say when it is ready, and is then believed: it would have ended if it
    /// hadn't found the conversation.
    fn confirmed(&self, seen: &Opening<'_>) -> io::Result<Option<Opened>> {
        if self.0.titles.is_some() && seen.level.is_none() {
            return Ok(None);
        }
        let conversation = seen.asked.filter(|_| self.keeps_conversations()).cloned();
        let source = if seen.resumes { Source::Resumed } else { Source::New };
        Ok(Some(Opened { conversation, source, transcript: None }))
    }

    fn transcript_path(&self, _env: &Env, folder: &Path, id: &ConversationId) -> Option<PathBuf> {
        let resume = self.0.resume.as_ref()?;
        let path = filled(&resume.transcript, folder, id.as_str());
        pattern::newest(Path::new(&path)).or_else(|| (!path.contains(['*', '?'])).then(|| path.into()))
    }

    fn summary(&self, transcript: Place<'_>) -> io::Result<Option<Listed>> {
        let meta = fs::metadata(transcript.path)?;
        let path = transcript.path.to_string_lossy().into_owned();
        let begun = Conversation::begun(transcript.id.clone(), EngineName::new(self.name()), Some(path));
        let conversation = Conversation {
            on_disk: OnDisk::There,
            turns: if meta.len() > 0 { Turns::Uncounted } else { Turns::NONE },
            last_turn: meta.modified().ok().map(wall),
            ..begun
        };
        Ok(Some(Listed { conversation, title: None, size: meta.len() }))
    }

    /// The meaning of its lines is unknown: a transcript that isn't empty has turns.
    fn tail(&self, transcript: Place<'_>) -> io::Result<Tail> {
        let meta = fs::metadata(transcript.path)?;
        Ok(Tail {
            last_activity: meta.modified().ok().map(wall),
            last_turn: if meta.len() == 0 { LastTurn::None } else { LastTurn::Unknown },
            context_tokens: None,
            whole: true,
            skipped: 0,
            bytes_read: 0,
        })
    }

    fn entries(&self, _transcript: Place<'_>, _before: Option<u64>, _limit: usize) -> io::Result<Page> {
        Ok(Page::default())
    }

    fn keys(&self, text: &str) -> Result<Keys, UnfitText> {
        Ok(Keys { paste: bracketed(&typeable(text)?), gap: GAP, submit: b"\r".to_vec() })
    }

    fn marks(&self) -> Marks {
        Marks::WhereWanted
    }

    /// What its Ctrl-C does isn't known: what is typed counts as still there while it works.
    fn habits(&self, _env: &Env, _folder: &Path) -> Habits {
        Habits { drop_ends_turns: true, ..Habits::default() }
    }

    fn interrupt(&self) -> &'static [u8] {
        b"\x03"
    }

    fn end_by(&self) -> EndBy {
        EndBy::Terminate
    }

    fn end_within(&self) -> Duration {
        END_WITHIN
    }
}

fn filled(text: &str, folder: &Path, id: &str) -> String {
    text.replace("{repo}", &folder.to_string_lossy()).replace("{conversation}", id)
}

fn wall(time: SystemTime) -> Wall {
    let millis = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    Wall(u64::try_from(millis).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
