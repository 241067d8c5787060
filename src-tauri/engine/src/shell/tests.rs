use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{COMMAND_LINES_MAX, Shell};
use crate::Engine;
use crate::ask::{InputLine, Seen, UnfitText};
use crate::env::Env;
use crate::launch::{Open, Order};

#[test]
fn it_is_the_users_own_shell_or_the_one_that_is_always_there() {
    let at = |env: &Env, command| Shell.locate(env, command).map(|program| program.exec);
    assert_eq!(at(&Env::default(), None), Ok(PathBuf::from("/bin/sh")));
    let env = Env::new([("SHELL", "/bin/bash"), ("PATH", "/usr/bin:/bin")]);
    assert_eq!(at(&env, None), Ok(PathBuf::from("/bin/bash")));
    assert!(at(&env, Some("no-such-shell")).is_err());
}

#[test]
fn a_line_that_would_go_on_in_the_next_is_not_asked() {
    for goes_on in ["echo a \\", "echo a\nb\\", "\\\\\\"] {
        assert_eq!(Shell.keys(goes_on), Err(UnfitText::GoesOn), "{goes_on}");
    }
    for whole in ["echo a", "echo \\\\", "echo a\\\nb"] {
        assert!(Shell.keys(whole).is_ok(), "{whole}");
    }
}

#[test]
fn a_command_of_several_lines_is_taken_away_line_by_line() {
    assert_eq!(Shell.empties(1), b"\x05\x15");
    assert_eq!(Shell.empties(4), b"\x05\x15".repeat(4));
    assert_eq!(Shell.empties(9_999).len(), 2 * COMMAND_LINES_MAX);
}

#[test]
fn it_listens_once_its_prompt_stands_before_the_cursor() {
    let seen = |screen, before_cursor, takes_keys, millis| {
        let still = Duration::from_millis(millis);
        Shell.input_line(&Seen { screen, row: 0, before_cursor, takes_keys, still }) == InputLine::There
    };
    let at = |screen, before_cursor| seen(screen, before_cursor, false, 500);
    assert!(!at("", ""), "nothing yet");
    assert!(!at("Welcome, and a good day", ""), "what its start-up files say");
    assert!(at("Welcome\n$", "$ ") && at("~/x\n\u{276f}", "\u{276f} "));
    assert!(!seen("", "", true, 50), "its prompt comes at once");
    assert!(seen("~/x", "", true, 500), "the prompt is in the line above");
    assert!(!seen("~/x", "", false, 2_000), "a start-up file may take long");
}

#[test]
fn it_is_started_with_nothing_but_the_users_arguments() {
    let args = ["-l".to_owned()];
    let order = Order {
        program: Path::new("/bin/sh"),
        open: Open::Fresh { id: None },
        env: &Env::default(),
        folder: Path::new("/r"),
        session_dir: Path::new("/s"),
        extra_args: &args,
        hook: Path::new("/x"),
    };
    let launch = Shell.plan(&order);
    assert_eq!((launch.program, launch.args), (PathBuf::from("/bin/sh"), vec!["-l".into()]));
    assert!(!Shell.described().keeps_conversations);
    assert_eq!(Shell.new_conversation(), None);
}
