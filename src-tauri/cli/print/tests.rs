use repose_console::wire::{LogEntry, Time};

use super::{entry, harmless, local, plain, shortened, table};

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

#[test]
fn the_texts_of_a_log_stand_below_each_other_whatever_is_told() {
    let told = |kind: &str| {
        let at: Time = "2026-01-31T23:30:59.999Z".parse().expect("a time");
        let (kind, text) = (kind.to_owned(), "one\ntwo".to_owned());
        entry(&LogEntry { id: 1, at, kind, text, ask: None, code: None, freed_bytes: None })
    };
    let column = |line: &str, text: &str| line.find(text).expect("it is there");
    let short = told("asked");
    let at = column(&short, "one");
    for kind in ["asked", "taken_back", "interrupted", "resumed_all", "order_dropped"] {
        let shown = told(kind);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!([column(lines[0], "one"), column(lines[1], "two")], [at, at], "{shown}");
        assert!(!shown.contains('_'), "{shown}");
    }
}

#[test]
fn a_path_stays_on_its_line_whatever_its_folder_is_called() {
    assert_eq!(plain("/home/me/two\nlines\u{1b}[2J/çà"), "/home/me/two\\nlines\\u{1b}[2J/çà");
}

#[test]
fn a_long_name_shows_its_two_ends_in_the_cells_that_there_are() {
    for (name, most, shown) in [
        ("short", 5, "short"),
        ("customer-portal-backend", 12, "custom…ckend"),
        ("文書管理システム", 9, "文書…テム"),
    ] {
        assert_eq!(shortened(name, most), shown);
    }
}
