//! The lines that scrolled off the top of the screen, as the bytes that draw them.

use std::collections::VecDeque;

use alacritty_terminal::grid::Row;
use alacritty_terminal::term::cell::Cell;

use super::encode::{self, Pen};

/// The most lines to keep; the oldest are dropped. It is the usual default of terminals.
const LINES_MAX: usize = 10_000;

/// The most bytes to keep. 10,000 lines of 80 plain characters take 0.8 MB; if every cell has its own colour,
/// this limit is reached first and fewer lines are kept.
const BYTES_MAX: usize = 6 * 1024 * 1024;

/// The bytes that a line takes besides its content: its entry here and the allocator's share.
const LINE_OVERHEAD: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Scrollback {
    lines: VecDeque<Kept>,
    bytes: usize,
    /// The line that is being drawn.
    drawn: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Kept {
    pub(super) bytes: Box<[u8]>,
    /// Set if the line continues in the next one, to the columns of the screen at that time.
    pub(super) wraps_at: Option<u16>,
}

impl Scrollback {
    pub(super) fn push(&mut self, row: &Row<Cell>, columns: usize) {
        self.drawn.clear();
        let wraps = encode::row(&mut self.drawn, row, columns, &mut Pen::default());
        let bytes = Box::from(self.drawn.as_slice());
        let wraps_at = wraps.then(|| u16::try_from(columns).unwrap_or_default());
        self.bytes += self.drawn.len() + LINE_OVERHEAD;
        self.lines.push_back(Kept { bytes, wraps_at });
        while self.lines.len() > LINES_MAX || self.bytes > BYTES_MAX {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= oldest.bytes.len() + LINE_OVERHEAD;
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Kept> {
        self.lines.iter()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn lines(&self) -> usize {
        self.lines.len()
    }
}
