use super::{ESC_SETTLES, Line, Touch};
use crate::time::Awake;

fn fed(bytes: &[u8]) -> (Line, Touch) {
    let mut line = Line::default();
    let touch = line.feed(bytes, Awake(0));
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
    ("Esc twice", b"abc\x1b\x1b", true, false, false),
    ("arrows", b"\x1b[A\x1b[B\x1b[C\x1b[D", true, false, false),
    ("application arrows", b"\x1bOA\x1bOD", true, false, false),
    ("Home, End, Delete, Page Up", b"\x1b[H\x1b[F\x1b[3~\x1b[5~", true, false, false),
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
    ("kitty: Esc", b"x\x1b[27u", true, false, false),
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
        assert_eq!(touch, Touch { by_person: *by_person, sent: *sent }, "{name}");
        assert_eq!(line.half_typed(), *half_typed, "{name}");
    }
}

#[test]
fn bytes_may_be_cut_at_every_position() {
    for (name, bytes, by_person, sent, half_typed) in TABLE {
        for cut in 0..=bytes.len() {
            let mut line = Line::default();
            let first = line.feed(&bytes[..cut], Awake(0));
            let second = line.feed(&bytes[cut..], Awake(5));
            assert_eq!(first.by_person || second.by_person, *by_person, "{name} cut at {cut}");
            assert_eq!(first.sent || second.sent, *sent, "{name} cut at {cut}");
            assert_eq!(line.half_typed(), *half_typed, "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_lone_esc_clears_the_line_once_it_has_waited() {
    let (mut line, _) = fed(b"abc\x1b");
    assert!(line.half_typed());
    assert_eq!(line.settles_at(), Some(Awake(0).after(ESC_SETTLES)));
    assert_eq!(line.settle(Awake(49)), Touch::default());
    assert_eq!(line.settle(Awake(50)), Touch { by_person: true, sent: false });
    assert!(!line.half_typed());
    assert_eq!(line.settles_at(), None);
}

#[test]
fn a_key_that_looks_like_the_begin_of_a_string_swallows_nothing() {
    for key in [&b"\x1b]"[..], b"\x1bP", b"\x1b_", b"\x1b[", b"\x1bO"] {
        let (mut line, _) = fed(key);
        line.feed(b"hello", Awake(300));
        assert!(line.half_typed(), "{key:?}");
        line.feed(b"\r", Awake(400));
        assert!(!line.half_typed(), "{key:?}");
    }
}

#[test]
fn a_paste_may_take_its_time() {
    let (mut line, _) = fed(b"\x1b[200~abc");
    assert_eq!(line.settles_at(), None);
    assert!(!line.feed(b"\r", Awake(5_000)).sent);
    line.feed(b"\x1b[201~", Awake(9_000));
    assert!(line.feed(b"\r", Awake(9_100)).sent);
}

#[test]
fn a_sequence_without_end_keeps_nothing_in_memory() {
    let mut bytes = b"\x1b[".to_vec();
    bytes.extend(std::iter::repeat_n(b'1', 100_000));
    let (line, _) = fed(&bytes);
    assert!(format!("{line:?}").len() < 1_000);
}

#[test]
fn what_goes_to_a_dialog_leaves_the_line_as_it_is() {
    for keys in [&b"y"[..], b"2\r", b"\x1b", b"\x15", b"\x7f\x7f", b"\x1b[200~abc\x1b[201~\r", b"\x1b[27u"] {
        for typed in [&b""[..], b"ab"] {
            let (mut line, _) = fed(typed);
            assert!(!line.feed_dialog(keys, Awake(100)).sent, "{keys:?}");
            line.settle(Awake(500));
            assert_eq!(line.half_typed(), !typed.is_empty(), "{keys:?} before {typed:?}");
            line.feed(b"c", Awake(600));
            assert!(line.half_typed() && line.feed(b"\r", Awake(700)).sent, "{keys:?}");
        }
    }
}
