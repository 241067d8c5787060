//! The engine Codex CLI.
//!
//! What is said here of the program was observed with version 0.171.0. Its files are only read.

mod command;
mod discover;
mod files;
mod hooks;
mod line;
mod locks;
mod signals;
mod transcript;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::conversation::Owner;
use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Signal, Wait};
use repose_core::time::Wall;
use repose_sys::tree::Member;

use crate::ask::{Keys, Seen, UnfitText, bracketed, finished, standing, typeable};
use crate::engine::{EndBy, Engine, LevelBy, Opened, Opening, Speaks, TurnsBy};
use crate::env::Env;
use crate::launch::{Launch, Order, UnfitArgument};
use crate::locate::{Missing, Program};
use crate::told::{BadPayload, ExitCause, Login, Silenced};
use crate::transcript::{Answer, Asked, Listed, Moved, Page, Place, Tail};

/// The engine's name.
const NAME: &str = "codex";

/// The engine's display name.
const TITLE: &str = "Codex";

/// The pause between paste and submit: both in one write count as a paste.
const GAP: Duration = Duration::from_millis(150);

/// It ends within 0.2 s of a SIGTERM.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Words that exit the program if they are the whole prompt.
const ENDING: [&str; 2] = ["/quit", "/exit"];

/// The beginning of the title while it waits for a permission or an answer. The mark in the middle blinks.
const WAITS: [&str; 2] = ["[ ! ] Action Required", "[ . ] Action Required"];

/// The engine `codex`.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl Engine for Codex {
    fn name(&self) -> &str {
        NAME
    }

    fn title(&self) -> &str {
        TITLE
    }

    fn keeps_conversations(&self) -> bool {
        true
    }

    fn cannot(&self) -> Vec<&'static str> {
        vec!["What it asks is answered in its terminal: it takes no answer from elsewhere."]
    }

    fn speaks(&self) -> Speaks {
        Speaks { level: LevelBy::Title, turns: TurnsBy::Hooks }
    }

    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing> {
        command::locate(env, command)
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @openai/codex")
    }

    fn login(&self, env: &Env) -> Login {
        files::login(env)
    }

    /// Trust may be recorded in its settings, in a profile, or in an organisation's settings, so only its
    /// dialog shows it.
    fn trusts(&self, _env: &Env, _folder: &Path) -> Option<bool> {
        None
    }

    fn silenced_by(&self, env: &Env, folder: &Path) -> Option<Silenced> {
        hooks::silenced_by(env, folder)
    }

    fn check_args(&self, args: &[String]) -> Result<(), UnfitArgument> {
        command::check_args(args)
    }

    fn plan(&self, order: &Order<'_>) -> Launch {
        command::plan(order)
    }

    fn signal(&self, payload: &[u8], received: Wall) -> Result<Option<Signal>, BadPayload> {
        signals::signal(payload, received)
    }

    /// A spinner before the words means that it is at work.
    fn title_level(&self, title: &str) -> Option<Level> {
        if WAITS.iter().any(|mark| title.starts_with(mark)) {
            return Some(Level::Waiting(Wait::Permission(String::new())));
        }
        let spins = title.chars().next().is_some_and(|first| ('\u{2800}'..='\u{28ff}').contains(&first));
        Some(if spins { Level::Busy } else { Level::Idle })
    }

    fn confirmed(&self, seen: &Opening<'_>) -> io::Result<Option<Opened>> {
        // Before its first title it doesn't accept keys.
        match seen.level {
            Some(Level::Idle) => locks::confirmed(seen),
            Some(_) | None => Ok(None),
        }
    }

    /// A command that it left running leads its own process session.
    fn left_running(&self, process: &Member, engine: u32) -> bool {
        process.parent == engine && process.session == process.id.pid
    }

    fn opened(&self, env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
        locks::opened(env, ours)
    }

    fn resume_command(&self, folder: &Path, id: &ConversationId) -> Option<String> {
        command::resume(folder, id)
    }

    fn transcript_path(&self, env: &Env, _folder: &Path, id: &ConversationId) -> Option<PathBuf> {
        discover::path_of(env, id)
    }

    fn conversations(&self, env: &Env, folder: &Path) -> io::Result<Vec<Listed>> {
        discover::conversations(env, folder)
    }

    fn newest(&self, env: &Env, folder: &Path) -> io::Result<Option<Listed>> {
        discover::newest(env, folder)
    }

    fn moved(&self, env: &Env, folder: &Path) -> io::Result<Vec<Moved>> {
        discover::moved(env, folder)
    }

    fn summary(&self, transcript: Place<'_>) -> io::Result<Option<Listed>> {
        let summary = transcript::summary(transcript.path)?;
        Ok(summary.filter(|listed| listed.conversation.id == *transcript.id))
    }

    fn tail(&self, transcript: Place<'_>) -> io::Result<Tail> {
        transcript::tail(transcript.path)
    }

    fn entries(&self, transcript: Place<'_>, before: Option<u64>, limit: usize) -> io::Result<Page> {
        transcript::entries(transcript.path, before, limit)
    }

    fn answer_to(&self, transcript: Place<'_>, asked: Asked<'_>) -> io::Result<Answer> {
        transcript::answer_to(transcript.path, asked)
    }

    /// A leading `/` would make it one of the program's own commands, and `!` a command line: a space in
    /// front prevents both. After a word with `@` it would change the text.
    fn keys(&self, text: &str) -> Result<Keys, UnfitText> {
        let mut text = typeable(text)?;
        if let Some(word) = ENDING.iter().find(|word| text.trim() == **word) {
            return Err(UnfitText::Ends { word });
        }
        if text.starts_with(['/', '!']) {
            text.insert(0, ' ');
        }
        let text = finished(text);
        Ok(Keys { paste: bracketed(&text), gap: GAP, submit: b"\r".to_vec() })
    }

    /// A menu of its own, whose title is that of an idle agent: Enter would choose what is marked in it.
    fn leads_to_prompt(&self, seen: &Seen<'_>) -> Option<&'static [u8]> {
        let last = seen.screen.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        (last.starts_with("enter select") && last.ends_with("esc back")).then_some(b"\x1b")
    }

    fn shows(&self, text: &str, seen: &Seen<'_>) -> bool {
        standing::stands(text, seen)
    }

    fn empties(&self, lines: usize) -> Vec<u8> {
        crate::ask::empties(lines)
    }

    fn interrupt(&self) -> &'static [u8] {
        b"\x1b"
    }

    fn end_by(&self) -> EndBy {
        EndBy::Terminate
    }

    fn end_within(&self) -> Duration {
        END_WITHIN
    }

    fn recent_folders(&self, env: &Env, limit: usize) -> Vec<PathBuf> {
        discover::recent_folders(env, limit)
    }

    fn exit_cause(&self, screen: &str) -> ExitCause {
        let words: String = screen.chars().filter(|c| c.is_alphanumeric()).collect();
        // If the transcript of a known conversation isn't in its place, the program uses another wording.
        let gone = ["Nosavedsessionfound", "norolloutfoundforthreadid"];
        if gone.iter().any(|gone| words.contains(gone)) {
            ExitCause::NoSuchConversation
        } else {
            ExitCause::Unknown
        }
    }

    fn opening_dialog(&self, screen: &str) -> Option<Wait> {
        let words: String = screen.chars().filter(|c| c.is_alphanumeric()).collect();
        if words.contains("SigninwithChatGPT") {
            return Some(Wait::Choice("how to log in".into()));
        }
        if words.contains("Trustthisfolder") {
            return Some(Wait::Trust);
        }
        words.contains("Hooksneedreview").then(|| Wait::Choice("which hooks may run?".into()))
    }
}

#[cfg(test)]
mod tests;
