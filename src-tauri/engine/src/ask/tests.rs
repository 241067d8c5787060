use super::{PROMPT_MAX, UnfitText, typeable};

#[test]
fn line_ends_become_one_kind() {
    assert_eq!(typeable("a\r\nb\rc\n\td").as_deref(), Ok("a\nb\nc\n\td"));
}

#[test]
fn what_a_terminal_would_take_for_a_key_is_refused_by_name_and_place() {
    let cases = [
        ("x\u{1b}[201~rm", '\u{1b}', 1),
        ("\u{3}", '\u{3}', 0),
        ("ab\u{7f}", '\u{7f}', 2),
        ("\u{9b}2J", '\u{9b}', 0),
    ];
    for (text, character, at) in cases {
        let unfit = typeable(text).unwrap_err();
        assert_eq!(unfit, UnfitText::Control { character, at });
        assert_eq!(unfit.character(), Some((character, at)));
    }
    assert!(typeable("x\u{1b}").unwrap_err().to_string().contains("U+001B at byte 1"));
}

#[test]
fn nothing_and_too_much_are_refused() {
    for shows_nothing in ["", " \r\n\t", "\u{200b}", " \u{feff}\u{2060} "] {
        assert_eq!(typeable(shows_nothing), Err(UnfitText::Empty), "{shows_nothing:?}");
    }
    assert!(typeable(&"x".repeat(PROMPT_MAX)).is_ok());
    assert_eq!(typeable(&"x".repeat(PROMPT_MAX + 1)), Err(UnfitText::TooLong { size: PROMPT_MAX + 1 }));
}

#[test]
fn text_in_any_language_passes() {
    let text = "grüße 日本 😀\u{200b}\n— “ok”";
    assert_eq!(typeable(text).as_deref(), Ok(text));
}
