//! Which parts of an engine's output are passed on to terminals.
//!
//! An engine's output is hostile input: it shows whatever a model or a file says. Text and drawing pass
//! unchanged. The following is held back: queries to the terminal, which the model answers; everything that
//! writes to the clipboard; strings for features that the model doesn't keep (graphics, file transfer,
//! notifications); and C1 control characters, which some terminals take for the start of all that. Titles
//! pass cleaned. Sequences pass as a whole: an incomplete one waits for its rest. Only control sequences that
//! are known not to be queries pass, since future terminals may answer others. The result is UTF-8 that all
//! parsers read alike.

mod sequence;

/// The longest control sequence, in bytes. A longer one isn't one and is dropped: the longest that programs
/// write have some 100 bytes.
const CONTROL_MAX: usize = 256;

/// The longest string, in bytes. A longer one is dropped. The longest ones that pass are links.
const STRING_MAX: usize = 4096;

/// The final bytes that pass right after `ESC`, besides reset: for the cursor and its line, tabs, the keypad,
/// and shifts between character sets.
const ESCAPES: &[u8] = b"6789=>DEHMNO\\no|}~";

/// The intermediates that pass between `ESC` and a final byte: for the character sets G0 to G3 and line
/// sizes. Not `%`, which leaves UTF-8, so that bytes within a character become control characters; not a
/// space, which makes keys send C1 characters.
const SETS: &[u8] = b"()*+-./#";

/// The most characters of a title; a longer one is cut.
const TITLE_MAX: usize = 200;

/// The numbers of the strings (OSC) that pass besides titles: colours and links.
const STRINGS: [&[u8]; 9] = [b"4", b"8", b"10", b"11", b"12", b"104", b"110", b"111", b"112"];

/// The state of the filter between two pieces of output.
#[derive(Debug)]
pub(super) struct Filter {
    state: State,
    /// The incomplete sequence so far.
    held: Vec<u8>,
    region: (u16, u16),
    rows: u16,
    shifted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// In a character of several bytes; how many are still to come.
    Character(usize),
    Escape,
    /// After `ESC` and an intermediate: a final byte is to come.
    Designate,
    Control,
    /// In a string after `ESC ]`; `true` after an Esc in it.
    String(bool),
    /// In another kind of string, none of which passes.
    Other(bool),
}

impl Filter {
    pub(super) fn new(rows: u16) -> Self {
        Self { state: State::Text, held: Vec::new(), region: (0, rows), rows, shifted: false }
    }

    /// The scroll region: its first line, and the line after its last.
    pub(super) fn region(&self) -> (u16, u16) {
        self.region
    }

    /// Whether G1 is in use instead of G0.
    pub(super) fn shifted(&self) -> bool {
        self.shifted
    }

    pub(super) fn resized(&mut self, rows: u16) {
        self.rows = rows;
        self.region = (0, rows);
    }

    /// Passes on what may pass, up to where the engine clears the scrollback. Returns how many bytes were
    /// taken, and whether it cleared the scrollback.
    pub(super) fn pass(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> (usize, bool) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if self.state == State::Text {
                let plain = rest.iter().position(|&b| !(0x20..0x7f).contains(&b)).unwrap_or(rest.len());
                if plain > 0 {
                    out.extend_from_slice(&rest[..plain]);
                    rest = &rest[plain..];
                    continue;
                }
            }
            rest = after;
            if self.byte(byte, out) {
                return (bytes.len() - rest.len(), true);
            }
        }
        (bytes.len(), false)
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match self.state {
            State::Text => self.begin(byte, out),
            State::Character(left) => {
                if !(0x80..0xc0).contains(&byte) {
                    self.character(out);
                    return self.byte(byte, out);
                }
                self.held.push(byte);
                if left > 1 {
                    self.state = State::Character(left - 1);
                } else {
                    self.character(out);
                }
                false
            }
            State::Escape => self.escape(byte, out),
            State::Designate => {
                self.designate(byte, out);
                false
            }
            State::Control => self.control(byte, out),
            State::String(escaped) => self.string(byte, escaped, out),
            State::Other(escaped) => {
                match (byte, escaped) {
                    (b'\\', true) | (0x18 | 0x1a, _) => self.drop_held(),
                    (0x1b, _) => self.state = State::Other(true),
                    (_, true) => {
                        self.restart();
                        return self.escape(byte, out);
                    }
                    (_, false) => {}
                }
                false
            }
        }
    }

    fn begin(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        let more = match byte {
            0x1b => {
                self.restart();
                return false;
            }
            0x00..=0x1f => {
                self.execute(byte, out);
                return false;
            }
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf4 => 3,
            0x80..=0xc1 | 0xf5.. => {
                out.extend_from_slice("\u{fffd}".as_bytes());
                return false;
            }
            0x20..=0x7f => {
                out.push(byte);
                return false;
            }
        };
        self.held.push(byte);
        self.state = State::Character(more);
        false
    }

    /// A control character, which takes effect at once, even within a sequence.
    fn execute(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            0x05 => return, // a query to the terminal
            0x0e | 0x0f => self.shifted = byte == 0x0e,
            _ => {}
        }
        out.push(byte);
    }

    /// Passes a complete character. An invalid one passes as the replacement character, since some terminals
    /// take single bytes of it for control characters.
    fn character(&mut self, out: &mut Vec<u8>) {
        if !matches!(self.held.as_slice(), [0xc2, 0x80..=0x9f]) {
            out.extend_from_slice(String::from_utf8_lossy(&self.held).as_bytes());
        }
        self.drop_held();
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        let next = match byte {
            b'[' => State::Control,
            b']' => State::String(false),
            b'P' | b'X' | b'^' | b'_' => State::Other(false),
            0x20..=0x2f => State::Designate,
            0x1b => {
                self.restart();
                return false;
            }
            0x18 | 0x1a => {
                self.drop_held();
                return false;
            }
            0x00..=0x1f => {
                self.execute(byte, out);
                return false;
            }
            b'c' => {
                self.region = (0, self.rows);
                self.shifted = false;
                self.held.push(byte);
                self.flush(out);
                return true;
            }
            _ if ESCAPES.contains(&byte) => {
                self.held.push(byte);
                self.flush(out);
                return false;
            }
            0x30..=0x7e => {
                self.drop_held();
                return false;
            }
            0x7f.. => return false,
        };
        self.held.push(byte);
        self.state = next;
        false
    }

    fn designate(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            0x1b => self.restart(),
            0x18 | 0x1a => self.drop_held(),
            0x00..=0x1f => self.execute(byte, out),
            0x20..=0x2f => self.hold(byte),
            0x30..=0x7e => {
                if self.held.len() < CONTROL_MAX && self.held.get(1).is_some_and(|set| SETS.contains(set)) {
                    self.held.push(byte);
                    self.flush(out);
                } else {
                    self.drop_held();
                }
            }
            0x7f.. => {}
        }
    }

    fn control(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match byte {
            0x1b => self.restart(),
            0x18 | 0x1a => self.drop_held(),
            0x00..=0x1f => self.execute(byte, out),
            0x20..=0x3f => self.hold(byte),
            0x40..=0x7e => {
                let whole = self.held.len() < CONTROL_MAX;
                self.held.push(byte);
                if !whole || !sequence::passes(&self.held[2..]) {
                    self.drop_held();
                    return false;
                }
                let cleared = self.note();
                self.flush(out);
                return cleared;
            }
            0x7f.. => {}
        }
        false
    }

    /// Keeps a byte of a sequence. A sequence that is too long stays at the limit and doesn't pass.
    fn hold(&mut self, byte: u8) {
        if self.held.len() < CONTROL_MAX {
            self.held.push(byte);
        }
    }

    fn string(&mut self, byte: u8, escaped: bool, out: &mut Vec<u8>) -> bool {
        match (byte, escaped) {
            (0x07, _) | (b'\\', true) => self.string_ends(out),
            (0x18 | 0x1a, _) => self.drop_held(),
            (0x1b, _) => self.state = State::String(true),
            (_, true) => {
                self.restart();
                return self.escape(byte, out);
            }
            (_, false) => {
                if self.held.len() < STRING_MAX {
                    self.held.push(byte);
                }
            }
        }
        false
    }

    fn string_ends(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        self.state = State::Text;
        if held.len() >= STRING_MAX {
            return;
        }
        let Ok(text) = std::str::from_utf8(&held[2..]) else { return };
        let (number, value) = text.split_once(';').unwrap_or((text, ""));
        if matches!(number, "0" | "2") {
            let title = title(value);
            out.extend_from_slice(format!("\x1b]2;{title}\x1b\\").as_bytes());
            return;
        }
        let asks = number != "8" && value.contains('?');
        if STRINGS.contains(&number.as_bytes()) && !asks && !text.chars().any(char::is_control) {
            out.extend_from_slice(&held);
            out.extend_from_slice(b"\x1b\\");
        }
    }

    /// Notes state that the model doesn't expose. Returns whether the scrollback is to be cleared.
    fn note(&mut self) -> bool {
        match &self.held[2..] {
            [parameters @ .., b'r'] if !parameters.first().is_some_and(|b| b"?<=>".contains(b)) => {
                let mut numbers = parameters.split(|&b| b == b';').map(number);
                let top = numbers.next().flatten().unwrap_or(1).max(1);
                let bottom = numbers.next().flatten().filter(|&n| n > 0).unwrap_or(self.rows).min(self.rows);
                if top < bottom {
                    self.region = (top - 1, bottom);
                }
                false
            }
            b"3J" => true,
            _ => false,
        }
    }

    fn restart(&mut self) {
        self.held.clear();
        self.held.push(0x1b);
        self.state = State::Escape;
    }

    fn drop_held(&mut self) {
        self.held.clear();
        self.state = State::Text;
    }

    fn flush(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.held);
        self.state = State::Text;
    }
}

/// A title with visible characters only, in their given order.
pub(super) fn title(text: &str) -> String {
    let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let shows = text.chars().filter(|&c| !c.is_control() && !hidden(c));
    shows.take(TITLE_MAX).collect::<String>().trim().to_owned()
}

fn number(digits: &[u8]) -> Option<u16> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
