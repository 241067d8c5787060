//! Encodes cells as the bytes that draw them.

use std::io::Write as _;

use alacritty_terminal::grid::Row;
use alacritty_terminal::index::Column;
use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use alacritty_terminal::vte::ansi::{Color, NamedColor};

const SPACERS: Flags = Flags::WIDE_CHAR_SPACER.union(Flags::LEADING_WIDE_CHAR_SPACER);

/// Flags that describe a cell's place in its line rather than its looks.
const LAYOUT: Flags = SPACERS.union(Flags::WRAPLINE).union(Flags::WIDE_CHAR);

/// The longest link, in bytes. A longer one is drawn as plain text: a screen full of them would exhaust the
/// memory of the terminal.
const LINK_MAX: usize = 2048;

/// The attributes of the next character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pen {
    fg: Color,
    bg: Color,
    flags: Flags,
    underline: Option<Color>,
    link: Option<Hyperlink>,
}

impl Default for Pen {
    fn default() -> Self {
        Self::of(&Cell::default())
    }
}

impl Pen {
    pub(super) fn of(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            flags: cell.flags - LAYOUT,
            underline: cell.underline_color(),
            link: cell.hyperlink().filter(|link| link.uri().len() + link.id().len() <= LINK_MAX),
        }
    }

    /// Whether the pen draws this cell correctly. May return false where comparing with [`Pen::of`] would
    /// show that it does.
    fn draws(&self, cell: &Cell) -> bool {
        cell.extra.is_none()
            && self.link.is_none()
            && self.underline.is_none()
            && (self.fg, self.bg, self.flags) == (cell.fg, cell.bg, cell.flags - LAYOUT)
    }

    /// Changes the pen to `next`.
    pub(super) fn change(&mut self, next: Self, out: &mut Vec<u8>) {
        if self.link != next.link {
            match &next.link {
                Some(link) => {
                    out.extend_from_slice(b"\x1b]8;id=");
                    out.extend_from_slice(link.id().as_bytes());
                    out.push(b';');
                    out.extend_from_slice(link.uri().as_bytes());
                    out.extend_from_slice(b"\x1b\\");
                }
                None => out.extend_from_slice(b"\x1b]8;;\x1b\\"),
            }
        }
        let looks_same =
            (self.fg, self.bg, self.flags, self.underline) == (next.fg, next.bg, next.flags, next.underline);
        if !looks_same {
            next.select(out);
        }
        *self = next;
    }

    fn select(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[0");
        let codes: [(Flags, &str); 11] = [
            (Flags::BOLD, ";1"),
            (Flags::DIM, ";2"),
            (Flags::ITALIC, ";3"),
            (Flags::UNDERLINE, ";4"),
            (Flags::DOUBLE_UNDERLINE, ";4:2"),
            (Flags::UNDERCURL, ";4:3"),
            (Flags::DOTTED_UNDERLINE, ";4:4"),
            (Flags::DASHED_UNDERLINE, ";4:5"),
            (Flags::INVERSE, ";7"),
            (Flags::HIDDEN, ";8"),
            (Flags::STRIKEOUT, ";9"),
        ];
        for (flag, code) in codes {
            if self.flags.contains(flag) {
                out.extend_from_slice(code.as_bytes());
            }
        }
        colour(out, self.fg, 30, NamedColor::Foreground);
        colour(out, self.bg, 40, NamedColor::Background);
        if let Some(underline) = self.underline {
            colour(out, underline, 50, NamedColor::Foreground);
        }
        out.push(b'm');
        if out.ends_with(b"\x1b[0m") {
            out.truncate(out.len() - 2);
            out.push(b'm');
        }
    }
}

/// Draws a line from its first column, with the pen of the line's start; afterwards the pen is that of a new
/// terminal. Returns whether the line continues in the next, so that the next character drawn wraps there.
pub(super) fn row(out: &mut Vec<u8>, row: &Row<Cell>, columns: usize, pen: &mut Pen) -> bool {
    let last = &row[Column(columns - 1)];
    let wraps = last.flags.contains(Flags::WRAPLINE);
    let end = if wraps {
        columns
    } else {
        (0..columns).rev().find(|&column| !blank(&row[Column(column)])).map_or(0, |column| column + 1)
    };
    for column in 0..end {
        cell(out, &row[Column(column)], pen);
    }
    pen.change(Pen::default(), out);
    wraps
}

/// Draws one cell. The second half of a wide character draws nothing.
pub(super) fn cell(out: &mut Vec<u8>, cell: &Cell, pen: &mut Pen) {
    if cell.flags.intersects(SPACERS) {
        return;
    }
    if !pen.draws(cell) {
        pen.change(Pen::of(cell), out);
    }
    let mut utf8 = [0; 4];
    match u8::try_from(cell.c) {
        // The model marks where a tab was; the cell itself is blank.
        Ok(b'\t') => out.push(b' '),
        Ok(ascii @ 0..=0x7f) => out.push(ascii),
        Ok(_) | Err(_) => out.extend_from_slice(cell.c.encode_utf8(&mut utf8).as_bytes()),
    }
    for mark in cell.zerowidth().unwrap_or_default() {
        out.extend_from_slice(mark.encode_utf8(&mut utf8).as_bytes());
    }
}

fn blank(cell: &Cell) -> bool {
    const PLAIN: (Color, Color) =
        (Color::Named(NamedColor::Foreground), Color::Named(NamedColor::Background));
    matches!(cell.c, ' ' | '\t')
        && (cell.fg, cell.bg) == PLAIN
        && (cell.flags - Flags::WRAPLINE).is_empty()
        && cell.extra.is_none()
}

/// Draws a colour. `base`: 30 for characters, 40 for their background, 50 for their underline.
fn colour(out: &mut Vec<u8>, colour: Color, base: u16, usual: NamedColor) {
    // Writing to a Vec can't fail.
    let _ = match colour {
        Color::Named(name) if name == usual => Ok(()),
        Color::Named(name) => match name as u16 {
            number @ 0..=7 if base < 50 => write!(out, ";{}", base + number),
            number @ 8..=15 if base < 50 => write!(out, ";{}", base + 60 + number - 8),
            number @ 0..=15 => write!(out, ";{};5;{number}", base + 8),
            _ => Ok(()),
        },
        Color::Indexed(number) => write!(out, ";{};5;{number}", base + 8),
        Color::Spec(rgb) => write!(out, ";{};2;{};{};{}", base + 8, rgb.r, rgb.g, rgb.b),
    };
}
