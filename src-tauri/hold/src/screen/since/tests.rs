use super::super::Screen;

/// The answer to `question` on a screen that showed `before`, and then `after`.
fn answer(before: &str, question: &str, after: &str) -> String {
    let mut screen = Screen::new(20, 4);
    screen.feed(before.as_bytes());
    screen.asked(question.into(), true);
    screen.feed(after.as_bytes());
    screen.answer().expect("it was asked")
}

#[test]
fn an_answer_is_what_came_after_the_question_without_that_and_without_the_prompt() {
    for (before, question, after, said) in [
        ("old\r\n$ ", "echo A", "echo A\r\nA\r\n$ ", "A"),
        ("old\r\n$ ", "printf x", "printf x\r\nx$ ", "x"),
        ("old\r\n$ ", "true", "true\r\n$ ", ""),
        ("$ ", "echo $", "echo $\r\n$\r\n$ ", "$"),
        // Another folder is in the prompt now.
        ("~ $ ", "cd x", "cd x\r\n~/x $ ", ""),
        ("[~]$ ", "cd x; ls", "cd x; ls\r\na\r\n[~/x]$ ", "a"),
        // What came isn't taken for one.
        ("~ $ ", "cat", "cat\r\n5 $\r\n", "5 $"),
        // A shell that asks for each further line says so before it answers.
        ("$ ", "echo 'a\nb'", "echo 'a\r\nb'\r\n> a\r\nb\r\n$ ", "a\nb"),
        ("$ ", "echo '> a'", "echo '> a'\r\n> a\r\n$ ", "> a"),
        // One that reads all of them at once doesn't.
        ("\x1b[?2004h$ ", "echo \\\n'> a'", "echo \\\r\n'> a'\r\n> a\r\n$ ", "> a"),
        // The question goes over several lines, by its length or by its own.
        (
            "$ ",
            "echo a long one, longer than a line",
            "echo a long one, longer than a line\r\nyes\r\n$ ",
            "yes",
        ),
        ("$ ", "echo 1\necho 2", "echo 1\r\necho 2\r\n1\r\n2\r\n$ ", "1\n2"),
        // It isn't shown.
        ("", "secret", "heard\r\n", "heard"),
        // A line that is longer than the screen is one.
        (
            "$ ",
            "say",
            "say\r\none line that is longer than the screen\r\n$ ",
            "one line that is longer than the screen",
        ),
        // More than a screen.
        ("1\r\n2\r\n3\r\n$ ", "seq", "seq\r\na\r\nb\r\nc\r\nd\r\ne\r\nf\r\n$ ", "a\nb\nc\nd\ne\nf"),
        // The screen is wiped, with what is above it.
        ("1\r\n2\r\n$ ", "clear", "clear\r\n\x1b[H\x1b[2J\x1b[3Jnew\r\n$ ", "new"),
    ] {
        assert_eq!(answer(before, question, after), said, "{question:?} on {before:?}: {after:?}");
    }
}

#[test]
fn what_wrote_no_end_of_its_line_is_no_part_of_the_next_prompt() {
    let mut screen = Screen::new(20, 4);
    screen.feed(b"$ ");
    for (question, after, said) in [
        ("printf x", "printf x\r\nx$ ", "x"),
        ("true", "true\r\n$ ", ""),
        ("echo x", "echo x\r\nx\r\n$ ", "x"),
    ] {
        screen.asked(question.into(), true);
        screen.feed(after.as_bytes());
        assert_eq!(screen.answer().as_deref(), Some(said), "{question}");
    }
}

#[test]
fn a_screen_that_is_drawn_in_full_or_was_drawn_anew_tells_no_answer_from_the_rest() {
    let mut screen = Screen::new(20, 4);
    assert_eq!(screen.answer(), None, "nothing was asked");
    screen.asked("a".into(), true);
    screen.feed(b"\x1b[?1049hall of it");
    assert_eq!(screen.answer(), None);
    screen.asked("a".into(), true);
    screen.feed(b"\x1b[?1049lwords");
    assert_eq!(screen.answer(), None, "it was asked elsewhere");
    screen.asked("a".into(), true);
    screen.resize(10, 4);
    assert_eq!(screen.answer(), None, "its lines are others now");
    screen.asked("a".into(), true);
    screen.feed(b"\r\nb");
    assert_eq!(screen.answer().as_deref(), Some("words\nb"), "the question isn't shown");
    assert_eq!(screen.answer(), None, "it is told once");
}

#[test]
fn what_goes_before_the_question_comes_is_no_part_of_the_prompt() {
    let ctrl_u = "\r$ \x1b[K";
    for known in [false, true] {
        for brought in ["echo old", "echo one that is longer than the line"] {
            let mut screen = Screen::new(20, 6);
            screen.feed(b"$ ");
            if known {
                screen.asked("true".into(), true);
                screen.feed(b"true\r\n$ ");
                assert_eq!(screen.answer().as_deref(), Some(""));
            }
            screen.feed(brought.as_bytes());
            screen.asked("echo A".into(), false);
            let rows = (2 + brought.len()) / 20;
            screen.feed(format!("{}{ctrl_u}\x1b[J", "\x1b[A".repeat(rows)).as_bytes());
            screen.feed(b"echo A\r\nA\r\n$ ");
            assert_eq!(screen.answer().as_deref(), Some("A"), "{brought:?}, the prompt is known: {known}");
            screen.asked("echo B".into(), true);
            screen.feed(b"echo B\r\nB\r\n$ ");
            assert_eq!(screen.answer().as_deref(), Some("B"), "and so is the next");
        }
    }
}

#[test]
fn nothing_is_an_answer_to_what_came_to_nothing() {
    let mut screen = Screen::new(20, 4);
    screen.feed(b"$ ");
    screen.asked("echo A".into(), true);
    screen.feed(b"echo A");
    screen.unasked();
    screen.feed(b"\r\nwords of another\r\n");
    assert_eq!(screen.answer(), None);
}

#[test]
fn an_answer_of_short_lines_is_whole_up_to_the_bound_in_bytes() {
    let counted: Vec<String> = (1..=20_000).map(|number| number.to_string()).collect();
    let said = answer("$ ", "seq", &format!("seq\r\n{}\r\n$ ", counted.join("\r\n")));
    assert_eq!(said, counted.join("\n"));
}

#[test]
fn a_longer_answer_says_how_many_lines_are_missing_at_its_beginning() {
    let lines = 400_000;
    for (question, echo) in [("seq", "seq"), ("echo\nseq", "echo\r\n> seq")] {
        let counted: Vec<String> = (1..=lines).map(|number| number.to_string()).collect();
        let said = answer("$ ", question, &format!("{echo}\r\n{}\r\n$ ", counted.join("\r\n")));
        let (mark, rest) = said.split_once('\n').expect("a mark and the rest");
        let kept = rest.lines().count();
        assert_eq!(mark, format!("… {} lines before this aren't kept", lines - kept));
        assert!(said.len() <= super::BYTES_MAX && rest.len() > super::BYTES_MAX - 100, "{}", said.len());
        assert_eq!(rest, counted[lines - kept..].join("\n"), "and nothing else");
    }
}

#[test]
fn empty_lines_and_a_line_without_end_are_bounded_too() {
    let said = answer("$ ", "yes", &format!("yes\r\n{}end\r\n$ ", "\r\n".repeat(1_200_000)));
    let (mark, rest) = said.split_once('\n').expect("a mark and the rest");
    assert!(mark.starts_with("… ") && rest.ends_with("\nend") && said.len() <= super::BYTES_MAX, "{mark}");
    let said = answer("$ ", "yes", &format!("yes\r\n{}\r\n$ ", "é".repeat(700_000)));
    let (mark, rest) = said.split_once('\n').expect("a mark and the rest");
    assert_eq!(mark, "… 1 line before this isn't kept");
    assert!(rest.chars().all(|c| c == 'é') && rest.len() > super::BYTES_MAX - 100, "{}", rest.len());
}

#[test]
fn a_prompt_that_contains_the_question_is_taken_as_a_whole() {
    let mut screen = Screen::new(20, 4);
    screen.feed(b"tools$ old");
    screen.asked("ls".into(), false);
    screen.feed(b"\x1b[3D\x1b[Kls\r\na\r\ntools$ ");
    assert_eq!(screen.answer().as_deref(), Some("a"));
    assert_eq!(screen.at_prompt(), Some(true));
}

#[test]
fn whether_its_prompt_is_before_the_cursor_is_told_once_that_is_known() {
    let mut screen = Screen::new(20, 4);
    assert_eq!(screen.at_prompt(), None);
    screen.feed(b"[~]$ ");
    screen.asked("cd x".into(), true);
    for (shows, at) in
        [("cd x", false), ("\r\n", false), ("x [~]", false), ("\r\n[~/x]$ ", true), ("l", false)]
    {
        screen.feed(shows.as_bytes());
        assert_eq!(screen.at_prompt(), Some(at), "{shows:?}");
    }
}
