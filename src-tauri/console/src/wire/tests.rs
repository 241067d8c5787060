mod generated;

use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::continuity::{Continuity, Outcome as Opened, Reason};
use repose_core::conversation::{Conversation, Keeps, Owner, Transcript};
use repose_core::decision::{Choice, ChoiceKind, Decision, Question};
use repose_core::hold::{Because, Hold, Kind, Resident, Task};
use repose_core::ids::{AskId, ConversationId, DecisionId, EngineName, RepoId};
use repose_core::memory::Measured;
use repose_core::repo::{Freed, Notice, State, TurnEnd};
use repose_core::signal::Wait;
use repose_core::time::Wall;
use repose_core::trouble::{self, Code, Trouble};
use repose_runner::{AskShown, AskStage, Change, Happened, LogEntry, LogEntryOf, LogWhat, Memory, Shown};
use serde_json::{Value, json};

use super::{
    About, DecisionKind, FromClient, FromServer, Garbled, HappenedKind, HoldKind, Repo, Time, exit_code,
};

/// 2026-01-31T09:30:00.250Z
const AT: Wall = Wall(1_769_851_800_250);

fn shown() -> Shown {
    Shown {
        id: RepoId::new("r1"),
        name: "work".into(),
        path: "/home/u/work".into(),
        engine: EngineName::new("claude"),
        state: State::Ready,
        continuity: Some(Continuity { outcome: Opened::Fresh(Reason::First), interrupted: vec![], at: AT }),
        conversation: Some(Conversation {
            id: ConversationId::new("c1"),
            engine: EngineName::new("claude"),
            last_turn: Some(AT),
            turns: repose_core::conversation::Turns::Counted(2),
            context_tokens: Some(1_234),
            transcript: Some(Transcript::new(EngineName::new("claude"), "/home/u/.claude/c1.jsonl".into())),
            on_disk: repose_core::conversation::OnDisk::There,
        }),
        memory: Some(Memory { bytes: 5, processes: 2, measured: Measured::Pss, at: AT }),
        freed: None,
        holds: vec![Hold::new(AT, Kind::Turn)],
        reap_at: Some(AT),
        pinned: false,
        queued: 3,
        trouble: Some(Trouble::new(Code::Stalled, "It stands still.", ["Look at it."])),
        branch: Some("main".into()),
        since: Some(AT),
        last: Some(Happened {
            at: AT,
            what: Notice::TurnOver { end: TurnEnd::Answered, worked: None, heard: false },
        }),
        further_asks: [].into(),
        asks: vec![AskShown {
            id: AskId::new("a1"),
            text: "why?".into(),
            at: AT,
            stage: AskStage::Waiting,
            reason: Some("It is sent once the turn in progress is over.".into()),
        }],
        interrupted: vec!["a turn in progress".into(), Wait::Permission("run `ls`".into()).what()],
        decision: Some(Box::new(Decision {
            id: DecisionId::new("s1.1"),
            question: Question {
                conversation: ConversationId::new("c1"),
                wait: Wait::Permission("run `ls`".into()),
                detail: Some("ls".into()),
                detail_cut: false,
                choices: vec![Choice {
                    id: "allow".into(),
                    label: "Allow".into(),
                    description: None,
                    preview: None,
                    kind: ChoiceKind::Allow,
                }],
            },
        })),
        owner: Some(Owner { pid: 7, terminal: Some("/dev/pts/3".into()), command: None }),
        needed_in_vain: false,
        opens_when_free: true,
        keeps: Keeps::PickedUp,
        picked_up_until: Some(AT),
        resume_command: Some("cd '/home/u/work' && claude --resume c1".into()),
    }
}

#[test]
fn a_repo_has_exactly_these_fields() {
    let expected = json!({
        "id": "r1", "name": "work", "path": "/home/u/work", "engine": "claude", "state": "ready", "live": true,
        "continuity": {
            "kind": "fresh", "code": "first", "at": "2026-01-31T09:30:00.250Z",
            "sentence": "Started fresh: this is the first conversation in this repo.", "interrupted": [],
        },
        "conversation": {
            "id": "c1", "last_activity": "2026-01-31T09:30:00.250Z", "turns": 2, "context_tokens": 1234,
            "transcript": "/home/u/.claude/c1.jsonl",
        },
        "memory": { "bytes": 5, "processes": 2, "measured": "pss" },
        "freed_bytes": null,
        "holds": [{
            "kind": "turn", "since": "2026-01-31T09:30:00.250Z", "detail": "a turn in progress", "subject": null,
            "waits_for": null, "work": true,
        }],
        "reap_at": "2026-01-31T09:30:00.250Z",
        "pinned": false, "queued": 3,
        "trouble": {
            "code": "stalled", "title": "Stalled", "message": "It stands still.", "hints": ["Look at it."],
            "severity": "warning", "about": null,
        },
        "branch": "main",
        "since": "2026-01-31T09:30:00.250Z",
        "last": {
            "kind": "answered", "code": "answered", "sentence": "The agent has answered.", "early": null,
            "at": "2026-01-31T09:30:00.250Z",
        },
        "asks": [{
            "id": "a1", "text": "why?", "at": "2026-01-31T09:30:00.250Z", "stage": "waiting",
            "reason": "It is sent once the turn in progress is over.",
        }],
        "interrupted": [
            { "words": "a turn in progress", "permission": false },
            { "words": "the permission to run `ls`", "permission": true },
        ],
        "decision": {
            "id": "s1.1", "kind": "permission", "title": "May it run `ls`?", "detail": "ls", "detail_cut": false,
            "title_says_all": true,
            "choices": [{ "id": "allow", "label": "Allow", "description": null, "preview": null, "kind": "allow" }],
        },
        "owner": { "pid": 7, "terminal": "/dev/pts/3", "command": null },
        "opens_when_free": true,
        "keeps": "picked_up",
        "picked_up_until": "2026-01-31T09:30:00.250Z",
        "resume_command": "cd '/home/u/work' && claude --resume c1",
    });
    let repo = Repo::from(&shown());
    assert_eq!(json!(repo), expected);
    assert_eq!(serde_json::from_value::<Repo>(expected).expect("it reads what it writes"), repo);
}

#[test]
fn what_there_is_nothing_to_say_about_is_null_and_never_missing() {
    let bare = Shown {
        continuity: None,
        conversation: None,
        memory: None,
        freed: Some(Freed { bytes: 7, processes: 1, measured: Measured::Rss, took_ms: 1 }),
        holds: vec![],
        reap_at: None,
        trouble: None,
        branch: None,
        since: None,
        last: None,
        asks: vec![],
        decision: None,
        owner: None,
        picked_up_until: None,
        resume_command: None,
        state: State::Asleep,
        ..shown()
    };
    let json = json!(Repo::from(&bare));
    for field in [
        "continuity",
        "conversation",
        "memory",
        "reap_at",
        "trouble",
        "branch",
        "since",
        "last",
        "decision",
        "owner",
        "picked_up_until",
        "resume_command",
    ] {
        assert_eq!(json.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(json["freed_bytes"], 7);
    assert_eq!(json["holds"], json!([]));
}

#[test]
fn the_words_for_states_are_the_cores() {
    use State::{Asleep, Offline, Opening, Paused, Ready, Waiting, Working};
    for state in [Asleep, Opening, Ready, Working, Waiting, Paused, Offline] {
        let wire = super::State::from(state);
        assert_eq!((json!(wire), wire.as_str()), (json!(state.as_str()), state.as_str()));
    }
}

#[test]
fn the_kinds_of_holds_are_the_cores_with_what_they_are_about() {
    let task = || Task { id: "1".into(), what: "npm run dev".into(), process: true };
    let resident =
        Resident { pid: 1, start: 5, command: "node".into(), since: AT, because: Because::Listens(80) };
    let dev = Some("npm run dev");
    let table = [
        (Kind::Turn, None),
        (Kind::Background(task()), dev),
        (Kind::Wakeup(task()), dev),
        (Kind::Waiting(Wait::Permission("run `ls`".into())), Some("run `ls`")),
        (Kind::Ask, None),
        (Kind::Typing, None),
        (Kind::Client, None),
        (Kind::Process(resident), Some("node")),
        (Kind::Pinned, None),
        (Kind::Unknown("musing".into()), Some("musing")),
    ];
    for (kind, subject) in table {
        let hold = super::Hold::from(&Hold::new(AT, kind.clone()));
        assert_eq!(json!(hold.kind), json!(kind.code()));
        assert_eq!((hold.subject.as_deref(), hold.work), (subject, kind.is_work()), "{kind:?}");
        assert_eq!(hold.waits_for.is_some(), hold.kind == HoldKind::Waiting);
    }
    for (wait, kind) in [
        (Wait::Permission(String::new()), DecisionKind::Permission),
        (Wait::Choice("Which?".into()), DecisionKind::Choice),
        (Wait::Trust, DecisionKind::Trust),
    ] {
        let hold = super::Hold::from(&Hold::new(AT, Kind::Waiting(wait)));
        assert_eq!(hold.waits_for, Some(kind));
    }
}

#[test]
fn what_happened_has_a_kind_and_a_code_which_differ_for_a_trouble_alone() {
    let happened = |what| super::Happened::from(&Happened { at: AT, what });
    for (end, kind) in [
        (TurnEnd::Answered, HappenedKind::Answered),
        (TurnEnd::Interrupted, HappenedKind::Interrupted),
        (TurnEnd::CutOff, HappenedKind::Interrupted),
        (TurnEnd::Unanswered("API Error".into()), HappenedKind::TurnOver),
    ] {
        let told = happened(Notice::TurnOver { end, worked: None, heard: false });
        assert_eq!((told.kind, json!(told.kind)), (kind, json!(told.code)));
    }
    let trouble = happened(Notice::Trouble(Trouble::new(Code::Stalled, "It stands still.", [""; 0])));
    assert_eq!((trouble.kind, trouble.code.as_str()), (HappenedKind::Trouble, "stalled"));
}

#[test]
fn that_an_order_cut_a_turn_off_is_told_by_the_order_alone() {
    let over = |end| Change::Notice(RepoId::new("r1"), Notice::TurnOver { end, worked: None, heard: false });
    let told = [over(TurnEnd::Answered), over(TurnEnd::Interrupted), over(TurnEnd::CutOff), Change::Settings];
    assert_eq!(told.each_ref().map(super::Delta::tells), [true, true, false, true]);
}

#[test]
fn an_engine_that_was_let_go_early_says_why_in_a_field_of_its_own() {
    let reaped = |over| {
        let what = Notice::Reaped { idle: Duration::from_secs(60), over, freed: None };
        super::Happened::from(&Happened { at: AT, what })
    };
    assert_eq!(reaped(None).early, None);
    let early = reaped(Some(Excess::Pressure));
    assert_eq!(early.early.as_deref(), Some("because the machine was short of memory"));
    assert_eq!(early.sentence, "Let go because the machine was short of memory, after 1 min without use.");
}

#[test]
fn an_end_that_nobody_ordered_is_told_in_the_same_words_in_the_log_and_the_row() {
    let words = "It was killed by signal 9 (SIGKILL).";
    let row = super::Happened::from(&Happened { at: AT, what: Notice::EndedByItself(words.into()) });
    let what = LogWhat::Ended { words: words.into() };
    let log = super::LogEntry::from(&LogEntry { id: 1, at: AT, what });
    assert_eq!(row.sentence, "The agent ended. It was killed by signal 9 (SIGKILL).");
    assert_eq!(log.text, row.sentence);
}

#[test]
fn a_long_text_is_cut_among_what_happened_last() {
    let row = |text: &str| {
        let what = LogWhat::Answered { ask: AskId::new("a"), text: text.into() };
        let of = LogEntryOf { repo: Some(RepoId::new("r")), row: LogEntry { id: 1, at: AT, what } };
        super::RecentEntry::from(&of).entry.text
    };
    assert_eq!(row("short"), "short");
    assert_eq!(row(&"ä".repeat(301)), format!("{}…", "ä".repeat(300)));
}

#[test]
fn a_trouble_says_as_data_what_it_is_about() {
    let about = |about| super::Trouble::from(&Trouble::new(Code::UnfitText, "", [""; 0]).about(about)).about;
    assert_eq!(
        about(trouble::About::Character { character: '\u{202e}', at: 9 }),
        Some(About::Character { code_point: 0x202e, byte: 9 })
    );
    let repo = trouble::About::Repo { id: RepoId::new("r1"), name: "work".into() };
    assert_eq!(json!(about(repo)), json!({ "kind": "repo", "id": "r1", "name": "work" }));
}

#[test]
fn every_code_has_its_exit_code() {
    let exits = |code: Code| exit_code(code.as_str());
    let some = [
        (Code::Internal, 1),
        (Code::BadRequest, 2),
        (Code::Paused, 3),
        (Code::RunnerElsewhere, 3),
        (Code::RunnerNotRunning, 4),
        (Code::RunnerSilent, 4),
        (Code::FolderGone, 4),
        (Code::TimedOut, 5),
        (Code::TurnInterrupted, 6),
    ];
    for (code, exit) in some {
        assert_eq!(exits(code), exit, "{code:?}");
    }
    assert!(Code::ALL.iter().all(|code| (1..=6).contains(&exits(*code))));
    assert_eq!(exit_code("a code of another version"), 1);
}

#[test]
fn moments_are_written_and_read() {
    let cases = [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (1_769_851_800_250, "2026-01-31T09:30:00.250Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ];
    for (ms, text) in cases {
        assert_eq!(Time(Wall(ms)).to_string(), text);
        assert_eq!(text.parse(), Ok(Time(Wall(ms))));
    }
    for day in 0..200_000_u64 {
        let time = Time(Wall(day * 86_400_000));
        assert_eq!(time.to_string().parse(), Ok(time));
    }
    for wrong in
        ["", "2026-01-31", "2026-06-31T00:00:00.000Z", "2026-01-31T09:30:00Z", "2026-01-31T24:00:00.000Z"]
    {
        assert!(wrong.parse::<Time>().is_err(), "{wrong}");
    }
}

#[test]
fn terminal_messages_are_what_they_are_documented_to_be() {
    let bytes: &[u8] = b"\x1b[m";
    let server = [
        (FromServer::Snapshot(bytes), b"\x00\x1b[m".to_vec()),
        (FromServer::Output(bytes), b"\x01\x1b[m".to_vec()),
        (FromServer::Ended("gone".into()), b"\x02gone".to_vec()),
    ];
    for (message, encoded) in server {
        assert_eq!(message.encode(), encoded);
        assert_eq!(FromServer::decode(&encoded), Ok(message));
    }
    let client = [
        (FromClient::Input(bytes), b"\x00\x1b[m".to_vec()),
        (FromClient::Ack(258), vec![1, 2, 1, 0, 0, 0, 0, 0, 0]),
        (FromClient::Resize { cols: 110, rows: 300 }, vec![2, 110, 0, 44, 1]),
        (FromClient::Report(bytes), b"\x03\x1b[m".to_vec()),
    ];
    for (message, encoded) in client {
        assert_eq!(message.encode(), encoded);
        assert_eq!(FromClient::decode(&encoded), Ok(message));
    }
    for garbled in [&[][..], &[4], &[1, 0], &[2, 0, 0, 0, 0], &[2, 1, 0, 1], &[255, 1, 2]] {
        assert_eq!(FromClient::decode(garbled), Err(Garbled), "{garbled:?}");
    }
}
