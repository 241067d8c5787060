//! What a user may have to be told: refusals and faults, as declared data.
//!
//! A [`Trouble`] looks the same in the CLI, the API, the tray and the page. Its [`Code`] is the stable name
//! and determines title, severity and kind; sentence and hints say what happened here and what to do.

use crate::ids::RepoId;
use crate::work::Named;

/// One thing to tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The stable name.
    pub code: Code,
    /// What happened, and what Repose did about it.
    pub sentence: String,
    /// What can be done, most likely first.
    pub hints: Vec<String>,
    /// The work that the sentence names, if that is why an end is refused. Otherwise nothing.
    pub named: Named,
    /// What it is about, where more can be done with that than read it.
    pub about: Option<Box<About>>,
}

/// What a trouble is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// Another repo.
    Repo {
        /// Its id.
        id: RepoId,
        /// Its name.
        name: String,
    },
    /// A character of a text.
    Character {
        /// Which.
        character: char,
        /// Where in the text, in bytes.
        at: usize,
    },
}

/// The kind of answer that a trouble is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A fault of Repose's own.
    Fault,
    /// The request can't be understood.
    Usage,
    /// The request was refused and nothing was changed.
    Refused,
    /// Something that Repose needs is missing.
    Offline,
    /// The answer took too long and may still come.
    TimedOut,
    /// The turn ended without an answer.
    TurnFailed,
}

/// How serious a trouble is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Notice,
    /// Somebody should look.
    Warning,
    /// Something doesn't work.
    Error,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident => $code:literal, $kind:ident, $severity:ident, $title:literal;)*) => {
        /// All kinds of trouble that exist.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The kind of answer.
            #[must_use]
            pub fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }

            /// How serious it is.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// A short title.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// The code with this stable name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == name)
            }
        }
    };
}

codes! {
    /// The repo, or everything, is paused.
    Paused => "paused", Refused, Notice, "Paused";
    /// There is no live engine to pause.
    NothingToPause => "nothing_to_pause", Refused, Notice, "Nothing to pause";
    /// The conversation couldn't be resumed after a pause.
    NotResumable => "not_resumable", Refused, Notice, "Couldn't be resumed";
    /// The end would lose work.
    WorkWouldBeLost => "work_would_be_lost", Refused, Warning, "Work would be lost";
    /// There is no turn to interrupt.
    NothingToInterrupt => "nothing_to_interrupt", Refused, Notice, "Nothing to interrupt";
    /// The decision has been made in the meantime.
    DecisionOver => "decision_over", Refused, Notice, "Decided already";
    /// The conversation is open in a program outside Repose.
    OwnedElsewhere => "owned_elsewhere", Refused, Warning, "Open elsewhere";
    /// The session's holder is of another version of Repose.
    OtherVersion => "other_version", Refused, Warning, "Held by another version";
    /// The session's holder is alive and doesn't answer.
    NotAnswering => "not_answering", Refused, Warning, "Doesn't answer";
    /// Another order is being carried out on this repo.
    InTransition => "in_transition", Refused, Notice, "Just a moment";
    /// The engine is still opening.
    StillOpening => "still_opening", Refused, Notice, "Still opening";
    /// The repo has no conversation with this id.
    NoSuchConversation => "no_such_conversation", Refused, Notice, "No such conversation";
    /// There is no such repo.
    NoSuchRepo => "no_such_repo", Refused, Notice, "No such repo";
    /// The name matches several repos.
    AmbiguousRepo => "ambiguous_repo", Refused, Notice, "Several repos fit";
    /// The folder has already been added.
    AlreadyAdded => "already_added", Refused, Notice, "Already added";
    /// There is no such ask.
    NoSuchAsk => "no_such_ask", Refused, Notice, "No such ask";
    /// The agent has the ask, or is being given it.
    AskTaken => "ask_taken", Refused, Notice, "The agent has it";
    /// Somebody took the ask back before the agent had it.
    TakenBack => "taken_back", Refused, Notice, "Taken back";
    /// The ask's text can't be sent as it is.
    UnfitText => "unfit_text", Refused, Notice, "Text can't be sent";
    /// The picture can't be kept.
    UnfitImage => "unfit_image", Refused, Notice, "Picture can't be kept";
    /// The folder couldn't be shown.
    NotShown => "not_shown", Refused, Notice, "Couldn't be shown";
    /// Too many asks wait.
    QueueFull => "queue_full", Refused, Warning, "Too many asks wait";
    /// As many engines are live as allowed, and something holds each of them.
    MaxLive => "max_live", Refused, Notice, "Too many live engines";
    /// Somebody stopped the repo and its asks.
    Stopped => "stopped", Refused, Notice, "Stopped";
    /// Somebody removed the repo, and its asks with it.
    Removed => "removed", Refused, Notice, "Removed";
    /// Another runner uses this state folder.
    RunnerElsewhere => "runner_elsewhere", Refused, Warning, "Already running";
    /// The request can't be understood.
    BadRequest => "bad_request", Usage, Notice, "Can't be understood";
    /// The settings can't be understood; the last good ones stay in force.
    BadSettings => "bad_settings", Usage, Warning, "Settings can't be read";
    /// No runner answers.
    RunnerNotRunning => "runner_not_running", Offline, Error, "Not running";
    /// A runner is there and doesn't answer.
    RunnerSilent => "runner_silent", Offline, Error, "Gives no answer";
    /// The repo's folder is gone.
    FolderGone => "folder_gone", Offline, Error, "Folder gone";
    /// The repo's folder can't be read.
    FolderUnreadable => "folder_unreadable", Offline, Error, "Folder can't be read";
    /// The engine's program wasn't found.
    EngineMissing => "engine_missing", Offline, Error, "Engine not found";
    /// The engine's program can't be executed.
    EngineNotExecutable => "engine_not_executable", Offline, Error, "Engine can't be run";
    /// The engine isn't logged in.
    EngineLoggedOut => "engine_logged_out", Offline, Error, "Engine logged out";
    /// The engine can't be used without the login shell's environment, which that shell didn't tell.
    LoginShellUnknown => "login_shell_unknown", Offline, Error, "Login shell gave no answer";
    /// The disk is full.
    DiskFull => "disk_full", Offline, Error, "Disk full";
    /// The engine would delete conversations as it starts.
    WouldDelete => "would_delete", Offline, Error, "Conversations would be lost";
    /// The engine ended before it was ready.
    EngineFailedToStart => "engine_failed_to_start", Offline, Error, "Engine didn't start";
    /// It took longer than the asker would wait. The ask goes on.
    TimedOut => "timed_out", TimedOut, Notice, "Took too long";
    /// The model answered with an error.
    TurnFailed => "turn_failed", TurnFailed, Warning, "Turn failed";
    /// The turn was interrupted.
    TurnInterrupted => "turn_interrupted", TurnFailed, Notice, "Turn interrupted";
    /// The engine ended in the middle of the turn.
    EngineEnded => "engine_ended", TurnFailed, Warning, "Engine ended";
    /// The engine gave no sign that it took the prompt.
    NotTaken => "not_taken", TurnFailed, Warning, "Prompt not taken";
    /// The engine works and gives no sign of life.
    Stalled => "stalled", Fault, Warning, "Stalled";
    /// The engine's hooks say nothing, and its other signs stand in for them.
    HooksSilent => "hooks_silent", Fault, Warning, "Hooks are silent";
    /// The engine says something that this version doesn't know, for long.
    UnknownStatus => "unknown_status", Fault, Warning, "Unknown status";
    /// Processes were left after an end.
    LeftBehind => "left_behind", Fault, Error, "Processes left behind";
    /// The store refused to write.
    StoreFailed => "store_failed", Fault, Error, "State can't be written";
    /// A fault of ours.
    Internal => "internal", Fault, Error, "Fault";
}

impl Trouble {
    /// A trouble with its sentence and hints.
    pub fn new<H: Into<String>>(
        code: Code,
        sentence: impl Into<String>,
        hints: impl IntoIterator<Item = H>,
    ) -> Self {
        Self {
            code,
            sentence: sentence.into(),
            hints: hints.into_iter().map(Into::into).collect(),
            named: Named::default(),
            about: None,
        }
    }

    /// This trouble, with what it is about.
    #[must_use]
    pub fn about(self, about: About) -> Self {
        Self { about: Some(Box::new(about)), ..self }
    }
}

#[cfg(test)]
mod tests;
