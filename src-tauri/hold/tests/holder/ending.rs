//! Ends: nothing of the tree is left, and that is reported truthfully.

use std::fs;

use repose_core::ids::AskId;
use repose_core::session::{EndIf, Fact, Freeze, FreezeId, Lease, TurnOutcome, Verdict};
use repose_core::signal::Source;
use repose_hold::{Entry, How, Journal, Submitted};
use rustix::process::{Pid, Signal, kill_process};

use crate::world::{self, World};

const SOFT: Freeze = Freeze { interrupt: false, must_resume: false, id: FreezeId(7) };

#[tokio::test]
async fn an_end_leaves_nothing_and_a_record() {
    let mut world = World::of_script("read x");
    let (client, mut pushed) = world.client().await;
    let state = world::state(&client, "an open session", |state| state.view.ready_for_ask.is_ok()).await;
    assert_eq!(state.plan["why"], "first");
    let engine = state.engine_pid.unwrap();
    assert_eq!(client.freeze(SOFT).await.unwrap(), Verdict::Frozen(Vec::new()));
    let ended = client.end(EndIf::Always).await.unwrap();
    assert_eq!(ended.how, How::Ended);
    assert!(ended.left.is_empty());
    assert!(ended.freed.unwrap().bytes > 0, "{ended:?}");
    assert!(!world::alive(&engine.to_string()));
    assert!(matches!(
        world::entry(&mut pushed).await.entry,
        Entry::Fact(Fact::Confirmed { source: Source::New, .. }) | Entry::Ended(_)
    ));
    let Journal::Entries(entries) = client.journal_from(0).await.unwrap() else { panic!("a gap") };
    assert!(matches!(entries.last().unwrap().entry, Entry::Ended(_)));
    client.commit(entries.last().unwrap().seq).await.unwrap();
    assert_eq!(world.over().await, ended);
    assert!(!repose_hold::socket_path(&world.dir).exists());
}

#[tokio::test]
async fn invariant_05_an_end_whose_freeze_has_lapsed_is_refused() {
    let mut world = World::of_script("read x");
    let (client, _pushed) = world.client().await;
    world::state(&client, "an open session", |state| state.view.ready_for_ask.is_ok()).await;
    client.freeze(SOFT).await.unwrap();
    client.thaw().await.unwrap();
    assert!(client.end(EndIf::StillFrozen(SOFT.id)).await.unwrap_err().is_thawed());
    let again = Freeze { id: FreezeId(8), ..SOFT };
    client.freeze(again).await.unwrap();
    assert!(client.end(EndIf::StillFrozen(SOFT.id)).await.unwrap_err().is_thawed());
    assert_eq!(client.end(EndIf::StillFrozen(again.id)).await.unwrap().how, How::Ended);
    drop(client);
    world.over().await;
}

#[tokio::test]
async fn what_ignores_signals_or_left_its_session_goes_too() {
    let mut world = World::of_script(
        "trap '' HUP TERM INT
         (trap '' HUP TERM; while :; do sleep 1; done) & echo $! > $HOME/deaf
         setsid sh -c 'trap \"\" HUP TERM; echo $$ > $HOME/left; while :; do sleep 1; done' &
         echo $$ > $HOME/own
         while :; do sleep 1; done",
    );
    let file = |name: &str| world.home.path().join(name);
    let read = |name: &str| fs::read_to_string(file(name)).unwrap_or_default();
    world::until("all to run", || ["deaf", "left", "own"].iter().all(|name| read(name).ends_with('\n')))
        .await;
    let pids: Vec<String> = ["deaf", "left", "own"].iter().map(|name| read(name)).collect();
    assert!(pids.iter().all(|pid| world::alive(pid)));
    let (client, _pushed) = world.client().await;
    let ended = client.end(EndIf::Always).await.unwrap();
    assert!(ended.left.is_empty());
    assert!(pids.iter().all(|pid| !world::alive(pid)), "{pids:?}");
    drop(client);
    world.over().await;
}

#[tokio::test]
async fn an_engine_that_ends_by_itself_leaves_its_last_words() {
    let mut world = World::of_script("echo 'Error: no such luck'; sleep 0.1; exit 3");
    let ended = world.over().await;
    let How::Exited { code: Some(3), signal: None, words } = ended.how else { panic!("{ended:?}") };
    assert_eq!(words, "Error: no such luck");
    let repose_hold::journal::Since::Entries(entries) = repose_hold::journal::read(&world.dir, 0).unwrap()
    else {
        panic!("a gap")
    };
    assert!(matches!(entries.last().unwrap().entry, Entry::Ended(_)));
}

#[tokio::test]
async fn an_engine_that_cannot_start_is_an_end_with_the_reason() {
    let mut world = World::with("", |spec| spec.program = "/nowhere/engine".into());
    let ended = world.over().await;
    let How::Failed { words } = ended.how else { panic!("{ended:?}") };
    assert!(words.contains("/nowhere/engine"), "{words}");
}

#[tokio::test]
async fn an_engine_whose_folder_is_gone_does_not_start_elsewhere() {
    let mut world = World::with("true", |spec| spec.cwd = "/nowhere/repo".into());
    let ended = world.over().await;
    let How::Failed { words } = ended.how else { panic!("{ended:?}") };
    assert!(words.contains("/nowhere/repo"), "{words}");
}

#[tokio::test]
async fn an_ask_is_typed_answered_and_told() {
    let world = World::with("", |spec| spec.args = vec!["-i".into()]);
    let (client, mut pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    let ask = AskId::new("a1");
    assert_eq!(client.submit(&ask, "echo forty-$((6*7))").await.unwrap(), Submitted::Accepted);
    assert!(matches!(client.submit(&AskId::new("a2"), "echo more").await.unwrap(), Submitted::NotNow(_)));
    let answer = loop {
        if let Entry::Fact(Fact::TurnOver { ask, outcome, .. }) = world::entry(&mut pushed).await.entry {
            assert_eq!(ask, Some(AskId::new("a1")));
            break outcome;
        }
    };
    let TurnOutcome::Answered(text) = answer else { panic!("{answer:?}") };
    assert!(text.contains("forty-42"), "{text}");
    assert!(matches!(client.submit(&ask, "\u{7}").await.unwrap(), Submitted::Unfit(_)));
}

#[tokio::test]
async fn work_is_not_ended_without_a_word() {
    let world = World::with("", |spec| spec.args = vec!["-i".into()]);
    let (client, mut pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    client.submit(&AskId::new("a1"), "sleep 600").await.unwrap();
    world::state(&client, "work", |state| !state.view.holds.is_empty()).await;
    let Verdict::Held(holds) = client.freeze(SOFT).await.unwrap() else { panic!("it works") };
    assert!(!holds.is_empty());
    client.thaw().await.unwrap();
    let insists = Freeze { interrupt: true, ..SOFT };
    assert!(matches!(client.freeze(insists).await.unwrap(), Verdict::Frozen(holds) if !holds.is_empty()));
    let ended = client.end(EndIf::Always).await.unwrap();
    assert!(ended.left.is_empty());
    assert_eq!(world::end(&mut pushed).await, How::Ended);
}

#[tokio::test]
async fn invariant_05_a_turn_that_a_shutdown_cuts_off_is_not_told_as_interrupted_by_somebody() {
    let world = World::with("", |spec| spec.args = vec!["-i".into()]);
    let (client, mut pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    client.submit(&AskId::new("a1"), "sleep 600").await.unwrap();
    while !matches!(world::entry(&mut pushed).await.entry, Entry::Fact(Fact::Taken { .. })) {}
    let holder = Pid::from_raw(world.holder.id().try_into().unwrap()).unwrap();
    kill_process(holder, Signal::TERM).unwrap();
    let over = world::entry(&mut pushed).await.entry;
    let Entry::Fact(Fact::TurnOver { ask: Some(_), outcome, .. }) = over else { panic!("{over:?}") };
    assert_eq!(outcome, TurnOutcome::EngineEnded);
    assert_eq!(world::end(&mut pushed).await, How::Ended);
}

#[tokio::test]
async fn an_idle_session_is_let_go_and_a_lease_keeps_it() {
    let mut world = World::with("read x", |spec| {
        spec.params.policy.idle_after = std::time::Duration::from_secs(1);
    });
    let (client, pushed) = world.client().await;
    client.lease(Lease::Client, true).await.unwrap();
    let state = world::state(&client, "a hold", |state| !state.view.holds.is_empty()).await;
    assert_eq!(state.view.reap_at, None);
    client.lease(Lease::Client, false).await.unwrap();
    drop((client, pushed));
    let ended = world.over().await;
    assert!(matches!(ended.how, How::Reaped { .. }), "{ended:?}");
    assert!(ended.freed.unwrap().bytes > 0);
}

#[tokio::test]
async fn a_dead_holders_tree_can_be_ended() {
    let mut world = World::of_script("trap '' HUP; while :; do sleep 1; done");
    let (client, _pushed) = world.client().await;
    world::until("the tree", || !repose_hold::leftovers(&world.dir).is_empty()).await;
    let engine = client.state().await.unwrap().engine_pid.unwrap();
    world.holder.kill().unwrap();
    world.holder.wait().unwrap();
    let left = repose_hold::leftovers(&world.dir);
    assert!(left.iter().any(|process| process.pid == engine), "{left:?}");
    // The same pids, stored before the machine was rebooted, are other processes' by now.
    let kept = std::fs::read_to_string(world.dir.join("tree")).unwrap();
    let boot = repose_sys::clock::boot().unwrap_or_default();
    std::fs::write(world.dir.join("tree"), kept.replace(&boot, "another run")).unwrap();
    assert!(boot.is_empty() || repose_hold::leftovers(&world.dir).is_empty(), "{kept}");
    std::fs::write(world.dir.join("tree"), kept).unwrap();
    assert!(repose_sys::end::these(&left, world::DEADLINE).left.is_empty());
    assert!(repose_hold::leftovers(&world.dir).is_empty());
}

/// An engine that shows an input line once there is a file `draw` and again when it is to end, and records its
/// input.
const LATE: &str = r#"
stty raw -echo; exec 3<&0; (trap '' HUP; exec cat <&3 >got) &
trap 'echo "Type your message"; touch ending' HUP
ready
until [ -e draw ]; do sleep 0.05; done
echo "Type your message"; touch drawn
until [ -e ending ]; do sleep 0.05; done
echo "Type your message"; sleep 0.5
"#;

#[tokio::test]
async fn invariant_06_what_is_frozen_or_ends_is_typed_nothing() {
    let mut world = World::like_gemini(LATE);
    let (client, mut pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    client.submit(&AskId::new("a1"), "what is it?").await.unwrap();
    let insists = Freeze { interrupt: true, ..SOFT };
    assert!(matches!(client.freeze(insists).await.unwrap(), Verdict::Frozen(holds) if !holds.is_empty()));
    let file = |name: &str| world.home.path().join(name);
    std::fs::write(file("draw"), "").unwrap();
    world::until("the input line", || file("drawn").exists()).await;
    client.end(EndIf::StillFrozen(insists.id)).await.unwrap();
    assert_eq!(world::end(&mut pushed).await, How::Ended);
    assert!(file("ending").exists(), "it was asked to end");
    assert_eq!(std::fs::read_to_string(file("got")).unwrap(), "");
    world.over().await;
}
