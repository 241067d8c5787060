//! The engine Claude Code.
//!
//! What is said here of the program was observed with versions 2.1.197 and 2.1.332. Its files are only read.

mod answer;
mod command;
mod decide;
mod discover;
mod editor;
mod entries;
mod files;
#[cfg(test)]
mod fixture;
mod hooks;
mod line;
mod login;
mod owners;
mod prompt;
mod screen;
mod signals;
mod status;
#[cfg(test)]
mod tests;
mod transcript;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::conversation::Owner;
use repose_core::decision::{Pick, Question};
use repose_core::ids::ConversationId;
use repose_core::signal::{Signal, Wait};
use repose_core::time::Wall;
use repose_core::typing::Habits;
use repose_sys::tree::Member;

use crate::ask::{Keys, Seen, UnfitText};
use crate::engine::{EndBy, Engine, LevelBy, Speaks, TurnsBy};
use crate::env::Env;
use crate::launch::{Launch, Order, UnfitArgument};
use crate::locate::{Missing, Program};
use crate::told::{BadPayload, ExitCause, Login, Reading, Silenced};
use crate::transcript::{Answer, Asked, Listed, Moved, Page, Place, Tail};

/// It ends within 0.2 s of a SIGTERM, after running the user's own SessionEnd hooks.
const END_WITHIN: Duration = Duration::from_secs(5);

/// A second Esc within 0.8 s removes the text (2.1.332).
const ESC_TWICE: Duration = Duration::from_millis(600);

/// The engine's name.
const NAME: &str = "claude";

/// The engine's display name.
const TITLE: &str = "Claude Code";

/// The engine `claude`.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

impl Engine for Claude {
    fn name(&self) -> &str {
        NAME
    }

    fn title(&self) -> &str {
        TITLE
    }

    fn keeps_conversations(&self) -> bool {
        true
    }

    fn speaks(&self) -> Speaks {
        Speaks { level: LevelBy::File, turns: TurnsBy::Hooks }
    }

    /// What its tools start has a process session of its own (2.1.332). Its servers (MCP) share the engine's,
    /// and start up to some seconds after it begins to wait for its first prompt.
    fn furnished(&self, process: &Member, engine: u32) -> bool {
        process.session == engine
    }

    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing> {
        command::locate(env, command)
    }

    fn install(&self) -> Option<&'static str> {
        Some("npm install -g @anthropic-ai/claude-code")
    }

    fn login(&self, env: &Env) -> Login {
        login::login(env)
    }

    fn trusts(&self, env: &Env, folder: &Path) -> Option<bool> {
        login::trusts(env, folder)
    }

    fn silenced_by(&self, env: &Env, folder: &Path) -> Option<Silenced> {
        hooks::silenced_by(env, folder)
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

    fn signal(&self, payload: &[u8], received: Wall) -> Result<Option<Signal>, BadPayload> {
        signals::signal(payload, received)
    }

    fn question(&self, payload: &[u8], picks: &[Pick]) -> Option<Question> {
        decide::question(payload, picks)
    }

    fn decided(&self, payload: &[u8], picks: &[Pick]) -> Option<Vec<u8>> {
        decide::answer(payload, picks)
    }

    fn level_file(&self, env: &Env, pid: u32) -> Option<PathBuf> {
        Some(files::sessions(env)?.join(format!("{pid}.json")))
    }

    fn level(&self, content: &[u8]) -> Reading {
        status::reading(content)
    }

    fn opened(&self, env: &Env, ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
        owners::opened(env, ours)
    }

    fn resume_command(&self, folder: &Path, id: &ConversationId) -> Option<String> {
        command::resume(folder, id)
    }

    fn transcript_path(&self, env: &Env, folder: &Path, id: &ConversationId) -> Option<PathBuf> {
        Some(files::transcripts(env, folder)?.join(format!("{id}.jsonl")))
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
        entries::entries(transcript.path, before, limit)
    }

    fn answer_to(&self, transcript: Place<'_>, asked: Asked<'_>) -> io::Result<Answer> {
        answer::answer_to(transcript.path, asked)
    }

    fn keys(&self, text: &str) -> Result<Keys, UnfitText> {
        prompt::keys(text)
    }

    fn shows(&self, text: &str, seen: &Seen<'_>) -> bool {
        screen::shows(text, seen)
    }

    fn same_prompt(&self, asked: &str, reported: &str) -> bool {
        prompt::same(asked, reported)
    }

    fn gives_prompts_back(&self) -> bool {
        true
    }

    /// Ctrl-U removes a line on the screen, and another one the line break before it; Ctrl-K does the same
    /// after the cursor. Both are sent in an extended form: it takes more than some 60 plain ones that arrive
    /// together for a paste, and drops them (2.1.332).
    fn empties(&self, lines: usize) -> Vec<u8> {
        [b"\x1b[117;5u".repeat(2 * lines), b"\x1b[107;5u".repeat(2 * lines)].concat()
    }

    fn habits(&self, env: &Env, folder: &Path) -> Habits {
        let modal = editor::is_modal(env, folder);
        Habits {
            esc_twice: (!modal).then_some(ESC_TWICE),
            cuts_breaks: true,
            searches: true,
            drop_ends_turns: true,
            modal,
            shows_cursor: true,
            ctrl_j_sends: false,
        }
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
        screen::exit_cause(screen)
    }

    fn opening_dialog(&self, screen: &str) -> Option<Wait> {
        screen::opening_dialog(screen)
    }
}
