use alacritty_terminal::vte::{Params, Parser, Perform};
use proptest::prelude::*;

use super::*;

/// What a parser that knows nothing of the filter finds in what passed.
#[derive(Default)]
struct Finds(Vec<String>);

impl Perform for Finds {
    fn execute(&mut self, byte: u8) {
        // ENQ and C1.
        if byte == 0x05 || byte >= 0x80 {
            self.0.push(format!("control character {byte:#x}"));
        }
    }

    fn print(&mut self, c: char) {
        if ('\u{80}'..='\u{9f}').contains(&c) {
            self.0.push(format!("control character {c:?}"));
        }
    }

    fn hook(&mut self, _: &Params, between: &[u8], _: bool, last: char) {
        self.0.push(format!("DCS {between:?} {last}"));
    }

    fn osc_dispatch(&mut self, parts: &[&[u8]], _: bool) {
        let asks = parts[0] != b"8" && parts[0] != b"2" && parts.iter().any(|part| part.contains(&b'?'));
        if asks || !(parts[0] == b"2" || STRINGS.contains(&parts[0])) {
            self.0.push(format!("OSC {parts:?}"));
        }
    }

    fn esc_dispatch(&mut self, between: &[u8], _: bool, last: u8) {
        // DECID, a title of screen's, 7 and 8 bit controls, another encoding.
        if (between.is_empty() && matches!(last, b'Z' | b'k')) || matches!(between.first(), Some(b' ' | b'%'))
        {
            self.0.push(format!("ESC {between:?} {}", char::from(last)));
        }
    }

    fn csi_dispatch(&mut self, parameters: &Params, between: &[u8], _: bool, last: char) {
        let first = parameters.iter().next().map_or(0, |parameter| parameter[0]);
        let asks = match (between, last) {
            // Who and how are you (DA1-3, DSR, DECREQTPARM), printing, tests, locators, the size of a page.
            (_, 'c' | 'i' | 'w' | 'y' | '|') | (b"" | b"?", 'n') | (b"" | b"&", 'x') => true,
            (b"", 't') => !matches!(first, 22 | 23),
            (_, 't') => between != b"$",
            // DECRQM, XTVERSION, the keyboard's, DECRQUPSS, DECRQTSR, XTREPORTCOLORS, XTQMODKEYS, XTQFMTKEYS.
            (b"$" | b"?$", 'p')
            | (b">", 'q')
            | (b"?" | b"&" | b"$", 'u')
            | (b"#", 'R')
            | (b"?", 'm' | 'g') => true,
            // XTSMGRAPHICS, DECRQDE, DECELR and its like.
            (b"?", 'S') | (b"\"", 'v') | (b"'", 'z' | '{') => true,
            (_, _) => false,
        };
        if asks {
            self.0.push(format!("CSI {between:?} {parameters:?} {last}"));
        }
    }
}

fn finds(bytes: &[u8]) -> Vec<String> {
    let mut finds = Finds::default();
    Parser::new().advance(&mut finds, bytes);
    finds.0
}

/// What passes, of output that comes in pieces of these sizes, over and over.
fn passed_in_pieces(bytes: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut filter = Filter::new(24);
    let mut out = Vec::new();
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (taken, _) = filter.pass(&rest[..(*size).min(rest.len())], &mut out);
        rest = &rest[taken..];
    }
    out
}

/// Output that is made of the pieces of sequences, whole and broken.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"\x1b",
        b"\x1b",
        b"\x1b[",
        b"\x1b]",
        b"\x1b(",
        b"\x1bP",
        b"\x1b_",
        b"\x1b\\",
        b"[",
        b"]",
        b"(",
        b"%",
        b"#",
        b" ",
        b"$",
        b"&",
        b"'",
        b"*",
        b"\"",
        b"+",
        b"?",
        b">",
        b"=",
        b"<",
        b"c",
        b"n",
        b"p",
        b"q",
        b"u",
        b"t",
        b"R",
        b"|",
        b"x",
        b"Z",
        b"P",
        b"X",
        b"^",
        b"k",
        b"52;c;aGk=",
        b"\x1b]52;c;aGk=\x07",
        b"\x1b[c",
        b"\x1b[6n",
        b"\x1bP$qm\x1b\\",
        b"11;?",
        b"8;;",
        b"2;t",
        b"0",
        b"1",
        b"4",
        b"22",
        b";",
        b":",
        b"\x07",
        b"\x05",
        b"\x0e",
        b"\x18",
        b"\x1a",
        b"\x00",
        b"\x7f",
        b"\n",
        b"\x90",
        b"\x9b",
        b"\x9c",
        b"\x9d",
        b"\xc2",
        b"\xc2\x9d",
        b"\xe0",
        b"\xe2\x9d",
        b"\xf0\x9f",
        b"\xff",
        b"x",
    ];
    let piece = prop_oneof![9 => prop::sample::select(pieces).prop_map(<[u8]>::to_vec), 1 => prop::collection::vec(any::<u8>(), 1..4)];
    prop::collection::vec(piece, 1..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_an_engine_writes_no_terminal_is_asked_and_no_clipboard_written(
        bytes in hostile(), sizes in prop::collection::vec(1..9_usize, 1..4)
    ) {
        let whole = passed_in_pieces(&bytes, &[usize::MAX]);
        prop_assert_eq!(finds(&whole), Vec::<String>::new());
        // Strings that a parser swallows are none the less not there, and no terminal reads bytes in another
        // way.
        let text = String::from_utf8(whole.clone()).unwrap();
        let encoded = text.chars().any(|c| ('\u{80}'..='\u{9f}').contains(&c));
        prop_assert!(!encoded, "{:?}", text);
        for string in ["\x1bP", "\x1bX", "\x1b^", "\x1b_", "\x1bk"] {
            prop_assert!(!text.contains(string), "{:?}", text);
        }
        prop_assert_eq!(passed_in_pieces(&bytes, &sizes), whole);
    }
}

fn passed(bytes: &[u8]) -> String {
    let mut whole = Vec::new();
    Filter::new(24).pass(bytes, &mut whole);
    // However it is cut, the same passes.
    let mut filter = Filter::new(24);
    let mut cut = Vec::new();
    for byte in bytes {
        filter.pass(&[*byte], &mut cut);
    }
    assert_eq!(String::from_utf8_lossy(&whole), String::from_utf8_lossy(&cut));
    String::from_utf8_lossy(&whole).into_owned()
}

#[test]
fn drawing_passes_as_it_is() {
    for drawing in [
        "plain\r\n\ttext äöü 世界 👩‍💻",
        "\x1b[1;38;2;1;2;3mx\x1b[m\x1b[?1049h\x1b[2J\x1b[5;10r\x1b(0q\x1b(B\x1b7\x1b8\x1bM",
        "\x1b[?2004h\x1b[?1000;1006h\x1b[>1u\x1b[<u\x1b[=1;1u\x1b[2 q\x1b[?2026h\x1b[22;0t",
        "\x1b]8;id=1;https://example.org/?\x1b\\link\x1b]8;;\x1b\\\x1b]11;#000000\x1b\\",
    ] {
        assert_eq!(passed(drawing.as_bytes()), drawing);
    }
}

#[test]
fn questions_to_the_terminal_are_held_back() {
    for question in [
        "\x1b[c",
        "\x1b[0c",
        "\x1b[>c",
        "\x1b[=c",
        "\x1b[5n",
        "\x1b[6n",
        "\x1b[?6n",
        "\x1b[?996n",
        "\x1b[?2026$p",
        "\x1b[>q",
        "\x1b[>0q",
        "\x1b[?u",
        "\x1b[14t",
        "\x1b[18t",
        "\x1b]10;?\x07",
        "\x1b]11;?\x1b\\",
        "\x1b]4;1;?\x07",
        "\x1bP$qm\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1bZ",
        "\x05",
        "\x1b[?15n",
        "\x1b[?26n",
        "\x1b[4$p",
        "\x1b[#|",
        "\x1b[#R",
        "\x1b[&u",
        "\x1b[1$u",
        "\x1b[\"v",
        "\x1b['|",
        "\x1b[?1g",
        "\x1b[?4m",
        "\x1b[1;1;1;1;1;1*y",
        "\x1b[?1;1;0S",
        "\x1b[5i",
        "\x1b[1?6n",
        "\x1b[?2026;02048h",
        "\x1b]4;1; ?\x07",
        "\x1b%@",
        "\x1b G",
    ] {
        assert_eq!(passed(format!("a{question}b").as_bytes()), "ab", "{question:?}");
    }
}

#[test]
fn the_clipboard_is_out_of_reach() {
    for attempt in [
        "\x1b]52;c;aGk=\x07",
        "\x1b]52;c;?\x1b\\",
        "\x1b]052;c;aGk=\x07",
        "\u{9d}52;c;aGk=\x07",
        "\x1b]1337;File=:aGk=\x07",
        "\x1b_Gf=24;AAAA\x1b\\",
        "\x1b]9;hi\x07",
        "\x1b]777;notify;a;b\x07",
    ] {
        let passed = passed(format!("a{attempt}b").as_bytes());
        assert!(!passed.contains(['\x1b', '\u{9d}']), "{attempt:?}: {passed:?}");
    }
}

#[test]
fn nothing_gets_through_behind_an_escape_that_was_not_finished() {
    assert_eq!(passed(b"a\x1b(\x1b]52;c;aGk=\x07b"), "ab");
    assert_eq!(passed(b"a\x1b(\x1b[cb"), "ab");
    assert_eq!(passed(b"a\x1b \x1b\x1b#\x1bP$qm\x1b\\b"), "ab");
    assert_eq!(passed(b"a\x1b(\x18b\x1b#\x1ac"), "abc");
    assert_eq!(passed(b"a\x1b(\n0b"), "a\n\x1b(0b");
    // Within a sequence these are nothing to the model, too.
    assert_eq!(passed(b"a\x1b\x9d(\x9d\x7f0b\x1b[1\x9dmc"), "a\x1b(0b\x1b[1mc");
    assert_eq!(passed(b"a\x1b\x05[\x0531mb\x1b(\x050"), "a\x1b[31mb\x1b(0");
    // No parser has bytes left over that another would take for a beginning.
    assert_eq!(passed(b"\xe2\x9d52;c;aGk=\xe0\x9d\x80"), "\u{fffd}52;c;aGk=\u{fffd}\u{fffd}\u{fffd}");
}

#[test]
fn a_reset_in_the_middle_of_a_string_clears_too() {
    let mut filter = Filter::new(24);
    let mut out = Vec::new();
    assert_eq!(filter.pass(b"\x1b]2;t\x1bc", &mut out), (7, true));
    assert_eq!(out, b"\x1bc");
}

#[test]
fn a_string_can_not_hide_another_one() {
    assert_eq!(passed("a\x1b]8;;x\u{9c}\u{9d}52;c;aGk=\x1b\\b".as_bytes()), "ab");
    assert_eq!(passed(b"a\x1b]52;c\x1b]2;t\x07b"), "a\x1b]2;t\x1b\\b");
}

#[test]
fn titles_pass_cleaned() {
    assert_eq!(passed("\x1b]0;a\u{202e}b\u{85}c\x07".as_bytes()), "\x1b]2;abc\x1b\\");
    assert_eq!(title(&"x".repeat(1000)).len(), TITLE_MAX);
}

#[test]
fn what_never_ends_is_not_kept() {
    let mut filter = Filter::new(24);
    let mut out = Vec::new();
    filter.pass(b"\x1b]2;", &mut out);
    for _ in 0..100 {
        filter.pass(&[b'x'; 1024], &mut out);
    }
    assert!(filter.held.len() <= STRING_MAX && out.is_empty());
}

#[test]
fn the_scroll_region_is_known() {
    let mut filter = Filter::new(24);
    let mut out = Vec::new();
    let mut region = |bytes: &[u8]| {
        filter.pass(bytes, &mut out);
        filter.region()
    };
    assert_eq!(region(b"\x1b[3;10r"), (2, 10));
    assert_eq!(region(b"\x1b[10;3r"), (2, 10));
    assert_eq!(region(b"\x1b[?7r"), (2, 10));
    assert_eq!(region(b"\x1b[r"), (0, 24));
    assert_eq!(region(b"\x1b[5;99r"), (4, 24));
    assert_eq!(region(b"\x1bc"), (0, 24));
}
