//! The engines on which the acceptance stories run: the real programs, and what a user of each has in their
//! home.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::http::Console;
use super::{Terminal, World, claude, codex, gemini, opencode};

/// What happens to a turn in which something was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// The model is told, and the turn continues.
    GoesOn,
    /// The turn is interrupted.
    EndsTheTurn,
}

/// One of the engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Under {
    Claude,
    Codex,
    OpenCode,
    Gemini,
    Shell,
}

impl Under {
    /// Its name, as `repose add --engine` takes it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::Shell => "shell",
        }
    }

    /// Text in the command line of its process.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "bin/gemini",
            Self::Shell => "/bin/sh",
        }
    }

    /// Whether its conversations can be resumed.
    pub(crate) fn keeps_conversations(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::OpenCode | Self::Gemini => true,
            Self::Shell => false,
        }
    }

    /// The real program's path.
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

    /// Records that the user trusts this folder. Only while no process of it runs.
    pub(crate) fn trust(self, world: &World, folder: &Path) {
        match self {
            Self::Claude => claude::trust(&world.home(), folder),
            Self::Codex => codex::trust(&world.home(), folder),
            Self::Gemini => gemini::trust(&world.home(), folder),
            // It opens in any folder.
            Self::OpenCode | Self::Shell => {}
        }
    }

    /// What it asks in an unknown folder, and the keys that answer yes.
    pub(crate) fn asks_trust(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // Its first option is to leave.
            Self::Claude => &[("\u{276f} No, exit", "\u{1b}[B"), ("\u{276f} Yes, I trust this folder", "\r")],
            Self::Codex => &[("\u{203a} 1. Trust and continue", "\r")],
            Self::Gemini => &[("\u{25cf} 1. Trust folder", "\r")],
            Self::OpenCode | Self::Shell => &[],
        }
    }

    /// Opens a conversation without Repose in a separate terminal, and waits until it is open.
    pub(crate) fn outside(self, world: &World, conversation: &str) -> Terminal {
        let terminal = self.tries_outside(world, conversation);
        terminal.wait_for_text(match self {
            Self::Claude => "\u{276f}",
            // It draws the earlier turns once it has the conversation.
            Self::Codex | Self::OpenCode | Self::Gemini => "Reply 1 to",
            Self::Shell => "$",
        });
        if self == Self::Gemini {
            gemini::wait_taken_up(world, conversation);
        }
        terminal
    }

    /// Opens a conversation without Repose, without waiting.
    pub(crate) fn tries_outside(self, world: &World, conversation: &str) -> Terminal {
        match self {
            Self::Claude | Self::Gemini => self.by_hand(world, &["--resume", conversation]),
            Self::Codex => self.by_hand(world, &["resume", conversation, "--no-daemon"]),
            Self::OpenCode => self.by_hand(world, &["--session", conversation]),
            Self::Shell => self.by_hand(world, &[]),
        }
    }

    /// What it says if its own lock keeps a second program out of a conversation. `None`: it has no lock.
    pub(crate) fn locks_out(self) -> Option<&'static str> {
        match self {
            Self::Codex => Some("This conversation is open in another app"),
            Self::Claude | Self::OpenCode | Self::Gemini | Self::Shell => None,
        }
    }

    /// Asks this in a new conversation without Repose in a separate terminal, and waits for the answer.
    pub(crate) fn bare(self, world: &World, prompt: &str) -> Terminal {
        let terminal = match self {
            Self::Claude => self.by_hand(world, &[prompt]),
            Self::Codex => self.by_hand(world, &["--no-daemon", prompt]),
            Self::OpenCode => self.by_hand(world, &["--prompt", prompt]),
            Self::Gemini => self.by_hand(world, &["-i", prompt]),
            Self::Shell => self.by_hand(world, &[]),
        };
        terminal.wait_for_text(if self == Self::Shell { "$" } else { "Reply 1 to" });
        if self == Self::Codex {
            codex::wait_titled(world);
        }
        terminal
    }

    fn by_hand(self, world: &World, args: &[&str]) -> Terminal {
        let mut env = world.env();
        // With a launcher it would outlive its terminal by a moment.
        env.push(("GEMINI_CLI_NO_RELAUNCH".into(), "true".into()));
        Terminal::start(&self.program(), args, &world.repo("work"), &env)
    }

    /// Types its own command that begins another conversation.
    pub(crate) fn begins_another(self, terminal: &Terminal) {
        let (command, told) = match self {
            Self::Claude => ("/clear", "/clear"),
            Self::Codex => ("/new", "start a new chat"),
            Self::OpenCode => ("/new", "New session"),
            Self::Gemini => ("/clear", "Clear the screen"),
            Self::Shell => ("clear", "clear"),
        };
        terminal.type_(command);
        terminal.wait_for_text(told);
        terminal.type_("\r");
        if self == Self::Codex {
            terminal.answer("Where should the new conversation run?", "\r");
        }
    }

    /// Types what interrupts a turn.
    pub(crate) fn interrupts(self, terminal: &Terminal) {
        match self {
            Self::Claude | Self::Codex | Self::Gemini => terminal.type_("\u{1b}"),
            // The first only asks.
            Self::OpenCode => {
                terminal.type_("\u{1b}");
                terminal.wait_for_text("again to interrupt");
                terminal.type_("\u{1b}");
            }
            Self::Shell => terminal.type_("\u{3}"),
        }
    }

    /// Makes it lose this conversation, as its user can by hand.
    pub(crate) fn lose(self, transcript: &Path, conversation: &str) {
        match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::Shell => {
                std::fs::remove_file(transcript).expect("the transcript is where Repose says");
            }
            Self::OpenCode => opencode::delete(transcript, conversation),
        }
    }

    /// From now on, a start of it that opens this conversation stops just before the program begins: it
    /// creates the first file, and continues once the second is gone.
    pub(crate) fn starts_late(self, world: &World, conversation: &str) -> [PathBuf; 2] {
        let [begun, gate] = ["begun", "gate"].map(|name| world.home().join(name));
        std::fs::write(&gate, "").expect("a writable home");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *{conversation}*) touch {begun}; while [ -e {gate} ]; do sleep 0.05; done ;; esac\n\
             exec {program} \"$@\"\n",
            begun = begun.display(),
            gate = gate.display(),
            program = self.program().display(),
        );
        let path = world.engine().with_file_name(self.name());
        std::fs::remove_file(&path).expect("an engine on the path");
        std::fs::write(&path, script).expect("a writable folder");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a file of our own");
        [begun, gate]
    }

    /// What it asks before it runs a command, and the keys that answer yes.
    pub(crate) fn asks_permission(self) -> (&'static str, &'static str) {
        match self {
            Self::Claude => ("Do you want to proceed?", "\r"),
            Self::Codex => ("Would you like to run", "y"),
            Self::OpenCode => ("Permission required", "\r"),
            Self::Gemini => ("Allow execution of", "\r"),
            Self::Shell => ("", ""),
        }
    }

    /// Denies the permission that it waits for: through Repose if it accepts that, otherwise in its terminal.
    pub(crate) fn denies(self, world: &World, terminal: &Terminal) -> Denied {
        let (dialog, _) = self.asks_permission();
        match self {
            Self::Claude => {
                decide(world, "deny");
                Denied::GoesOn
            }
            Self::OpenCode => {
                decide(world, "deny");
                Denied::EndsTheTurn
            }
            Self::Codex | Self::Gemini => {
                assert!(world.status("work")["decision"].is_null(), "it takes an answer from outside now");
                terminal.answer(dialog, "\u{1b}");
                Denied::EndsTheTurn
            }
            Self::Shell => Denied::GoesOn,
        }
    }

    /// Adds a hook to the user's settings that writes a line to this file at the end of a turn.
    pub(crate) fn own_hook(self, world: &World, told: &Path) {
        let command = format!("echo done >> {}", told.display());
        match self {
            Self::Claude => claude::hook(&world.home(), &command),
            Self::Codex => codex::hook(&world.home(), &command),
            Self::OpenCode => opencode::plugin(&world.home(), &command),
            Self::Gemini => gemini::hook(&world.home(), &command),
            Self::Shell => {}
        }
    }

    /// Adds a server (MCP) to the user's settings that writes a line to this file when it starts and when it
    /// ends.
    pub(crate) fn own_server(self, world: &World, told: &Path) {
        let script = format!("echo started >> {}", told.display());
        let command = ["/bin/sh", "-c", script.as_str()];
        match self {
            Self::Claude => claude::servers(&world.home(), &[("mine", &command)]),
            Self::Codex => codex::server(&world.home(), &command),
            Self::OpenCode => opencode::server(&world.home(), &command),
            Self::Gemini => gemini::server(&world.home(), &command),
            Self::Shell => {}
        }
    }
}

/// Answers what the repo `work` waits for, through Repose.
pub(crate) fn decide(world: &World, choice: &str) {
    let asked = world.wait("work", "a decision", |status| status["decision"].is_object());
    let answer = json!({ "decision": asked["decision"]["id"], "choice": choice });
    let id = asked["id"].as_str().expect("an id");
    let said = Console::of(world).post(&format!("/api/repos/{id}/answer"), &answer);
    assert_eq!(said.status, 200, "{said:#?}");
}
