use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use repose_core::ids::ConversationId;
use repose_core::signal::{Level, Said, Source, Wait};
use repose_core::time::Wall;

use super::Codex;
use crate::ask::{Seen, UnfitText};
use crate::harm::{harm, harmed};
use crate::launch::{Open, Order};
use crate::told::ExitCause;
use crate::transcript::{Answer, Asked, Kind, LastTurn, Place, ToolEnd};
use crate::{Engine, Env};

const ID: &str = "01a228e1-1412-7db2-87d7-224a6fbe62e6";

/// Shortened output of version 0.171.0: a turn with a command, one that failed, one that was interrupted.
const TRANSCRIPT: &str = r#"{"timestamp":"2026-11-29T19:56:18.126Z","type":"session_meta","payload":{"id":"01a228e1-1412-7db2-87d7-224a6fbe62e6","cwd":"/srv/tides","thread_source":"user"}}
{"timestamp":"2026-11-29T19:56:18.127Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}
{"timestamp":"2026-11-29T19:56:18.199Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}}
{"timestamp":"2026-11-29T19:56:18.262Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"UserMessage","content":[{"type":"text","text":"hello there"}]}}}
{"timestamp":"2026-11-29T19:56:18.300Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"id -u\"}","call_id":"c1"}}
{"timestamp":"2026-11-29T19:56:18.301Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Process exited with code 1\nOutput:\nno\n"}}
{"timestamp":"2026-11-29T19:56:18.307Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"AgentMessage","id":"m1","content":[{"type":"Text","text":"Done."}]}}}
{"timestamp":"2026-11-29T19:56:18.315Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":13396}}}}
{"timestamp":"2026-11-29T19:56:18.362Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t1","last_agent_message":"Done."}}
{"timestamp":"2026-11-29T19:57:43.905Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t2"}}
{"timestamp":"2026-11-29T19:57:43.953Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t2","item":{"type":"UserMessage","content":[{"type":"text","text":"and now?"}]}}}
{"timestamp":"2026-11-29T19:57:44.020Z","type":"event_msg","payload":{"type":"task_complete","last_agent_message":null,"error":{"message":"no such model"}}}
{"timestamp":"2026-11-29T19:58:37.236Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t3"}}
{"timestamp":"2026-11-29T19:58:37.321Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t3","item":{"type":"UserMessage","content":[{"type":"text","text":"wait"}]}}}
{"timestamp":"2026-11-29T19:58:40.724Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}
"#;

fn kept(home: &Path, text: &str) -> std::path::PathBuf {
    let folder = home.join(".codex/sessions/2026/11/29");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("rollout-2026-11-29T19-56-09-{ID}.jsonl"));
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn its_title_says_what_it_does() {
    assert_eq!(Codex.title_level("repo"), Some(Level::Idle));
    assert_eq!(Codex.title_level("\u{280b} hello | repo"), Some(Level::Busy));
    assert!(matches!(Codex.title_level("[ . ] Action Required | repo"), Some(Level::Waiting(_))));
}

#[test]
fn a_transcript_that_nobody_can_read_is_neither_blank_nor_gone() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let id = ConversationId::new(ID);
    let headless = TRANSCRIPT.replacen("{\"timestamp\"", "\u{1}\u{2}", 1);
    for damaged in ["\u{1}\u{2}\n{\u{3}", &headless] {
        let path = kept(temp.path(), damaged);
        let error = Codex.summary(Place { path: &path, id: &id }).expect_err("it can't be read");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData, "{damaged}");
    }
    let head = TRANSCRIPT.lines().next().expect("a line");
    for nothing_asked in [head, &head[..head.len() / 2], ""] {
        let path = kept(temp.path(), nothing_asked);
        let blank = Codex.summary(Place { path: &path, id: &id }).expect("reads").expect("a conversation");
        assert_eq!(blank.conversation.turns.counted(), Some(0), "{nothing_asked}");
    }
}

#[test]
fn a_transcript_tells_turns_tokens_and_what_became_of_each_prompt() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let path = kept(temp.path(), TRANSCRIPT);
    let id = ConversationId::new(ID);
    let place = Place { path: &path, id: &id };
    let listed = Codex.summary(place).expect("reads").expect("a conversation");
    assert_eq!(
        (listed.conversation.turns.counted(), listed.conversation.context_tokens),
        (Some(3), Some(13_396))
    );
    assert_eq!(listed.title.as_deref(), Some("hello there"));
    assert_eq!(Codex.tail(place).expect("reads").last_turn, LastTurn::Interrupted);

    let answer = |text| Codex.answer_to(place, Asked::Text(text)).expect("reads");
    assert_eq!(answer("hello there"), Answer::Answered("Done.".into()));
    assert_eq!(answer("and now?"), Answer::Failed("no such model".into()));
    assert_eq!(answer("wait"), Answer::Interrupted);
    assert_eq!(answer("never"), Answer::NotAsked);

    let page = Codex.entries(place, None, 100).expect("reads");
    let failed =
        page.entries.iter().any(|entry| matches!(entry.kind, Kind::ToolResult { end: ToolEnd::Failed, .. }));
    assert!(failed && page.entries.len() == 8, "{:#?}", page.entries);
}

#[test]
fn its_conversations_are_found_by_folder_and_by_id() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let env = Env::new([("HOME", temp.path())]);
    let path = kept(temp.path(), TRANSCRIPT);
    let newest = Codex.newest(&env, Path::new("/srv/tides")).expect("reads").expect("one");
    assert_eq!(newest.conversation.id.as_str(), ID);
    assert_eq!(Codex.newest(&env, Path::new("/srv/other")).expect("reads"), None);
    assert_eq!(Codex.transcript_path(&env, Path::new("/"), &ConversationId::new(ID)), Some(path));
    // Another thread's, which the program began for itself, isn't the user's.
    kept(temp.path(), &TRANSCRIPT.replace("\"user\"}}", "\"title\"}}"));
    assert_eq!(Codex.newest(&env, Path::new("/srv/tides")).expect("reads"), None);
}

#[test]
fn a_conversation_that_it_goes_over_to_moves_and_a_prompt_names_its_turn() {
    let said = |event: &str| {
        let payload = format!(r#"{{"session_id":"{ID}","turn_id":"t1",{event}}}"#);
        Codex.signal(payload.as_bytes(), Wall(1)).expect("reads").map(|signal| signal.said)
    };
    let started = said(r#""hook_event_name":"SessionStart","source":"startup""#);
    assert!(matches!(started, Some(Said::Started { source: Source::Cleared, .. })), "{started:?}");
    let taken = said(r#""hook_event_name":"UserPromptSubmit","prompt":"hi""#);
    assert!(matches!(taken, Some(Said::PromptTaken { prompt: Some(_), .. })), "{taken:?}");
    assert_eq!(said(r#""hook_event_name":"Interrupt""#), Some(Said::Interrupted));
    assert_eq!(said(r#""hook_event_name":"Stop","agent_id":"a1""#), None);
    assert!(Codex.signal(b"{", Wall(1)).is_err());
}

#[test]
fn it_is_started_alone_with_hooks_that_it_trusts() {
    let order = Order {
        program: Path::new("/bin/codex"),
        open: Open::Resume { id: &ConversationId::new(ID) },
        env: &Env::default(),
        folder: Path::new("/srv/it's \"here\""),
        session_dir: Path::new("/s"),
        extra_args: &["--search".into()],
        hook: Path::new("/opt/repose"),
    };
    let args: Vec<String> =
        Codex.plan(&order).args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    assert_eq!(args[..5], ["resume", ID, "--no-daemon", "-C", "/srv/it's \"here\""]);
    assert_eq!(args.last().map(String::as_str), Some("--search"));
    assert!(!args.iter().any(|arg| arg.contains("trust_level")), "trust is the user's word: {args:#?}");
    let stop = r#"hooks.Stop=[{hooks=[{type="command",command="'/opt/repose' hook",timeout=3}]}]"#;
    assert!(args.contains(&stop.to_owned()), "{args:#?}");
    assert!(Codex.check_args(&["resume".into()]).is_err());
}

#[test]
fn a_folder_that_it_does_not_know_waits_for_the_users_word() {
    let screen =
        "  Folder access\n  /srv/tides\n\n  Trust this folder? Codex can read, edit, and run files here\n";
    assert_eq!(Codex.opening_dialog(screen), Some(Wait::Trust));
    assert_eq!(Codex.opening_dialog("  >_ OpenAI Codex (v0.171.0)\n     /srv/tides\n"), None);
}

#[test]
fn what_would_be_a_command_of_its_own_stays_a_text() {
    let keys = |text: &str| Codex.keys(text).map(|keys| String::from_utf8_lossy(&keys.paste).into_owned());
    assert!(keys("/new").expect("fits").contains("~ /new"));
    assert_eq!(keys("/quit"), Err(UnfitText::Ends { word: "/quit" }));
}

#[test]
fn its_last_words_say_that_a_conversation_is_gone() {
    let moved = "Error: Failed to resume session from /home/u/.codex/sessions/2026/11/30/rollout-2026-11-30T10-24-34-01a22\n\
                 bfc-2674-75c3-81de-0bcbeafe1dce.jsonl: thread/resume failed during TUI bootstrap: thread/resume failed: no rol\n\
                 lout found for thread id 01a22bfc-2674-75c3-81de-0bcbeafe1dce (code -32600)\n";
    assert_eq!(Codex.exit_cause(moved), ExitCause::NoSuchConversation);
    let unknown = "ERROR: No saved session found with ID 01a22bfc-2674-75c3-81de-0bcbeafe1dce.";
    assert_eq!(Codex.exit_cause(unknown), ExitCause::NoSuchConversation);
    assert_eq!(Codex.exit_cause("stream error"), ExitCause::Unknown);
}

#[test]
fn a_command_that_somebody_did_not_allow_or_cut_off_has_not_failed() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let said = r#""output":"Process exited with code 1\nOutput:\nno\n""#;
    assert!(TRANSCRIPT.contains(said));
    for (output, wanted) in [
        ("exec command rejected by user", ToolEnd::Denied),
        (r"Wall time: 8.0 seconds\naborted by user", ToolEnd::Interrupted),
        (r"Process exited with code 1\nOutput:\naborted by user", ToolEnd::Failed),
    ] {
        let path = kept(temp.path(), &TRANSCRIPT.replace(said, &format!(r#""output":"{output}""#)));
        let page = super::transcript::entries(&path, None, 100).expect("reads");
        let ended = |kind: &Kind| matches!(kind, Kind::ToolResult { end, .. } if *end == wanted);
        assert!(page.entries.iter().any(|entry| ended(&entry.kind)), "{output}: {:#?}", page.entries);
    }
}

#[test]
fn a_menu_of_its_own_is_left_before_a_prompt() {
    let leads = |screen: &str| {
        let (row, before_cursor, still) = (0, "", Duration::ZERO);
        Codex.leads_to_prompt(&Seen { screen, row, before_cursor, takes_keys: true, still })
    };
    let menu = "  Where should the new conversation run?\n\n\n\u{203a} 1. Use current Git worktree  Keep using it\n  \
                2. Create new Git worktree   Create another\n\n  enter select \u{b7} esc back\n\n";
    assert_eq!(leads(menu), Some(&b"\x1b"[..]));
    let told = format!("{menu}\u{203a} Ask\n\n  gpt-5 default \u{b7} /srv/tides");
    assert_eq!((leads(&told), leads("")), (None, None));
}

/// As it reports them.
const PAYLOADS: [&str; 3] = [
    r#"{"session_id":"01a228e1-1412-7db2-87d7-224a6fbe62e6","hook_event_name":"SessionStart","source":"startup"}"#,
    r#"{"session_id":"01a228e1-1412-7db2-87d7-224a6fbe62e6","hook_event_name":"UserPromptSubmit","prompt":"hi"}"#,
    r#"{"session_id":"01a228e1-1412-7db2-87d7-224a6fbe62e6","hook_event_name":"Stop","last_assistant_message":"Done."}"#,
];

/// A turn that nothing harmed.
const WHOLE: &str = r#"
{"timestamp":"2026-11-29T20:00:00.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t9"}}
{"timestamp":"2026-11-29T20:00:00.100Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t9","item":{"type":"UserMessage","content":[{"type":"text","text":"a new prompt"}]}}}
{"timestamp":"2026-11-29T20:00:00.200Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t9","item":{"type":"AgentMessage","id":"m9","content":[{"type":"Text","text":"its answer"}]}}}
{"timestamp":"2026-11-29T20:00:00.300Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t9","last_agent_message":"its answer"}}
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_harmed_transcript_is_read_as_far_as_it_is_good(harms in prop::collection::vec(harm(), 1..8)) {
        let temp = tempfile::tempdir().expect("a temp folder");
        let id = ConversationId::new(ID);
        let (head, turns) = TRANSCRIPT.split_once('\n').expect("lines");
        let mut bytes = [head.as_bytes(), b"\n", &harmed(turns.as_bytes(), &harms)].concat();
        let path = kept(temp.path(), "");
        std::fs::write(&path, &bytes).expect("a file");
        let place = Place { path: &path, id: &id };
        Codex.tail(place).expect("reads");
        Codex.entries(place, None, 50).expect("reads");
        bytes.extend_from_slice(WHOLE.as_bytes());
        std::fs::write(&path, &bytes).expect("a file");
        let answer = Codex.answer_to(place, Asked::Text("a new prompt")).expect("reads");
        prop_assert_eq!(answer, Answer::Answered("its answer".into()));
    }

    #[test]
    fn harmed_hook_payloads_are_read_or_refused(
        payload in prop::sample::select(&PAYLOADS[..]),
        harms in prop::collection::vec(harm(), 1..6),
    ) {
        let _read = Codex.signal(&harmed(payload.as_bytes(), &harms), Wall(1));
    }
}
