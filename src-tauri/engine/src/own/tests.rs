use std::path::Path;

use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Source};
use repose_core::time::Wall;

use super::pattern::{fits, newest};
use super::{Description, Own, Resume, Titles};
use crate::engine::{LevelBy, Opening};
use crate::launch::{Open, Order};
use crate::locate::Missing;
use crate::{Engine, Env};

fn described() -> Description {
    Description {
        name: "helper".into(),
        title: "Helper".into(),
        command: Some("sh".into()),
        args: vec!["--in".into(), "{repo}".into(), "--id={conversation}".into()],
        resume: Some(Resume {
            args: vec!["--again".into(), "{conversation}".into()],
            transcript: "{repo}/.helper/*-{conversation}.txt".into(),
        }),
        titles: Some(Titles { ready: "* ready".into(), working: "* working*".into(), waiting: None }),
    }
}

#[test]
fn placeholders_are_filled_for_a_new_conversation_and_for_one_that_is_taken_up() {
    let engine = Own::new(described());
    let id = ConversationId::new("c1");
    let args = |open| {
        let order = Order {
            program: Path::new("/bin/sh"),
            open,
            env: &Env::default(),
            folder: Path::new("/r"),
            session_dir: Path::new("/s"),
            extra_args: &[],
            hook: Path::new("/x"),
        };
        let args = engine.plan(&order).args;
        args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(args(Open::Fresh { id: Some(&id) }), ["--in", "/r", "--id=c1"]);
    assert_eq!(args(Open::Resume { id: &id }), ["--again", "c1"]);
}

#[test]
fn without_resume_arguments_it_keeps_no_conversation() {
    let plain = Own::new(Description { resume: None, titles: None, ..described() });
    assert!(!plain.keeps_conversations() && plain.new_conversation().is_none());
    assert_eq!(plain.speaks().level, LevelBy::Foreground);
    assert_eq!(plain.transcript_path(&Env::default(), Path::new("/r"), &ConversationId::new("c")), None);
}

#[test]
fn its_title_says_what_it_does_and_that_it_has_opened() {
    let engine = Own::new(described());
    assert_eq!(engine.title_level("a ready"), Some(Level::Idle));
    assert_eq!(engine.title_level("a working hard"), Some(Level::Busy));
    assert_eq!(engine.title_level("sh"), None);

    let (env, id) = (Env::default(), ConversationId::new("c1"));
    let seen = |level| Opening {
        env: &env,
        folder: Path::new("/r"),
        tree: &[],
        asked: Some(&id),
        resumes: true,
        forks: false,
        since: Wall(0),
        now: Wall(0),
        title: None,
        level,
    };
    assert_eq!(engine.confirmed(&seen(None)).expect("no files"), None);
    let opened = engine.confirmed(&seen(Some(&Level::Idle))).expect("no files").expect("open");
    assert_eq!((opened.conversation, opened.source), (Some(id.clone()), Source::Resumed));
}

#[test]
fn one_that_the_settings_describe_no_more_is_not_found() {
    let gone = Own::undescribed("helper").locate(&Env::default(), None);
    assert_eq!(gone, Err(Missing::NotDescribed { name: "helper".into() }));
}

#[test]
fn a_pattern_fits_the_whole_of_a_text() {
    for (pattern, text, whether) in [
        ("ready", "ready", true),
        ("ready", "not ready", false),
        ("*ready", "not ready", true),
        ("* ready*", "it is ready now", true),
        ("r?ady", "ready", true),
        ("r?ady", "rady", false),
        ("*", "", true),
        ("", "x", false),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "a-b-b", false),
    ] {
        assert_eq!(fits(pattern, text), whether, "{pattern:?} on {text:?}");
    }
}

#[test]
fn the_transcript_is_the_newest_file_of_its_pattern() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let engine = Own::new(described());
    let path = |id: &str| engine.transcript_path(&Env::default(), folder.path(), &ConversationId::new(id));
    assert_eq!(path("c1"), None);
    let kept = folder.path().join(".helper");
    std::fs::create_dir(&kept).expect("a folder");
    for (name, age) in [("1-c1.txt", 20), ("2-c1.txt", 10), ("3-c2.txt", 0)] {
        let file = std::fs::File::create(kept.join(name)).expect("a file");
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(then).expect("a time");
    }
    assert_eq!(path("c1"), Some(kept.join("2-c1.txt")));
    assert_eq!(newest(&folder.path().join("*/?-c2.*")), Some(kept.join("3-c2.txt")));
}
