use std::time::Duration;

use super::{QUOTED_CHARS, bytes, line, list, span};

#[test]
fn spans_are_rounded_down_to_their_largest_unit() {
    let table = [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (172_799, "47 h"),
        (172_800, "2 days"),
        (9 * 86_400, "9 days"),
    ];
    for (seconds, words) in table {
        assert_eq!(span(Duration::from_secs(seconds)), words);
    }
}

#[test]
fn bytes_are_decimal() {
    let table = [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1 kB"),
        (266_500_000, "266 MB"),
        (999_999_999, "999 MB"),
        (1_000_000_000, "1.0 GB"),
        (1_299_999_999, "1.2 GB"),
        (u64::MAX, "18446744073.7 GB"),
    ];
    for (number, words) in table {
        assert_eq!(bytes(number), words);
    }
}

#[test]
fn somebodys_text_becomes_one_bounded_line() {
    assert_eq!(line("  a\n\tb  "), "a b");
    assert_eq!(line("a\u{1b}[31mb"), "a[31mb");
    assert_eq!(line(&"ä".repeat(QUOTED_CHARS)), "ä".repeat(QUOTED_CHARS));
    let long = line(&"ä".repeat(QUOTED_CHARS + 1));
    assert_eq!(long, format!("{}…", "ä".repeat(QUOTED_CHARS)));
    assert_eq!(line(""), "");
}

#[test]
fn phrases_become_a_list() {
    let phrases = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    assert_eq!(list(&[]), "");
    assert_eq!(list(&phrases(&["a"])), "a");
    assert_eq!(list(&phrases(&["a", "b"])), "a and b");
    assert_eq!(list(&phrases(&["a", "b", "c"])), "a, b and c");
}
