//! The engines that the acceptance stories run on: the real programs, and what a user of each has in their home.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{Terminal, World, claude, codex, gemini, opencode};

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Under {
    Claude,
    Codex,
    OpenCode,
    Gemini,
    Shell,
}

impl Under {
    /// As `repose add --engine` knows it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::Shell => "shell",
        }
    }

    /// What the command line of its process holds.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "bin/gemini",
            Self::Shell => "/bin/sh",
        }
    }

    /// Whether a conversation with it can be taken up.
    pub(crate) fn keeps_conversations(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::OpenCode | Self::Gemini => true,
            Self::Shell => false,
        }
    }

    /// The real program.
    pub(crate) fn program(self) -> PathBuf {
        match self {
            Self::Claude => claude::program(),
            Self::Codex => codex::program(),
            Self::OpenCode => opencode::program(),
            Self::Gemini => gemini::program(),
            Self::Shell => "/bin/sh".into(),
        }
    }

    /// Puts it on the path, with the settings of a user who talks to the model stand-in.
    pub(crate) fn install(self, world: &World, bin: &Path) {
        match self {
            // Every world has it.
            Self::Claude | Self::Shell => {}
            Self::Codex => {
                codex::welcome(&world.home(), &world.model.url());
                symlink(codex::program(), bin.join("codex")).expect("the engine on the path");
            }
            Self::OpenCode => {
                opencode::welcome(&world.home(), &world.model.url());
                symlink(opencode::program(), bin.join("opencode")).expect("the engine on the path");
            }
            Self::Gemini => {
                gemini::welcome(&world.home());
                symlink(gemini::program(), bin.join("gemini")).expect("the engine on the path");
                symlink(gemini::node(), bin.join("node")).expect("what runs the engine on the path");
            }
        }
    }

    /// Notes that the user trusts this folder. Only while none of it runs.
    pub(crate) fn trust(self, world: &World, folder: &Path) {
        match self {
            Self::Claude => claude::trust(&world.home(), folder),
            Self::Codex => codex::trust(&world.home(), folder),
            Self::Gemini => gemini::trust(&world.home(), folder),
            // It opens in any folder.
            Self::OpenCode | Self::Shell => {}
        }
    }

    /// What it asks in a folder that it doesn't know, and the keys that say yes.
    pub(crate) fn asks_trust(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // Its first choice is to leave.
            Self::Claude => &[("\u{276f} No, exit", "\u{1b}[B"), ("\u{276f} Yes, I trust this folder", "\r")],
            Self::Codex => &[("\u{203a} 1. Trust and continue", "\r")],
            Self::Gemini => &[("\u{25cf} 1. Trust folder", "\r")],
            Self::OpenCode | Self::Shell => &[],
        }
    }

    /// Opens a conversation without Repose, in a terminal of its own, and waits until it is there.
    pub(crate) fn outside(self, world: &World, conversation: &str) -> Terminal {
        let (args, sign) = match self {
            Self::Claude => (vec!["--resume", conversation], "\u{276f}"),
            // It draws the earlier turns once it has the conversation.
            Self::Codex => (vec!["resume", conversation, "--no-daemon"], "Reply 1 to"),
            Self::OpenCode => (vec!["--session", conversation], "Reply 1 to"),
            Self::Gemini => (vec!["--resume", conversation], "Reply 1 to"),
            Self::Shell => (Vec::new(), "$"),
        };
        let mut env = world.env();
        // With a launcher it would outlive its terminal by a moment.
        env.push(("GEMINI_CLI_NO_RELAUNCH".into(), "true".into()));
        let terminal = Terminal::start(&self.program(), &args, &world.repo("work"), &env);
        terminal.wait_for_text(sign);
        if self == Self::Gemini {
            gemini::wait_taken_up(world, conversation);
        }
        terminal
    }

    /// Has it lose this conversation, as its user can by hand.
    pub(crate) fn lose(self, transcript: &Path, conversation: &str) {
        match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::Shell => {
                std::fs::remove_file(transcript).expect("the transcript is where Repose says");
            }
            Self::OpenCode => opencode::delete(transcript, conversation),
        }
    }

    /// What it asks before it runs a command, and the keys that say yes.
    pub(crate) fn asks_permission(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => ("Do you want to proceed?", "\r"),
            Self::Codex => ("Would you like to run", "y"),
            Self::OpenCode => ("Permission required", "\r"),
            Self::Gemini => ("Allow execution of", "\r"),
            Self::Shell => ("", ""),
        }
    }

    /// Puts a hook of the user's own into their settings, which writes a line to this file at the end of a turn. Gives the
    /// settings' file.
    pub(crate) fn own_hook(self, world: &World, told: &Path) -> PathBuf {
        let command = format!("echo done >> {}", told.display());
        match self {
            Self::Claude => claude::hook(&world.home(), &command),
            Self::Codex => codex::hook(&world.home(), &command),
            Self::OpenCode => opencode::plugin(&world.home(), &command),
            Self::Gemini => gemini::hook(&world.home(), &command),
            Self::Shell => world.home().join(".profile"),
        }
    }
}
