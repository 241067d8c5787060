//! What is shown of a process that has a conversation open.

use repose_core::conversation::Owner;
use repose_sys::ProcessId;

use crate::transcript::one_line;

/// The most characters of a command line, which has to fit one line.
const COMMAND_MAX: usize = 200;

/// The process with this pid, as the owner of a conversation.
pub(crate) fn owner(pid: u32) -> Owner {
    Owner { pid, terminal: repose_sys::files::terminal(pid), command: command(pid) }
}

fn command(pid: u32) -> Option<String> {
    let words = ProcessId::of(pid)?.command()?.join(" ");
    Some(one_line(&words, COMMAND_MAX)).filter(|command| !command.is_empty())
}
