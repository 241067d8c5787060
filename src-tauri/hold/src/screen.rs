//! The screen as the engine drew it, kept so that a terminal that attaches later sees the same as one that
//! was attached all along.
//!
//! Owns the model, the scrollback, and the filter for terminals. Only the model answers the engine's queries
//! to its terminal, always: an attached terminal never sees one, so there is never a second answer, or one
//! that arrives late over a slow connection and reads as typing.

mod encode;
mod filter;
mod scrollback;
mod since;
mod snapshot;

use std::cell::RefCell;
use std::rc::Rc;

use alacritty_terminal::Term;
use alacritty_terminal::event::{Event, EventListener, WindowSize};
use alacritty_terminal::grid::{Dimensions, Row};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Osc52, TermMode};
use alacritty_terminal::vte::ansi::{Processor, Rgb, Timeout};

use filter::Filter;
use scrollback::Scrollback;
use since::{Shown, Since};

/// The most columns. More don't fit a screen that is 4,000 pixels wide; a terminal that claims more gets
/// these. A cell takes 24 bytes and two screens are kept, which makes 5 MB at the limit.
pub(crate) const COLS_MAX: u16 = 500;

/// The most lines, like [`COLS_MAX`].
pub(crate) const ROWS_MAX: u16 = 200;

/// The lines that the model itself keeps until they go to the scrollback. Output is fed in pieces of
/// [`PIECE`] bytes, which can't end more lines.
const PASSING_LINES: usize = 256;

/// See [`PASSING_LINES`].
const PIECE: usize = 256;

/// The most lines of an ended engine's last words: enough for an error and its origin, but not for a whole
/// log.
const WORDS_LINES: usize = 12;

/// The most bytes of an ended engine's last words.
const WORDS_BYTES: usize = 2048;

/// The pixel size of a cell that the engine is told: there may be no terminal attached, and any answer is
/// better than none.
const CELL_PIXELS: (u16, u16) = (9, 18);

/// The text colour that an engine is told: light on dark, as in the console's terminal.
const FOREGROUND: Rgb = Rgb { r: 0xd8, g: 0xd8, b: 0xd8 };

/// The background colour that an engine is told.
const BACKGROUND: Rgb = Rgb { r: 0x16, g: 0x16, b: 0x18 };

/// The most titles to report for one piece of output; the last ones are reported. An engine that sets more
/// within 64 KB does so for show.
const TITLES_MAX: usize = 64;

/// The screen of one engine.
pub(crate) struct Screen {
    term: Term<Ear>,
    parser: Processor<AtOnce>,
    filter: Filter,
    scrollback: Scrollback,
    heard: Rc<RefCell<Heard>>,
    title: Option<String>,
    passing: bool,
    since: Option<Since>,
    /// The prompt of the last question.
    prompt: String,
}

/// The results of feeding output.
#[derive(Debug, Default)]
pub(crate) struct Fed {
    /// The model's answers to the engine's queries.
    pub(crate) answers: Vec<u8>,
    /// The output for attached terminals.
    pub(crate) shown: Vec<u8>,
    /// The titles that the output set, in order. A short turn sets several at once.
    pub(crate) titles: Vec<String>,
}

#[derive(Default)]
struct Heard {
    answers: Vec<u8>,
    titles: Vec<Option<String>>,
    size: (u16, u16),
}

impl Heard {
    fn entitled(&mut self, title: Option<String>) {
        if self.titles.len() == TITLES_MAX {
            self.titles.remove(0);
        }
        self.titles.push(title);
    }
}

struct Ear(Rc<RefCell<Heard>>);

/// Draws synchronised updates immediately, so that a snapshot in the middle of one has everything that was
/// written.
#[derive(Default)]
struct AtOnce;

pub(super) struct Size {
    cols: usize,
    rows: usize,
}

impl Screen {
    pub(crate) fn new(cols: u16, rows: u16) -> Self {
        let (cols, rows) = bounded(cols, rows);
        let heard = Rc::new(RefCell::new(Heard { size: (cols, rows), ..Heard::default() }));
        let config = Config {
            scrolling_history: PASSING_LINES,
            kitty_keyboard: true,
            osc52: Osc52::Disabled,
            ..Config::default()
        };
        let size = Size { cols: cols.into(), rows: rows.into() };
        Self {
            term: Term::new(config, &size, Ear(Rc::clone(&heard))),
            parser: Processor::new(),
            filter: Filter::new(rows),
            scrollback: Scrollback::default(),
            heard,
            title: None,
            passing: false,
            since: None,
            prompt: String::new(),
        }
    }

    /// Takes in output of the engine.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Fed {
        let mut shown = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let (taken, cleared) = self.filter.pass(&rest[..rest.len().min(PIECE)], &mut shown);
            self.parser.advance(&mut self.term, &rest[..taken]);
            self.drain();
            if cleared {
                self.scrollback.clear();
                if let Some(since) = &mut self.since {
                    since.wiped();
                }
            }
            rest = &rest[taken..];
        }
        let mut heard = self.heard.borrow_mut();
        let mut titles = Vec::new();
        for title in heard.titles.drain(..) {
            self.title = title.map(|title| filter::title(&title)).filter(|title| !title.is_empty());
            titles.extend(self.title.clone());
        }
        Fed { answers: std::mem::take(&mut heard.answers), shown, titles }
    }

    /// The size in columns and lines.
    pub(crate) fn size(&self) -> (u16, u16) {
        self.heard.borrow().size
    }

    /// Sets the size, within the limits. Returns the resulting size.
    pub(crate) fn resize(&mut self, cols: u16, rows: u16) -> (u16, u16) {
        let (cols, rows) = bounded(cols, rows);
        if cols != self.size().0 {
            self.since = None; // lines are wrapped differently now
        }
        self.term.resize(Size { cols: cols.into(), rows: rows.into() });
        self.drain();
        self.filter.resized(rows);
        self.heard.borrow_mut().size = (cols, rows);
        (cols, rows)
    }

    pub(crate) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Whether the engine wants pastes to be marked.
    pub(crate) fn takes_pastes(&self) -> bool {
        self.term.mode().contains(TermMode::BRACKETED_PASTE)
    }

    /// The bytes and lines of scrollback.
    pub(crate) fn scrollback(&self) -> (usize, usize) {
        (self.scrollback.bytes(), self.scrollback.lines())
    }

    /// Releases the memory of lines that only passed through. Not done after each piece: the model allocates
    /// a thousand lines at once when it needs one.
    pub(crate) fn rest(&mut self) {
        if std::mem::take(&mut self.passing) {
            self.term.grid_mut().truncate();
        }
    }

    /// The text on the screen, line by line, without blank ends of lines and blank lines at the bottom.
    pub(crate) fn text(&self) -> String {
        let grid = self.term.grid();
        let mut text = String::new();
        for line in 0..grid.screen_lines() {
            let row = &grid[Line(i32::try_from(line).unwrap_or_default())];
            write_row(&mut text, row, grid.columns());
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// The row of the cursor, counted from 1.
    pub(crate) fn cursor_row(&self) -> u16 {
        u16::try_from(self.term.grid().cursor.point.line.0 + 1).unwrap_or_default()
    }

    /// What stands before the cursor on its line.
    pub(crate) fn before_cursor(&self) -> String {
        let grid = self.term.grid();
        let cursor = grid.cursor.point;
        let mut before = String::new();
        write_row(&mut before, &grid[cursor.line], cursor.column.0);
        before
    }

    /// Notes that a question is asked now at the cursor. Does nothing if a program draws the whole screen,
    /// where an answer can't be told apart. `clean`: only a prompt is before the cursor; other text there is
    /// removed before the question arrives.
    pub(crate) fn asked(&mut self, question: String, clean: bool) {
        self.since = None;
        if self.term.mode().contains(TermMode::ALT_SCREEN) {
            return;
        }
        let grid = self.term.grid();
        let cursor = grid.cursor.point;
        let mut begins = cursor.line;
        if !clean {
            while begins > Line(0) && wraps(&grid[begins - 1], grid.columns()) {
                begins -= 1;
            }
        }
        let mut before = String::new();
        for line in begins.0..cursor.line.0 {
            write_row(&mut before, &grid[Line(line)], grid.columns());
        }
        write_row(&mut before, &grid[cursor.line], cursor.column.0);
        let above = usize::try_from(begins.0).unwrap_or_default();
        let since = Since::new(question, before, &self.prompt, above, clean);
        let as_a_whole = self.term.mode().contains(TermMode::BRACKETED_PASTE);
        self.since = Some(if as_a_whole { since } else { since.line_by_line() });
    }

    /// What stood before the question that was asked, if one was.
    pub(crate) fn asked_after(&self) -> Option<&str> {
        self.since.as_ref().map(Since::before)
    }

    /// What was asked is over, or nothing comes of it.
    pub(crate) fn unasked(&mut self) {
        self.since = None;
    }

    /// Whether the prompt of the last question is before the cursor again. `None`: it is unknown.
    pub(crate) fn at_prompt(&self) -> Option<bool> {
        let prompt = self.since.as_ref().map_or(self.prompt.as_str(), Since::prompt);
        (!prompt.trim().is_empty()).then(|| since::ends_in(&self.before_cursor(), prompt))
    }

    /// The output since the last question. `None`: there was none, or its answer can't be told from the rest
    /// of the screen.
    pub(crate) fn answer(&mut self) -> Option<String> {
        let since = self.since.take()?;
        if self.term.mode().contains(TermMode::ALT_SCREEN) {
            return None;
        }
        let grid = self.term.grid();
        let lines = (0..grid.screen_lines())
            .map(|line| shown(&grid[Line(i32::try_from(line).unwrap_or_default())], grid.columns()));
        let (answer, prompt) = since.answer(lines);
        self.prompt = prompt;
        Some(answer)
    }

    /// The last meaningful lines on the screen.
    pub(crate) fn last_words(&self) -> String {
        let text = self.text();
        let mut lines: Vec<&str> = Vec::new();
        let mut bytes = 0;
        for line in text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(WORDS_LINES) {
            bytes += line.len() + 1;
            if bytes > WORDS_BYTES {
                break;
            }
            lines.push(line);
        }
        lines.reverse();
        lines.join("\n")
    }

    fn drain(&mut self) {
        let grid = self.term.grid();
        let lines = grid.history_size();
        if lines == 0 {
            return;
        }
        for line in (1..=lines).rev() {
            let row = &grid[Line(-i32::try_from(line).unwrap_or_default())];
            self.scrollback.push(row, grid.columns());
            if let Some(since) = &mut self.since {
                since.leaves(&shown(row, grid.columns()));
            }
        }
        self.term.grid_mut().clear_history();
        self.passing = true;
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Screen").field("size", &self.size()).finish_non_exhaustive()
    }
}

impl EventListener for Ear {
    fn send_event(&self, event: Event) {
        let mut heard = self.0.borrow_mut();
        match event {
            Event::PtyWrite(text) => heard.answers.extend_from_slice(text.as_bytes()),
            Event::Title(title) => heard.entitled(Some(title)),
            Event::ResetTitle => heard.entitled(None),
            Event::ColorRequest(index, write) => {
                let colour = if index == 257 { BACKGROUND } else { FOREGROUND };
                heard.answers.extend_from_slice(write(colour).as_bytes());
            }
            Event::TextAreaSizeRequest(write) => {
                let (cols, rows) = heard.size;
                let (cell_width, cell_height) = CELL_PIXELS;
                let size = WindowSize { num_lines: rows, num_cols: cols, cell_width, cell_height };
                heard.answers.extend_from_slice(write(size).as_bytes());
            }
            Event::ClipboardStore(..)
            | Event::ClipboardLoad(..)
            | Event::MouseCursorDirty
            | Event::CursorBlinkingChange
            | Event::Wakeup
            | Event::Bell
            | Event::Exit
            | Event::ChildExit(_) => {}
        }
    }
}

impl Timeout for AtOnce {
    fn set_timeout(&mut self, _: std::time::Duration) {}

    fn clear_timeout(&mut self) {}

    fn pending_timeout(&self) -> bool {
        false
    }
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.rows
    }

    fn screen_lines(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.cols
    }
}

/// Appends the text in the first columns of a line.
fn write_row(text: &mut String, row: &Row<Cell>, columns: usize) {
    for column in 0..columns {
        let cell = &row[Column(column)];
        if !cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
            text.push(if cell.c == '\t' { ' ' } else { cell.c });
            text.extend(cell.zerowidth().unwrap_or_default());
        }
    }
}

fn shown(row: &Row<Cell>, columns: usize) -> Shown {
    let mut text = String::new();
    write_row(&mut text, row, columns);
    Shown { text, wraps: wraps(row, columns) }
}

/// Whether a line goes on in the next.
fn wraps(row: &Row<Cell>, columns: usize) -> bool {
    row[Column(columns - 1)].flags.contains(Flags::WRAPLINE)
}

/// Clamps a size. At least two columns: one breaks the model's handling of wide characters.
fn bounded(cols: u16, rows: u16) -> (u16, u16) {
    (cols.clamp(2, COLS_MAX), rows.clamp(1, ROWS_MAX))
}

#[cfg(test)]
mod tests;
