//! Measures how many cells the holder's terminal gives each character, and keeps the page's table equal to
//! that.

use std::fmt::Write as _;
use std::fs;

use alacritty_terminal::vte::ansi::Handler as _;

use super::super::Screen;

/// The path of the page's table, from this crate's folder.
const COPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/terminal/widths.ts");

/// If this variable is set, the table is written.
const WRITE: &str = "REPOSE_WRITE_WIDTHS";

const HEAD: &str = "\
// Measured on the holder's terminal, never written by hand: `REPOSE_WRITE_WIDTHS=1 cargo test -p repose-hold widths`.
";

/// How far the model's cursor moves for a character after another one.
fn width(screen: &mut Screen, c: char) -> usize {
    screen.term.goto(0, 0);
    screen.term.input('a');
    screen.term.input(c);
    screen.term.grid().cursor.point.column.0 - 1
}

/// The ranges of characters of this width, each as first and last.
fn runs(of: usize, widths: &[(u32, usize)]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (c, _) in widths.iter().filter(|(_, width)| *width == of) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *c => *last = *c,
            Some(_) | None => runs.push((*c, *c)),
        }
    }
    runs
}

fn table() -> String {
    let mut screen = Screen::new(80, 24);
    let widths: Vec<(u32, usize)> = ('\0'..=char::MAX)
        .filter(|c| !c.is_control())
        .map(|c| (u32::from(c), width(&mut screen, c)))
        .collect();
    let mut text = HEAD.to_owned();
    for (name, says, of) in [("ZERO", "goes into the cell before it", 0), ("WIDE", "takes two cells", 2)] {
        writeln!(text, "\n/** What {says}: the first and the last of each run. */").unwrap();
        writeln!(text, "export const {name}: readonly number[] = [").unwrap();
        for line in runs(of, &widths).chunks(6) {
            let pairs: Vec<String> = line.iter().map(|(from, to)| format!("{from:#x}, {to:#x},")).collect();
            writeln!(text, "  {}", pairs.join(" ")).unwrap();
        }
        text.push_str("]\n");
    }
    text
}

#[test]
fn the_page_counts_cells_as_the_holder_does() {
    let table = table();
    if std::env::var_os(WRITE).is_some() {
        fs::write(COPY, &table).unwrap();
    }
    assert!(
        fs::read_to_string(COPY).is_ok_and(|copy| copy == table),
        "ui/src/terminal/widths.ts is stale; {WRITE}=1 writes it anew"
    );
}
