use super::{end_in_words, end_of_talk};

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

#[test]
fn what_a_shell_showed_before_it_ended_is_no_reason_for_its_end() {
    let screen = "$ make\nall is well\n$ exit";
    assert_eq!(end_of_talk(screen, Some(0), None), "It exited (exit status 0).");
    assert_eq!(end_of_talk(screen, None, Some(9)), "It was killed by signal 9 (SIGKILL).");
    assert_eq!(end_of_talk("$ x\nno such file", Some(3), None), "It said: no such file (exit status 3)");
    assert_eq!(end_of_talk(screen, Some(1), None), "It said: $ exit (exit status 1)");
}
