//! Recognises Ctrl-\ Ctrl-d in a terminal's input, in every encoding that terminals use.

/// Finds the two keys that detach.
#[derive(Debug, Default)]
pub(super) struct Detach {
    /// Ctrl-\ as it was received. It is kept until the next key.
    held: Vec<u8>,
}

/// What to do with some input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    /// Bytes to send to the engine.
    pub(super) pass: Vec<u8>,
    /// Whether to detach the terminal after that.
    pub(super) detach: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Key {
    CtrlBackslash,
    CtrlD,
    /// Not a key press: a key release, or a modifier alone.
    NoPress,
    Other,
}

impl Detach {
    /// Takes in bytes from the terminal.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Input {
        let mut pass = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let (key, length) = key(rest);
            let (this, after) = rest.split_at(length);
            rest = after;
            let armed = !self.held.is_empty();
            match key {
                Key::CtrlD if armed => return Input { pass, detach: true },
                Key::NoPress if armed => {}
                // Pressing it twice sends it once.
                Key::CtrlBackslash if armed => pass.append(&mut self.held),
                Key::CtrlBackslash => self.held = this.to_vec(),
                Key::CtrlD | Key::NoPress | Key::Other => {
                    pass.append(&mut self.held);
                    pass.extend_from_slice(this);
                }
            }
        }
        Input { pass, detach: false }
    }
}

/// The first key in `bytes`, and its length in bytes.
fn key(bytes: &[u8]) -> (Key, usize) {
    match bytes {
        [0x1c, ..] => (Key::CtrlBackslash, 1),
        [0x04, ..] => (Key::CtrlD, 1),
        [0x1b, b'[', rest @ ..] => {
            let Some(at) = rest.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
                return (Key::Other, bytes.len());
            };
            (sequence(&rest[..at], rest[at]), at + 3)
        }
        _ => (Key::Other, 1),
    }
}

/// `ESC [ parameters last`: the kitty protocol (`code:alternates;modifiers:event u`) and xterm's
/// modifyOtherKeys (`27;modifiers;code ~`).
fn sequence(parameters: &[u8], last: u8) -> Key {
    let Ok(parameters) = std::str::from_utf8(parameters) else { return Key::Other };
    let mut fields = parameters.split(';');
    let first = |field: Option<&str>| field.and_then(|field| field.split(':').next()?.parse::<u32>().ok());
    match last {
        b'u' => {
            let code = first(fields.next());
            let held = fields.next().unwrap_or("1");
            let released = held.split(':').nth(1) == Some("3");
            let modifier_alone = code.is_some_and(|code| MODIFIER_KEYS.contains(&code));
            if released || modifier_alone {
                return Key::NoPress;
            }
            pressed(code, first(Some(held)))
        }
        b'~' if fields.next() == Some("27") => {
            let held = first(fields.next());
            pressed(first(fields.next()), held)
        }
        _ => Key::Other,
    }
}

/// Shift, Control, Alt, … alone, in the kitty protocol.
const MODIFIER_KEYS: std::ops::RangeInclusive<u32> = 57_441..=57_454;

fn pressed(code: Option<u32>, held: Option<u32>) -> Key {
    const CTRL: u32 = 4;
    // Caps lock and num lock (64, 128) are ignored.
    const SHIFT_ALT_SUPER_HYPER_META: u32 = 1 | 2 | 8 | 16 | 32;
    let held = held.unwrap_or(1).saturating_sub(1);
    if held & CTRL == 0 || held & SHIFT_ALT_SUPER_HYPER_META != 0 {
        return Key::Other;
    }
    match code {
        Some(92) => Key::CtrlBackslash,
        Some(100) => Key::CtrlD,
        Some(_) | None => Key::Other,
    }
}

#[cfg(test)]
mod tests;
