//! The engine OpenCode.
//!
//! What is said here of the program was observed with version 1.18.33. Its files are only read. It has hooks
//! only through plugins, which it would install into its user's folder, so its own port is used instead.

mod command;
mod database;
mod discover;
mod events;
mod files;
mod message;
mod permission;
mod screen;
mod transcript;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::conversation::Owner;
use repose_core::decision::Pick;
use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Signal, Source};
use repose_sys::tree::Member;

use crate::ask::{InputLine, Keys, Seen, UnfitText, bracketed, finished, standing, typeable};
use crate::engine::{EndBy, Engine, LevelBy, Opened, Opening, Speaks, TurnsBy};
use crate::env::Env;
use crate::feed::{Feed, Known, News, Reply};
use crate::launch::{Launch, Order, UnfitArgument};
use crate::locate::{Missing, Program};
use crate::told::{ExitCause, Login, Silenced};
use crate::transcript::{Answer, Asked, Listed, Page, Place, Tail};

/// The engine's name.
const NAME: &str = "opencode";

/// The engine's display name, and the title of its terminal once it accepts keys.
const TITLE: &str = "OpenCode";

/// The beginning of the title in a conversation that has a title.
const TITLED: &str = "OC | ";

/// The pause between paste and submit: both in one write count as a paste.
const GAP: Duration = Duration::from_millis(150);

/// It ends within 0.5 s of a SIGTERM.
const END_WITHIN: Duration = Duration::from_secs(5);

/// Words that exit the program if they are the whole prompt.
const ENDING: [&str; 3] = ["exit", "quit", ":q"];

/// The engine `opencode`.
#[derive(Debug, Clone, Copy)]
pub struct OpenCode;

impl Engine for OpenCode {
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
            "A question with choices is answered in its terminal: Repose passes it no answer from elsewhere.",
            "A conversation that was chosen inside the program is noticed at its next prompt.",
            "A conversation that was chosen inside a program outside Repose isn't seen to be open there.",
            "After its folder was moved, a conversation isn't offered in the new place.",
        ]
    }

    fn speaks(&self) -> Speaks {
        Speaks { level: LevelBy::Events, turns: TurnsBy::Events }
    }

    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing> {
        command::locate(env, command)
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g opencode-ai")
    }

    fn login(&self, env: &Env) -> Login {
        files::login(env)
    }

    /// It opens in any folder.
    fn trusts(&self, _env: &Env, _folder: &Path) -> Option<bool> {
        Some(true)
    }

    fn silenced_by(&self, env: &Env, _folder: &Path) -> Option<Silenced> {
        files::silenced_by(env)
    }

    fn check_args(&self, args: &[String]) -> Result<(), UnfitArgument> {
        command::check_args(args)
    }

    fn plan(&self, order: &Order<'_>) -> Launch {
        command::plan(order)
    }

    /// The title says only that it accepts keys; its events say the rest.
    fn title_level(&self, title: &str) -> Option<Level> {
        (title == TITLE || title.starts_with(TITLED)).then_some(Level::Idle)
    }

    fn feed(&self, env: &Env) -> Option<Feed> {
        events::feed(env)
    }

    fn heard(&self, news: &News<'_>, known: &mut Known) -> Vec<Signal> {
        events::heard(news, known)
    }

    fn reply(&self, id: &str, pick: &Pick) -> Option<Reply> {
        permission::reply(id, pick)
    }

    /// If it doesn't find the conversation that it is told to open, it exits before it accepts keys. A new
    /// one begins with the first prompt. A copy is made behind its home screen, and shown after that: an
    /// earlier paste is lost.
    fn confirmed(&self, seen: &Opening<'_>) -> io::Result<Option<Opened>> {
        if seen.level.is_none() {
            return Ok(None);
        }
        let transcript = files::database(seen.env);
        if seen.forks {
            if !seen.title.is_some_and(|title| title.starts_with(TITLED)) {
                return Ok(None);
            }
            let copy = discover::copy(seen.env, seen.folder, seen.since)?;
            return Ok(copy.map(|id| Opened { conversation: Some(id), source: Source::Forked, transcript }));
        }
        Ok(Some(match seen.asked.filter(|_| seen.resumes) {
            Some(asked) => Opened { conversation: Some(asked.clone()), source: Source::Resumed, transcript },
            None => Opened { conversation: None, source: Source::New, transcript: None },
        }))
    }

    /// Each of its commands has its own process session, in which whatever it leaves behind remains.
    fn left_running(&self, process: &Member, engine: u32) -> bool {
        process.session != engine
    }

    /// It takes snapshots of the folder into a repository of its own, with these settings of `git` (seen with
    /// 1.18). The kernel's name isn't asked: it is read a moment earlier, and may still be that of what starts
    /// `git`.
    fn furnished(&self, process: &Member, _engine: u32) -> bool {
        let program = process.command.first().map(Path::new).and_then(Path::file_name);
        program.is_some_and(|name| name == "git")
            && process.command.iter().any(|word| word == "core.longpaths=true")
    }

    fn opened(&self, env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
        discover::opened(env, ours)
    }

    fn resume_command(&self, folder: &Path, id: &ConversationId) -> Option<String> {
        command::resume(folder, id)
    }

    fn transcript_path(&self, env: &Env, _folder: &Path, _id: &ConversationId) -> Option<PathBuf> {
        files::database(env)
    }

    fn written_to(&self, transcript: &Path) -> PathBuf {
        files::log(transcript)
    }

    fn conversations(&self, env: &Env, folder: &Path) -> io::Result<Vec<Listed>> {
        discover::conversations(env, folder)
    }

    fn newest(&self, env: &Env, folder: &Path) -> io::Result<Option<Listed>> {
        discover::newest(env, folder)
    }

    fn summary(&self, transcript: Place<'_>) -> io::Result<Option<Listed>> {
        transcript::summary(transcript)
    }

    fn tail(&self, transcript: Place<'_>) -> io::Result<Tail> {
        transcript::tail(transcript)
    }

    fn entries(&self, transcript: Place<'_>, before: Option<u64>, limit: usize) -> io::Result<Page> {
        transcript::entries(transcript, before, limit)
    }

    fn answer_to(&self, transcript: Place<'_>, asked: Asked<'_>) -> io::Result<Answer> {
        transcript::answer_to(transcript, asked)
    }

    /// A leading `/` would make it one of the program's own commands. After a word with `@` it offers files,
    /// and Enter would choose one. A space before the former and after the latter prevents that.
    fn keys(&self, text: &str) -> Result<Keys, UnfitText> {
        let mut text = typeable(text)?;
        if let Some(word) = ENDING.iter().find(|word| text.trim() == **word) {
            return Err(UnfitText::Ends { word });
        }
        if text.starts_with('/') {
            text.insert(0, ' ');
        }
        let text = finished(text);
        Ok(Keys { paste: bracketed(&text), gap: GAP, submit: b"\r".to_vec() })
    }

    fn input_line(&self, seen: &Seen<'_>) -> InputLine {
        if screen::line_is_there(seen) { InputLine::There } else { InputLine::Unseen }
    }

    fn leads_to_prompt(&self, seen: &Seen<'_>) -> Option<&'static [u8]> {
        screen::is_left_with_esc(seen).then_some(b"\x1b")
    }

    fn shows(&self, text: &str, seen: &Seen<'_>) -> bool {
        screen::line_is_there(seen) && standing::stands(text, seen)
    }

    fn empties(&self, lines: usize) -> Vec<u8> {
        crate::ask::empties(lines)
    }

    /// Esc twice, since the first only asks. Two plain ones together would be another key, so they are sent
    /// in the form of kitty's keyboard protocol.
    fn interrupt(&self) -> &'static [u8] {
        b"\x1b[27u\x1b[27u"
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
        if screen.contains("Session not found") { ExitCause::NoSuchConversation } else { ExitCause::Unknown }
    }
}

#[cfg(test)]
mod tests;
