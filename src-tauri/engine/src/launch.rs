//! Command lines as data.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use repose_core::ids::ConversationId;

use crate::env::Env;

/// What to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open<'a> {
    /// A new conversation with this `id`, for an engine that lets the caller choose it
    /// ([`crate::Engine::new_conversation`]).
    Fresh {
        /// The chosen id.
        id: Option<&'a ConversationId>,
    },
    /// An existing conversation.
    Resume {
        /// The conversation's id.
        id: &'a ConversationId,
    },
    /// A copy of an existing conversation, which stays as it is.
    Fork {
        /// The original's id.
        from: &'a ConversationId,
        /// The original's transcript, if known. An engine that doesn't find the id everywhere finds the
        /// original by this.
        transcript: Option<&'a Path>,
        /// The chosen id of the copy, for an engine that lets the caller choose it.
        id: Option<&'a ConversationId>,
    },
}

/// What a command line is made from.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    /// The engine's program ([`crate::locate::Program::exec`]).
    pub program: &'a Path,
    /// What to open.
    pub open: Open<'a>,
    /// The environment that it will get, before the changes of the launch.
    pub env: &'a Env,
    /// The folder that it will work in.
    pub folder: &'a Path,
    /// The session's own folder, for files of this process.
    pub session_dir: &'a Path,
    /// The user's further arguments from the settings, checked by [`crate::Engine::check_args`].
    pub extra_args: &'a [String],
    /// The program that takes the engine's hooks. It is called with the argument `hook`, followed by `decide`
    /// if the engine waits for what it prints.
    pub hook: &'a Path,
}

/// A process to start. The holder sees to its folder, its PTY and the rest of its environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The file to execute.
    pub program: PathBuf,
    /// Its arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// Variables to set in the given environment.
    pub env_set: Vec<(OsString, OsString)>,
    /// Variables to remove from the given environment.
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
    /// The reason.
    pub reason: &'static str,
}

/// Arguments that contradict Repose's own, each with the reason.
pub(crate) type Unfit = (&'static [&'static str], &'static str);

/// Checks whether any of these arguments is among the unfit ones, also in the form `name=value`.
///
/// # Errors
/// [`UnfitArgument`] for the first one.
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

/// `word` in a form that a POSIX shell reads as exactly this word.
#[must_use]
pub fn shell_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
