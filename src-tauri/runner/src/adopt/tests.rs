use super::end_in_words;

#[test]
fn an_end_is_told_with_its_last_words_only_where_these_say_something_of_it() {
    let screen = "────────\n> try something\n  ? for shortcuts";
    for (code, signal, told) in [
        (None, Some(9), "It was killed by signal 9 (SIGKILL)."),
        (None, Some(15), "It was killed by signal 15 (SIGTERM)."),
        (Some(1), None, "It said: > try something ? for shortcuts (exit status 1)"),
        (None, Some(11), "It said: > try something ? for shortcuts (signal 11)"),
        (None, None, "It said: > try something ? for shortcuts"),
    ] {
        assert_eq!(end_in_words(screen, code, signal), told);
    }
    assert_eq!(end_in_words(" \n────", Some(1), None), "It said nothing (exit status 1).");
}
