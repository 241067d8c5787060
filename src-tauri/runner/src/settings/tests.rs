use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use repose_core::trouble::Code;
use rustix::fs::{FileType, Mode};
use tokio::sync::watch::Receiver;
use tokio::time::timeout;

use super::{Budget, EngineSettings, FILE_MAX, InForce, Loaded, Notify, Settings, watch};

const HOUR: Duration = Duration::from_secs(3_600);

/// Longer than the slowest way to notice a change: a look every five seconds.
const NOTICED_WITHIN: Duration = Duration::from_secs(20);

fn parsed(text: &str) -> Settings {
    Settings::parse(text).unwrap_or_else(|bad| panic!("{text}: {bad}"))
}

#[test]
fn an_empty_file_says_nothing() {
    assert_eq!(parsed(""), Settings::default());
    assert_eq!(parsed("# idle_after = \"1h\"\n[notify]\n[engines]\n"), Settings::default());
    let defaults = Settings::default();
    assert_eq!(defaults.policy.idle_after, 6 * HOUR);
    assert_eq!((defaults.memory_budget, defaults.max_live, defaults.console_port), (Budget::Off, None, 0));
    assert!(defaults.notify.reaped && defaults.notify.finished);
}

#[test]
fn everything_at_once() {
    let settings = parsed(
        r#"
idle_after = "90m"
resume_within = "2d 12h"
stall_after = "45s"
memory_budget = "1.5 GB"
max_live = 8
[console]
port = 4100
[notify]
finished = false
[engines.claude]
command = "/opt/claude"
args = ["--model", "opus"]
env = { HTTP_PROXY = "http://localhost:3128" }
[engines.shell]
command = "fish"
"#,
    );
    assert_eq!(settings.policy.idle_after, 90 * HOUR / 60);
    assert_eq!(settings.policy.resume_within, 60 * HOUR);
    assert_eq!(settings.policy.stall_after, Duration::from_secs(45));
    assert_eq!(settings.memory_budget, Budget::Bytes(1_500_000_000));
    assert_eq!((settings.max_live, settings.console_port), (Some(8), 4100));
    assert_eq!(settings.notify, Notify { finished: false, ..Notify::default() });
    let claude = EngineSettings {
        command: Some("/opt/claude".into()),
        args: vec!["--model".into(), "opus".into()],
        env: [("HTTP_PROXY".to_owned(), "http://localhost:3128".to_owned())].into(),
        own: None,
    };
    assert_eq!(settings.engines["claude"], claude);
    assert_eq!(settings.engines["shell"].command.as_deref(), Some("fish"));
}

#[test]
fn amounts_of_memory_as_people_write_them() {
    for (text, budget) in [
        ("off", Budget::Off),
        ("4 GB", Budget::Bytes(4_000_000_000)),
        ("512MB", Budget::Bytes(512_000_000)),
        ("50%", Budget::Percent(50.0)),
        ("12.5 %", Budget::Percent(12.5)),
    ] {
        let read = parsed(&format!("memory_budget = \"{text}\"")).memory_budget;
        assert_eq!(read, budget, "{text}");
        assert_eq!(parsed(&format!("memory_budget = \"{}\"", read.text())).memory_budget, budget, "{text}");
    }
    assert_eq!(parsed("max_live = \"off\"").max_live, None);
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_what_to_write() {
    for (text, said) in [
        ("\nidle_after = \"soon\"", &["line 2: `idle_after = \"soon\"` is no duration; write it like"][..]),
        ("idle_after = \"6 fortnights\"", &["line 1: `idle_after = \"6 fortnights\"` is no duration; write"]),
        ("idle_after = 6", &["line 1", "idle_after = 6", "6h"]),
        ("\n\nidle = \"6h\"", &["line 3", "idle", "idle_after", "resume_within"]),
        ("\nidle_after = \"5d\"", &["line 2: ", "idle_after", "resume_within", "\"6d\""]),
        ("\n\nresume_within = \"1h\"", &["line 3: ", "idle_after", "resume_within", "6h"]),
        ("# mine\nidle_after = \"10ms\"", &["line 2: ", "idle_after", "at least", "6h"]),
        ("stall_after = \"0s\"", &["line 1: ", "stall_after", "10m"]),
        ("memory_budget = \"lots\"", &["line 1", "memory_budget", "4 GB", "50%"]),
        (
            "\nmemory_budget = \"4 kB\"",
            &["line 2", "memory_budget = \"4 kB\"", "less than any agent", "\"10 MB\""],
        ),
        ("memory_budget = \"0%\"", &["line 1", "memory_budget"]),
        ("memory_budget = \"101%\"", &["line 1", "memory_budget"]),
        ("memory_budget = \"0 GB\"", &["line 1", "memory_budget"]),
        ("[engines.mine]\ncommand = \"\"", &["line 2", "`command` is empty"]),
        ("[notify]\nreaped = \"no\"", &["line 2: the text \"no\" stands where `true` or `false` belongs"]),
        ("[console]\nport = 70000", &["line 2: the number 70000 stands where", "from 0 to 65535"]),
        ("[console]\nport = \"4100\"", &["line 2: the text \"4100\" stands where", "from 0 to 65535"]),
        ("notify = false", &["line 1: `false` stands where a section belongs"]),
        (
            "[engines.claude]\nargs = \"--model\"",
            &["line 2: the text \"--model\" stands where a list such as"],
        ),
        ("[engines.claude]\ncommand = 5", &["line 2: the number 5 stands where a text in quotes belongs"]),
        ("[console]\nbrowser = \"x\"", &["line 2: there is no setting `browser` here; there is `port`"]),
        ("idle_after = 6h", &["line 1: this can't be read (", "like `idle_after = \"6h\"`"]),
        ("idle_after", &["line 1: this can't be read (", "like `idle_after = \"6h\"`"]),
        ("max_live = 0", &["line 1", "max_live", "off"]),
        ("max_live = \"many\"", &["line 1", "max_live", "off"]),
        ("\nmax_live = -1", &["line 2", "max_live = -1", "off"]),
        ("max_live = 5000000000", &["line 1", "max_live", "off"]),
        ("\nmemory_budget = 4", &["line 2", "memory_budget = 4", "4 GB", "50%"]),
        ("[console]\nport = 70000", &["line 2"]),
        ("[console]\nhost = \"::\"", &["line 2", "host", "port"]),
        ("[notify]\nfinished = \"no\"", &["line 2"]),
        ("[notify]\nfinish = false", &["line 2", "finish", "finished"]),
        ("[engines.cursor]", &["line 1", "cursor", "claude", "shell", "command = "]),
        ("\n[engines.Cursor]\ncommand = \"x\"", &["line 2", "Cursor", "small letters"]),
        (
            "[engines.own]\ncommand = \"x\"\nargs = [\"{folder}\"]",
            &["line 3", "{folder}", "{repo}", "{conversation}"],
        ),
        (
            "[engines.own]\ncommand = \"x\"\nready = \"* ok\"",
            &["line 3", "`ready` and `working`", "\"* working*\""],
        ),
        (
            "[engines.own]\ncommand = \"x\"\nresume_args = []",
            &["line 3", "needs `transcript`", "transcript = "],
        ),
        (
            "[engines.own]\ncommand = \"x\"\nresume_args = []\ntranscript = \"{repo}/x\"",
            &["line 3", "needs `ready` and `working`"],
        ),
        ("[engines.own]\ncommand = \"x\"\ntranscript = \"{repo}/x\"", &["line 3", "resume_args = "]),
        ("[engines.claude]\nready = \"x\"", &["line 2", "`ready`", "built in"]),
        ("[engines.claude]\nargs = [\"--resume\"]", &["line 2", "--resume", "Claude Code"]),
        ("[engines.claude]\nargs = [\n\"--model\",\n\"--resume\"]", &["line 4", "--resume"]),
        ("[engines.claude]\npath = \"x\"", &["line 2", "path", "command"]),
        ("[engines.claude.env]\n\"A=B\" = \"x\"", &["line 1", "A=B"]),
        ("a = = 1", &["line 1"]),
    ] {
        let bad = Settings::parse(text).expect_err(text);
        for word in said {
            assert!(bad.to_string().contains(word), "{text}: `{word}` is not in: {bad}");
        }
        assert_eq!(bad.trouble(InForce::LastGood).code, Code::BadSettings);
    }
}

#[test]
fn a_file_that_is_not_there_says_nothing_and_one_that_is_bad_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    assert_eq!(Settings::load(&path).unwrap(), Settings::default());
    fs::write(&path, "idle_after = 1").unwrap();
    let bad = Settings::load(&path).unwrap_err().to_string();
    assert!(bad.contains(path.to_str().unwrap()), "{bad}");
    fs::write(&path, b"\xff\xfe").unwrap();
    assert!(Settings::load(&path).is_err());
}

#[test]
fn a_pipe_or_a_device_in_the_place_of_the_file_holds_up_nobody_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let pipe = Settings::load(&path).unwrap_err().to_string();
    assert!(pipe.contains("config.toml can't be read: it isn't a regular file"), "{pipe}");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let device = Settings::load(&path).unwrap_err().to_string();
    assert!(device.contains("it isn't a regular file"), "{device}");
    fs::remove_file(&path).unwrap();
    fs::write(&path, vec![b'#'; usize::try_from(FILE_MAX).unwrap() + 1]).unwrap();
    let long = Settings::load(&path).unwrap_err().to_string();
    assert!(long.contains("longer than"), "{long}");
}

#[test]
fn writing_changes_what_changes_and_leaves_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let text = "# mine\nidle_after = \"2h\" # short\n\n[engines.shell] # fish\ncommand = \"fish\"\n";
    fs::write(&path, text).unwrap();
    let mut settings = Settings::load(&path).unwrap();
    settings.write(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), text);

    settings.policy.idle_after = 3 * HOUR;
    settings.policy.resume_within = 48 * HOUR;
    settings.memory_budget = Budget::Percent(25.0);
    settings.max_live = Some(3);
    settings.console_port = 4100;
    settings.notify.fresh = false;
    settings.write(&path).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(parsed(&written), settings);
    for line in ["# mine", "idle_after = \"3h\" # short", "[engines.shell] # fish", "command = \"fish\""] {
        assert!(written.lines().any(|written| written == line), "{line} is gone:\n{written}");
    }
    Settings { engines: settings.engines.clone(), ..Settings::default() }.write(&path).unwrap();
    assert_eq!(Settings::load(&path).unwrap().policy, Settings::default().policy);
}

#[test]
fn settings_that_make_no_sense_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let mut settings = Settings::default();
    settings.policy.idle_after = 1_000 * HOUR;
    assert!(settings.write(&path).is_err());
    assert!(!path.exists());
    fs::write(&path, "max_live = maybe").unwrap();
    assert!(Settings::default().write(&path).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "max_live = maybe");
}

#[test]
fn a_link_to_the_settings_is_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let (link, real) = (folder.path().join("config.toml"), folder.path().join("dotfiles/repose.toml"));
    fs::create_dir(folder.path().join("dotfiles")).unwrap();
    std::os::unix::fs::symlink("dotfiles/repose.toml", &link).unwrap();
    for (port, there_before) in [(4_100, false), (4_200, true)] {
        assert_eq!(real.exists(), there_before);
        Settings { console_port: port, ..Settings::default() }.write(&link).unwrap();
        assert!(link.is_symlink(), "the link was replaced by a file");
        assert_eq!(Settings::load(&real).unwrap().console_port, port);
    }
}

#[tokio::test]
async fn a_folder_that_comes_later_and_one_that_is_replaced_are_followed() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("later");
    let path = folder.join("config.toml");
    let mut loaded = watch(&path);
    assert_eq!(loaded.borrow().max_live(), (None, false));
    fs::create_dir(&folder).unwrap();
    fs::write(&path, "max_live = 1").unwrap();
    becomes(&mut loaded, (Some(1), false)).await;

    let other = home.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("config.toml"), "max_live = 2").unwrap();
    fs::rename(&folder, home.path().join("old")).unwrap();
    fs::rename(&other, &folder).unwrap();
    becomes(&mut loaded, (Some(2), false)).await;
    fs::write(&path, "max_live = 3").unwrap();
    becomes(&mut loaded, (Some(3), false)).await;
}

#[tokio::test]
async fn what_a_link_leads_to_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (link, real) = (folder.path().join("config.toml"), folder.path().join("dotfiles/repose.toml"));
    fs::create_dir(folder.path().join("dotfiles")).unwrap();
    fs::write(&real, "max_live = 1").unwrap();
    std::os::unix::fs::symlink("dotfiles/repose.toml", &link).unwrap();
    let mut loaded = watch(&link);
    assert_eq!(loaded.borrow().max_live(), (Some(1), false));
    fs::write(&real, "max_live = 2").unwrap();
    becomes(&mut loaded, (Some(2), false)).await;
}

#[tokio::test]
async fn the_file_is_followed_and_a_bad_one_keeps_the_last_good_settings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let mut loaded = watch(&path);
    assert_eq!(loaded.borrow().max_live(), (None, false));
    save(&path, "max_live = 1", &mut loaded, (Some(1), false)).await;
    save(&path, "max_live = maybe", &mut loaded, (Some(1), true)).await;
    save(&path, "max_live = 2", &mut loaded, (Some(2), false)).await;

    // As most editors do it: a new file in place of the old one.
    let beside = folder.path().join("config.toml~");
    fs::write(&beside, "max_live = 3").unwrap();
    fs::rename(&beside, &path).unwrap();
    becomes(&mut loaded, (Some(3), false)).await;
    fs::remove_file(&path).unwrap();
    becomes(&mut loaded, (None, false)).await;
}

#[tokio::test]
async fn a_file_that_is_bad_from_the_start_leaves_the_defaults_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::write(&path, "max_live = maybe").unwrap();
    let mut loaded = watch(&path);
    assert_eq!(loaded.borrow().max_live(), (None, true));
    save(&path, "max_live = 4", &mut loaded, (Some(4), false)).await;
}

async fn save(path: &Path, text: &str, loaded: &mut Receiver<Loaded>, expected: (Option<u32>, bool)) {
    // The watch begins in a task of its own: until it stands, a change is not seen. Writing again is seen for
    // sure.
    let saved = async {
        loop {
            fs::write(path, text).unwrap();
            if timeout(Duration::from_secs(1), becomes(loaded, expected)).await.is_ok() {
                return;
            }
        }
    };
    timeout(NOTICED_WITHIN, saved).await.unwrap_or_else(|_| panic!("{text} was not noticed"));
}

async fn becomes(loaded: &mut Receiver<Loaded>, expected: (Option<u32>, bool)) {
    let seen = loaded.wait_for(|loaded| loaded.max_live() == expected);
    timeout(NOTICED_WITHIN, seen).await.expect("it was not noticed").expect("nobody follows the file");
}

impl Loaded {
    fn max_live(&self) -> (Option<u32>, bool) {
        (self.settings.max_live, self.trouble.is_some())
    }
}

/// Settings as people write them, to be harmed.
const WRITTEN: &str = r#"# mine
idle_after = "90m"
resume_within = "2d 12h"
stall_after = "5m"
memory_budget = "50%"
max_live = 8
[console]
port = 4100
[notify]
reaped = false
[engines.claude]
command = "/opt/claude"
args = ["--model", "opus"]
env = { A = "b" }
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn harmed_settings_make_sense_or_are_refused_with_words(
        harms in prop::collection::vec((any::<prop::sample::Index>(), any::<char>(), any::<bool>()), 1..6)
    ) {
        let mut text: Vec<char> = WRITTEN.chars().collect();
        for (at, other, between) in harms {
            let at = at.index(text.len());
            if between { text.insert(at, other) } else { text[at] = other }
        }
        let text: String = text.into_iter().collect();
        match Settings::parse(&text) {
            Ok(settings) => prop_assert!(settings.policy.checked().is_ok(), "{settings:?}"),
            Err(bad) => prop_assert!(bad.to_string().len() > 10, "{bad}"),
        }
    }
}

#[test]
fn an_engine_of_the_users_own_is_described_by_its_table() {
    let text = r#"
[engines.helper]
command = "helper"
title = "Helper"
args = ["--in", "{repo}", "--json", "{\"a\": {}}"]
resume_args = ["--again", "{conversation}"]
transcript = "{repo}/.helper/{conversation}.jsonl"
ready = "* ready"
working = "* working*"
env = { A = "b" }
"#;
    let settings = parsed(text);
    let engine = settings.engine("helper").expect("described");
    assert_eq!((engine.name(), engine.title(), engine.keeps_conversations()), ("helper", "Helper", true));
    assert_eq!(settings.engines["helper"].env["A"], "b");
    let names: Vec<String> = settings.all_engines().iter().map(|engine| engine.name().to_owned()).collect();
    assert_eq!(names.last().map(String::as_str), Some("helper"));
    assert!(settings.engine("claude").is_some_and(|engine| engine.own().is_none()));
    assert!(settings.engine("nobody").is_none());
}

#[test]
fn a_file_that_is_no_utf_8_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::write(&path, b"# mine\neditor = \"caf\xe9\"\n").unwrap();
    let said = Settings::load(&path).unwrap_err().to_string();
    assert!(said.contains("config.toml: line 2: ") && said.contains("UTF-8"), "{said}");
}
