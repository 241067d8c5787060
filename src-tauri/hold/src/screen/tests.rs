mod widths;

use std::fmt::Write as _;

use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Cell;
use proptest::prelude::*;

use super::*;

/// What must be the same in a terminal that attaches later.
#[derive(Debug, PartialEq)]
struct Looks {
    cells: Vec<Vec<Cell>>,
    cursor: (i32, usize, bool),
    pen: Cell,
    mode: TermMode,
    title: Option<String>,
    region: (u16, u16),
    style: String,
    scrollback: Vec<(Vec<u8>, Option<u16>)>,
}

fn looks(screen: &Screen) -> Looks {
    let grid = screen.term.grid();
    let lines = i32::try_from(grid.screen_lines()).unwrap();
    let cells = (0..lines)
        .map(|line| {
            let row = &grid[Line(line)];
            let cells = (0..grid.columns()).map(|column| {
                let mut cell = row[Column(column)].clone();
                if cell.c == '\t' {
                    cell.c = ' '; // the model's note of where a tab was
                }
                cell
            });
            cells.collect()
        })
        .collect();
    let cursor = &grid.cursor;
    let mut pen = cursor.template.clone();
    pen.c = ' ';
    Looks {
        cells,
        cursor: (cursor.point.line.0, cursor.point.column.0, cursor.input_needs_wrap),
        pen,
        mode: *screen.term.mode(),
        title: screen.title.clone(),
        region: screen.filter.region(),
        style: format!("{:?}", screen.term.cursor_style()),
        scrollback: screen.scrollback.iter().map(|line| (line.bytes.to_vec(), line.wraps_at)).collect(),
    }
}

/// A terminal that attaches now and has shown other things before.
fn late(screen: &mut Screen) -> Screen {
    let (cols, rows) = screen.size();
    let mut late = Screen::new(cols, rows);
    late.feed(b"\x1b[?1049h\x1b[31mjunk\x1b[2;3r\x1b[?6h\x1b[4h\x1b(0\x0e\x1b[?25l");
    late.feed(&screen.snapshot(true));
    late.snapshot(true); // as above
    late
}

/// Fails naming the first difference, since whole screens are too long to read.
fn assert_looks(late: &Looks, now: &Looks, when: &str) {
    for (line, (late, now)) in late.cells.iter().zip(&now.cells).enumerate() {
        assert_eq!(late, now, "line {line} {when}");
    }
    let lines = |looks: &Looks| -> Vec<String> {
        looks.scrollback.iter().map(|(bytes, wraps)| format!("{}{wraps:?}", bytes.escape_ascii())).collect()
    };
    assert_eq!(lines(late), lines(now), "scrollback {when}");
    assert_eq!((late.cursor, &late.pen, late.mode), (now.cursor, &now.pen, now.mode), "{when}");
    assert_eq!(late, now, "{when}");
}

fn assert_exact(output: &[u8], cols: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(cols, rows);
    screen.feed(output);
    assert_same(&mut screen);
    screen
}

fn assert_same(screen: &mut Screen) {
    screen.snapshot(true); // takes in what left the screen with the last bytes
    let before = looks(screen);
    let mut late = late(screen);
    assert_looks(&looks(screen), &before, "after a snapshot, which changes nothing");
    assert_looks(&looks(&late), &before, "late");
    // What follows has the same effect on both.
    for next in [&b"more \x1b8text"[..], b"\r\n\n\nnext\x1b[A\x1bM", b"\x1b[?1049l", b"back\x1b[6;2Hx\n\ny"] {
        screen.feed(next);
        late.feed(next);
        let (late, screen) = (looks(&late), looks(screen));
        assert_eq!(late.cells, screen.cells, "after {:?}", String::from_utf8_lossy(next));
        assert_eq!(late.cursor, screen.cursor, "after {:?}", String::from_utf8_lossy(next));
    }
}

#[test]
fn plain_text_and_its_scrollback() {
    let mut output = String::new();
    for line in 0..200 {
        let _ = write!(output, "line {line}\t{}\r\n", "x".repeat(line % 70));
    }
    let screen = assert_exact(output.as_bytes(), 80, 24);
    assert!(screen.scrollback.lines() >= 177);
}

#[test]
fn long_lines_are_still_one_line() {
    let output = format!("{}\r\n{}\r\nshort {}", "a".repeat(205), "b".repeat(160), "c".repeat(1000));
    assert_exact(output.as_bytes(), 80, 10);
    assert_exact("x".repeat(80).as_bytes(), 80, 24); // the cursor waits behind the last column
    assert_exact(format!("{}\x1b[2;1H\x1b[K", "y".repeat(100)).as_bytes(), 80, 24);
}

#[test]
fn wide_and_combining_characters() {
    assert_exact("世界 e\u{301} 👍🏽 👩\u{200d}💻 |ｆｕｌｌ".as_bytes(), 20, 5);
    assert_exact("1234567世8901234567世界世界世界世界世界世界".as_bytes(), 8, 4);
    assert_exact("123456世".as_bytes(), 8, 4);
}

#[test]
fn every_kind_of_colour_and_attribute() {
    let mut output = String::new();
    for code in ["1", "2", "3", "4", "4:2", "4:3", "4:4", "4:5", "7", "8", "9", "31", "97", "45", "103"] {
        let _ = write!(output, "\x1b[{code}mx\x1b[0m");
    }
    for n in 0..256 {
        let _ = write!(output, "\x1b[38;5;{n};48;5;{}m.", 255 - n);
    }
    output.push_str("\x1b[38;2;1;2;3;48;2;250;251;252;4;58;5;9mtrue\x1b[58;2;9;8;7mcolour\x1b[K\r\n");
    output.push_str(
        "\x1b]8;;https://example.org/a;b\x1b\\link\x1b]8;;\x1b\\ \x1b]8;id=z;file:///x\x07other\x1b]8;;\x07",
    );
    output.push_str("\x1b[m\x1b[44m\x1b[2K\x1b[1;33m");
    assert_exact(output.as_bytes(), 60, 12);
}

#[test]
fn an_editor_on_the_alternate_screen_and_what_is_behind_it() {
    let mut output = String::from("\x1b[32mshell $\x1b[m vim\r\n");
    for line in 0..40 {
        let _ = write!(output, "history {line}\r\n");
    }
    output.push_str("\x1b]0;file.rs - VIM\x07\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h");
    output.push_str("\x1b[>1u\x1b[2 q\x1b[1;23r\x1b[H\x1b[2J\x1b[7m~\x1b[m tilde\r\n\x1b[38;5;4m~\x1b[m\x1b[23;1Hlast\r\n\n");
    output.push_str("\x1b7\x1b[24;1H\x1b[1m-- INSERT --\x1b[m\x1b[5;9H\x1b[?25l\x1b[6 q");
    let screen = assert_exact(output.as_bytes(), 80, 24);
    assert_eq!(screen.title(), Some("file.rs - VIM"));
    assert!(screen.scrollback.lines() > 10);
}

#[test]
fn every_title_in_a_piece_of_output_is_told() {
    let mut screen = Screen::new(40, 5);
    let fed = screen.feed(b"\x1b]0;works\x07done\x1b]0;ready\x07");
    assert_eq!(fed.titles, ["works", "ready"]);
    assert_eq!(screen.title(), Some("ready"));
    let many: String = (0..1_000).map(|at| format!("\x1b]0;t{at}\x07")).collect();
    let fed = screen.feed(many.as_bytes());
    assert!(fed.titles.len() <= TITLES_MAX && fed.titles.last().is_some_and(|last| last == "t999"));
}

#[test]
fn scroll_regions_origin_insert_and_line_drawing() {
    assert_exact(b"\x1b[5;10r\x1b[?6h\x1b[2;3Hinside\n\n\n\n\n\nscrolled", 40, 24);
    assert_exact(b"\x1b[4habc\x1b[1;1Hx\x1b[?7l\x1b[20h", 40, 10);
    assert_exact(b"\x1b(0lqqk\x1b(B text \x1b)0\x0exx", 40, 10);
    assert_exact(b"one\r\ntwo\r\nthree\x1b[2;1H\x1b[L\x1b[M\x1b[2P\x1b[3@\x1b[1;1H\x1bM", 40, 5);
}

#[test]
fn colours_that_were_changed() {
    let mut screen = Screen::new(40, 10);
    screen.feed(b"\x1b]4;1;rgb:11/22/33\x1b\\\x1b]11;#445566\x07");
    let late = late(&mut screen);
    for index in [1, 256, 257] {
        assert_eq!(late.term.colors()[index], screen.term.colors()[index]);
    }
}

#[test]
fn a_size_that_changed() {
    let mut screen = Screen::new(80, 24);
    for line in 0..100 {
        screen.feed(format!("{line} {}\r\n", "word ".repeat(line % 30)).as_bytes());
    }
    for (cols, rows) in [(40, 24), (120, 40), (33, 5), (80, 24), (0, 0), (u16::MAX, 3)] {
        let (cols, rows) = screen.resize(cols, rows);
        assert!((2..=COLS_MAX).contains(&cols) && (1..=ROWS_MAX).contains(&rows));
        let before = looks(&screen);
        let after = looks(&late(&mut screen));
        assert_eq!((&after.cells, after.cursor), (&before.cells, before.cursor), "at {cols}x{rows}");
    }
}

#[test]
fn a_terminal_of_somebodys_own_keeps_what_is_above() {
    let mut screen = Screen::new(40, 5);
    for line in 0..50 {
        screen.feed(format!("{line}\r\n").as_bytes());
    }
    screen.feed(b"\x1b[3;3H\x1b[35mhere");
    let mut own = Screen::new(40, 5);
    own.feed(b"mine\r\n");
    let snapshot = screen.snapshot(false);
    assert!(!snapshot.windows(2).any(|pair| pair == b"\x1bc"));
    own.feed(&snapshot);
    assert_eq!(looks(&own).cells, looks(&screen).cells);
}

#[test]
fn the_scrollback_is_bounded_in_lines_and_in_bytes() {
    let mut screen = Screen::new(80, 24);
    for line in 0..12_000 {
        screen.feed(format!("{line}\r\n").as_bytes());
    }
    assert_eq!(screen.scrollback().1, 10_000);
    let mut dense = String::new();
    for column in 0..80 {
        let _ = write!(dense, "\x1b[38;2;{column};100;200;48;2;1;2;{column}mx");
    }
    for _ in 0..3_000 {
        screen.feed(dense.as_bytes());
        screen.feed(b"\r\n");
    }
    let (bytes, lines) = screen.scrollback();
    assert!(bytes <= 6 * 1024 * 1024 && lines > 1_000, "{bytes} {lines}");
}

#[test]
fn the_screens_questions_are_answered() {
    let mut screen = Screen::new(80, 24);
    let fed = screen.feed(b"a\x1b[6n\x1b[5n\x1b[c\x1b]11;?\x1b\\\x1b[18t\x1b[?u");
    let answers = String::from_utf8(fed.answers).unwrap();
    for answer in ["\x1b[1;2R", "\x1b[0n", "\x1b[?6c", "\x1b]11;rgb:", "\x1b[8;24;80t", "\x1b[?0u"] {
        assert!(answers.contains(answer), "{answer:?} in {answers:?}");
    }
    assert_eq!(fed.shown, b"a");
}

#[test]
fn last_words_are_few() {
    let mut screen = Screen::new(80, 24);
    screen.feed(b"\r\n\r\nError: it broke\r\n   at line 3\r\n\r\n");
    assert_eq!(screen.last_words(), "Error: it broke\nat line 3");
}

/// Output of the real program, as `script` recorded it.
#[test]
fn what_a_real_engine_drew() {
    for recording in [&include_bytes!("recorded/claude.bin")[..]] {
        let mut screen = Screen::new(120, 40);
        for piece in recording.chunks(4096) {
            screen.feed(piece);
            screen.snapshot(true);
            let before = looks(&screen);
            assert_looks(&looks(&late(&mut screen)), &before, "late");
        }
        assert_same(&mut screen);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Output of the real program from anywhere to anywhere, with changed bytes and changing window sizes.
    #[test]
    fn a_harmed_recording_breaks_nothing_and_a_snapshot_changes_nothing(
        from in any::<prop::sample::Index>(),
        length in 1..20_000_usize,
        harms in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        size in (1..150_u16, 1..60_u16),
        then in prop::option::of((1..150_u16, 1..60_u16)),
    ) {
        let recording = &include_bytes!("recorded/claude.bin")[..];
        let from = from.index(recording.len());
        let mut output = recording[from..(from + length).min(recording.len())].to_vec();
        for (at, byte) in &harms {
            let at = at.index(output.len());
            output[at] = *byte;
        }
        let mut screen = Screen::new(size.0, size.1);
        let (first, second) = output.split_at(output.len() / 2);
        screen.feed(first);
        if let Some((cols, rows)) = then {
            screen.resize(cols, rows);
        }
        screen.feed(second);
        screen.snapshot(true);
        let before = looks(&screen);
        let late = late(&mut screen);
        prop_assert!(looks(&screen) == before, "a snapshot changed something");
        prop_assert_eq!(late.size(), screen.size());
    }
}
