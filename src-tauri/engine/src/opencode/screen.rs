//! The few things that are read from OpenCode's screen: where its input line is, and what covers it.

use crate::ask::Seen;

/// The left edge of the input line, and the end of that edge.
const EDGE: char = '\u{2503}';
const EDGE_ENDS: char = '\u{2579}';

/// What stands at the right end of a menu's first line, whose other part is its name.
const LEAVES: [&str; 2] = ["esc", "esc/enter"];

/// The least distance between the parts of a line.
const APART: &str = "    ";

/// Whether the cursor is in the input line, whose left edge goes on to its end below the cursor.
pub(super) fn line_is_there(seen: &Seen<'_>) -> bool {
    let mut below = seen.screen.lines().skip(seen.row).map(|line| line.trim_start().chars().next());
    below.find(|first| *first != Some(EDGE)) == Some(Some(EDGE_ENDS)) && seen.before_cursor.contains(EDGE)
}

/// Whether a menu has the cursor, which Esc closes.
pub(super) fn is_left_with_esc(seen: &Seen<'_>) -> bool {
    // What it covers goes on to its left and right.
    let begins = |line: &str| {
        let parts: Vec<&str> = line.split(APART).map(str::trim).filter(|part| !part.is_empty()).collect();
        parts.iter().skip(1).any(|part| LEAVES.contains(part))
    };
    !line_is_there(seen) && seen.screen.lines().any(begins)
}
