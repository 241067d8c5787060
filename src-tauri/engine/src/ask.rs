//! Asking an engine: a prompt as the bytes that a terminal would send for it.

use std::ops::RangeInclusive;
use std::time::Duration;

use unicode_normalization::UnicodeNormalization as _;

pub(crate) mod standing;

/// The most bytes of a prompt; a longer one is refused. An input line is no way to hand over a file, and the
/// engine echoes and stores all of it. 256 KiB is about 60,000 tokens.
pub const PROMPT_MAX: usize = 256 * 1024;

/// The bytes to type to ask something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// Typed first.
    pub paste: Vec<u8>,
    /// The pause after the engine shows the paste ([`crate::Engine::shows`]). An engine that reads both at
    /// once may take the submit for part of the paste.
    pub gap: Duration,
    /// Typed after the pause.
    pub submit: Vec<u8>,
}

/// What is seen of an engine before something is typed to it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Its screen, line by line.
    pub screen: &'a str,
    /// The cursor's line on it, counted from 0.
    pub row: usize,
    /// What stands before the cursor on its line.
    pub before_cursor: &'a str,
    /// Whether it takes each key at once, as a program that edits its lines does while it reads one.
    pub takes_keys: bool,
    /// How long it has drawn nothing.
    pub still: Duration,
}

/// What is seen of an input line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputLine {
    /// It takes what is typed.
    There,
    /// It isn't seen, and may look different: what is typed may get into it all the same.
    Unseen,
    /// Something else would take what is typed: a dialog, a menu.
    Covered,
}

/// Whether a paste is marked as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Always: the engine understands the marks even before it asks for them.
    Always,
    /// Like in a terminal, only while the program has asked for them. Otherwise each line of the text is
    /// typed on its own.
    WhereWanted,
}

/// Marks that turn the direction of writing.
const TURNING: [RangeInclusive<char>; 4] =
    ['\u{61c}'..='\u{61c}', '\u{200e}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}'];

/// Characters that show nothing: Unicode's default ignorables, without those that turn.
const UNSEEN: [RangeInclusive<char>; 14] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200d}',
    '\u{2060}'..='\u{2065}',
    '\u{206a}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Why a text can't be asked as it is. Nothing was typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnfitText {
    /// There is nothing to see in it.
    #[error("the text is empty, or shows nothing; nothing was asked")]
    Empty,
    /// It is too long.
    #[error(
        "the text has {size} bytes, more than the {PROMPT_MAX} that can be typed; nothing was asked. \
         Put it into a file and ask about that"
    )]
    TooLong {
        /// Its length in bytes.
        size: usize,
    },
    /// It contains a mark that changes the direction of writing, which the engine wouldn't send without
    /// asking.
    #[error(
        "the text holds U+{:04X} at byte {at}, an invisible mark that turns the direction of writing, and the agent would \
         not send it without asking; nothing was asked. Take it out, or put the text into a file and ask about that",
        u32::from(*.character)
    )]
    Turning {
        /// The mark.
        character: char,
        /// Its position in bytes.
        at: usize,
    },
    /// It contains a character that a terminal takes for a key or a command.
    #[error(
        "the text holds the control character U+{:04X} at byte {at}, which a terminal would take for a key; \
         nothing was asked. Take it out, or put the text into a file and ask about that",
        u32::from(*.character)
    )]
    Control {
        /// The character.
        character: char,
        /// Its position in bytes.
        at: usize,
    },
    /// The engine would wait for more.
    #[error(
        "the text ends in a backslash, after which a shell waits for another line and would take what is asked next for \
         that; nothing was asked. Take it out, or double it"
    )]
    GoesOn,
    /// The engine would take it for a command to exit.
    #[error(
        "the engine would take `{word}` for an order to end itself; nothing was asked. Say it in a sentence"
    )]
    Ends {
        /// The word.
        word: &'static str,
    },
    /// The engine would take it for one of its own commands.
    #[error(
        "the engine would take `{word}` for a command of its own; nothing was asked. Say it in a sentence, or give the \
         command in its terminal"
    )]
    Command {
        /// The word.
        word: String,
    },
}

impl UnfitText {
    /// The character that it is about, and where it stands in the text, in bytes.
    #[must_use]
    pub fn character(&self) -> Option<(char, usize)> {
        match self {
            Self::Turning { character, at } | Self::Control { character, at } => Some((*character, *at)),
            Self::Empty | Self::TooLong { .. } | Self::GoesOn | Self::Ends { .. } | Self::Command { .. } => {
                None
            }
        }
    }
}

/// The text as it may be typed, with line ends as `\n` and without anything that a terminal would take for a
/// key. That includes the end mark of a bracketed paste.
///
/// # Errors
/// [`UnfitText`] if it can't be typed faithfully: nothing is silently changed or left out.
pub fn typeable(text: &str) -> Result<String, UnfitText> {
    if trimmed(&seen(text)).is_empty() {
        return Err(UnfitText::Empty);
    }
    if text.len() > PROMPT_MAX {
        return Err(UnfitText::TooLong { size: text.len() });
    }
    let text = with_line_feeds(text);
    let control = text.char_indices().find(|(_, c)| c.is_control() && *c != '\n' && *c != '\t');
    match control {
        Some((at, character)) => Err(UnfitText::Control { character, at }),
        None => Ok(text),
    }
}

/// A text whose lines end as they are typed: CR LF and CR become LF.
pub(crate) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A text whose last word is finished. After one with `@` or `$` agents offer files or skills, and Enter would
/// choose one; a space ends that, and isn't sent.
pub(crate) fn finished(mut text: String) -> String {
    if text.rsplit(char::is_whitespace).next().is_some_and(|last| last.contains(['@', '$'])) {
        text.push(' ');
    }
    text
}

/// Whether a prompt that an engine reports is the one that was asked. Engines trim it, its lines end as they
/// were typed, and some compose accents.
pub(crate) fn same(asked: &str, reported: &str) -> bool {
    trimmed(&composed(asked)) == trimmed(&composed(reported))
}

/// A text with its line ends as `\n` and its accents as part of their letters, as far as there are such.
pub(crate) fn composed(text: &str) -> String {
    with_line_feeds(text).nfc().collect()
}

/// A text without the space around it, as JavaScript knows space: a byte order mark is some.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// A text without the characters that show nothing, which some engines leave out of what they send.
pub(crate) fn seen(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).collect()
}

fn is_unseen(character: char) -> bool {
    UNSEEN.iter().any(|marks| marks.contains(&character))
}

/// Whether a character is an invisible mark that turns the direction of writing.
pub(crate) fn turns(character: char) -> bool {
    TURNING.iter().any(|marks| marks.contains(&character))
}

/// How many lines a text takes on a narrow screen, up to the most that an input line shows.
#[must_use]
pub fn lines(text: &str) -> usize {
    const SCREEN_LINE: usize = 40;
    const LINES_MAX: usize = 500;
    let lines: usize = text.lines().map(|line| 1 + line.chars().count() / SCREEN_LINE).sum();
    lines.clamp(1, LINES_MAX)
}

/// The keys that empty an input line of up to this many lines, each removing a part: Ctrl-U and Backspace
/// before the cursor, Ctrl-K and Delete after it. For Codex 0.171, OpenCode 1.18 and Gemini CLI 0.61, which
/// put the cursor at the end or the beginning of an earlier prompt.
pub(crate) fn empties(lines: usize) -> Vec<u8> {
    [b"\x15\x7f".repeat(lines), b"\x0b\x1b[3~".repeat(lines)].concat()
}

/// The text between the marks of a bracketed paste.
#[must_use]
pub fn bracketed(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + 12);
    bytes.extend_from_slice(b"\x1b[200~");
    bytes.extend_from_slice(text.as_bytes());
    bytes.extend_from_slice(b"\x1b[201~");
    bytes
}

#[cfg(test)]
mod tests;
