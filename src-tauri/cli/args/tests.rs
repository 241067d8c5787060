use std::time::Duration;

use clap::{CommandFactory, Parser};

use super::{Line, Verb, patience, span};

fn parsed(line: &str) -> Result<Line, clap::Error> {
    Line::try_parse_from(std::iter::once("repose").chain(line.split_whitespace()))
}

#[test]
fn the_command_line_holds_together() {
    Line::command().debug_assert();
}

#[test]
fn the_help_names_every_engine() {
    for verb in ["add", "engine"] {
        let help = parsed(&format!("{verb} --help")).expect_err("a help").to_string();
        for engine in repose_engine::built_in() {
            assert!(help.contains(&format!("`{}`", engine.name())), "{verb}: {help}");
        }
    }
}

#[test]
fn every_verb_is_understood_and_takes_json() {
    for line in [
        "",
        "add . --engine shell --name x --no-adopt --yes",
        "rm x",
        "rm x --interrupt",
        "ls",
        "status",
        "status x",
        "ask x hello",
        "ask x -",
        "ask x --fresh --queue --no-wait hello",
        "ask x hello --timeout 90s",
        "open x",
        "log x",
        "log x --follow",
        "pause x",
        "pause --all --interrupt",
        "resume x",
        "resume x --conversation id",
        "resume --all",
        "fresh x --interrupt",
        "stop x",
        "interrupt x",
        "pin x",
        "unpin x",
        "why x",
        "conversations x",
        "doctor",
        "console --print",
        "serve --port 4000 --stay",
    ] {
        for line in [line.to_owned(), format!("{line} --json")] {
            parsed(&line).unwrap_or_else(|error| panic!("repose {line}: {error}"));
        }
    }
}

#[test]
fn what_makes_no_sense_is_usage() {
    for line in [
        "no-such-verb",
        "pause",
        "resume",
        "pause x --all",
        "resume --all --conversation id",
        "ask x",
        "ask x hello --timeout soon",
        "ask x hello --no-wait --timeout 1s",
        "open",
        "serve --port 70000",
        "log x --limit 0",
        "log x --limit -1",
        "ask x hello --timeout -1s",
        "ask x hello --timeout 0",
    ] {
        let error = parsed(line).err().unwrap_or_else(|| panic!("repose {line} was understood"));
        assert!(!error.to_string().contains("use '--"), "a hint that leads nowhere: {error}");
        assert_eq!(error.exit_code(), 2, "repose {line}: {error}");
    }
}

#[test]
fn a_text_that_begins_with_a_dash_is_a_text() {
    let line = Line::try_parse_from(["repose", "ask", "x", "- a list item"]).expect("understood");
    let Some(Verb::Ask(ask)) = line.verb else { panic!("{line:?}") };
    assert_eq!(ask.text, "- a list item");
}

#[test]
fn spans_are_read_as_people_write_them() {
    let cases = [
        ("90s", Some(Duration::from_secs(90))),
        ("90", Some(Duration::from_secs(90))),
        ("250ms", Some(Duration::from_millis(250))),
        ("10m", Some(Duration::from_secs(600))),
        ("10 min", Some(Duration::from_secs(600))),
        ("1h", Some(Duration::from_secs(3_600))),
        ("2d", Some(Duration::from_secs(172_800))),
        ("", None),
        ("h", None),
        ("-1s", None),
        ("1.5h", None),
        ("9999999999999999999d", None),
        ("5 parsecs", None),
    ];
    for (text, expected) in cases {
        assert_eq!(span(text).ok(), expected, "{text:?}");
    }
}

#[test]
fn an_answer_is_waited_for_a_day_and_longer_is_refused_with_what_to_do() {
    assert_eq!(patience("1d"), Ok(Duration::from_secs(86_400)));
    let refused = patience("25h").unwrap_err();
    assert!(refused.contains("24 h") && refused.contains("--no-wait"), "{refused}");
}

#[test]
fn a_repo_is_called_something() {
    for words in [&["status", ""][..], &["rm", ""], &["ask", "", "x"], &["pause", ""], &["why", ""]] {
        let error = Line::try_parse_from(["repose"].iter().chain(words)).unwrap_err().to_string();
        assert!(error.contains("say which repo"), "{words:?}: {error}");
    }
}
