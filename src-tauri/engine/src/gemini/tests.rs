use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Source, Wait};
use repose_core::time::Wall;

use super::{Gemini, chats, command, files, owners};
use crate::ask::{InputLine, Seen, UnfitText};
use crate::engine::{EndBy, Opening, Turned};
use crate::launch::{Open, Order};
use crate::{Engine, Env};

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// What a process writes when it begins, here at 06:38.
const BEGUN: &str = r#"{"sessionId":"11111111-2222-4333-8444-555555555555","projectHash":"5e94","startTime":"2026-11-30T06:38:45.317Z","lastUpdated":"2026-11-30T06:38:45.317Z","kind":"main"}
{"$set":{"messages":[{"id":"d0","timestamp":"2026-11-30T06:38:45.317Z","type":"user","content":[{"text":"<session_context>\nToday"}]}]}}
"#;

const TURN: &str = r#"{"id":"e6","timestamp":"2026-11-30T06:38:46.701Z","type":"user","content":[{"text":"remember marzipan"}]}
{"id":"7d","timestamp":"2026-11-30T06:38:46.746Z","type":"gemini","content":"Yes.","thoughts":[],"tokens":{"input":12041,"output":20},"model":"gemini-3.1-pro-preview"}
"#;

const TAKEN_UP: &str = r#"{"$set":{"sessionId":"11111111-2222-4333-8444-555555555555"}}
{"$set":{"messages":[],"lastUpdated":"2026-11-30T07:01:02.000Z"}}
"#;

const KEEPS: &str = r#"{ "general": { "sessionRetention": { "enabled": false } } }"#;

/// A home in which Gemini CLI was used in one trusted folder.
struct Home {
    temp: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { temp: tempfile::tempdir().expect("a temp folder") };
        std::fs::create_dir_all(home.folder()).expect("a folder");
        std::fs::create_dir_all(home.chats()).expect("a folder");
        let folder = home.folder();
        let named = folder.to_str().expect("UTF-8");
        std::fs::write(home.chats().with_file_name(".project_root"), named).expect("a file");
        let trusted = format!("{{ // as its user said\n \"{named}\": \"TRUST_FOLDER\" }}");
        std::fs::write(home.gemini().join("trustedFolders.json"), trusted).expect("a file");
        home
    }

    fn path(&self) -> PathBuf {
        self.temp.path().canonicalize().expect("a folder")
    }

    fn folder(&self) -> PathBuf {
        self.path().join("tides")
    }

    fn gemini(&self) -> PathBuf {
        self.path().join(".gemini")
    }

    fn chats(&self) -> PathBuf {
        self.gemini().join("tmp/tides/chats")
    }

    fn env(&self) -> Env {
        Env::new([("HOME", self.path())])
    }

    fn write(&self, minute: &str, text: &str) -> PathBuf {
        let file = self.chats().join(format!("session-2026-11-30T{minute}-11111111.jsonl"));
        std::fs::write(&file, text).expect("a file");
        file
    }
}

fn id() -> ConversationId {
    ConversationId::new(ID)
}

#[test]
fn its_title_says_what_it_does() {
    assert_eq!(Gemini.title_level("\u{25c7}  Ready (tides)   "), Some(Level::Idle));
    assert_eq!(Gemini.title_level("\u{2726}  Looking at the moon (tides)"), Some(Level::Busy));
    assert_eq!(Gemini.title_level("\u{23f2}  Working\u{2026} (tides)"), Some(Level::Busy));
    let waits = Some(Level::Waiting(Wait::Permission(String::new())));
    assert_eq!(Gemini.title_level("\u{270b}  Action Required (tides)"), waits);
    assert_eq!(Gemini.title_level("Gemini CLI (tides)"), None);
}

#[test]
fn of_a_conversations_files_the_one_in_which_something_is_said_is_its_transcript() {
    let home = Home::new();
    let real = home.write("06-38", &format!("{BEGUN}{TURN}{TAKEN_UP}"));
    home.write("07-01", &BEGUN.replace("06:38", "07:01"));
    home.write("07-02", &BEGUN.replace("2222", "9999"));
    std::fs::write(home.chats().join("notes.txt"), "no transcript").expect("a file");

    let (env, folder) = (home.env(), home.folder());
    assert_eq!(Gemini.transcript_path(&env, &folder, &id()), Some(real));
    let listed = Gemini.conversations(&env, &folder).expect("reads");
    let turns: Vec<_> = listed.iter().map(|listed| listed.conversation.turns.counted()).collect();
    assert_eq!(turns, [Some(1), Some(0)]);
    let newest = Gemini.newest(&env, &folder).expect("reads").expect("one can be resumed");
    assert_eq!(newest.conversation.id, id());
    assert_eq!(Gemini.recent_folders(&env, 9), [folder]);
}

#[test]
fn a_start_loses_what_has_an_empty_twin_while_it_tidies_up() {
    let home = Home::new();
    let lost = || Gemini.lost_at_start(&home.env(), &home.folder());
    home.write("06-38", &format!("{BEGUN}{TURN}{TAKEN_UP}"));
    assert_eq!(lost(), [], "one file");
    let twin = home.write("07-01", &BEGUN.replace("06:38", "07:01"));
    assert_eq!(lost(), [id()]);
    std::fs::write(home.gemini().join("settings.json"), KEEPS).expect("a file");
    assert_eq!(lost(), [], "it keeps what is old");
    std::fs::remove_file(home.gemini().join("settings.json")).expect("a file");
    home.write("07-01", &format!("{BEGUN}{TURN}"));
    assert_eq!(lost(), [], "something is said in both");
    std::fs::remove_file(twin).expect("a file");
    home.write("06-38", BEGUN);
    home.write("07-01", BEGUN);
    assert_eq!(lost(), [], "nothing is said in either");
}

#[test]
fn a_turn_was_in_the_conversation_in_which_its_prompt_stands() {
    let home = Home::new();
    let (env, folder, id) = (home.env(), home.folder(), id());
    let own = home.write("06-38", &format!("{BEGUN}{TURN}"));
    let other = home.chats().join("session-2026-11-30T06-38-99999999.jsonl");
    let other_id = || ConversationId::new(ID.replace("11111111-2222", "11119999-2222"));
    std::fs::write(&other, format!("{BEGUN}{TURN}").replace(ID, other_id().as_str())).expect("a file");
    let began = crate::lines::wall("2026-11-30T06:38:46Z").expect("a time");
    let (tree, after) = (&[][..], Wall(0));
    let seen = Turned { env: &env, folder: &folder, tree, conversation: &id, began, sent: None, after };
    // Another process was asked something in the same seconds.
    assert_eq!(Gemini.moved_to(&seen), None);
    let place = crate::transcript::Place { path: &own, id: &id };
    let asked = |seen: Turned<'_>| Gemini.asked_in(place, &seen).expect("reads");
    assert!(asked(seen));
    let late = Turned { began: Wall(began.0 + 60_000), ..seen };
    assert!(!asked(late), "it was asked long before");
    assert!(asked(Turned { sent: Some(began), ..late }), "it was sent then, and the title was late");
    let next = Turned { began: Wall(began.0 + 1_500), after: Wall(began.0 + 1_000), ..seen };
    assert!(!asked(next), "it was asked in the turn just before");
    home.write("06-38", BEGUN);
    let moved = Gemini.moved_to(&seen).and_then(|moved| moved.conversation);
    assert_eq!(moved, Some(other_id()));
}

#[test]
fn it_gets_to_end_by_itself_once_it_knows_what_it_has_open() {
    assert_eq!((Gemini.end_by(), Gemini.end_opening_by(false)), (EndBy::HangUp, EndBy::HangUp));
    assert_eq!(Gemini.end_opening_by(true), EndBy::Kill);
}

#[test]
fn it_has_opened_what_its_files_say_and_not_before() {
    let home = Home::new();
    let (env, folder, asked) = (home.env(), home.folder(), id());
    let seen = |resumes, started| Opening {
        env: &env,
        folder: &folder,
        since: started,
        now: started,
        title: None,
        tree: &[],
        asked: Some(&asked),
        resumes,
        forks: false,
        level: Some(&Level::Idle),
    };
    let opened = |resumes, at: &str| {
        let started = crate::lines::wall(at).expect("a time");
        Gemini.confirmed(&seen(resumes, started)).expect("reads").map(|opened| opened.source)
    };
    let (before, after) = ("2026-11-30T06:38:00Z", "2026-11-30T06:40:00Z");
    assert_eq!(opened(false, before), None, "nothing is written");
    home.write("06-38", BEGUN);
    assert_eq!((opened(false, before), opened(false, after)), (Some(Source::New), None));

    home.write("06-38", &format!("{BEGUN}{TURN}"));
    home.write("07-01", &BEGUN.replace("06:38", "07:01"));
    assert_eq!(opened(true, after), None, "it begins to write before it has read the history");
    home.write("06-38", &format!("{BEGUN}{TURN}{TAKEN_UP}"));
    assert_eq!((opened(true, after), opened(true, "2026-11-30T08:00:00Z")), (Some(Source::Resumed), None));

    let twice = [BEGUN.replace("06:38", "07:01"), BEGUN.replace("06:38:45", "07:01:52")].concat();
    home.write("07-01", &twice);
    assert_eq!(opened(true, "2026-11-30T07:01:50Z"), Some(Source::Resumed), "twice in one minute");

    std::fs::remove_file(home.gemini().join("trustedFolders.json")).expect("a file");
    assert_eq!(opened(true, after), None, "it asks whether the folder is trusted");
}

#[test]
fn one_that_is_taken_up_in_the_minute_in_which_it_began_has_one_file() {
    let home = Home::new();
    let again = BEGUN.replace("06:38:45", "06:38:52");
    home.write("06-38", &format!("{BEGUN}{TURN}{again}{TAKEN_UP}"));
    let (env, folder, asked) = (home.env(), home.folder(), id());
    let started = crate::lines::wall("2026-11-30T06:38:50Z").expect("a time");
    let level = Some(&Level::Idle);
    let seen = Opening {
        env: &env,
        folder: &folder,
        since: started,
        now: started,
        title: None,
        tree: &[],
        asked: Some(&asked),
        resumes: true,
        forks: false,
        level,
    };
    let source = |seen: &Opening<'_>| Gemini.confirmed(seen).expect("reads").map(|opened| opened.source);
    assert_eq!(source(&seen), Some(Source::Resumed));
    assert_eq!(source(&Opening { since: Wall(started.0 + 9_000), ..seen }), None);
}

#[test]
fn its_second_process_is_spared_it_unless_it_will_ask_for_trust() {
    let home = Home::new();
    let (env, folder, id) = (home.env(), home.folder(), id());
    let plan = |open, folder: &Path| {
        let launch = Gemini.plan(&Order {
            program: Path::new("/bin/gemini"),
            open,
            env: &env,
            folder,
            session_dir: Path::new("/s"),
            extra_args: &["--yolo".into()],
            hook: Path::new("/opt/repose"),
        });
        let args: Vec<String> = launch.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        (args.join(" "), launch.env_set.len())
    };
    assert_eq!(plan(Open::Fresh { id: Some(&id) }, &folder), (format!("--session-id {ID} --yolo"), 1));
    let resume = plan(Open::Resume { id: &id }, Path::new("/srv/unknown"));
    assert_eq!(resume, (format!("--resume {ID} --yolo"), 0));
    let transcript = Some(Path::new("/t.jsonl"));
    let fork = plan(Open::Fork { from: &id, transcript, id: None }, &folder);
    assert_eq!(fork, ("--session-file /t.jsonl --yolo".into(), 1));
    assert!(Gemini.check_args(&["--resume=latest".into()]).is_err());
    let refused = Gemini.check_args(&["--skip-trust".into()]).expect_err("it would open for ever");
    assert!(refused.to_string().contains("GEMINI_CLI_TRUST_WORKSPACE"), "{refused}");
    assert!(Gemini.check_args(&["--model".into(), "pro".into()]).is_ok());
}

#[test]
fn a_prompt_is_no_command_of_its_own_and_is_sent_once_it_is_seen() {
    for own in ["/quit", " /chat save x", "/docs:look", "/", "/ x"] {
        assert!(matches!(Gemini.keys(own), Err(UnfitText::Command { .. })), "{own}");
    }
    assert_eq!(
        Gemini.keys("/srv/tides is what?").expect("fit").paste,
        b"\x1b[200~/srv/tides is what?\x1b[201~"
    );
    assert_eq!(Gemini.keys("C:\\").expect("fit").paste, b"\x1b[200~C:\\ \x1b[201~");

    assert_eq!(
        Gemini.keys("look at @/etc/hosts").expect("fit").paste,
        b"\x1b[200~look at @/etc/hosts \x1b[201~"
    );
}

#[test]
fn its_line_is_where_the_cursor_is_and_what_covers_it_is_known() {
    const RULE: &str = "\u{2500}\u{2500}\u{2500}";
    let at = |screen: &str, row: usize, before_cursor: &str| {
        let seen = Seen { screen, row, before_cursor, takes_keys: true, still: Duration::ZERO };
        (Gemini.input_line(&seen), Gemini.leads_to_prompt(&seen).is_some(), Gemini.asks(&seen))
    };
    let there = (InputLine::There, false, None);
    let empty = format!(" > hello\n\n\u{2726} Hi.\n{RULE}\n >   Type your message\n workspace");
    assert_eq!(at(&empty, 4, " > "), there);
    let filled = format!("{RULE}\n > one\n\n   two\n{RULE}\n workspace");
    assert_eq!(at(&filled, 3, "   two"), there);
    let tree =
        format!("{RULE}\n > what is in\n   \u{251c}\u{2500} src\n   \u{2514}\u{2500} notes.md\n{RULE}\n");
    assert_eq!(at(&tree, 3, "   \u{2514}\u{2500} notes.md"), there);
    let loops = " > hello\n \u{256d}\u{2500}\u{256e}\n \u{2502} ?  A potential loop was detected \u{2502}\n \u{2502} \u{25cf} 1. Keep loop \
        detection enabled (esc) \u{2502}\n \u{2570}\u{2500}\u{256f}";
    let choice = Wait::Choice("go on looking for loops, or no longer?".into());
    assert_eq!(at(loops, 5, ""), (InputLine::Covered, false, Some(choice)));
    assert_eq!(at("\u{25c7} Initializing...", 1, ""), (InputLine::Covered, false, None));
    let commands = format!("{RULE}\n  shell mode enabled (esc to disable)\n !   Type your shell command\n");
    assert_eq!(at(&commands, 2, " ! "), (InputLine::There, true, None));
    let reads = " > hello\n\u{256d}\u{2500}\u{256e}\n\u{2502} Do you want to allow this read? \u{2502}\n\u{2570}\u{2500}\u{256f}";
    let permission = Wait::Permission("read files outside its folder".into());
    assert_eq!(at(reads, 4, ""), (InputLine::Covered, false, Some(permission)));
    let told = format!("\u{2726} shell mode enabled (esc to disable)\n{RULE}\n >   Type your message\n");
    assert_eq!(at(&told, 2, " > "), there, "an answer says so");
    let told =
        format!("\u{2726} Press\n ! shell mode enabled (esc to disable)\n{RULE}\n >   Type your message\n");
    assert_eq!(at(&told, 3, " > "), there);
    let told = format!("\u{2726} Use Esc to close\n{reads}");
    assert!(!at(&told, 5, "").1, "an answer says so above a dialog");
    let settings = "\u{256d}\u{2500}\u{256e}\n\u{2502} Search \u{2502}\n\u{2502} (Use Enter to select, Esc to close) \u{2502}";
    assert_eq!(at(settings, 1, "\u{2502}  "), (InputLine::Covered, true, None));
    let chats =
        " > /resume\n Navigate: \u{2191}/\u{2193}   Resume: Enter   Search: /   Quit: q\n \u{276f} #1";
    assert_eq!(at(chats, 3, ""), (InputLine::Covered, true, None));
}

#[test]
fn a_command_is_known_by_what_was_asked_for() {
    let script = "shopt -u promptvars; _bgpids_file=/tmp/gemini-shell-x/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' \
                  EXIT\nsleep 987\n)\n__code=$?\nexit $__code";
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(command::wrapped(&words(&["bash", "-c", script])), Some("sleep 987".into()));
    assert_eq!(command::wrapped(&words(&["sleep", "987"])), None);

    let node = ["/usr/bin/node", "--max-old-space-size=4096", "/usr/bin/gemini", "--resume", ID];
    assert!(owners::is_one(&words(&node)) && owners::is_one(&words(&["gemini", "-r", ID])));
    assert!(
        !owners::is_one(&words(&["vim", "gemini"]))
            && !owners::is_one(&words(&["node", "server.js", "gemini"]))
    );
    assert_eq!(owners::named(&words(&node)), Some(id()));
    assert_eq!(owners::named(&words(&["node", "gemini", &format!("--session-id={ID}")])), Some(id()));
    assert_eq!(owners::named(&words(&["node", "gemini", "--resume", "latest"])), None);
}

#[test]
fn its_files_are_where_a_variable_says() {
    let moved = Env::new([("HOME", "/home/u"), ("GEMINI_CLI_HOME", "/srv/own")]);
    assert_eq!(files::home(&moved), Some("/srv/own/.gemini".into()));
    assert_eq!(chats::head(Path::new("/no/such/file")), None);
}
