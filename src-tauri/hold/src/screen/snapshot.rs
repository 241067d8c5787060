//! A snapshot: the bytes that make a terminal look and behave as if it had been attached from the start.

use std::io::Write as _;

use alacritty_terminal::grid::{Cursor, Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{CharsetIndex, CursorShape, StandardCharset};

use super::Screen;
use super::encode::{self, Pen};

/// Resets everything that a program may have changed to the state of a new terminal.
const AS_NEW: &[u8] = b"\x18\x1b[!p\x1b[?1049l\x1b[r\x1b[m\x1b]8;;\x1b\\\x1b(B\x1b)B\x0f\
    \x1b[?1;6;1000;1002;1003;1004;1005;1006;2004l\x1b[?7;25h\x1b[4;20l\x1b>\x1b[=0;1u\x1b[0 q";

/// Modes that are off in a new terminal.
const OFF_AT_FIRST: [(TermMode, &str); 10] = [
    (TermMode::APP_CURSOR, "\x1b[?1h"),
    (TermMode::APP_KEYPAD, "\x1b="),
    (TermMode::MOUSE_REPORT_CLICK, "\x1b[?1000h"),
    (TermMode::MOUSE_DRAG, "\x1b[?1002h"),
    (TermMode::MOUSE_MOTION, "\x1b[?1003h"),
    (TermMode::FOCUS_IN_OUT, "\x1b[?1004h"),
    (TermMode::UTF8_MOUSE, "\x1b[?1005h"),
    (TermMode::SGR_MOUSE, "\x1b[?1006h"),
    (TermMode::BRACKETED_PASTE, "\x1b[?2004h"),
    (TermMode::LINE_FEED_NEW_LINE, "\x1b[20h"),
];

const KEYBOARD: [(TermMode, u8); 5] = [
    (TermMode::DISAMBIGUATE_ESC_CODES, 1),
    (TermMode::REPORT_EVENT_TYPES, 2),
    (TermMode::REPORT_ALTERNATE_KEYS, 4),
    (TermMode::REPORT_ALL_KEYS_AS_ESC, 8),
    (TermMode::REPORT_ASSOCIATED_TEXT, 16),
];

/// Whatever is between these is drawn at once, so that the scrollback isn't seen passing. Terminals that
/// don't know them ignore them.
/// <https://github.com/contour-terminal/vt-extensions/blob/master/synchronized-output.md>
const DRAWN_AS_ONE: [&[u8]; 2] = [b"\x1b[?2026h", b"\x1b[?2026l"];

impl Screen {
    /// The bytes that bring a terminal of the same size to the state of this screen. With `scrollback`, it is
    /// reset first and gets the scrollback too.
    ///
    /// Tab stops that the engine moved aren't included, since the model doesn't expose them.
    pub(crate) fn snapshot(&mut self, scrollback: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(if scrollback { self.scrollback.bytes() } else { 0 } + 16 * 1024);
        if scrollback {
            out.extend_from_slice(b"\x1bc");
        }
        out.extend_from_slice(AS_NEW);
        if scrollback {
            out.extend_from_slice(DRAWN_AS_ONE[0]);
        }
        out.extend_from_slice(b"\x1b[H\x1b[J");
        self.colours(&mut out);
        let alternate = self.term.mode().contains(TermMode::ALT_SCREEN).then(|| self.term.grid().clone());
        if alternate.is_some() {
            self.term.swap_alt();
            self.drain(); // lines that left the screen right before the switch
        }
        let mut wrapped = false;
        if scrollback {
            let columns = self.size().0;
            for line in self.scrollback.iter() {
                fill_wrapped(&mut out, wrapped, &line.bytes);
                wrapped = line.wraps_at == Some(columns);
                if !wrapped {
                    out.extend_from_slice(b"\r\n");
                }
            }
        }
        rows(&mut out, self.term.grid(), wrapped);
        if let Some(alternate) = alternate {
            place(&mut out, self.term.grid(), 0);
            self.term.swap_alt(); // this erases the alternate screen
            *self.term.grid_mut() = alternate;
            out.extend_from_slice(b"\x1b[?1049h\x1b[H");
            rows(&mut out, self.term.grid(), false);
        }
        self.modes(&mut out);
        if scrollback {
            out.extend_from_slice(DRAWN_AS_ONE[1]);
        }
        out
    }

    fn colours(&self, out: &mut Vec<u8>) {
        for index in 0..=258_usize {
            let Some(rgb) = self.term.colors()[index] else { continue };
            let colour = format!("rgb:{:02x}/{:02x}/{:02x}", rgb.r, rgb.g, rgb.b);
            // Writing to a Vec can't fail, here and below.
            let _ = match index {
                256.. => write!(out, "\x1b]{};{colour}\x1b\\", index - 246),
                _ => write!(out, "\x1b]4;{index};{colour}\x1b\\"),
            };
        }
    }

    fn modes(&self, out: &mut Vec<u8>) {
        let mode = *self.term.mode();
        let grid = self.term.grid();
        let (top, bottom) = self.filter.region();
        let whole = top == 0 && usize::from(bottom) == grid.screen_lines();
        if !whole {
            let _ = write!(out, "\x1b[{};{bottom}r", top + 1);
        }
        if grid.saved_cursor != Cursor::default() {
            cursor(out, &grid.saved_cursor, 0);
            charsets(out, &grid.saved_cursor);
            out.extend_from_slice(b"\x1b7");
        }
        let origin = mode.contains(TermMode::ORIGIN);
        if origin {
            out.extend_from_slice(b"\x1b[?6h");
        }
        place(out, grid, if origin { top } else { 0 });
        charsets(out, &grid.cursor);
        if self.filter.shifted() {
            out.push(0x0e);
        }
        for (flag, set) in OFF_AT_FIRST {
            if mode.contains(flag) {
                out.extend_from_slice(set.as_bytes());
            }
        }
        let alternate_scroll = mode.contains(TermMode::ALTERNATE_SCROLL);
        out.extend_from_slice(if alternate_scroll { b"\x1b[?1007h" } else { b"\x1b[?1007l" });
        if mode.contains(TermMode::INSERT) {
            out.extend_from_slice(b"\x1b[4h");
        }
        if !mode.contains(TermMode::LINE_WRAP) {
            out.extend_from_slice(b"\x1b[?7l");
        }
        if !mode.contains(TermMode::SHOW_CURSOR) {
            out.extend_from_slice(b"\x1b[?25l");
        }
        let keyboard: u8 = KEYBOARD.iter().filter(|(flag, _)| mode.contains(*flag)).map(|(_, bit)| bit).sum();
        if keyboard != 0 {
            let _ = write!(out, "\x1b[>{keyboard}u");
        }
        let style = self.term.cursor_style();
        let shape = match style.shape {
            CursorShape::Block | CursorShape::HollowBlock | CursorShape::Hidden => 2,
            CursorShape::Underline => 4,
            CursorShape::Beam => 6,
        };
        if shape != 2 || style.blinking {
            let _ = write!(out, "\x1b[{} q", shape - u8::from(style.blinking));
        }
        if let Some(title) = self.title() {
            let _ = write!(out, "\x1b]2;{title}\x1b\\");
        }
    }
}

/// Draws all lines of the screen, from the cursor's position. `wrapped`: the line above continues in the
/// first.
fn rows(out: &mut Vec<u8>, grid: &Grid<Cell>, mut wrapped: bool) {
    let lines = grid.screen_lines();
    let mut line_bytes = Vec::new();
    for line in 0..lines {
        line_bytes.clear();
        let row = &grid[Line(i32::try_from(line).unwrap_or_default())];
        let wraps = encode::row(&mut line_bytes, row, grid.columns(), &mut Pen::default());
        fill_wrapped(out, wrapped, &line_bytes);
        wrapped = wraps;
        if !wrapped && line + 1 < lines {
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// Draws a line. A blank one that continues the line above must still be begun.
fn fill_wrapped(out: &mut Vec<u8>, wrapped: bool, line: &[u8]) {
    if wrapped && line.is_empty() {
        out.push(b' ');
    }
    out.extend_from_slice(line);
}

/// Puts the cursor in its place, with its pen.
fn place(out: &mut Vec<u8>, grid: &Grid<Cell>, above: u16) {
    let at = grid.cursor.point;
    if grid.cursor.input_needs_wrap {
        // Only drawing the last column moves the cursor past it.
        let spacer = grid[at.line][at.column].flags.contains(Flags::WIDE_CHAR_SPACER);
        let column = Column(at.column.0 - usize::from(spacer && at.column.0 > 0));
        go_to(out, at.line.0 - i32::from(above), column.0);
        let mut pen = Pen::default();
        encode::cell(out, &grid[at.line][column], &mut pen);
        pen.change(Pen::of(&grid.cursor.template), out);
    } else {
        cursor(out, &grid.cursor, above);
    }
}

fn cursor(out: &mut Vec<u8>, cursor: &Cursor<Cell>, above: u16) {
    go_to(out, cursor.point.line.0 - i32::from(above), cursor.point.column.0);
    out.extend_from_slice(b"\x1b[m");
    Pen::default().change(Pen::of(&cursor.template), out);
}

fn go_to(out: &mut Vec<u8>, line: i32, column: usize) {
    let _ = write!(out, "\x1b[{};{}H", line + 1, column + 1);
}

fn charsets(out: &mut Vec<u8>, cursor: &Cursor<Cell>) {
    for (index, designate) in [(CharsetIndex::G0, b'('), (CharsetIndex::G1, b')')] {
        let drawing = cursor.charsets[index] == StandardCharset::SpecialCharacterAndLineDrawing;
        out.extend_from_slice(&[0x1b, designate, if drawing { b'0' } else { b'B' }]);
    }
}
