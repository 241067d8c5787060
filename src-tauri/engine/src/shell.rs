//! The user's login shell as an engine: needs nothing, keeps no conversation, and is ready at once.
//!
//! It reports nothing. A job that runs in it, in the foreground or background, is found by the holder in its
//! process tree and holds it.

use std::io;
use std::path::Path;
use std::time::Duration;

use repose_core::ids::EngineName;
use repose_core::signal::Source;
use repose_core::typing::Habits;
use repose_sys::tree::Member;

use crate::ask::{InputLine, Keys, Marks, Seen, UnfitText, bracketed, typeable};
use crate::engine::{EndBy, Engine, LevelBy, Opened, Opening, Speaks, TurnsBy};
use crate::env::Env;
use crate::launch::{Launch, Order};
use crate::locate::{self, Missing, Program};
use crate::told::{Login, Version};

/// The shell to start if the environment names none: POSIX promises this one.
const FALLBACK: &str = "/bin/sh";

/// A command from the shell's history has at most so many lines; the rest of a longer one would run with the
/// ask. In some shells each line that isn't there rings the bell.
const COMMAND_LINES_MAX: usize = 40;

/// A shell reads a line as soon as the line ends; no pause is needed after a paste.
const GAP: Duration = Duration::ZERO;

/// How long a shell that takes keys may take to draw its prompt.
const PROMPT_STANDS: Duration = Duration::from_millis(300);

/// A shell ends at once on a hang-up. A job may ignore it, and is ended with the tree.
const END_WITHIN: Duration = Duration::from_secs(2);

/// The engine `shell`.
#[derive(Debug, Clone, Copy)]
pub struct Shell;

impl Engine for Shell {
    fn name(&self) -> &str {
        "shell"
    }

    fn title(&self) -> &str {
        "Shell"
    }

    fn keeps_conversations(&self) -> bool {
        false
    }

    fn cannot(&self) -> Vec<&'static str> {
        vec![
            "It keeps no conversation: every open is fresh, and a pause is refused.",
            "An answer is what its screen shows.",
        ]
    }

    fn speaks(&self) -> Speaks {
        Speaks { level: LevelBy::Foreground, turns: TurnsBy::Screen }
    }

    /// In the form used within a sentence: "a shell keeps no conversation".
    fn described(&self) -> repose_core::conversation::Engine {
        repose_core::conversation::Engine {
            name: EngineName::new(self.name()),
            title: "a shell".into(),
            keeps_conversations: false,
            forks: false,
        }
    }

    /// It is open as soon as it runs.
    fn confirmed(&self, _seen: &Opening<'_>) -> io::Result<Option<Opened>> {
        Ok(Some(Opened { conversation: None, source: Source::New, transcript: None }))
    }

    /// Whatever it started that still runs is a job of the user's.
    fn left_running(&self, process: &Member, engine: u32) -> bool {
        process.id.pid != engine
    }

    fn locate(&self, env: &Env, command: Option<&str>) -> Result<Program, Missing> {
        let named = env.get("SHELL").map(|shell| shell.to_string_lossy().into_owned());
        let command = command.map(str::to_owned).or(named).unwrap_or_else(|| FALLBACK.into());
        let path = locate::program(env, &command)?;
        Ok(Program { found: path.clone(), exec: path })
    }

    /// Shells don't agree on an option for it, and some would start for good.
    fn version(&self, _program: &Program, _env: &Env) -> Version {
        Version::NotAsked
    }

    fn login(&self, _env: &Env) -> Login {
        Login::NotNeeded
    }

    fn trusts(&self, _env: &Env, _folder: &Path) -> Option<bool> {
        Some(true)
    }

    fn plan(&self, order: &Order<'_>) -> Launch {
        Launch {
            program: order.program.to_owned(),
            args: order.extra_args.iter().map(Into::into).collect(),
            env_set: Vec::new(),
            env_remove: Vec::new(),
        }
    }

    fn keys(&self, text: &str) -> Result<Keys, UnfitText> {
        let text = typeable(text)?;
        let backslashes = text.len() - text.trim_end_matches('\\').len();
        if backslashes % 2 == 1 {
            return Err(UnfitText::GoesOn);
        }
        Ok(Keys { paste: bracketed(&text), gap: GAP, submit: b"\r".to_vec() })
    }

    fn marks(&self) -> Marks {
        Marks::WhereWanted
    }

    /// Whatever is typed before its prompt appears is shown twice. The output of its start-up files ends its
    /// line; a prompt doesn't, or the shell takes keys below it.
    fn input_line(&self, seen: &Seen<'_>) -> InputLine {
        let stands = seen.takes_keys && seen.still >= PROMPT_STANDS;
        if !seen.before_cursor.trim().is_empty() || stands { InputLine::There } else { InputLine::Unseen }
    }

    /// Every shell's second prompt ends in `>` unless somebody set another (`> `, `quote> `, `heredoc> `).
    fn waits_for_the_rest(&self, before: &str, now: &str) -> bool {
        let second = |shown: &str| shown.trim_end().ends_with('>');
        second(now) && !second(before)
    }

    /// Goes to the end and removes what stands before: all of it in `bash` and in a terminal's own line editing, one
    /// line of several in `zsh` (5.9).
    fn empties(&self, lines: usize) -> Vec<u8> {
        b"\x05\x15".repeat(lines.clamp(1, COMMAND_LINES_MAX))
    }

    fn habits(&self, _env: &Env, _folder: &Path) -> Habits {
        Habits { ctrl_j_sends: true, ..Habits::default() }
    }

    fn interrupt(&self) -> &'static [u8] {
        b"\x03"
    }

    fn end_by(&self) -> EndBy {
        EndBy::HangUp
    }

    fn end_within(&self) -> Duration {
        END_WITHIN
    }
}

#[cfg(test)]
mod tests;
