//! The real Claude Code, if it is installed.
//!
//! Its program is looked for in `REPOSE_TEST_CLAUDE`, then among the workspace's test engines. If
//! `REPOSE_TEST_MODEL_URL` has the address of a stand-in model, a turn is taken too; otherwise the session is
//! only opened and ended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use repose_core::ids::{AskId, EngineName};
use repose_core::session::{
    Activity, EndIf, Fact, Freeze, FreezeId, HOOKS_WITHIN, NotNow, TurnOutcome, Verdict,
};
use repose_core::signal::Source;
use repose_engine::launch::{Open, Order};
use repose_hold::{Attach, Entry, How, Spec, Submitted, attach};
use serde_json::json;

use crate::world::{self, World};

const KEY: &str = "sk-ant-stub-0123456789abcdefghijklmnopqrstuvwxyz";

/// Less than the time after which an interrupted turn that isn't reported is given up.
const AGAIN_AFTER: Duration = Duration::from_secs(8);

fn claude() -> Option<PathBuf> {
    let named = std::env::var_os("REPOSE_TEST_CLAUDE").map(PathBuf::from);
    let packages =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/engines/node_modules/@anthropic-ai");
    let found = || {
        let packages = std::fs::read_dir(packages).ok()?;
        packages.flatten().map(|package| package.path().join("claude")).find(|path| path.is_file())
    };
    named.or_else(found).filter(|path| path.is_file())
}

fn prepare(spec: &mut Spec, program: &Path, trusted: bool) {
    let home = PathBuf::from(&spec.cwd);
    let repo = home.join("repo");
    std::fs::create_dir(&repo).unwrap();
    let known = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": { "approved": [&KEY[KEY.len() - 20..]], "rejected": [] },
        "projects": { repo.to_str().unwrap(): {
            "hasTrustDialogAccepted": trusted, "hasCompletedProjectOnboarding": true,
        } },
    });
    std::fs::write(home.join(".claude.json"), known.to_string()).unwrap();
    let engine = repose_engine::find("claude").unwrap();
    let id = engine.new_conversation().unwrap();
    let hook = world::program();
    let extra_args = ["--permission-mode".to_owned(), "default".to_owned()];
    let order = Order {
        program,
        open: Open::Fresh { id: Some(&id) },
        env: &repose_engine::Env::default(),
        folder: Path::new("/"),
        session_dir: Path::new("/"),
        extra_args: &extra_args,
        hook: &hook,
    };
    let launch = engine.plan(&order);
    spec.engine = EngineName::new("claude");
    spec.program = launch.program.into();
    spec.args = launch.args;
    spec.cwd = repo.into();
    let model = std::env::var("REPOSE_TEST_MODEL_URL").unwrap_or("http://127.0.0.1:9".into());
    spec.env.extend(
        [
            ("ANTHROPIC_BASE_URL", model.as_str()),
            ("ANTHROPIC_API_KEY", KEY),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
        ]
        .map(|(name, value)| (name.into(), value.into())),
    );
    spec.conversation = Some(id);
}

#[tokio::test]
async fn a_session_of_claude_code_opens_answers_and_ends() {
    let Some(program) = claude() else {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no Claude Code here\n");
        return;
    };
    let mut asked_for = None;
    let world = World::with("", |spec| {
        prepare(spec, &program, true);
        asked_for = spec.conversation.clone();
    });
    let (client, mut pushed) = world.client().await;
    let Entry::Fact(Fact::Confirmed { conversation, source, .. }) = world::entry(&mut pushed).await.entry
    else {
        panic!("not confirmed")
    };
    assert_eq!((conversation, source), (asked_for.clone(), Source::New));
    let state = world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    assert!(state.watching && state.memory.is_some_and(|(memory, _)| memory.bytes > 50_000_000), "{state:?}");
    let resumable = Freeze { interrupt: false, must_resume: true, id: FreezeId(7) };
    assert_eq!(client.freeze(resumable).await.unwrap(), Verdict::NotResumable);
    if std::env::var_os("REPOSE_TEST_MODEL_URL").is_some() {
        let ask = AskId::new("a1");
        assert_eq!(client.submit(&ask, "say\nsomething").await.unwrap(), Submitted::Accepted);
        let Entry::Fact(Fact::Taken { ask: taken, .. }) = world::entry(&mut pushed).await.entry else {
            panic!("not taken")
        };
        assert_eq!(taken, ask);
        let over = world::entry(&mut pushed).await.entry;
        let Entry::Fact(Fact::TurnOver { ask: Some(answered), outcome: TurnOutcome::Answered(_), .. }) = over
        else {
            panic!("{over:?}")
        };
        assert_eq!(answered, ask);
        world::state(&client, "idle", |state| state.view.ready_for_ask.is_ok()).await;
        let slow = AskId::new("a2");
        assert_eq!(client.submit(&slow, "SLOW{60} now").await.unwrap(), Submitted::Accepted);
        assert!(matches!(world::entry(&mut pushed).await.entry, Entry::Fact(Fact::Taken { .. })));
        assert!(matches!(client.freeze(resumable).await.unwrap(), Verdict::Held(_)));
        world::state(&client, "work", |state| matches!(state.view.activity, Activity::Working { .. })).await;
        // As a user does: again, if the first one came too early.
        let (over, known_after) = loop {
            client.interrupt().await.unwrap();
            let interrupted = Instant::now();
            if let Ok(over) = tokio::time::timeout(AGAIN_AFTER, world::entry(&mut pushed)).await {
                break (over.entry, interrupted.elapsed());
            }
        };
        let Entry::Fact(Fact::TurnOver { ask: Some(cut), outcome: TurnOutcome::Interrupted, .. }) = over
        else {
            panic!("{over:?}")
        };
        assert_eq!(cut, slow);
        assert!(known_after < AGAIN_AFTER, "not told, only given up on: {known_after:?}");
        world::state(&client, "idle", |state| state.view.ready_for_ask.is_ok()).await;
        assert_eq!(client.freeze(resumable).await.unwrap(), Verdict::Frozen(Vec::new()));
    }
    let ended = client.end(EndIf::Always).await.unwrap();
    assert_eq!((&ended.how, ended.left.len()), (&How::Ended, 0));
    assert_eq!(ended.conversation, asked_for);
    assert!(ended.freed.unwrap().bytes > 50_000_000, "{ended:?}");
    assert_ne!(ended.transcript_whole, Some(false));
    assert!(ended.took < Duration::from_secs(2), "it obeys: {ended:?}");
}

#[tokio::test]
async fn invariant_05_a_line_that_was_sent_right_before_the_order_is_judged_as_its_turn() {
    let Some(program) = claude() else {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no Claude Code here\n");
        return;
    };
    let world = World::with("", |spec| prepare(spec, &program, true));
    let (client, _pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    let mut terminal = attach(&world.dir, Attach { cols: 80, rows: 24, scrollback: false }).await.unwrap();
    terminal.keys.input(b"hello").await.unwrap();
    let typed = |state: &repose_hold::State| state.view.ready_for_ask == Err(NotNow::HalfTyped);
    world::state(&client, "a half-typed line", typed).await;
    let entered = Instant::now();
    terminal.keys.input(b"\r").await.unwrap();
    // Its hook may be heard of before this is seen.
    let sent = |state: &repose_hold::State| {
        matches!(state.view.ready_for_ask, Err(NotNow::JustSent | NotNow::Working))
    };
    world::state(&client, "that it was sent", sent).await;
    let soft = Freeze { interrupt: false, must_resume: false, id: FreezeId(7) };
    match client.freeze(soft).await.unwrap() {
        Verdict::Held(holds) => {
            assert_eq!(holds.iter().map(|hold| hold.kind.code()).collect::<Vec<_>>(), ["turn"]);
        }
        verdict @ (Verdict::Frozen(_) | Verdict::NotResumable | Verdict::WouldBeLost(_)) => {
            let waited = entered.elapsed();
            assert!(waited >= HOOKS_WITHIN, "its turn begins: {verdict:?} after {waited:?}");
            let late = b"not tried: this machine starts Claude Code's hook later than it is waited for\n";
            let _ = std::io::Write::write_all(&mut std::io::stderr(), late);
        }
    }
    client.end(EndIf::Always).await.unwrap();
}

#[tokio::test]
async fn its_question_whether_a_folder_is_trusted_is_seen() {
    let Some(program) = claude() else {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no Claude Code here\n");
        return;
    };
    let world = World::with("", |spec| prepare(spec, &program, false));
    let (client, _pushed) = world.client().await;
    let waits = |state: &repose_hold::State| {
        matches!(&state.view.activity, Activity::Waiting { what: repose_core::signal::Wait::Trust, .. })
    };
    world::state(&client, "the dialog", waits).await;
    assert_eq!(client.end(EndIf::Always).await.unwrap().how, How::Ended);
}
