//! What to start: a command line as data.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use repose_core::ids::ConversationId;

use crate::env::Env;

/// What to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open<'a> {
    /// A new conversation. `id` is what it shall be called, for an engine that lets us choose
    /// ([`crate::Engine::new_conversation`]).
    Fresh {
        /// The id that we chose.
        id: Option<&'a ConversationId>,
    },
    /// An earlier conversation.
    Resume {
        /// Which.
        id: &'a ConversationId,
    },
    /// A new conversation that begins as a copy of an earlier one, which stays as it is.
    Fork {
        /// The earlier one.
        from: &'a ConversationId,
        /// Its transcript, where that is known: an engine that looks for an id in fewer places finds it by
        /// this.
        transcript: Option<&'a Path>,
        /// As with [`Open::Fresh`].
        id: Option<&'a ConversationId>,
    },
}

/// What a launch is made from.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    /// The engine's program ([`crate::locate::Program::exec`]).
    pub program: &'a Path,
    /// What to open.
    pub open: Open<'a>,
    /// The environment that it will get, before what a launch changes of it.
    pub env: &'a Env,
    /// The folder it will work in.
    pub folder: &'a Path,
    /// The session's own folder, for files of this one process.
    pub session_dir: &'a Path,
    /// The user's own further arguments, from the settings; checked by [`crate::Engine::check_args`].
    pub extra_args: &'a [String],
    /// The program that takes the engine's hooks. It is called with the argument `hook`, and with `decide`
    /// after it where the engine waits for what it prints.
    pub hook: &'a Path,
}

/// A process to start. Its folder, its PTY and the rest of its environment are the holder's business.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The file to execute.
    pub program: PathBuf,
    /// Its arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// Variables to set over the given environment.
    pub env_set: Vec<(OsString, OsString)>,
    /// Variables to take out of the given environment.
    pub env_remove: Vec<OsString>,
}

/// An argument from the settings that Repose can't pass on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the argument `{argument}` in the settings can't be passed to {engine}: {reason}. Take it out of `args`"
)]
pub struct UnfitArgument {
    /// The engine's title.
    pub engine: &'static str,
    /// The argument.
    pub argument: String,
    /// Why not.
    pub reason: &'static str,
}

/// Arguments that contradict Repose's own, and why.
pub(crate) type Unfit = (&'static [&'static str], &'static str);

/// Looks for the first of these arguments that is among the unfit, also as `name=value`.
///
/// # Errors
/// [`UnfitArgument`] with the reason.
pub(crate) fn check_args(
    engine: &'static str,
    unfit: &[Unfit],
    args: &[String],
) -> Result<(), UnfitArgument> {
    for argument in args {
        let name = argument.split_once('=').map_or(argument.as_str(), |(name, _)| name);
        if let Some((_, reason)) = unfit.iter().find(|(names, _)| names.contains(&name)) {
            return Err(UnfitArgument { engine, argument: argument.clone(), reason });
        }
    }
    Ok(())
}

/// `word` in a form that a POSIX shell reads as this one word, whatever it holds.
#[must_use]
pub fn shell_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
