//! The few things that are read from Gemini CLI's screen: where its input line is, and what covers it.

use repose_core::signal::Wait;

use crate::ask::Seen;
use crate::ask::standing::is_frame;

/// With what the input line begins; `*` if the program is told not to ask, `!` while it takes shell commands.
const BEGINS: [char; 3] = ['>', '*', '!'];

/// What is above the input line while it takes shell commands.
const SHELL_MODE: &str = "shellmodeenabled(esctodisable)";

/// What its menus say, each of which Esc closes: those of its settings, its list of conversations, its choice
/// of a login, and the list to which Esc leads when it is pressed twice.
const MENUS: [&str; 5] = [
    "Esctoclose",
    "PressEsctoexit",
    "Resume:Enter",
    "Howwouldyouliketoauthenticate",
    "UseEntertoselectamessage",
];

/// What it asks before it reads files outside its folder.
const READS: &str = "Doyouwanttoallowthisread?";

/// The last line of a dialog.
const CHOOSES: &str = "Entertoselect\u{b7}";

/// Whether the cursor is in the input line: below a dialog or a menu it is at the left edge, or in a box.
pub(super) fn line_is_there(seen: &Seen<'_>) -> bool {
    if seen.before_cursor.is_empty() {
        return false;
    }
    let lines: Vec<&str> = seen.screen.lines().take(seen.row + 1).collect();
    // Blank lines at the bottom of the screen aren't kept, and blank ones are part of a prompt.
    let mut begins = lines.iter().rev().map(|line| line.trim_start());
    begins.find_map(|line| match line.chars().next() {
        Some(first) if BEGINS.contains(&first) => Some(true),
        Some(first) if is_frame(first) => Some(false),
        Some(_) | None => None,
    }) == Some(true)
}

/// Whether Esc leads to the input line: it takes shell commands, as it continues to after one until somebody
/// presses Esc, or a menu covers it.
pub(super) fn is_left_with_esc(seen: &Seen<'_>) -> bool {
    let shown = dense(seen.screen);
    shown.contains(SHELL_MODE) || (!line_is_there(seen) && MENUS.iter().any(|menu| shown.contains(menu)))
}

/// What a dialog asks.
pub(super) fn asks(seen: &Seen<'_>) -> Option<Wait> {
    if line_is_there(seen) {
        return None;
    }
    let shown = dense(seen.screen);
    if shown.contains(READS) {
        return Some(Wait::Permission("read files outside its folder".into()));
    }
    shown.contains(CHOOSES).then(|| Wait::Choice(String::new()))
}

fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !is_frame(*c)).collect()
}
