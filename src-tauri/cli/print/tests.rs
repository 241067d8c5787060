use super::harmless;

#[test]
fn what_a_terminal_would_obey_is_not_shown_to_one() {
    let answer = "before\u{1b}]52;c;cm0gLXJmIH4=\u{7}\u{9b}2J\tafter\r\nçà";
    assert_eq!(harmless(answer), "before]52;c;cm0gLXJmIH4=2J\tafter\nçà");
    let plain = "one\n\ttwo";
    assert!(matches!(harmless(plain), std::borrow::Cow::Borrowed(same) if same == plain));
}
