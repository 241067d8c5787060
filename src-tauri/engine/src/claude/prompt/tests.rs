use super::{keys, same, unwrapped};
use crate::ask::UnfitText;

fn typed(text: &str) -> String {
    String::from_utf8(keys(text).expect("fits").paste).expect("text")
}

#[test]
fn a_text_stays_a_text() {
    let cases = [
        ("hello\r\nworld", "hello\nworld"),
        ("/etc/hosts: why?", " /etc/hosts: why?"),
        ("/ and //", " / and //"),
        ("!rm is dangerous", " !rm is dangerous"),
        ("#heading", "#heading"),
        ("@file & more?", "@file & more?"),
        ("C:\\dir\\", "C:\\dir\\ "),
    ];
    for (text, inside) in cases {
        assert_eq!(typed(text), format!("\x1b[200~{inside}\x1b[201~"));
    }
    assert_eq!(keys("x").expect("fits").submit, b"\r");
}

#[test]
fn what_would_end_the_program_is_refused() {
    for text in ["exit", " quit\n", ":q!"] {
        assert!(matches!(keys(text), Err(UnfitText::Ends { .. })), "{text:?}");
    }
    assert!(keys("exit the loop early").is_ok());
    assert!(matches!(keys("a\u{1b}[201~\rb"), Err(UnfitText::Control { .. })));
}

#[test]
fn what_it_would_stop_at_is_refused_with_its_place() {
    for character in ['\u{200e}', '\u{202e}', '\u{2066}', '\u{61c}'] {
        assert_eq!(keys(&format!("ab{character}c")), Err(UnfitText::Turning { character, at: 2 }));
    }
    assert!(keys("\u{5d0}\u{5d1} and \u{1f468}\u{200d}\u{1f469}").is_ok());
}

#[test]
fn what_could_be_a_command_of_the_programs_own_is_refused() {
    for text in ["/clear", " /compact now", "\n/mcp__server:do-it all"] {
        let word = text.split_whitespace().next().expect("a word").to_owned();
        assert_eq!(keys(text), Err(UnfitText::Command { word }));
    }
    assert!(keys("what does /clear do?").is_ok());
}

// The forms on the right are those that Claude Code 2.1.332 reports.
#[test]
fn a_prompt_is_known_again_in_the_form_it_is_reported_in() {
    let long = "line\nline\nline\nline\ntail";
    let wrapped = format!("\n\n<pasted_content id=\"1450\">\n{long}\n</pasted_content id=\"1450\">\n");
    assert!(same(long, &wrapped));
    assert!(same(&long.replace('\n', "\r\n"), &wrapped));
    assert!(same("/foo bar", " /foo bar"));
    assert!(same("one\r\n\ttabbed", "one\n    tabbed"));
    assert!(same("ends with\\", "ends with\\"));
    assert!(same("look at /tmp/p.png please", "look at [Image #1] please"));
    assert!(same("/tmp/p.png", "[Image #12]"));
    assert!(same("a\u{200b}b \u{2060}c\u{feff} \u{2764}\u{fe0f}", "ab c \u{2764}"));
    assert!(same("cafe\u{301}", "caf\u{e9}"));
    assert!(!same("other", &wrapped));
    assert!(!same("look there /tmp/p.png please", "look at [Image #1] please"));
    assert!(!same("hello", "hello there"));
}

#[test]
fn marks_that_only_look_like_it_stay() {
    for text in ["<pasted_content id=x>\na", "a [Image #] b", "</pasted_content id=\"1\">"] {
        assert_eq!(unwrapped(text), text);
        assert!(same(text, text));
    }
}
