//! The engine Gemini CLI.
//!
//! What is said here of the program was observed with version 0.61.0. Its files are only read.

mod chats;
mod command;
mod files;
mod jsonc;
mod line;
mod moved;
mod opened;
mod owners;
mod screen;
mod settings;
mod transcript;
mod trust;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::conversation::{Loss, Owner};
use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Wait};
use repose_core::typing::Habits;
use repose_sys::tree::Member;

use crate::ask::{InputLine, Keys, Seen, UnfitText, standing};
use crate::engine::{EndBy, Engine, LevelBy, Opened, Opening, Speaks, Turned, TurnsBy};
use crate::env::Env;
use crate::launch::{Launch, Order, UnfitArgument};
use crate::locate::{Missing, Program};
use crate::told::{ExitCause, Login, Silenced, Version};
use crate::transcript::{Answer, Asked, Listed, Page, Place, Tail};

/// A second Esc within 0.5 s removes the text (0.61.0).
const ESC_TWICE: Duration = Duration::from_millis(400);

/// The engine's name.
const NAME: &str = "gemini";

/// The engine's display name.
const TITLE: &str = "Gemini CLI";

/// It ends within 0.2 s of a hangup.
const END_WITHIN: Duration = Duration::from_secs(5);

/// The beginning of the title while it waits for a prompt.
const READY: char = '\u{25c7}';

/// The beginning of the title while it works: visibly, or in a command that has written nothing for long.
const WORKS: [char; 2] = ['\u{2726}', '\u{23f2}'];

/// The beginning of the title while it waits for a permission or an answer.
const WAITS: char = '\u{270b}';

/// The engine `gemini`.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Engine for Gemini {
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
        vec![
            "What it asks is answered in its terminal: it takes no answer from elsewhere.",
            "It deletes conversations that it takes up, unless `general.sessionRetention.enabled` is false in its settings: until then every open is fresh, and a pause is refused.",
            "A conversation that was chosen inside the program is noticed at the end of its next turn.",
            "A conversation that was chosen inside a program outside Repose isn't seen to be open there.",
            "After its folder was moved, a conversation isn't offered in the new place.",
        ]
    }

    fn speaks(&self) -> Speaks {
        Speaks { level: LevelBy::Title, turns: TurnsBy::Transcript }
    }

    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing> {
        command::locate(env, command)
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @google/gemini-cli")
    }

    /// Read from its package: asking the program takes a second and starts two processes.
    fn version(&self, program: &Program, env: &Env) -> Version {
        let read = command::version(&program.exec);
        let version = read.or_else(|| crate::locate::version(&program.exec, env));
        version.map_or(Version::Untold, Version::Told)
    }

    fn login(&self, env: &Env) -> Login {
        files::login(env)
    }

    fn trusts(&self, env: &Env, folder: &Path) -> Option<bool> {
        Some(trust::of(env, folder).is_some())
    }

    fn silenced_by(&self, env: &Env, folder: &Path) -> Option<Silenced> {
        settings::silenced_by(env, folder)
    }

    fn would_lose(&self, env: &Env, folder: &Path) -> Option<Loss> {
        settings::would_lose(env, folder)
    }

    fn lost_at_start(&self, env: &Env, folder: &Path) -> Vec<ConversationId> {
        match (settings::would_lose(env, folder), files::chats(env, folder)) {
            (Some(_), Some(chats)) => chats::with_an_empty_twin(&chats),
            (None, _) | (Some(_), None) => Vec::new(),
        }
    }

    fn new_conversation(&self) -> Option<ConversationId> {
        Some(ConversationId::new(uuid::Uuid::new_v4().to_string()))
    }

    fn check_args(&self, args: &[String]) -> Result<(), UnfitArgument> {
        command::check_args(args)
    }

    fn plan(&self, order: &Order<'_>) -> Launch {
        command::plan(order)
    }

    fn title_level(&self, title: &str) -> Option<Level> {
        let first = title.chars().next()?;
        if first == WAITS {
            return Some(Level::Waiting(Wait::Permission(String::new())));
        }
        if WORKS.contains(&first) {
            return Some(Level::Busy);
        }
        (first == READY).then_some(Level::Idle)
    }

    fn confirmed(&self, seen: &Opening<'_>) -> io::Result<Option<Opened>> {
        opened::confirmed(seen)
    }

    fn moved_to(&self, seen: &Turned<'_>) -> Option<Opened> {
        moved::to(seen)
    }

    fn asked_in(&self, transcript: Place<'_>, seen: &Turned<'_>) -> io::Result<bool> {
        Ok(moved::asked_in(transcript.path, seen))
    }

    /// A command that it runs leads its own process session.
    fn left_running(&self, process: &Member, _engine: u32) -> bool {
        process.session == process.id.pid
    }

    fn runs(&self, process: &Member) -> Option<String> {
        command::wrapped(&process.command)
    }

    fn opened(&self, env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
        Ok(owners::opened(env, ours))
    }

    fn resume_command(&self, folder: &Path, id: &ConversationId) -> Option<String> {
        command::resume(folder, id)
    }

    fn transcript_path(&self, env: &Env, folder: &Path, id: &ConversationId) -> Option<PathBuf> {
        chats::path_of(&files::chats(env, folder)?, id)
    }

    fn conversations(&self, env: &Env, folder: &Path) -> io::Result<Vec<Listed>> {
        chats::conversations(env, folder)
    }

    fn newest(&self, env: &Env, folder: &Path) -> io::Result<Option<Listed>> {
        chats::newest(env, folder)
    }

    fn summary(&self, transcript: Place<'_>) -> io::Result<Option<Listed>> {
        let summary = transcript::summary(transcript.path, Some(transcript.id))?;
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

    fn keys(&self, text: &str) -> Result<Keys, UnfitText> {
        command::keys(text)
    }

    fn same_prompt(&self, asked: &str, reported: &str) -> bool {
        command::same(asked, reported)
    }

    /// Its line appears some time after the title says that it is ready, and what is typed earlier is lost.
    fn input_line(&self, seen: &Seen<'_>) -> InputLine {
        if screen::line_is_there(seen) { InputLine::There } else { InputLine::Covered }
    }

    fn leads_to_prompt(&self, seen: &Seen<'_>) -> Option<&'static [u8]> {
        screen::is_left_with_esc(seen).then_some(b"\x1b")
    }

    /// Before it reads files outside its folder that a prompt names, it asks without saying so in the title.
    fn asks(&self, seen: &Seen<'_>) -> Option<Wait> {
        screen::asks(seen)
    }

    fn shows(&self, text: &str, seen: &Seen<'_>) -> bool {
        screen::line_is_there(seen) && standing::stands(text, seen)
    }

    fn empties(&self, lines: usize) -> Vec<u8> {
        crate::ask::empties(lines)
    }

    fn habits(&self, _env: &Env, _folder: &Path) -> Habits {
        Habits { esc_twice: Some(ESC_TWICE), searches: true, ..Habits::default() }
    }

    fn interrupt(&self) -> &'static [u8] {
        b"\x1b"
    }

    /// Its launcher, if there is one, ignores signals and ends with the program behind it.
    fn end_by(&self) -> EndBy {
        EndBy::HangUp
    }

    /// When it ends, it deletes the file that it writes unless it knows of something that was said. Until it
    /// has read the history of a resumed conversation, it knows of nothing, and the file may be the
    /// conversation itself: that is so if both began in the same minute.
    fn end_opening_by(&self, resumes: bool) -> EndBy {
        if resumes { EndBy::Kill } else { self.end_by() }
    }

    fn end_within(&self) -> Duration {
        END_WITHIN
    }

    fn recent_folders(&self, env: &Env, limit: usize) -> Vec<PathBuf> {
        chats::recent_folders(env, limit)
    }

    fn exit_cause(&self, screen: &str) -> ExitCause {
        let words: String = screen.chars().filter(|c| c.is_alphanumeric()).collect();
        if words.contains("Errorresumingsession") {
            return ExitCause::NoSuchConversation;
        }
        if words.contains("Errorstartingsession") { ExitCause::IdTaken } else { ExitCause::Unknown }
    }

    fn opening_dialog(&self, screen: &str) -> Option<Wait> {
        let words: String = screen.chars().filter(|c| c.is_alphanumeric()).collect();
        if words.contains("Doyoutrustthefilesinthisfolder") {
            return Some(Wait::Trust);
        }
        let login = ["Howwouldyouliketoauthenticate", "EnterGeminiAPIKey"];
        login.iter().any(|asked| words.contains(asked)).then(|| Wait::Choice("how to log in".into()))
    }
}

#[cfg(test)]
mod tests;
