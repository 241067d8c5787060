//! Tests on a database as version 1.18.33 writes it, and on events as it sends them, both shortened.

mod events;
mod reading;

use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::ids::ConversationId;
use repose_core::signal::Level;
use repose_sys::tree::Member;
use repose_sys::{ProcessId, State};
use rusqlite::Connection;

use super::{OpenCode, discover, files};
use crate::ask::{Seen, UnfitText};
use crate::launch::{Launch, Open, Order};
use crate::told::ExitCause;
use crate::{Engine, Env};

const OWN: &str = "ses_dd4d67ba5ffeVPhid0ESplmESy";
const SUBAGENT: &str = "ses_dd4d2ec94ffellpwjmf22BeKrC";

/// What it keeps of a user's conversation in `/srv/tides` and of a subagent's: a turn with a command, one
/// that failed, and one that was interrupted.
const WRITTEN: &str = r#"
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
INSERT INTO session VALUES ('ses_dd4d67ba5ffeVPhid0ESplmESy', NULL, '/srv/tides', 'Tides', 1, 90, NULL),
    ('ses_dd4d2ec94ffellpwjmf22BeKrC', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '/srv/tides', 'Helper', 2, 95, NULL);
INSERT INTO message VALUES
    ('msg_1', 'ses_dd4d67ba5ffeVPhid0ESplmESy', 10, '{"role":"user","time":{"created":10},"summary":{"diffs":[]}}'),
    ('msg_2', 'ses_dd4d67ba5ffeVPhid0ESplmESy', 11, '{"role":"assistant","parentID":"msg_1","finish":"tool-calls",
        "tokens":{"input":100,"output":20,"cache":{"read":0,"write":0}},"time":{"created":11,"completed":12}}'),
    ('msg_3', 'ses_dd4d67ba5ffeVPhid0ESplmESy', 13, '{"role":"assistant","parentID":"msg_1","finish":"stop",
        "tokens":{"input":100,"output":20,"cache":{"read":30,"write":4}},"time":{"created":13,"completed":20}}'),
    ('msg_4', 'ses_dd4d67ba5ffeVPhid0ESplmESy', 30, '{"role":"user","time":{"created":30}}'),
    ('msg_5', 'ses_dd4d67ba5ffeVPhid0ESplmESy', 31, '{"role":"assistant","parentID":"msg_4","time":{"created":31,"completed":40},
        "error":{"name":"APIError","data":{"message":"no such model","statusCode":404}}}'),
    ('msg_6', 'ses_dd4d67ba5ffeVPhid0ESplmESy', 50, '{"role":"user","time":{"created":50}}'),
    ('msg_7', 'ses_dd4d67ba5ffeVPhid0ESplmESy', 51, '{"role":"assistant","parentID":"msg_6","time":{"created":51,"completed":60},
        "error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}}'),
    ('msg_8', 'ses_dd4d2ec94ffellpwjmf22BeKrC', 70, '{"role":"user","time":{"created":70}}');
INSERT INTO part VALUES
    ('prt_1', 'msg_1', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '{"type":"text","text":"hello there"}'),
    ('prt_2', 'msg_1', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '{"type":"text","synthetic":true,"text":"Called the Read tool"}'),
    ('prt_3', 'msg_2', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '{"type":"step-start","snapshot":"4b825dc"}'),
    ('prt_4', 'msg_2', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '{"type":"tool","tool":"bash","callID":"c1","state":{"status":"error",
        "input":{"command":"id -u","description":"asked for"},"error":"no"}}'),
    ('prt_5', 'msg_3', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '{"type":"text","text":"Done. ","time":{"start":13,"end":20}}'),
    ('prt_6', 'msg_4', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '{"type":"text","text":"and now?"}'),
    ('prt_7', 'msg_6', 'ses_dd4d67ba5ffeVPhid0ESplmESy', '{"type":"text","text":"wait"}'),
    ('prt_8', 'msg_8', 'ses_dd4d2ec94ffellpwjmf22BeKrC', '{"type":"text","text":"look it up"}');
"#;

/// A home with that database, as left by a process that has it open and writes.
fn kept(home: &Path) -> (Env, PathBuf, Connection) {
    let env = Env::new([("HOME", home)]);
    let path = files::database(&env).expect("a home");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
    let connection = Connection::open(&path).expect("a database");
    connection.pragma_update(None, "journal_mode", "wal").expect("a log");
    connection.execute_batch(WRITTEN).expect("rows");
    (env, path, connection)
}

#[test]
fn its_title_says_that_it_takes_keys() {
    assert_eq!(OpenCode.title_level("OpenCode"), Some(Level::Idle));
    assert_eq!(OpenCode.title_level("OC | Tides"), Some(Level::Idle));
    assert_eq!(OpenCode.title_level("me@host: ~"), None);
}

fn plan(open: Open<'_>) -> Launch {
    OpenCode.plan(&Order {
        program: Path::new("/bin/opencode"),
        open,
        env: &Env::default(),
        folder: Path::new("/srv/tides"),
        session_dir: Path::new("/s"),
        extra_args: &["--agent".into(), "plan".into()],
        hook: Path::new("/opt/repose"),
    })
}

#[test]
fn it_is_started_on_a_free_port_of_loopback_with_a_password_of_its_own() {
    let id = ConversationId::new(OWN);
    let args = |open| plan(open).args.join(std::ffi::OsStr::new(" ")).into_string().expect("UTF-8");
    let all = "--hostname 127.0.0.1 --port 0";
    assert_eq!(args(Open::Fresh { id: Some(&id) }), format!("{all} --agent plan"));
    assert_eq!(args(Open::Resume { id: &id }), format!("{all} --session {OWN} --agent plan"));
    let fork = Open::Fork { from: &id, transcript: None, id: None };
    assert_eq!(args(fork), format!("{all} --session {OWN} --fork --agent plan"));

    let feed = || OpenCode.feed(&Env::new(plan(Open::Resume { id: &id }).env_set)).expect("a feed");
    assert!(feed().authorization.len() > 40 && feed() != feed(), "each has its own");
    assert_eq!(OpenCode.feed(&Env::default()), None, "nobody could hear it");
    for argument in ["--continue", "--session=x", "--port=1", "serve"] {
        assert!(OpenCode.check_args(&[argument.into()]).is_err(), "{argument}");
    }
}

#[test]
fn what_would_be_something_else_than_a_text_stays_one() {
    let keys = |text: &str| OpenCode.keys(text).map(|keys| String::from_utf8_lossy(&keys.paste).into_owned());
    assert!(keys("/new").expect("fits").contains("~ /new"));
    assert!(keys("look at @src/lib.rs").expect("fits").contains("@src/lib.rs \u{1b}"));
    assert!(keys("ask @me about it").expect("fits").contains("about it\u{1b}"));
    assert_eq!(keys(" exit "), Err(UnfitText::Ends { word: "exit" }));
}

#[test]
fn a_conversation_is_open_elsewhere_where_a_command_line_names_it() {
    for (command, names) in [
        ("opencode --session ses_1", Some("ses_1")),
        ("opencode --port 0 -s ses_1", Some("ses_1")),
        ("opencode --session=ses_1 --agent plan", Some("ses_1")),
        ("opencode --session ses_1 --fork", None),
        ("opencode", None),
        ("opencode --session", None),
    ] {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        assert_eq!(discover::told(&words), names, "{command}");
    }
}

#[test]
fn only_a_menu_is_left_with_esc() {
    let left = |screen: &str| {
        let seen = Seen { screen, row: 0, before_cursor: "", takes_keys: true, still: Duration::ZERO };
        OpenCode.leads_to_prompt(&seen).is_some()
    };
    assert!(left("  an answer     Commands                 esc      goes on\n     Search"));
    assert!(left("     Rename Session                  esc/enter"));
    assert!(!left("To leave it, press\n    esc\n    and go on"), "an answer says so");
}

#[test]
fn an_unknown_conversation_is_read_off_its_last_words() {
    let words = "Error: Session not found: ses_dd4d67ba5ffeVPhid0ESplmESy\n";
    assert_eq!(OpenCode.exit_cause(words), ExitCause::NoSuchConversation);
    assert_eq!(OpenCode.exit_cause("Killed\n"), ExitCause::Unknown);
}

#[test]
fn a_title_that_its_user_switched_off_is_found() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let env = Env::new([("HOME", temp.path())]);
    let file = temp.path().join(".local/state/opencode/kv.json");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a writable folder");
    let silenced = || OpenCode.silenced_by(&env, Path::new("/srv/tides")).map(|silenced| silenced.by);
    assert_eq!(silenced(), None);
    std::fs::write(&file, r#"{"terminal_title_enabled":true}"#).expect("written");
    assert_eq!(silenced(), None);
    std::fs::write(&file, r#"{"terminal_title_enabled":false}"#).expect("written");
    assert_eq!(silenced(), Some(file));
}

#[test]
fn its_database_is_looked_for_where_its_user_put_it() {
    let found = |pairs: &[(&str, &str)]| files::database(&Env::new(pairs.iter().copied()));
    let home = ("HOME", "/h");
    assert_eq!(found(&[home]), Some("/h/.local/share/opencode/opencode.db".into()));
    assert_eq!(found(&[home, ("XDG_DATA_HOME", "/d")]), Some("/d/opencode/opencode.db".into()));
    assert_eq!(found(&[home, ("OPENCODE_DB", "mine.db")]), Some("/h/.local/share/opencode/mine.db".into()));
    assert_eq!(found(&[home, ("OPENCODE_DB", "/mine.db")]), Some("/mine.db".into()));
    assert_eq!(found(&[home, ("OPENCODE_DB", ":memory:")]), None);
}

#[test]
fn its_own_snapshots_are_no_work_of_the_users() {
    let of = |command: &str| Member {
        id: ProcessId { pid: 9, start: 1 },
        parent: 7,
        group: 9,
        session: 9,
        name: "git".into(),
        command: command.split(' ').map(str::to_owned).collect(),
        state: State::Running,
        cpu: Duration::ZERO,
    };
    let own = of("git -c core.autocrlf=false -c core.longpaths=true -c core.symlinks=true add .");
    assert!(OpenCode.furnished(&own, 7) && OpenCode.left_running(&own, 7));
    // Where the kernel's name was read before the program was started.
    assert!(OpenCode.furnished(&Member { name: "opencode".into(), ..own }, 7));
    assert!(!OpenCode.furnished(&of("git clone https://example.org/large"), 7));
}
