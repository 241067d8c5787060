use std::time::Duration;

use super::{ESC_SETTLES, Front, Habits, Line, Touch};
use crate::time::Awake;

/// As Claude Code does it.
const HABITS: Habits = Habits {
    esc_twice: Some(Duration::from_millis(600)),
    cuts_breaks: true,
    searches: true,
    drop_ends_turns: true,
    modal: false,
    shows_cursor: true,
    ctrl_j_sends: false,
};

fn fed(bytes: &[u8]) -> (Line, Touch) {
    let mut line = Line::new(HABITS);
    let touch = line.feed(bytes, Front::Line, Awake(0));
    (line, touch)
}

/// What was sent, whether a person did it, whether it was sent, and whether something is left on the line.
const TABLE: &[(&str, &[u8], bool, bool, bool)] = &[
    ("a letter", b"a", true, false, true),
    ("a word and Enter", b"ls\r", true, true, false),
    ("Enter on an empty line", b"\r", true, true, false),
    ("Ctrl-J breaks the line", b"a\n", true, false, true),
    ("a backslash before Enter breaks the line", b"a\\\r", true, false, true),
    ("a backslash before the second Enter doesn't", b"a\\\r\r", true, true, false),
    ("a backslash in the middle", b"a\\b\r", true, true, false),
    ("Backspace to empty", b"ab\x7f\x7f", true, false, false),
    ("Backspace short of empty", b"ab\x7f", true, false, true),
    ("Backspace on nothing", b"\x7f\x08", true, false, false),
    ("Backspace takes a whole character", "ä\x7f".as_bytes(), true, false, false),
    ("a wide character and two backspaces", "a漢\x7f\x7f".as_bytes(), true, false, false),
    ("an emoji", "🙂".as_bytes(), true, false, true),
    ("Ctrl-C", b"abc\x03", true, false, false),
    ("Ctrl-U", b"abc\x15", true, false, false),
    ("Ctrl-A keeps the line", b"abc\x01", true, false, true),
    ("Tab on an empty line", b"\t", true, false, false),
    ("Esc", b"abc\x1b[27u", true, false, true),
    ("Esc twice", b"abc\x1b[27u\x1b[27u", true, false, false),
    ("Esc, a key, Esc", b"abc\x1b[27ud\x1b[27u", true, false, true),
    ("Ctrl-H takes one away", b"a\x08", true, false, false),
    ("Backspace where the cursor isn't at the end", b"abc\x1b[H\x7f\x7f\x7f", true, false, true),
    ("Ctrl-U where the cursor isn't at the end", b"abc\x1b[D\x15", true, false, true),
    ("Ctrl-U at the beginning", b"abc\x01\x15", true, false, true),
    ("Ctrl-U where a click may have put the cursor elsewhere", b"abc\x1b[<0;3;7M\x15", true, false, true),
    ("Shift+Tab and Ctrl-U", b"abc\x1b[Z\x15", true, false, false),
    ("End and Ctrl-U", b"abc\x1b[D\x1b[F\x15", true, false, false),
    ("Ctrl-U takes one line of several", b"a\nb\x15", true, false, true),
    ("Ctrl-U takes a line, a break, and a line", b"a\nb\x15\x15\x15", true, false, false),
    ("Ctrl-W takes a word, who knows how long", b"ab cd\x17", true, false, true),
    ("an earlier prompt that was changed", b"\x1b[Ax\x7f", true, false, true),
    ("an earlier prompt that was shortened", b"\x1b[A\x7f", true, false, true),
    ("an earlier prompt in place of what was typed", b"abc\x1b[A\x15", true, false, true),
    ("a paste onto an earlier prompt", b"\x1b[A\x1b[200~x\x1b[201~", true, false, true),
    ("what was cut is put back", b"abc\x15\x19", true, false, true),
    ("undo", b"abc\x15\x1f", true, false, true),
    ("Ctrl-C takes away what can't be told", b"\x1b[Ax\x03", true, false, false),
    ("a search among earlier prompts", b"\x12fir", true, false, true),
    ("a match that was taken up", b"\x12fir\r", true, true, false),
    ("a match that was taken up and typed on", b"\x12fir\t more\x1b[27u", true, false, true),
    ("a search that was left for an editor", b"\x12fir\x07x\x1b[27u", true, false, true),
    ("a match that was chosen", b"\x12fir\x1b[A\x1b[A\x1b[27u", true, false, false),
    ("a search that was given up", b"\x12fir\x1b[27u", true, false, false),
    ("a search over what was typed", b"abc\x12fir\x03", true, false, true),
    ("arrows", b"\x1b[A\x1b[B\x1b[C\x1b[D", true, false, false),
    ("application arrows", b"\x1bOA\x1bOD", true, false, false),
    ("Home, Delete, Page Up, End", b"\x1b[H\x1b[3~\x1b[5~\x1b[F", true, false, false),
    ("Ctrl+Right", b"\x1b[1;5C", true, false, false),
    ("Alt+B", b"\x1bb", true, false, false),
    ("Alt+Enter breaks the line", b"\x1b\r", true, false, true),
    ("focus in and out", b"\x1b[I\x1b[O", false, false, false),
    ("SGR mouse", b"\x1b[<0;12;7M\x1b[<0;12;7m\x1b[<65;1;1M", false, false, false),
    ("X10 mouse", b"\x1b[M abc", true, false, true), // three bytes belong to it, the fourth doesn't
    ("X10 mouse alone", b"\x1b[M ab", false, false, false),
    ("cursor report", b"\x1b[24;80R", false, false, false),
    ("device attributes", b"\x1b[?62;1;6c\x1b[>41;354;0c", false, false, false),
    ("mode report", b"\x1b[?2026;2$y", false, false, false),
    ("background colour", b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07", false, false, false),
    ("background colour, the other end", b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", false, false, false),
    ("terminal's name", b"\x1bP>|xterm(380)\x1b\\", false, false, false),
    ("graphics reply", b"\x1b_Gi=31;OK\x1b\\", false, false, false),
    ("keyboard flags", b"\x1b[?1u", false, false, false),
    ("a paste", b"\x1b[200~hello\x1b[201~", true, false, true),
    ("an empty paste", b"\x1b[200~\x1b[201~", true, false, false),
    ("Enter in a paste sends nothing", b"\x1b[200~a\rb\x1b[201~", true, false, true),
    ("Ctrl-C in a paste clears nothing", b"\x1b[200~a\x03\x1b[201~", true, false, true),
    ("Esc in a paste", b"\x1b[200~a\x1b[31mb\x1b[201~", true, false, true),
    ("a paste and Enter", b"\x1b[200~a\x1b[201~\r", true, true, false),
    ("kitty: a", b"\x1b[97u", true, false, true),
    ("kitty: Shift+A", b"\x1b[97:65;2u", true, false, true),
    ("kitty: Ctrl+C", b"x\x1b[99;5u", true, false, false),
    ("kitty: Ctrl+U", b"x\x1b[117;5u", true, false, false),
    ("kitty: Tab", b"\x1b[9u", true, false, false),
    ("kitty: Shift+Tab and Ctrl+U", b"abc\x1b[9;2u\x1b[117;5u", true, false, false),
    ("kitty: Shift+Tab with Num Lock", b"abc\x1b[9;130u\x1b[117;5u", true, false, false),
    ("kitty: Ctrl+Shift+C", b"abc\x1b[99;6u", true, false, true),
    ("kitty: Ctrl+Shift+V on nothing", b"\x1b[118;6u", true, false, false),
    ("kitty: Ctrl+1", b"\x1b[49;5u", true, false, false),
    ("kitty: Super+A", b"\x1b[97;9u", true, false, false),
    ("kitty: Ctrl+Alt+C", b"abc\x1b[99;7u", true, false, true),
    ("kitty: undo", b"abc\x15\x1b[95;5u", true, false, true),
    ("kitty: a keypad's digit", b"\x1b[57399u", true, false, true),
    ("kitty: a keypad's Enter", b"x\x1b[57414u", true, true, false),
    ("kitty: Ctrl+Backspace", b"abc\x1b[127;5u", true, false, true),
    ("kitty: Enter", b"x\x1b[13u", true, true, false),
    ("kitty: Enter with Caps Lock", b"x\x1b[13;65u", true, true, false),
    ("kitty: Shift+Enter", b"x\x1b[13;2u", true, false, true),
    ("kitty: Enter after a backslash", b"\x1b[92u\x1b[13u", true, false, true),
    ("kitty: Backspace", b"x\x1b[127u", true, false, false),
    ("kitty: a key let go", b"\x1b[97;1:3u", false, false, false),
    ("kitty: F13", b"\x1b[57376u", true, false, false),
    ("modifyOtherKeys: Ctrl+C", b"x\x1b[27;5;99~", true, false, false),
    ("modifyOtherKeys: Shift+Enter", b"x\x1b[27;2;13~", true, false, true),
    ("modifyOtherKeys: Shift+A", b"\x1b[27;2;65~", true, false, true),
    ("a broken sequence and an arrow", b"\x1b[12\x1b[A", true, false, false),
];

#[test]
fn every_kind_of_bytes_counts_as_what_it_is() {
    for (name, bytes, by_person, sent, half_typed) in TABLE {
        let (line, touch) = fed(bytes);
        assert_eq!((touch.by_person, touch.sent), (*by_person, *sent), "{name}");
        assert_eq!(line.half_typed(), *half_typed, "{name}");
    }
}

#[test]
fn bytes_may_be_cut_at_every_position() {
    for (name, bytes, by_person, sent, half_typed) in TABLE {
        for cut in 0..=bytes.len() {
            let mut line = Line::new(HABITS);
            let first = line.feed(&bytes[..cut], Front::Line, Awake(0));
            let second = line.feed(&bytes[cut..], Front::Line, Awake(5));
            assert_eq!(first.by_person || second.by_person, *by_person, "{name} cut at {cut}");
            assert_eq!(first.sent || second.sent, *sent, "{name} cut at {cut}");
            assert_eq!(line.half_typed(), *half_typed, "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_lone_esc_counts_once_it_has_waited_and_takes_nothing_away() {
    let (mut line, _) = fed(b"abc\x1b");
    assert_eq!(line.settles_at(), Some(Awake(0).after(ESC_SETTLES)));
    assert_eq!(line.settle(Awake(49)), Touch::default());
    assert_eq!(line.settle(Awake(50)), Touch { by_person: true, esc: true, ..Touch::default() });
    assert_eq!(line.settles_at(), None);
    assert!(line.half_typed());
}

#[test]
fn esc_takes_the_text_away_the_second_time_if_that_comes_soon_and_the_engine_does_so() {
    let none = Habits { esc_twice: None, ..HABITS };
    for (habits, second, half_typed) in
        [(HABITS, 0, false), (HABITS, 599, false), (HABITS, 600, true), (none, 0, true), (none, 300, true)]
    {
        let mut line = Line::new(habits);
        line.feed(b"abc\x1b", Front::Line, Awake(0));
        line.settle(Awake(second.min(50)));
        line.feed(b"\x1b", Front::Line, Awake(second));
        line.settle(Awake(second + 50));
        assert_eq!(line.half_typed(), half_typed, "{habits:?}, the second after {second} ms");
    }
}

#[test]
fn text_that_nobody_typed_is_known_and_holds_nothing() {
    for (name, bytes, strewn) in [
        ("nothing", &b""[..], false),
        ("sent", b"abc\r", false),
        ("Ctrl-C", b"abc\x03", false),
        ("Up", b"\x1b[A", true),
        ("Up and down", b"\x1b[A\x1b[B", true),
        ("Up, as a program may ask for it", b"\x1bOA", true),
        ("Up and Home", b"\x1b[A\x1b[H", true),
        ("Ctrl-P", b"\x10", true),
        ("Up and Enter", b"\x1b[A\r", false),
        ("Up and Ctrl-C", b"\x1b[A\x03", false),
        ("Up and Ctrl-U", b"\x1b[A\x15", true),
        ("a suggestion", b"\t", true),
        ("Left and Home", b"\x1b[D\x1b[H", false),
        ("Esc twice", b"abc\x1b[27u\x1b[27u", true),
        ("a search that was given up", b"\x12fir\x1b[27u", true),
        ("a match that was taken up", b"\x12fir\t", true),
        ("Shift+Tab", b"\x1b[Z\x1b[9;2u", false),
        ("Ctrl+1", b"\x1b[49;5u", false),
        ("a changed one is somebody's", b"\x1b[Ax", false),
    ] {
        let line = fed(bytes).0;
        assert_eq!(line.is_strewn(), strewn, "{name}");
        assert!(!(strewn && line.half_typed()), "{name}");
    }
}

/// A line after these keys while a turn runs.
fn in_turn(habits: Habits, keys: &[u8]) -> Line {
    let mut line = Line::new(habits);
    line.feed(keys, Front::Turn, Awake(0));
    line
}

#[test]
fn what_up_brings_while_a_turn_runs_is_somebodys_if_somebody_sent_it() {
    for (keys, half_typed, strewn) in [
        (&b"x\r\x1b[A"[..], true, false),
        (b"x\r\x1b[A\x15", true, false),
        (b"x\r\x1b[A\r", false, false),
        (b"x\r\t\x1bf", false, true),
        (b"x\r\x1b[D", false, false),
        (b"\x1b[A", false, true),
        (b"\x1b[B", false, true),
        (b"\t", false, true),
        (b"\x1bf", false, true),
    ] {
        let line = in_turn(HABITS, keys);
        assert_eq!((line.half_typed(), line.is_strewn()), (half_typed, strewn), "{keys:?}");
    }
    let mut line = in_turn(HABITS, b"x\r");
    line.goes_to(Front::Line);
    line.feed(b"\x1b[A", Front::Turn, Awake(9));
    assert!(!line.half_typed(), "it was taken by the end of that turn");
}

#[test]
fn a_key_that_ends_the_turn_leaves_what_is_typed() {
    const ENDS: Habits = HABITS;
    const TAKES: Habits = Habits { drop_ends_turns: false, ..HABITS };
    for (habits, keys, half_typed) in [
        (ENDS, &b"abc\x03"[..], true),
        (ENDS, b"abc\x03\x03", false),
        (ENDS, b"abc\x03d\x03", true),
        (ENDS, b"abc\x03\x15", false),
        (ENDS, b"\x03", false),
        (TAKES, b"abc\x03", false),
        (ENDS, b"abc\x1b[27u\x1b[27u", true),
    ] {
        assert_eq!(in_turn(habits, keys).half_typed(), half_typed, "{habits:?} {keys:?}");
    }
    for (key, later, half_typed) in [
        (&b"\x03"[..], 999, false),
        (b"\x03", 1_000, true),
        // It was no first Esc of two.
        (b"\x1b[27u", 100, true),
    ] {
        let mut line = in_turn(ENDS, b"abc");
        line.feed(key, Front::Turn, Awake(0));
        line.feed(key, if key == b"\x03" { Front::Turn } else { Front::Line }, Awake(later));
        assert_eq!(line.half_typed(), half_typed, "{key:?} again after {later} ms");
    }
    let mut line = in_turn(ENDS, b"abc\x03");
    line.feed(b"\x03", Front::Line, Awake(9_000));
    assert!(!line.half_typed(), "no turn runs any more");
}

#[test]
fn what_repose_left_beside_what_somebody_typed_goes_with_the_whole_alone() {
    for (keys, half_typed) in [(&b"\x7f\x7f"[..], true), (b"\x15", true), (b"\x03", false), (b"\r", false)] {
        let (mut line, _) = fed(b"ab");
        line.strew();
        line.feed(keys, Front::Line, Awake(100));
        assert_eq!(line.half_typed(), half_typed, "{keys:?}");
    }
}

#[test]
fn in_a_line_with_modes_nothing_is_counted() {
    let modal = Habits { esc_twice: None, modal: true, ..HABITS };
    for (keys, half_typed) in [
        (&b"hello\x1b[27u\x1b[27u"[..], true),
        (b"hello\x1b[27udd", true),
        (b"\x1b[27up\x7f", true),
        (b"a\x7f", true),
        (b"hello\x15", true),
        (b"hello\x1b[27u\x03", false),
        (b"hello\x1b[27u\r", false),
        (b"\x1b[27u", false),
    ] {
        let mut line = Line::new(modal);
        line.feed(keys, Front::Line, Awake(0));
        assert_eq!(line.half_typed(), half_typed, "{keys:?}");
    }
}

#[test]
fn ctrl_u_takes_away_what_surely_stands_on_one_line_of_the_screen() {
    for (columns, typed, presses, half_typed) in [
        (110, 100, 1, false),
        (110, 101, 1, true),
        (110, 101, 3, false),
        (40, 60, 2, true),
        (40, 60, 5, false),
    ] {
        let mut line = Line::new(HABITS);
        line.wide(columns);
        line.feed(&b"x".repeat(typed), Front::Line, Awake(0));
        line.feed(&b"\x15".repeat(presses), Front::Line, Awake(0));
        assert_eq!(line.half_typed(), half_typed, "{typed} on {columns} columns, {presses} times");
    }
    let mut line = Line::new(Habits { cuts_breaks: false, ..HABITS });
    line.feed(b"a\nb\x15\x15\x15\x15", Front::Line, Awake(0));
    assert!(line.half_typed(), "an engine whose Ctrl-U takes no break away");
}

#[test]
fn a_click_beside_the_text_leaves_the_line_as_it_is() {
    for (typed, columns, row, half_typed) in [
        (&b"abc"[..], 110, 30, true),
        (b"abc", 110, 29, false),
        (b"abc", 110, 3, false),
        (b"abc\\\r", 110, 29, true),
        (b"abc\\\r", 110, 28, false),
        // It may take three rows of ten columns.
        (b"abcdefghijkl", 20, 28, true),
        (b"abcdefghijkl", 20, 27, false),
    ] {
        let mut line = Line::new(HABITS);
        line.wide(columns);
        line.at_row(30);
        line.feed(typed, Front::Line, Awake(0));
        line.feed(format!("\x1b[<0;3;{row}M").as_bytes(), Front::Line, Awake(0));
        line.feed(&b"\x7f".repeat(20), Front::Line, Awake(0));
        assert_eq!(line.half_typed(), half_typed, "{typed:?}, a click on row {row}");
    }
    for habits in [HABITS, Habits { shows_cursor: false, ..HABITS }] {
        let mut line = Line::new(habits);
        if !habits.shows_cursor {
            line.at_row(30);
        }
        line.feed(b"abc\x1b[<0;3;3M\x7f\x7f\x7f", Front::Line, Awake(0));
        assert!(line.half_typed(), "it isn't known where the cursor is: {habits:?}");
    }
}

#[test]
fn ctrl_j_sends_where_the_engine_takes_it_for_enter() {
    for (ctrl_j_sends, half_typed) in [(false, true), (true, false)] {
        let mut line = Line::new(Habits { ctrl_j_sends, ..HABITS });
        assert_eq!(line.feed(b"ls\n", Front::Line, Awake(0)).sent, ctrl_j_sends);
        assert_eq!(line.half_typed(), half_typed);
        line.feed(b"\x03\x1b[200~a\n\x1b[201~", Front::Line, Awake(9));
        assert!(line.half_typed(), "a paste sends nothing");
    }
}

#[test]
fn what_stands_there_again_is_held_until_somebody_wants_it_gone() {
    for (bytes, half_typed, strewn) in [
        (&b""[..], true, false),
        (b"\x1b[D", true, false),
        (b"x\x15", true, false),
        (b"\x15", false, true),
        (b"\x03", false, false),
        (b"\r", false, false),
    ] {
        let mut line = Line::new(HABITS);
        line.holds_text();
        line.feed(bytes, Front::Line, Awake(0));
        assert_eq!((line.half_typed(), line.is_strewn()), (half_typed, strewn), "{bytes:?}");
    }
}

#[test]
fn a_key_that_looks_like_the_begin_of_a_string_swallows_nothing() {
    for key in [&b"\x1b]"[..], b"\x1bP", b"\x1b_", b"\x1b[", b"\x1bO"] {
        let (mut line, _) = fed(key);
        line.feed(b"hello", Front::Line, Awake(300));
        assert!(line.half_typed(), "{key:?}");
        line.feed(b"\r", Front::Line, Awake(400));
        assert!(!line.half_typed(), "{key:?}");
    }
}

#[test]
fn a_paste_may_take_its_time() {
    let (mut line, _) = fed(b"\x1b[200~abc");
    assert_eq!(line.settles_at(), None);
    assert!(!line.feed(b"\r", Front::Line, Awake(5_000)).sent);
    line.feed(b"\x1b[201~", Front::Line, Awake(9_000));
    assert!(line.feed(b"\r", Front::Line, Awake(9_100)).sent);
}

#[test]
fn a_sequence_without_end_keeps_nothing_in_memory() {
    let mut bytes = b"\x1b[".to_vec();
    bytes.extend(std::iter::repeat_n(b'1', 100_000));
    let (line, _) = fed(&bytes);
    assert!(format!("{line:?}").len() < 1_000);
}

#[test]
fn what_is_typed_on_after_a_dialogs_answer_is_on_the_line_once_it_is_gone() {
    for (keys, half_typed) in [
        (&b"1"[..], false),
        (b"111", false),
        (b"\r2\r", false),
        (b"no, use yarn\r", false),
        (b"use yarn", false),
        (b"1hello", true),
        (b"1use 2", true),
        (b"yhello\r", false),
        (b"\x1b[27uhello", true),
        (b"\r\x1b[200~hello\x1b[201~", true),
    ] {
        let mut line = Line::new(HABITS);
        line.feed(keys, Front::Dialog, Awake(0));
        assert!(!line.half_typed(), "{keys:?}: it may all have gone to the dialog");
        line.goes_to(Front::Turn);
        assert_eq!(line.half_typed(), half_typed, "{keys:?}");
    }
}

#[test]
fn what_goes_to_a_dialog_leaves_the_line_as_it_is() {
    for keys in [&b"y"[..], b"2\r", b"\x1b", b"\x15", b"\x7f\x7f", b"\x1b[200~abc\x1b[201~\r", b"\x1b[27u"] {
        for typed in [&b""[..], b"ab"] {
            let (mut line, _) = fed(typed);
            assert!(!line.feed(keys, Front::Dialog, Awake(100)).sent, "{keys:?}");
            line.settle(Awake(500));
            assert_eq!(line.half_typed(), !typed.is_empty(), "{keys:?} before {typed:?}");
            line.feed(b"c", Front::Line, Awake(600));
            assert!(line.half_typed() && line.feed(b"\r", Front::Line, Awake(700)).sent, "{keys:?}");
        }
    }
}
