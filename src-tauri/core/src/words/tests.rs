use std::time::Duration;

use super::{
    LAST_WORDS_CHARS, QUOTED_CHARS, bytes, command, last, line, list, shell_word, span, subject, tells_whole,
    unmarked,
};

#[test]
fn spans_are_rounded_to_the_nearest_of_their_largest_unit() {
    let table = [
        (0, "0 s"),
        (499, "0 s"),
        (500, "1 s"),
        (59_499, "59 s"),
        (59_500, "1 min"),
        (60_000, "1 min"),
        (89_000, "1 min"),
        (90_000, "2 min"),
        (59 * 60_000 + 29_999, "59 min"),
        (3_599_000, "1 h"),
        (6 * 3_600_000 - 1, "6 h"),
        (5 * 3_600_000 + 29 * 60_000, "5 h"),
        (47 * 3_600_000 + 29 * 60_000, "47 h"),
        (48 * 3_600_000 - 1_000, "2 days"),
        (4 * 86_400_000 - 1_000, "4 days"),
        (9 * 86_400_000, "9 days"),
    ];
    for (millis, words) in table {
        assert_eq!(span(Duration::from_millis(millis)), words, "{millis} ms");
    }
    assert!(span(Duration::MAX).ends_with(" days"));
}

#[test]
fn bytes_are_decimal_and_rounded_to_the_nearest() {
    for example in include_str!("bytes.txt").lines() {
        let (number, words) = example.split_once(" = ").expect("a number and its words");
        assert_eq!(bytes(number.parse().expect("a number")), words);
    }
    assert_eq!(bytes(u64::MAX), "18446744074 GB");
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
fn a_line_of_markdown_is_told_without_its_marks() {
    let table = [
        ("Which **layout** for `list.ts`?", "Which layout for list.ts?"),
        ("## Which *one*, or __both__ of _them_?", "Which one, or both of them?"),
        ("***Now*** or [later](https://example.com/a_b)?", "Now or later?"),
        ("**In `a_b`** or ``a`b``?", "In a_b or a`b?"),
        ("a_b_c, 2 * 3 * 4, *.ts and #1 stay", "a_b_c, 2 * 3 * 4, *.ts and #1 stay"),
        ("a `lone backtick, **open and [text] (aside)", "a `lone backtick, **open and [text] (aside)"),
        ("__init__.py and snake_case_", "__init__.py and snake_case_"),
        ("", ""),
    ];
    for (text, plain) in table {
        assert_eq!(unmarked(text), plain, "{text:?}");
    }
}

#[test]
fn a_command_that_is_cut_says_so_and_hides_nothing() {
    let long = "a".repeat(QUOTED_CHARS);
    let table = [
        ("make  test", "`make test`", true),
        ("make\r\n\tls\n", "`make⏎ls`", true),
        ("a\u{1b}[8mb", "`a\u{fffd}[8mb`", false),
        ("a\u{200b}b", "`a\u{fffd}b`", false),
        (&long, &format!("`{long}`"), true),
        (&format!("{long}bc"), &format!("`{long}…` (2 more characters)"), false),
    ];
    for (text, told, whole) in table {
        assert_eq!((command(text).as_str(), tells_whole(text)), (told, whole), "{text:?}");
        assert_eq!(
            subject(&format!("run {}", command(text))),
            format!("run {told}"),
            "never cut a second time"
        );
    }
}

#[test]
fn last_words_end_with_the_cause() {
    assert_eq!(last("Welcome\n────────\n  Error: no network\n"), "Welcome Error: no network");
    let long = format!("{}\nError: the config has no `model` (exit status 1)", "noise ".repeat(100));
    assert_eq!(last(&long), "Error: the config has no `model` (exit status 1)");
    let trace =
        "Error: Cannot find module 'x'\n    at load (a.js:1:1)\n    at run (b.js:2:2)\n\nNode.js v22.1.0";
    assert_eq!(last(trace), "Error: Cannot find module 'x' Node.js v22.1.0");
    let one = last(&format!("{}the end", "ä".repeat(2 * LAST_WORDS_CHARS)));
    assert!(one.starts_with('…') && one.ends_with("the end"), "{one}");
    assert_eq!(one.chars().count(), LAST_WORDS_CHARS + 1);
    assert_eq!(last("a\u{1b}[31mb\n"), "a[31mb");
    assert_eq!(last("\n ── \n"), "");
}

#[test]
fn a_name_is_quoted_where_a_shell_needs_it() {
    let table = [
        ("work", "work"),
        ("my repo", "'my repo'"),
        ("it's", r"'it'\''s'"),
        ("", "''"),
        ("-x", "'-x'"),
        ("ü", "'ü'"),
    ];
    for (name, word) in table {
        assert_eq!(shell_word(name), word);
    }
}

#[test]
fn phrases_become_a_list() {
    let phrases = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    assert_eq!(list(&[]), "");
    assert_eq!(list(&phrases(&["a"])), "a");
    assert_eq!(list(&phrases(&["a", "b"])), "a and b");
    assert_eq!(list(&phrases(&["a", "b", "c"])), "a, b and c");
}
