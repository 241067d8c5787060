use repose_console::wire::Time;

use super::{harmless, local, table};

#[test]
fn what_a_terminal_would_obey_is_not_shown_to_one() {
    let answer = "before\u{1b}]52;c;cm0gLXJmIH4=\u{7}\u{9b}2J\tafter\r\nçà";
    assert_eq!(harmless(answer), "before]52;c;cm0gLXJmIH4=2J\tafter\nçà");
    let plain = "one\n\ttwo";
    assert!(matches!(harmless(plain), std::borrow::Cow::Borrowed(same) if same == plain));
}

#[test]
fn a_moment_of_the_log_is_local_and_says_how_far_from_utc() {
    let at: Time = "2026-01-31T23:30:59.999Z".parse().expect("a time");
    for (ahead, shown) in [
        (0, "2026-01-31T23:30:59+00:00"),
        (3_600, "2026-02-01T00:30:59+01:00"),
        (-12_600, "2026-01-31T20:00:59-03:30"),
    ] {
        assert_eq!(local(at, ahead), shown);
    }
}

#[test]
fn columns_stand_below_each_other_whatever_is_in_them() {
    let row = |first: &str, second: &str| [first.to_owned(), String::new(), second.to_owned()];
    let rows = [row("plain", "ready"), row("\u{6587}\u{66f8}", "asleep"), row("e\u{301}te\u{301}", "paused")];
    let shown = "plain  ready\n\u{6587}\u{66f8}   asleep\ne\u{301}te\u{301}    paused";
    assert_eq!(table(&rows), shown, "by cells of the terminal, and no room for a column without anything");
}
