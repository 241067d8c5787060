//! The few things that are read from Gemini CLI's screen: where its input line is, and what covers it.

use repose_core::signal::Wait;

use crate::ask::Seen;
use crate::ask::standing::is_frame;

/// With what the input line begins; `*` if the program is told not to ask, `!` while it takes shell commands.
const BEGINS: [char; 3] = ['>', '*', '!'];

/// How far the further lines of a prompt are indented.
const INDENTED: usize = 3;

/// With what the input line begins while it takes shell commands, and what stands close above it then.
const SHELL_BEGINS: char = '!';
const SHELL_MODE: &str = "shellmodeenabled(esctodisable)";

/// How many lines above the input line that may be: on a narrow screen other hints follow it.
const CLOSE: usize = 4;

/// With what the box of a menu begins.
const BOX_BEGINS: char = '\u{256d}';

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

/// What it asks after the same calls or words again and again.
const LOOPS: &str = "Keeploopdetectionenabled(esc)";

/// The last line of a dialog.
const CHOOSES: &str = "Entertoselect\u{b7}";

/// Whether the cursor is in the input line: below a dialog or a menu it is at the left edge, or in a box.
pub(super) fn line_is_there(seen: &Seen<'_>) -> bool {
    if seen.before_cursor.is_empty() {
        return false;
    }
    let lines: Vec<&str> = seen.screen.lines().take(seen.row + 1).collect();
    // Blank lines at the bottom of the screen aren't kept, and blank ones are part of a prompt.
    lines.iter().rev().find_map(|line| match line.trim_start().chars().next() {
        Some(first) if BEGINS.contains(&first) => Some(true),
        Some(_) if is_box(line) => Some(false),
        Some(_) | None => None,
    }) == Some(true)
}

/// Whether a line is one of a box. In a prompt such lines, as those of a tree of files, are indented.
fn is_box(line: &str) -> bool {
    let indented = line.chars().take_while(|c| *c == ' ').count();
    indented < INDENTED && line.trim_start().starts_with(is_frame)
}

/// Whether Esc leads to the input line: it takes shell commands, as it continues to after one until somebody
/// presses Esc, or a menu covers it.
pub(super) fn is_left_with_esc(seen: &Seen<'_>) -> bool {
    if line_is_there(seen) {
        return takes_commands(seen);
    }
    let shown = last_box(seen);
    MENUS.iter().any(|menu| shown.contains(menu))
}

/// Whether the input line takes shell commands.
fn takes_commands(seen: &Seen<'_>) -> bool {
    let upwards: Vec<&str> =
        seen.screen.lines().take(seen.row + 1).collect::<Vec<_>>().into_iter().rev().collect();
    let Some(mark) = upwards.iter().position(|line| line.trim_start().starts_with(SHELL_BEGINS)) else {
        return false;
    };
    let above = &upwards[mark + 1..upwards.len().min(mark + 2 + CLOSE)];
    !upwards[..mark].iter().any(|line| is_box(line))
        && above.iter().any(|line| dense(line).contains(SHELL_MODE))
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
    if last_box(seen).contains(LOOPS) {
        return Some(Wait::Choice("go on looking for loops, or no longer?".into()));
    }
    shown.contains(CHOOSES).then(|| Wait::Choice(String::new()))
}

/// What stands in the last box on the screen: an answer above it may say the same.
fn last_box(seen: &Seen<'_>) -> String {
    let lines: Vec<&str> = seen.screen.lines().collect();
    let begins = lines.iter().rposition(|line| line.trim_start().starts_with(BOX_BEGINS)).unwrap_or(0);
    dense(&lines[begins..].concat())
}

fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !is_frame(*c)).collect()
}
