//! Whether an input line is half typed, told from the bytes that a terminal sends.
//!
//! A terminal also sends what nobody typed: replies to queries, focus reports, mouse reports. Those don't
//! change the line. A key may bring text that nobody typed, such as an earlier prompt: that holds nothing, but
//! must be removed before an ask is typed. If a key's effect is unknown, what somebody typed counts as there.
//! The bytes may be cut anywhere.

mod mouse;
mod number;
mod text;

use std::time::Duration;

use crate::time::Awake;

use number::{first_number, number};
pub use text::Habits;
use text::{Key, Text};

/// How long an Esc byte waits for the rest of a sequence before it counts as the Esc key. Terminals send a
/// sequence in one write; the rest of a divided one follows within a few milliseconds.
pub const ESC_SETTLES: Duration = Duration::from_millis(50);

/// The longest sequence, in bytes. The bytes of a longer one are ignored to its end, and none is kept.
const SEQUENCE_MAX: usize = 64;

/// A second Ctrl-C within this time, while a turn runs, removes the text: the first ended the turn, which may
/// not be known yet.
const DROP_TWICE: Duration = Duration::from_secs(1);

/// The keypad's Enter in kitty's protocol, which has numbers of its own for a keypad's keys.
const KEYPAD_ENTER: u32 = 57_414;

/// The columns that engines use for a frame or a mark beside the text. A generous estimate.
const FRAME: u16 = 10;

/// The assumed width of a terminal until its size is known.
const COLUMNS: u16 = 80;

/// An engine's input line, as far as it is known from the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    text: Text,
    habits: Habits,
    columns: u16,
    /// The row of the terminal's cursor, if that stands in the line.
    row: Option<u32>,
    /// Whether the last character is a backslash: Enter then breaks the line.
    escaped: bool,
    front: Front,
    /// Whether a person sent something while a turn runs: it may stand in the engine's queue.
    queued: bool,
    /// What a dialog received.
    dialog: Dialog,
    /// When Esc was pressed, if that was the last key and no turn ran.
    esc: Option<Awake>,
    /// When Ctrl-C ended a turn, if that was the last key.
    ended: Option<Awake>,
    state: State,
    /// When the last byte arrived.
    at: Awake,
}

impl Default for Line {
    fn default() -> Self {
        Self::new(Habits::default())
    }
}

/// What receives the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// The input line.
    Line,
    /// The input line while a turn runs: a key may end the turn and leave the text, and Up may bring back a
    /// prompt that was sent and not yet taken, which is somebody's text.
    Turn,
    /// A dialog: the input line behind it doesn't change.
    Dialog,
}

/// What a dialog received. Its end is known a moment after its answer, and by then the line receives the
/// keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialog {
    Open,
    /// Text for the dialog: nothing before it can have been an answer.
    Text,
    /// What may have been its answer.
    Answered,
    /// Text after that.
    TypedOn,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum State {
    #[default]
    Text,
    /// An Esc byte arrived.
    Escape,
    /// After `ESC [`; the parameters so far.
    Control(Vec<u8>),
    /// After `ESC O`: one more byte follows.
    Single,
    /// In a string up to its terminator (`ESC ]`, `ESC P`, `ESC _`, `ESC ^`); `true` after an Esc in it.
    Text8(bool),
    /// In an old mouse report; the number of bytes still to come.
    Mouse(u8),
    /// Between the paste markers; how many bytes of the end marker have arrived.
    Paste(usize),
}

/// What some bytes did, apart from changing the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Touch {
    /// A person did something: typed, pasted, sent, cleared, moved.
    pub by_person: bool,
    /// The line was sent,
    pub sent: bool,
    /// and may have held text.
    pub text: bool,
    /// Esc was pressed in the line. What a second one does depends on [`Habits`], which may have changed.
    pub esc: bool,
}

const PASTE_END: &[u8] = b"\x1b[201~";

impl Line {
    /// An empty line with these habits.
    #[must_use]
    pub fn new(habits: Habits) -> Self {
        Self {
            text: Text::Empty,
            habits,
            columns: COLUMNS,
            row: None,
            escaped: false,
            front: Front::Line,
            queued: false,
            dialog: Dialog::Open,
            esc: None,
            ended: None,
            state: State::Text,
            at: Awake(0),
        }
    }

    /// Whether something is typed and not sent.
    #[must_use]
    pub fn half_typed(&self) -> bool {
        self.text.is_somebodys()
    }

    /// Whether the line may hold text that is nobody's and must be removed before something is typed.
    #[must_use]
    pub fn is_strewn(&self) -> bool {
        self.text == Text::Nobodys
    }

    /// From now on the line has these habits: the user has changed how it is edited.
    pub(crate) fn takes_on(&mut self, habits: Habits) {
        self.habits = habits;
    }

    /// The line was emptied.
    pub(crate) fn emptied(&mut self) {
        self.text = Text::Empty;
    }

    /// The terminal's width changed to this many columns.
    pub(crate) fn wide(&mut self, columns: u16) {
        self.columns = columns;
    }

    /// The terminal's cursor stands in this row, counted from 1.
    pub(crate) fn at_row(&mut self, row: u16) {
        self.row = self.habits.shows_cursor.then_some(row.into());
    }

    /// Takes in bytes that a terminal sent, and what received them.
    pub fn feed(&mut self, bytes: &[u8], front: Front, now: Awake) -> Touch {
        let mut touch = self.settle(now);
        self.at = now;
        self.goes_to(front);
        for &byte in bytes {
            self.byte(byte, &mut touch);
        }
        touch
    }

    /// From now on this receives the keys.
    pub(crate) fn goes_to(&mut self, front: Front) {
        self.front = front;
        match front {
            Front::Dialog => return,
            Front::Turn => {}
            Front::Line => self.queued = false,
        }
        match std::mem::replace(&mut self.dialog, Dialog::Open) {
            Dialog::Open | Dialog::Text | Dialog::Answered => {}
            Dialog::TypedOn => self.text = Text::Loose,
        }
    }

    /// Lets an Esc byte, or what looked like the start of a sequence, count as a key once it has waited long
    /// enough.
    pub fn settle(&mut self, now: Awake) -> Touch {
        if self.settles_at().is_none_or(|at| at > now) {
            return Touch::default();
        }
        let mut touch = Touch { by_person: true, ..Touch::default() };
        if self.state == State::Escape {
            self.escape(&mut touch);
        }
        self.state = State::Text;
        touch
    }

    /// The text that was sent is in the line again.
    pub(crate) fn holds_text(&mut self) {
        if !self.half_typed() {
            self.text = Text::Again;
        }
    }

    /// Text that Repose typed may be left in the line.
    pub(crate) fn strew(&mut self) {
        self.text = self.text.strewn();
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
                0x1b => self.escape(touch), // and this one waits
                b'\r' | b'\n' => self.press_alone(Key::Break, touch), // Alt+Enter
                0x08 | 0x7f => self.press_alone(Key::Takes, touch),
                _ => self.press_alone(Key::Command, touch),
            },
            State::Control(parameters) => match byte {
                0x20..=0x3f => {
                    if parameters.len() < SEQUENCE_MAX {
                        parameters.push(byte);
                    }
                }
                0x1b => self.state = State::Escape, // not an Esc key but the start of a sequence within it
                _ => {
                    let parameters = std::mem::take(parameters);
                    self.state = State::Text;
                    self.control(&parameters, byte, touch);
                }
            },
            State::Single => {
                self.state = State::Text;
                self.arrow(byte, touch); // SS3: arrows and function keys
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
                    match byte {
                        b'\r' | b'\n' => self.press(Key::Break, touch),
                        _ => self.types(byte.into(), touch),
                    }
                }
            }
        }
    }

    fn plain(&mut self, byte: u8, touch: &mut Touch) {
        match byte {
            0x1b => self.state = State::Escape,
            b'\r' => self.enter(touch),
            0x00..=0x1f => self.with_ctrl(byte, touch),
            0x7f => self.press(Key::Backspace, touch),
            0x80..=0xbf => {} // the rest of a character that was counted at its first byte
            _ => self.types(byte.into(), touch),
        }
    }

    /// A character, given by its number or its first byte in UTF-8. Only an upper bound of its columns
    /// matters.
    fn types(&mut self, code: u32, touch: &mut Touch) {
        if self.front == Front::Dialog {
            touch.by_person = true;
            let answers =
                u8::try_from(code).is_ok_and(|byte| byte.is_ascii_digit() || b"ynYN".contains(&byte));
            self.dialog = match self.dialog {
                Dialog::Open | Dialog::Answered if answers => Dialog::Answered,
                Dialog::Open | Dialog::Text => Dialog::Text,
                Dialog::Answered | Dialog::TypedOn => Dialog::TypedOn,
            };
            return;
        }
        self.press(
            match code {
                0x5c => Key::Backslash,
                0x00..0xe0 => Key::Character(1),
                _ => Key::Character(2),
            },
            touch,
        );
    }

    /// Enter sends the line, unless a backslash before it breaks the line instead.
    fn enter(&mut self, touch: &mut Touch) {
        let sends = !self.escaped && self.front != Front::Dialog;
        touch.text |= sends && self.text != Text::Empty;
        self.press(if self.escaped { Key::Break } else { Key::Enter }, touch);
        touch.sent |= sends;
        self.queued |= sends && self.front == Front::Turn;
    }

    fn escape(&mut self, touch: &mut Touch) {
        touch.esc |= self.front == Front::Line;
        let within = |twice| self.esc.is_some_and(|before| self.at.since(before) < twice);
        if self.front == Front::Line && self.habits.esc_twice.is_some_and(within) {
            self.press(Key::EscTwice, touch);
        } else {
            self.press(Key::Esc, touch);
        }
    }

    /// A key that ends a sequence.
    fn press_alone(&mut self, key: Key, touch: &mut Touch) {
        self.state = State::Text;
        self.press(key, touch);
    }

    fn press(&mut self, key: Key, touch: &mut Touch) {
        touch.by_person = true;
        let ended = self.ended.take().is_some_and(|before| self.at.since(before) < DROP_TWICE);
        let ends = key == Key::Drop && self.habits.drop_ends_turns && !ended;
        let means = match (self.front, key) {
            (Front::Dialog, _) => return self.press_in_dialog(key),
            (Front::Turn, Key::Drop) if ends => {
                self.ended = Some(self.at);
                Key::Esc
            }
            (Front::Turn, Key::Brings) if self.queued => Key::Edits,
            (Front::Turn | Front::Line, key) => key,
        };
        self.text = self.text.press(means, self.width(), self.habits);
        self.escaped = key == Key::Backslash;
        self.esc = (key == Key::Esc && self.front == Front::Line).then_some(self.at);
    }

    /// The columns of the line's text, at least.
    fn width(&self) -> u32 {
        self.columns.saturating_sub(FRAME).max(1).into()
    }

    fn press_in_dialog(&mut self, key: Key) {
        match key {
            Key::Enter | Key::Drop | Key::Esc | Key::EscTwice => self.dialog = Dialog::Answered,
            Key::Break | Key::Edits | Key::Editor if self.dialog == Dialog::Answered => {
                self.dialog = Dialog::TypedOn;
            }
            Key::Character(_)
            | Key::Backslash
            | Key::Break
            | Key::Backspace
            | Key::Cut
            | Key::Takes
            | Key::Brings
            | Key::Tab
            | Key::Command
            | Key::Moves
            | Key::Onward
            | Key::End
            | Key::Edits
            | Key::Editor
            | Key::Search => {}
        }
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
                None if parameters.first() == Some(&b'3') => self.press(Key::Takes, touch), // Delete
                None if matches!(parameters.first(), Some(b'4' | b'8')) => self.press(Key::End, touch),
                None => self.press(Key::Moves, touch), // Home, Page Up, …
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
            b'M' => mouse::click(parameters).into_iter().for_each(|row| self.click(row)),
            b'A'..=b'D' | b'F' | b'H' | b'Z' => self.arrow(last, touch),
            _ => {} // cursor and device reports, focus, mouse
        }
    }

    /// A click may move the cursor, if it is on a row that the text may take. It doesn't count as an
    /// interaction.
    fn click(&mut self, row: u32) {
        let off = |cursor: u32| row.abs_diff(cursor) > self.text.rows_beside(self.width());
        if self.row.is_some_and(off) {
            (self.esc, self.ended) = (None, None);
        } else {
            self.press(Key::Moves, &mut Touch::default());
        }
    }

    /// `ESC [ last` or `ESC O last`: arrows, End, Home, Shift+Tab, function keys.
    fn arrow(&mut self, last: u8, touch: &mut Touch) {
        touch.by_person = true;
        match last {
            b'A' | b'B' => self.press(Key::Brings, touch),
            b'C' => self.press(Key::Onward, touch),
            b'F' => self.press(Key::End, touch),
            b'D' | b'H' => self.press(Key::Moves, touch),
            _ => {}
        }
    }

    /// A key with Ctrl, by its number in the alphabet.
    fn with_ctrl(&mut self, number: u8, touch: &mut Touch) {
        match number {
            b'\r' => self.enter(touch), // M
            b'\n' if self.habits.ctrl_j_sends => self.enter(touch),
            _ => self.press(Key::with_ctrl(number), touch),
        }
    }

    fn key(&mut self, code: u32, modifier: u32, touch: &mut Touch) {
        const CTRL: u32 = 4;
        const ALT: u32 = 2;
        const SHIFT: u32 = 1;
        const LOCKS: u32 = 64 | 128;
        let held = modifier.saturating_sub(1) & !LOCKS;
        let plain = held & !SHIFT == 0;
        match code {
            13 | KEYPAD_ENTER if held == 0 => self.enter(touch),
            13 | KEYPAD_ENTER => self.press(Key::Break, touch),
            27 => self.escape(touch),
            8 | 127 if plain => self.press(Key::Backspace, touch),
            8 | 127 => self.press(Key::Takes, touch),
            9 if held == SHIFT => touch.by_person = true, // as `ESC [ Z`
            9 => self.press(Key::Tab, touch),
            97..=122 if held == CTRL => self.with_ctrl(u8::try_from(code - 96).unwrap_or_default(), touch),
            45 | 47 | 95 if held & (CTRL | ALT) == CTRL => self.press(Key::Edits, touch), // undo
            // A keypad's digits and signs, and its arrows.
            57_399..=57_413 | 57_415 | 57_416 if plain => self.types(b'0'.into(), touch),
            57_417 | 57_423 => self.press(Key::Moves, touch),
            57_418 => self.press(Key::Onward, touch),
            57_419 | 57_420 => self.press(Key::Brings, touch),
            57_424 => self.press(Key::End, touch),
            57_426 => self.press(Key::Takes, touch),
            57_344..=63_743 => touch.by_person = true, // keys without a character
            32.. if plain => self.types(code, touch),
            _ if held & ALT != 0 => self.press(Key::Command, touch),
            // Ctrl+Shift, Ctrl and a digit, Super: no engine is known to put text there at one.
            _ => self.press(Key::Moves, touch),
        }
    }
}

#[cfg(test)]
mod tests;
