//! The one description of an engine that everything above speaks to.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use repose_core::conversation::{Loss, Owner};
use repose_core::decision::Question;
use repose_core::ids::{ConversationId, EngineName};
use repose_core::signal::{Level, Signal, Source, Wait};
use repose_core::time::Wall;
use repose_core::typing::Habits;
use repose_sys::tree::Member;

use crate::ask::{Keys, Marks, UnfitText};
use crate::env::Env;
use crate::feed::{Feed, Known, News};
use crate::launch::{Launch, Order, UnfitArgument};
use crate::locate::{Missing, Program};
use crate::own::Description;
use crate::told::{BadPayload, ExitCause, Login, Reading, Silenced};
use crate::transcript::{Answer, Asked, Listed, Moved, Page, Place, Tail};

/// How an engine is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndBy {
    /// SIGTERM to its process: it ends by itself and leaves its files whole.
    Terminate,
    /// SIGHUP to its process group, as a closing terminal sends it.
    HangUp,
    /// Not at all: it is killed with its tree. For one that would do harm if it got to end by itself.
    Kill,
}

/// How an engine speaks of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speaks {
    /// What says whether it is at work now.
    pub level: LevelBy,
    /// What says which prompt was taken, and how its turn ended.
    pub turns: TurnsBy,
}

/// What says whether an engine is at work now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelBy {
    /// A file that it keeps for each of its processes: [`Engine::level_file`].
    File,
    /// Its terminal's title: [`Engine::title_level`].
    Title,
    /// Events that it serves on a port of its own: [`Engine::feed`]. Its title says when it takes keys.
    Events,
    /// It is at work while something else than itself has its terminal.
    Foreground,
}

/// What says which prompt was taken, and how its turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnsBy {
    /// Its hooks; its transcript where one was lost.
    Hooks,
    /// Its events; its transcript where one was lost.
    Events,
    /// The level says when, the transcript says how.
    Transcript,
    /// The level says when; how is what its screen shows.
    Screen,
}

/// What can be seen of a process that is opening.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// Its environment.
    pub env: &'a Env,
    /// The folder it works in.
    pub folder: &'a Path,
    /// Its processes.
    pub tree: &'a [u32],
    /// The conversation that it was told to open.
    pub asked: Option<&'a ConversationId>,
    /// It was told to take that one up, and not to begin it.
    pub resumes: bool,
    /// It was told to begin a copy of an earlier one.
    pub forks: bool,
    /// When its process was started.
    pub since: Wall,
    /// When this was seen.
    pub now: Wall,
    /// Its terminal's title.
    pub title: Option<&'a str>,
    /// What that says. Where its events say more, only once they are heard.
    pub level: Option<&'a Level>,
}

/// What can be seen of a process that has ended a turn.
#[derive(Debug, Clone, Copy)]
pub struct Turned<'a> {
    /// Its environment.
    pub env: &'a Env,
    /// The folder it works in.
    pub folder: &'a Path,
    /// Its processes.
    pub tree: &'a [u32],
    /// The conversation that it had.
    pub conversation: &'a ConversationId,
    /// When the turn began.
    pub began: Wall,
    /// When the one before was over: nothing of this one is older.
    pub after: Wall,
}

/// What an engine was seen to have opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// Which conversation. `None`: it keeps none, or begins it with the first prompt and names it then.
    pub conversation: Option<ConversationId>,
    /// How it came about.
    pub source: Source,
    /// Its transcript, where that is there.
    pub transcript: Option<PathBuf>,
}

/// An engine. Nothing it does changes anything of the engine's own; all of it may block on the file system.
///
/// What several engines share has its default here; an engine that keeps no conversations leaves those parts
/// alone.
pub trait Engine: Debug + Send + Sync {
    /// Its name in settings, store and API.
    fn name(&self) -> &str;

    /// How people call it.
    fn title(&self) -> &str;

    /// What the user's settings say of it, if it isn't built in.
    fn own(&self) -> Option<&Description> {
        None
    }

    /// Whether it keeps conversations that can be resumed.
    fn keeps_conversations(&self) -> bool;

    /// Whether it can begin a conversation as a copy of another.
    fn copies(&self) -> bool {
        self.keeps_conversations()
    }

    /// What people may expect of it that it, or Repose with it, can't do: each a sentence.
    fn cannot(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// How it speaks of itself.
    fn speaks(&self) -> Speaks;

    /// What decisions need to know of it.
    fn described(&self) -> repose_core::conversation::Engine {
        repose_core::conversation::Engine {
            name: EngineName::new(self.name()),
            title: self.title().into(),
            keeps_conversations: self.keeps_conversations(),
            copies: self.copies(),
        }
    }

    /// Finds its program: `command` from the settings, or where it is usually found.
    ///
    /// # Errors
    /// [`Missing`], with what to do.
    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing>;

    /// The command that installs it, where there is one for everybody.
    fn install(&self) -> Option<&'static str> {
        None
    }

    /// The program's version, asked of the program. Blocks up to [`crate::locate::VERSION_WAIT`].
    fn version(&self, program: &Program, env: &Env) -> Option<String> {
        crate::locate::version(&program.exec, env)
    }

    /// Whether somebody is logged in, as far as files and environment tell.
    fn login(&self, env: &Env) -> Login;

    /// Whether the engine will open in `folder` without asking whether it is trusted. `None`: it can't be
    /// told.
    fn trusts(&self, env: &Env, folder: &Path) -> Option<bool>;

    /// What in the engine's own settings keeps it from telling Repose what it does in `folder`, if something
    /// does.
    fn silenced_by(&self, _env: &Env, _folder: &Path) -> Option<Silenced> {
        None
    }

    /// What becomes of a conversation in `folder` if the engine, as it is set now, takes it up or copies it.
    /// `None`: nothing bad.
    fn would_lose(&self, _env: &Env, _folder: &Path) -> Option<Loss> {
        None
    }

    /// Conversations in `folder` that any start of the engine, as it is set now, would delete.
    /// [`Engine::would_lose`] then says what can be done about it.
    fn lost_at_start(&self, _env: &Env, _folder: &Path) -> Vec<ConversationId> {
        Vec::new()
    }

    /// An id for a new conversation, if this engine lets us choose it. Random.
    fn new_conversation(&self) -> Option<ConversationId> {
        None
    }

    /// Whether the user's own further arguments can be passed on.
    ///
    /// # Errors
    /// The first that contradicts what Repose itself must say.
    fn check_args(&self, _args: &[String]) -> Result<(), UnfitArgument> {
        Ok(())
    }

    /// What to start.
    fn plan(&self, order: &Order<'_>) -> Launch;

    /// A hook's report as a signal. `None`: nothing that Repose needs, or not of the agent itself but of a
    /// helper of its. A report of a nested run of the engine is a signal with a foreign conversation: the
    /// core's session machine, which knows the own one, passes it over.
    ///
    /// # Errors
    /// [`BadPayload`] if it can't be read.
    fn signal(&self, _payload: &[u8], _received: Wall) -> Result<Option<Signal>, BadPayload> {
        Err(BadPayload::NoHooks)
    }

    /// What is to be decided, if this is the report of a hook that waits for word of a decision: the next
    /// thing after the choices that were made of it so far. Such a hook is started with the further argument
    /// `decide`, and prints what [`Engine::decided`] says once nothing more is to be decided.
    fn question(&self, _payload: &[u8], _chosen: &[String]) -> Option<Question> {
        None
    }

    /// What that hook must print to have it decided by these choices. `None`: there are no such choices.
    fn decided(&self, _payload: &[u8], _chosen: &[String]) -> Option<Vec<u8>> {
        None
    }

    /// The file in which the process `pid` keeps its level; its folder is the one to watch. It need not exist
    /// yet.
    fn level_file(&self, _env: &Env, _pid: u32) -> Option<PathBuf> {
        None
    }

    /// What the content of a level file says.
    fn level(&self, _content: &[u8]) -> Reading {
        Reading::NotYet
    }

    /// What a title says. `None`: nothing, or the engine has set none yet.
    fn title_level(&self, _title: &str) -> Option<Level> {
        None
    }

    /// What its process tells on a port of its own, if it does. `env` is the process's.
    fn feed(&self, _env: &Env) -> Option<Feed> {
        None
    }

    /// What was heard there as signals, in order, and what is known from now on. No level of a conversation
    /// that isn't the session's is among them, but where the session goes over to that one: a level alone
    /// would be believed after a while.
    fn heard(&self, _news: &News<'_>, _known: &mut Known) -> Vec<Signal> {
        Vec::new()
    }

    /// What a process that is opening has opened, by what can be seen of it. `None`: nothing yet, or a hook
    /// will say it.
    ///
    /// # Errors
    /// If the engine's records are there and can't be read.
    fn confirmed(&self, _seen: &Opening<'_>) -> io::Result<Option<Opened>> {
        Ok(None)
    }

    /// The other conversation in which that turn was, where an engine without hooks has gone over to one by
    /// itself.
    fn moved_to(&self, _seen: &Turned<'_>) -> Option<Opened> {
        None
    }

    /// Whether something was asked in this transcript in that turn. Only where the title alone tells of a
    /// turn: it also tells of a command of the user's own, which asks nothing.
    ///
    /// # Errors
    /// If the file can't be read.
    fn asked_in(&self, _transcript: Place<'_>, _seen: &Turned<'_>) -> io::Result<bool> {
        Ok(true)
    }

    /// Whether a process below the engine is work that it left running beyond its turn. Only engines that
    /// don't list such work themselves say so.
    fn left_running(&self, _process: &Member, _engine: u32) -> bool {
        false
    }

    /// Whether a process below the engine is a part of it and no work of its user's, whenever it was started:
    /// a server of its own, and what that started. `engine` is the engine's process.
    fn furnished(&self, _process: &Member, _engine: u32) -> bool {
        false
    }

    /// What a process below the engine runs for it, where its command line holds more than that.
    fn runs(&self, _process: &Member) -> Option<String> {
        None
    }

    /// Every conversation that a living process has open, other than those in `ours`.
    ///
    /// # Errors
    /// If the engine's records are there and can't be read.
    fn opened(&self, _env: &Env, _ours: &[u32]) -> io::Result<Vec<(ConversationId, Owner)>> {
        Ok(Vec::new())
    }

    /// Living processes that have this conversation open, other than those in `ours`.
    ///
    /// # Errors
    /// As [`Engine::opened`].
    fn owners(&self, env: &Env, id: &ConversationId, ours: &[u32]) -> io::Result<Vec<Owner>> {
        let opened = self.opened(env, ours)?;
        Ok(opened.into_iter().filter(|(opened, _)| opened == id).map(|(_, owner)| owner).collect())
    }

    /// What somebody would type into a shell to go on with this conversation there. `None`: it can't be done.
    fn resume_command(&self, _folder: &Path, _id: &ConversationId) -> Option<String> {
        None
    }

    /// Where the transcript of this conversation in this folder is, or would be.
    fn transcript_path(&self, _env: &Env, _folder: &Path, _id: &ConversationId) -> Option<PathBuf> {
        None
    }

    /// The file that changes when something is said in this transcript.
    fn written_to(&self, transcript: &Path) -> PathBuf {
        transcript.to_owned()
    }

    /// The conversations that the engine has for this folder, newest first. Reads each of them whole.
    ///
    /// # Errors
    /// If there are some and they can't be read.
    fn conversations(&self, _env: &Env, _folder: &Path) -> io::Result<Vec<Listed>> {
        Ok(Vec::new())
    }

    /// The newest conversation for this folder that can be resumed. Reads only as many as it must.
    ///
    /// # Errors
    /// As [`Engine::conversations`].
    fn newest(&self, _env: &Env, _folder: &Path) -> io::Result<Option<Listed>> {
        Ok(None)
    }

    /// Conversations that can be taken up as a copy in `folder`, which may have stood elsewhere before: those
    /// of folders of the same name that are gone. The newest first, and only some.
    ///
    /// # Errors
    /// As [`Engine::conversations`].
    fn moved(&self, _env: &Env, _folder: &Path) -> io::Result<Vec<Moved>> {
        Ok(Vec::new())
    }

    /// One conversation, read whole. `None`: this is no transcript of this engine.
    ///
    /// # Errors
    /// If the file can't be read: [`io::ErrorKind::InvalidData`] where it is there, and what was asked in it
    /// can't be told.
    fn summary(&self, _transcript: Place<'_>) -> io::Result<Option<Listed>> {
        Ok(None)
    }

    /// The end of a transcript. Bounded: a large file costs no more than a small one.
    ///
    /// # Errors
    /// If the file can't be read, or this engine has none.
    fn tail(&self, _transcript: Place<'_>) -> io::Result<Tail> {
        Err(no_transcripts())
    }

    /// About `limit` entries of a transcript: the last ones, or those before the line that begins at
    /// `before`.
    ///
    /// # Errors
    /// As [`Engine::tail`].
    fn entries(&self, _transcript: Place<'_>, _before: Option<u64>, _limit: usize) -> io::Result<Page> {
        Err(no_transcripts())
    }

    /// What became of a prompt, from the transcript: for one who missed the engine's own signals.
    ///
    /// # Errors
    /// As [`Engine::tail`].
    fn answer_to(&self, _transcript: Place<'_>, _asked: Asked<'_>) -> io::Result<Answer> {
        Err(no_transcripts())
    }

    /// What to type to ask `text`.
    ///
    /// # Errors
    /// [`UnfitText`] if it can't be asked faithfully; then nothing may be typed.
    fn keys(&self, text: &str) -> Result<Keys, UnfitText>;

    /// Whether what is typed first is marked as a paste.
    fn marks(&self) -> Marks {
        Marks::Always
    }

    /// Whether the input line stands on this screen. An engine that loses what is typed before has to say so.
    fn listens(&self, _screen: &str) -> bool {
        true
    }

    /// What to type first, where the input line on this screen would take a prompt for something else. A
    /// prompt isn't pasted as long as it says so.
    fn leads_to_prompt(&self, _screen: &str) -> Option<&'static [u8]> {
        None
    }

    /// Whether the paste of this text stands in the input line on this screen. An engine that takes a submit
    /// for a part of the paste if it reads both at once has to say so; the others are taken to have read it.
    fn shows(&self, _text: &str, _screen: &str) -> bool {
        true
    }

    /// Whether a prompt that the engine reports is the one that was asked: engines trim and wrap what is
    /// typed.
    fn same_prompt(&self, asked: &str, reported: &str) -> bool {
        asked.trim() == reported.trim()
    }

    /// Whether a turn that is interrupted before its first word leaves no mark, and its prompt stands in the
    /// input line again.
    fn gives_prompts_back(&self) -> bool {
        false
    }

    /// What to type to empty the input line, of up to so many lines, wherever its cursor is. Harmless where
    /// it is empty.
    fn empties(&self, lines: usize) -> Vec<u8> {
        // To the end, and away with what is before. A terminal's own line knows no such end, and takes that
        // key along.
        b"\x05\x15".repeat(lines)
    }

    /// What the keys of its input line do.
    fn habits(&self) -> Habits {
        Habits::default()
    }

    /// What to type to interrupt a turn.
    fn interrupt(&self) -> &'static [u8];

    /// How to ask it to end.
    fn end_by(&self) -> EndBy;

    /// The same for one that hasn't confirmed what it opened. `resumes`: it was told to take a conversation
    /// up.
    fn end_opening_by(&self, _resumes: bool) -> EndBy {
        self.end_by()
    }

    /// How long it may take to end by itself before it is made to.
    fn end_within(&self) -> Duration;

    /// Folders in which the engine was used before and that still exist, newest first, at most `limit`.
    fn recent_folders(&self, _env: &Env, _limit: usize) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What the last words on its screen say about why it ended.
    fn exit_cause(&self, _screen: &str) -> ExitCause {
        ExitCause::Unknown
    }

    /// What it waits for on a screen before it has said anything by itself. Never used for an end.
    fn opening_dialog(&self, _screen: &str) -> Option<Wait> {
        None
    }
}

/// An engine that several hold.
pub type EngineRef = Arc<dyn Engine>;

/// Every engine that is built in: those that keep conversations first, the shell last.
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

/// The built-in engine of this name.
#[must_use]
pub fn find(name: &str) -> Option<EngineRef> {
    built_in().into_iter().find(|engine| engine.name() == name)
}

fn no_transcripts() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this engine keeps no transcripts; there is nothing to read")
}

#[cfg(test)]
mod tests;
