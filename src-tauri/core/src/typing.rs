//! Whether a line is half typed, read off the bytes that a terminal sends.
//!
//! A terminal also sends what nobody typed: replies to queries, focus reports, mouse reports. Those, and arrows,
//! leave the line as it is. The bytes may be cut anywhere.

use std::time::Duration;

use crate::time::Awake;

/// How long an Esc byte waits for the rest of a sequence before it counts as the key. Terminals send a sequence in
/// one write; a cut one follows within a few milliseconds.
pub const ESC_SETTLES: Duration = Duration::from_millis(50);

/// A sequence longer than this isn't one: its bytes are passed over until it ends, and none is kept.
const SEQUENCE_MAX: usize = 64;

/// The line as far as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Characters on it. Backspace takes one away.
    typed: u32,
    /// The last one is a backslash: Enter breaks the line after it.
    escaped: bool,
    /// The last bytes went to a dialog in front of it.
    aside: bool,
    state: State,
    /// When the last byte came.
    at: Awake,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum State {
    #[default]
    Text,
    /// An Esc byte came.
    Escape,
    /// `ESC [`: parameters so far.
    Control(Vec<u8>),
    /// `ESC O`: one more byte.
    Single,
    /// A string up to its terminator (`ESC ]`, `ESC P`, `ESC _`, `ESC ^`); `true` after an Esc in it.
    Text8(bool),
    /// An old mouse report: so many bytes to come.
    Mouse(u8),
    /// Between the paste markers; what of the end marker has come.
    Paste(usize),
}

/// What some bytes did, beside changing the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Touch {
    /// A person did something: typed, pasted, sent, cleared, moved.
    pub by_person: bool,
    /// The line was sent.
    pub sent: bool,
}

const PASTE_END: &[u8] = b"\x1b[201~";

impl Line {
    /// Whether something is typed and not sent.
    #[must_use]
    pub fn half_typed(&self) -> bool {
        self.typed > 0
    }

    /// Takes in bytes that a terminal sent.
    pub fn feed(&mut self, bytes: &[u8], now: Awake) -> Touch {
        self.take_in(bytes, false, now)
    }

    /// The same while a dialog has the keyboard: it takes the keys, and the line behind it stays as it is.
    pub fn feed_dialog(&mut self, bytes: &[u8], now: Awake) -> Touch {
        self.take_in(bytes, true, now)
    }

    fn take_in(&mut self, bytes: &[u8], aside: bool, now: Awake) -> Touch {
        let settled = self.settle(now);
        self.at = now;
        self.aside = aside;
        let touch = self.unless_aside(|line| {
            let mut touch = Touch::default();
            for &byte in bytes {
                line.byte(byte, &mut touch);
            }
            touch
        });
        Touch { by_person: settled.by_person || touch.by_person, sent: touch.sent }
    }

    /// What comes doesn't change the line if it goes to a dialog.
    fn unless_aside(&mut self, change: impl FnOnce(&mut Self) -> Touch) -> Touch {
        let before = (self.typed, self.escaped);
        let touch = change(self);
        if !self.aside {
            return touch;
        }
        (self.typed, self.escaped) = before;
        Touch { sent: false, ..touch }
    }

    /// Lets an Esc byte, or what looked like the begin of a sequence, count as a key once it has waited long enough.
    pub fn settle(&mut self, now: Awake) -> Touch {
        if self.settles_at().is_none_or(|at| at > now) {
            return Touch::default();
        }
        if self.state == State::Escape && !self.aside {
            self.typed = 0;
        }
        self.state = State::Text;
        Touch { by_person: true, sent: false }
    }

    /// Text stands there that no terminal sent.
    pub(crate) fn holds_text(&mut self) {
        self.typed = self.typed.max(1);
    }

    /// When [`Line::settle`] has something to do.
    #[must_use]
    pub fn settles_at(&self) -> Option<Awake> {
        match self.state {
            State::Escape | State::Control(_) | State::Single | State::Text8(_) | State::Mouse(_) => {
                Some(self.at.after(ESC_SETTLES))
            }
            State::Text | State::Paste(_) => None,
        }
    }

    fn byte(&mut self, byte: u8, touch: &mut Touch) {
        match &mut self.state {
            State::Text => self.plain(byte, touch),
            State::Mouse(left) => match *left {
                0 | 1 => self.state = State::Text,
                more => *left = more - 1,
            },
            State::Escape => match byte {
                b'[' => self.state = State::Control(Vec::new()),
                b'O' => self.state = State::Single,
                b']' | b'P' | b'_' | b'^' => self.state = State::Text8(false),
                0x1b => self.clear(touch, State::Escape),
                b'\r' | b'\n' => self.add(touch), // Alt+Enter breaks the line and sends nothing
                _ => {
                    // Alt and a key: an editing command
                    touch.by_person = true;
                    self.state = State::Text;
                }
            },
            State::Control(parameters) => match byte {
                0x20..=0x3f => {
                    if parameters.len() < SEQUENCE_MAX {
                        parameters.push(byte);
                    }
                }
                0x1b => self.state = State::Escape, // it was none
                _ => {
                    let parameters = std::mem::take(parameters);
                    self.state = State::Text;
                    self.control(&parameters, byte, touch);
                }
            },
            State::Single => {
                touch.by_person = true; // SS3: arrows and function keys
                self.state = State::Text;
            }
            State::Text8(escaped) => match (byte, *escaped) {
                (0x07, _) | (b'\\', true) => self.state = State::Text,
                (0x1b, _) => *escaped = true,
                _ => *escaped = false,
            },
            State::Paste(matched) => {
                if PASTE_END.get(*matched) == Some(&byte) {
                    *matched += 1;
                    if *matched == PASTE_END.len() {
                        self.state = State::Text;
                    }
                } else {
                    *matched = usize::from(byte == 0x1b);
                    touch.by_person = true;
                    self.escaped = byte == b'\\';
                    self.typed = self.typed.saturating_add(1);
                }
            }
        }
    }

    fn plain(&mut self, byte: u8, touch: &mut Touch) {
        match byte {
            0x1b => self.state = State::Escape,
            b'\r' => self.enter(touch),
            0x03 | 0x15 => self.clear(touch, State::Text), // Ctrl-C, Ctrl-U
            0x08 | 0x7f => self.take_back(touch),
            b'\n' => self.add(touch), // Ctrl-J breaks the line
            0x00..=0x1f => touch.by_person = true,
            0x80..=0xbf => {} // the rest of a character that was counted at its first byte
            _ => {
                self.add(touch);
                self.escaped = byte == b'\\';
            }
        }
    }

    /// Enter sends the line, unless a backslash before it makes a new one.
    fn enter(&mut self, touch: &mut Touch) {
        if self.escaped {
            self.add(touch);
            return;
        }
        self.clear(touch, State::Text);
        touch.sent = true;
    }

    /// `ESC [ parameters last`: a key in one of the keyboard protocols, a paste, or a terminal's own report.
    fn control(&mut self, parameters: &[u8], last: u8, touch: &mut Touch) {
        match last {
            b'~' if parameters == b"200" => {
                touch.by_person = true;
                self.state = State::Paste(0);
            }
            b'~' => match parameters.strip_prefix(b"27;") {
                // modifyOtherKeys: CSI 27 ; modifier ; code ~
                Some(rest) => {
                    let mut numbers = rest.split(|&b| b == b';').map(number);
                    let modifier = numbers.next().flatten().unwrap_or(1);
                    let code = numbers.next().flatten().unwrap_or(0);
                    self.key(code, modifier, touch);
                }
                None => touch.by_person = true, // Home, Delete, Page Up, …
            },
            // The kitty protocol: CSI code : alternates ; modifier : event u. `CSI ? flags u` is a report.
            b'u' if parameters.first() != Some(&b'?') => {
                let mut fields = parameters.split(|&b| b == b';');
                let code = fields.next().and_then(first_number).unwrap_or(0);
                let mut modifier = fields.next().unwrap_or(b"1").split(|&b| b == b':');
                let held = modifier.next().and_then(number).unwrap_or(1);
                let released = modifier.next().and_then(number) == Some(3);
                if !released {
                    self.key(code, held, touch);
                }
            }
            b'M' if parameters.is_empty() => self.state = State::Mouse(3), // X10: button, column, row
            b'A'..=b'D' | b'F' | b'H' | b'Z' => touch.by_person = true,    // arrows, End, Home, Shift+Tab
            _ => {} // cursor and device reports, focus, mouse
        }
    }

    fn key(&mut self, code: u32, modifier: u32, touch: &mut Touch) {
        const CTRL: u32 = 4;
        const ALT: u32 = 2;
        const SHIFT: u32 = 1;
        let held = modifier.saturating_sub(1);
        let ctrl = held & CTRL != 0;
        match code {
            13 if held & (SHIFT | ALT | CTRL) == 0 => self.enter(touch),
            13 => self.add(touch),
            27 => self.clear(touch, State::Text),
            8 | 127 => self.take_back(touch),
            99 | 117 if ctrl => self.clear(touch, State::Text), // c, u
            32.. if held & (CTRL | ALT) == 0 && !(57_344..=63_743).contains(&code) => {
                self.add(touch);
                self.escaped = code == u32::from(b'\\');
            }
            _ => touch.by_person = true,
        }
    }

    fn add(&mut self, touch: &mut Touch) {
        touch.by_person = true;
        self.state = State::Text;
        self.escaped = false;
        self.typed = self.typed.saturating_add(1);
    }

    fn take_back(&mut self, touch: &mut Touch) {
        touch.by_person = true;
        self.escaped = false;
        self.typed = self.typed.saturating_sub(1);
    }

    fn clear(&mut self, touch: &mut Touch, state: State) {
        touch.by_person = true;
        self.escaped = false;
        self.typed = 0;
        self.state = state;
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn first_number(field: &[u8]) -> Option<u32> {
    number(field.split(|&b| b == b':').next()?)
}

#[cfg(test)]
mod tests;
