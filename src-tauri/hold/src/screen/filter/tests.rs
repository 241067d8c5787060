use super::*;

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
