//! The trait that describes an engine to everything above this crate.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use repose_core::conversation::{Loss, Owner};
use repose_core::decision::{Pick, Question};
use repose_core::ids::{ConversationId, EngineName};
use repose_core::signal::{Level, Signal, Wait};
use repose_core::time::Wall;
use repose_core::typing::Habits;
use repose_sys::tree::Member;

use crate::ask::{InputLine, Keys, Marks, Seen, UnfitText};
use crate::env::Env;
use crate::feed::{Feed, Known, News, Reply};
use crate::launch::{Launch, Order, UnfitArgument};
use crate::locate::{Missing, Program};
use crate::own::Description;
use crate::told::{BadPayload, ExitCause, Login, Reading, Silenced, Version};
use crate::transcript::{Answer, Asked, Listed, Moved, Page, Place, Tail};

mod means;
mod opened;

pub use means::{EndBy, LevelBy, Speaks, TurnsBy};
pub use opened::{Opened, Opening, Turned};

/// An engine. Nothing here changes any of its files; every method may block on the file system. Shared
/// behaviour is the default; an engine that keeps no conversations leaves those parts out.
pub trait Engine: Debug + Send + Sync {
    /// Its name in settings, store and API.
    fn name(&self) -> &str;

    /// Its display name.
    fn title(&self) -> &str;

    /// The description in the user's settings, if it isn't built in.
    fn own(&self) -> Option<&Description> {
        None
    }

    /// Whether it keeps conversations that can be resumed.
    fn keeps_conversations(&self) -> bool;

    /// Whether it can begin a conversation as a copy of another.
    fn forks(&self) -> bool {
        self.keeps_conversations()
    }

    /// Common expectations that it, or Repose with it, can't meet, each a sentence.
    fn cannot(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The means by which it reports what it does.
    fn speaks(&self) -> Speaks;

    /// What decisions need to know about it.
    fn described(&self) -> repose_core::conversation::Engine {
        repose_core::conversation::Engine {
            name: EngineName::new(self.name()),
            title: self.title().into(),
            keeps_conversations: self.keeps_conversations(),
            forks: self.forks(),
        }
    }

    /// Finds its program: `command` from the settings, or in the usual places.
    ///
    /// # Errors
    /// [`Missing`], with what to do.
    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing>;

    /// The command that installs it, if one works for everybody.
    fn install(&self) -> Option<&'static str> {
        None
    }

    /// The version that the program reports. Blocks for up to [`crate::locate::VERSION_WAIT`].
    fn version(&self, program: &Program, env: &Env) -> Version {
        crate::locate::version(&program.exec, env).map_or(Version::Untold, Version::Told)
    }

    /// Whether somebody is logged in, as far as files and environment show.
    fn login(&self, env: &Env) -> Login;

    /// Whether the engine opens in `folder` without asking if it is trusted. `None`: unknown.
    fn trusts(&self, env: &Env, folder: &Path) -> Option<bool>;

    /// The setting that keeps the engine from reporting to Repose what it does in `folder`.
    fn silenced_by(&self, _env: &Env, _folder: &Path) -> Option<Silenced> {
        None
    }

    /// How the engine, as configured now, would lose a conversation in `folder` by resuming or copying it.
    /// `None`: it wouldn't.
    fn would_lose(&self, _env: &Env, _folder: &Path) -> Option<Loss> {
        None
    }

    /// The conversations in `folder` that any start of the engine, as configured now, would delete.
    /// [`Engine::would_lose`] then says what to do about it.
    fn lost_at_start(&self, _env: &Env, _folder: &Path) -> Vec<ConversationId> {
        Vec::new()
    }

    /// A random id for a new conversation, if this engine lets the caller choose it.
    fn new_conversation(&self) -> Option<ConversationId> {
        None
    }

    /// Checks whether the user's further arguments can be passed on.
    ///
    /// # Errors
    /// The first argument that contradicts those of Repose.
    fn check_args(&self, _args: &[String]) -> Result<(), UnfitArgument> {
        Ok(())
    }

    /// The command line for an order.
    fn plan(&self, order: &Order<'_>) -> Launch;

    /// The signal in a hook's report. `None`: nothing that Repose needs, or the report of a helper rather
    /// than the agent itself. A report of a nested run of the engine gives a signal with a foreign
    /// conversation, which the core's session machine ignores.
    ///
    /// # Errors
    /// [`BadPayload`] if it can't be read.
    fn signal(&self, _payload: &[u8], _received: Wall) -> Result<Option<Signal>, BadPayload> {
        Err(BadPayload::NoHooks)
    }

    /// What is to be decided next, after what was picked so far, if this is the report of a hook that
    /// waits for a decision. Such a hook is started with the further argument `decide`, and prints the result
    /// of [`Engine::decided`] once everything is decided.
    fn question(&self, _payload: &[u8], _picks: &[Pick]) -> Option<Question> {
        None
    }

    /// What that hook must print for these picks. `None`: there are no such options.
    fn decided(&self, _payload: &[u8], _picks: &[Pick]) -> Option<Vec<u8>> {
        None
    }

    /// The file in which the process `pid` keeps its level, in the folder to watch. It may not exist yet.
    fn level_file(&self, _env: &Env, _pid: u32) -> Option<PathBuf> {
        None
    }

    /// The level in the content of a level file.
    fn level(&self, _content: &[u8]) -> Reading {
        Reading::NotYet
    }

    /// The level in a title. `None`: it shows none, or the engine has set none yet.
    fn title_level(&self, _title: &str) -> Option<Level> {
        None
    }

    /// What its process serves on a port of its own, if anything. `env` is the process's.
    fn feed(&self, _env: &Env) -> Option<Feed> {
        None
    }

    /// The signals in something heard there, in order; updates what is known. Includes a level of another
    /// conversation only if the session moves to that one, since it would be believed after a while.
    fn heard(&self, _news: &News<'_>, _known: &mut Known) -> Vec<Signal> {
        Vec::new()
    }

    /// The answer to something in [`Known::waits`], given the engine's id for that. `None`: there is no such
    /// option.
    fn reply(&self, _id: &str, _pick: &Pick) -> Option<Reply> {
        None
    }

    /// What an opening process visibly has opened. `None`: nothing yet, or a hook will report it.
    ///
    /// # Errors
    /// If the engine's records exist and can't be read.
    fn confirmed(&self, _seen: &Opening<'_>) -> io::Result<Option<Opened>> {
        Ok(None)
    }

    /// The other conversation in which that turn was, if an engine without hooks changed to one.
    fn moved_to(&self, _seen: &Turned<'_>) -> Option<Opened> {
        None
    }

    /// Whether that turn is in this transcript. For engines whose title alone shows turns, since it also
    /// shows commands of the user's own, which ask nothing.
    ///
    /// # Errors
    /// If the file can't be read.
    fn asked_in(&self, _transcript: Place<'_>, _seen: &Turned<'_>) -> io::Result<bool> {
        Ok(true)
    }

    /// Whether a process below the engine is work that it left running beyond its turn. Only for engines that
    /// don't list such work themselves.
    fn left_running(&self, _process: &Member, _engine: u32) -> bool {
        false
    }

    /// Whether a process below the engine, of any age, is part of the engine rather than the user's work: one
    /// of its servers, or a child of one. `engine` is the engine's process.
    fn furnished(&self, _process: &Member, _engine: u32) -> bool {
        false
    }

    /// The command that a process below the engine runs for it, if its command line holds more than that.
    fn runs(&self, _process: &Member) -> Option<String> {
        None
    }

    /// All conversations that live processes have open, except those in `ours`.
    ///
    /// # Errors
    /// If the engine's records exist and can't be read.
    fn opened(&self, _env: &Env, _ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
        Ok(Vec::new())
    }

    /// The live processes that have this conversation open, except those in `ours`.
    ///
    /// # Errors
    /// If the engine's records exist and can't be read.
    fn owners(&self, env: &Env, id: &ConversationId, ours: &[u32]) -> io::Result<Vec<Owner>> {
        let opened = self.opened(env, ours)?;
        Ok(opened.into_iter().filter(|(opened, _)| opened == id).map(|(_, owner)| owner).collect())
    }

    /// The shell command that continues this conversation. `None`: there is none.
    fn resume_command(&self, _folder: &Path, _id: &ConversationId) -> Option<String> {
        None
    }

    /// The path of this conversation's transcript in this folder, whether it exists or not.
    fn transcript_path(&self, _env: &Env, _folder: &Path, _id: &ConversationId) -> Option<PathBuf> {
        None
    }

    /// The file that changes when something is said in this transcript.
    fn written_to(&self, transcript: &Path) -> PathBuf {
        transcript.to_owned()
    }

    /// The engine's conversations for this folder, newest first. Reads each one completely.
    ///
    /// # Errors
    /// If there are some and they can't be read.
    fn conversations(&self, _env: &Env, _folder: &Path) -> io::Result<Vec<Listed>> {
        Ok(Vec::new())
    }

    /// The newest conversation for this folder that can be resumed. Reads only as many as needed.
    ///
    /// # Errors
    /// If there are some and they can't be read.
    fn newest(&self, _env: &Env, _folder: &Path) -> io::Result<Option<Listed>> {
        Ok(None)
    }

    /// Some conversations that can be continued as a copy in `folder`, which may have been moved: those of
    /// folders with the same name that are gone, newest first.
    ///
    /// # Errors
    /// If there are some and they can't be read.
    fn moved(&self, _env: &Env, _folder: &Path) -> io::Result<Vec<Moved>> {
        Ok(Vec::new())
    }

    /// One conversation, read completely. `None`: this isn't a transcript of this engine.
    ///
    /// # Errors
    /// If the file can't be read; [`io::ErrorKind::InvalidData`] if it exists but is incomprehensible.
    fn summary(&self, _transcript: Place<'_>) -> io::Result<Option<Listed>> {
        Ok(None)
    }

    /// The end of a transcript. Takes bounded time, however large the file.
    ///
    /// # Errors
    /// If the file can't be read, or this engine has none.
    fn tail(&self, _transcript: Place<'_>) -> io::Result<Tail> {
        Err(no_transcripts())
    }

    /// About `limit` entries of a transcript: the last ones, or those before the line at `before`.
    ///
    /// # Errors
    /// If the file can't be read, or this engine has none.
    fn entries(&self, _transcript: Place<'_>, _before: Option<u64>, _limit: usize) -> io::Result<Page> {
        Err(no_transcripts())
    }

    /// What happened to a prompt, from the transcript, if the engine's own signals were missed.
    ///
    /// # Errors
    /// If the file can't be read, or this engine has none.
    fn answer_to(&self, _transcript: Place<'_>, _asked: Asked<'_>) -> io::Result<Answer> {
        Err(no_transcripts())
    }

    /// What to type to ask `text`.
    ///
    /// # Errors
    /// [`UnfitText`] if it can't be asked faithfully; then nothing may be typed.
    fn keys(&self, text: &str) -> Result<Keys, UnfitText>;

    /// Whether the paste in [`Keys`] is marked as such.
    fn marks(&self) -> Marks {
        Marks::Always
    }

    /// What is seen of the input line. Required of an engine that loses what is typed before it is there, or
    /// in whose dialogs and menus it would be taken for something else.
    fn input_line(&self, _seen: &Seen<'_>) -> InputLine {
        InputLine::There
    }

    /// What to type before a prompt, where the input line would take it for something else, or a menu that
    /// somebody left open covers the line.
    fn leads_to_prompt(&self, _seen: &Seen<'_>) -> Option<&'static [u8]> {
        None
    }

    /// What it asks on its screen while its title says that it is idle.
    fn asks(&self, _seen: &Seen<'_>) -> Option<Wait> {
        None
    }

    /// Whether it shows that it waits for the rest of a line: by what stands before the cursor now, and what
    /// stood there when the line began.
    fn waits_for_the_rest(&self, _before: &str, _now: &str) -> bool {
        false
    }

    /// Whether this text, or what is shown in place of it, stands in the input line: only then is it sent.
    /// `true` for a program whose input line is unknown.
    fn shows(&self, _text: &str, _seen: &Seen<'_>) -> bool {
        true
    }

    /// Whether a reported prompt is the one that was asked: engines trim and wrap what is typed.
    fn same_prompt(&self, asked: &str, reported: &str) -> bool {
        crate::ask::same(asked, reported)
    }

    /// Whether interrupting a turn before its first word only puts its prompt back into the input line.
    fn gives_prompts_back(&self) -> bool {
        false
    }

    /// What to type to empty an input line of up to this many lines. Harmless if it is empty.
    fn empties(&self, lines: usize) -> Vec<u8> {
        // To the end, then remove what is before. A terminal's own line editing removes that key as well.
        b"\x05\x15".repeat(lines)
    }

    /// What the keys of its input line do, by its settings for this folder.
    fn habits(&self, _env: &Env, _folder: &Path) -> Habits {
        Habits::default()
    }

    /// What to type to interrupt a turn.
    fn interrupt(&self) -> &'static [u8];

    /// How to ask it to end.
    fn end_by(&self) -> EndBy;

    /// How to ask an engine to end that has confirmed nothing. `resumes`: it was told to resume.
    fn end_opening_by(&self, _resumes: bool) -> EndBy {
        self.end_by()
    }

    /// How long it may take to end on its own before it is killed.
    fn end_within(&self) -> Duration;

    /// Folders in which the engine was used and that still exist, newest first, at most `limit`.
    fn recent_folders(&self, _env: &Env, _limit: usize) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Why it ended, according to its last words on the screen.
    fn exit_cause(&self, _screen: &str) -> ExitCause {
        ExitCause::Unknown
    }

    /// The dialog on a screen before the engine has reported anything itself. Never used for an end.
    fn opening_dialog(&self, _screen: &str) -> Option<Wait> {
        None
    }
}

/// A shared engine.
pub type EngineRef = Arc<dyn Engine>;

/// All built-in engines: those that keep conversations first, the shell last.
#[must_use]
pub fn built_in() -> Vec<EngineRef> {
    vec![
        Arc::new(crate::claude::Claude),
        Arc::new(crate::codex::Codex),
        Arc::new(crate::opencode::OpenCode),
        Arc::new(crate::gemini::Gemini),
        Arc::new(crate::shell::Shell),
    ]
}

/// The built-in engine with this name.
#[must_use]
pub fn find(name: &str) -> Option<EngineRef> {
    built_in().into_iter().find(|engine| engine.name() == name)
}

fn no_transcripts() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this engine keeps no transcripts; there is nothing to read")
}

#[cfg(test)]
mod tests;
