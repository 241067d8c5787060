//! Every change, written and read back, also from the reopened file.

use std::time::Duration;

use repose_core::ask::{Ask, Stage};
use repose_core::continuity::{Continuity, Outcome, Plan, Reason};
use repose_core::conversation::{Fork, Loss, OnDisk, Turns};
use repose_core::ids::{AskId, ConversationId, EngineName, PromptId, RepoId};
use repose_core::memory::Measured;
use repose_core::repo::{Change, Freed, Intent, Purpose, Stored};
use repose_core::time::Wall;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_core::work::{Named, OnWork};

use super::{NOW, World, ask, claude, conversation, conversation_with, first, freed, resumed, session};
use crate::store::{LogWhat, SessionRow};

fn reasons() -> Vec<Reason> {
    vec![
        Reason::AskedFor,
        Reason::EngineKeepsNone { engine: "Shell".into() },
        Reason::First,
        Reason::EngineSwitched { from: "Shell".into() },
        Reason::NeverGotATurn,
        Reason::AgeUnknown,
        Reason::TooOld { age: Duration::from_secs(5 * 86_400) },
        Reason::FileGone,
        Reason::FileUnreadable { file: Some("/t.jsonl".into()) },
        Reason::FileBlank { file: None },
        Reason::EngineStartedNew,
        Reason::EngineLostIt,
        Reason::WouldBeLost(Loss { engine: "Gemini CLI".into(), remedy: "Set it to false".into() }),
        Reason::EngineCopiesNone { engine: "Helper".into() },
    ]
}

#[test]
fn a_repo_that_was_just_added_has_nothing() {
    let mut world = World::new();
    let nothing = Stored {
        intent: Intent::Open,
        conversation: None,
        continuity: None,
        untold: false,
        interrupted: Vec::new(),
        fresh_next: false,
        last_fork: None,
        asks: Vec::new(),
        pinned: false,
        freed: None,
    };
    assert_eq!(world.stored(), nothing);
}

#[test]
fn every_intent() {
    let mut world = World::new();
    let purposes = [
        Purpose::Pause,
        Purpose::Stop,
        Purpose::Fresh,
        Purpose::Fork(None),
        Purpose::Fork(Some(ConversationId::new("c-8"))),
        Purpose::FreshAsk(AskId::new("a-1")),
        Purpose::Switch(ConversationId::new("c-9")),
        Purpose::Remove,
    ];
    let leaving = purposes.into_iter().flat_map(|purpose| {
        let named = OnWork::InterruptAtMost(Named::from_text("turn 7\nasked a-2"));
        [OnWork::Refuse, named, OnWork::Interrupt].map(|on_work| Intent::Ending {
            session: session("s-1"),
            purpose: purpose.clone(),
            on_work,
        })
    });
    for intent in leaving.chain([Intent::Paused { since: NOW }, Intent::Open]) {
        world.apply(Change::Intent(intent.clone()));
        assert_eq!(world.stored().intent, intent);
    }
}

#[test]
fn the_current_conversation_replaces_the_one_before_which_stays_listed() {
    let mut world = World::new();
    let mut older = conversation("c-1");
    older.last_turn = Some(Wall(5));
    let mut begun = conversation("c-2");
    (begun.last_turn, begun.context_tokens, begun.transcript, begun.on_disk) =
        (None, None, None, OnDisk::Gone);
    world.apply(Change::Current(older.clone()));
    world.apply(Change::Current(begun.clone()));
    assert_eq!(world.stored().conversation, Some(begun.clone()));

    let newest = conversation("c-3");
    world.apply(Change::Known(newest.clone()));
    older.turns = Turns::Uncounted;
    world.apply(Change::Known(older.clone()));
    assert_eq!(world.stored().conversation, Some(begun.clone()));
    let repo = world.repo.clone();
    let listed = world.same_reopened(|store| store.conversations(&repo).unwrap());
    assert_eq!(listed, [(newest, false), (older.clone(), false), (begun, true)]);

    world.apply(Change::Current(older.clone()));
    assert_eq!(world.stored().conversation, Some(older));
}

#[test]
fn there_is_a_current_conversation_with_each_engine() {
    let mut world = World::new();
    let other = |id| conversation_with(EngineName::new("another"), id);
    world.apply(Change::Current(other("c-1")));
    assert_eq!(world.stored().conversation, Some(other("c-1")), "there is none with its own engine");
    world.apply(Change::Current(conversation("c-1")));
    world.apply(Change::Current(other("c-2")));
    assert_eq!(world.stored().conversation, Some(conversation("c-1")));
    let listed = world.store.conversations(&world.repo).unwrap();
    assert_eq!(listed.iter().filter(|(_, current)| *current).count(), 2);
}

#[test]
fn every_continuity_which_confirms_the_newest_session() {
    let mut world = World::new();
    world.apply(Change::SessionBegins { session: session("s-1"), plan: first() });
    world.apply(Change::SessionBegins { session: session("s-2"), plan: first() });
    let fresh = reasons().into_iter().map(Outcome::Fresh);
    for outcome in fresh.chain([
        Outcome::WentOver { picked_up: true },
        Outcome::WentOver { picked_up: false },
        Outcome::Resumed { idle: None },
        Outcome::Forked { idle: None },
        resumed().outcome,
    ]) {
        let continuity = Continuity { outcome, ..resumed() };
        world.apply(Change::Continuity(continuity.clone()));
        assert_eq!(world.stored().continuity, Some(continuity));
    }
    let confirmed: Vec<bool> =
        world.store.sessions().unwrap().into_iter().map(|session| session.confirmed).collect();
    assert_eq!(confirmed, [false, true]);
}

#[test]
fn the_small_ones() {
    let mut world = World::new();
    let work = vec!["a turn".to_owned(), "a half-typed line".to_owned()];
    for yes in [true, false] {
        let work = if yes { work.clone() } else { Vec::new() };
        world.apply(Change::Untold(yes));
        world.apply(Change::FreshNext(yes));
        world.apply(Change::Pinned(yes));
        world.apply(Change::Interrupted(work.clone()));
        let fork = Fork { id: ConversationId::new(format!("copy {yes}")), of: ConversationId::new("one") };
        world.apply(Change::Forked(fork.clone()));
        let stored = world.stored();
        assert_eq!(
            (stored.untold, stored.fresh_next, stored.pinned, stored.interrupted, stored.last_fork),
            (yes, yes, yes, work, Some(fork))
        );
    }
}

#[test]
fn an_ask_at_every_stage() {
    let mut world = World::new();
    let trouble = Trouble::new(Code::TurnFailed, "The model said no.", ["Ask again."]);
    let taken =
        |prompt: Option<&str>| Stage::Taken { session: session("s-1"), prompt: prompt.map(PromptId::new) };
    let stages = [
        Stage::Waiting,
        Stage::Submitted(session("s-1")),
        taken(None),
        taken(Some("p-1")),
        Stage::Waiting,
        Stage::Over(Ok("An answer.\n".into())),
        Stage::Over(Err(trouble)),
    ];
    for stage in stages {
        let mut now = ask("a-1", stage);
        now.told = Some(resumed());
        world.apply(Change::Ask(now.clone()));
        let row = world.same_reopened(|store| store.ask(&AskId::new("a-1")).unwrap().unwrap());
        assert_eq!((&row.repo, &row.ask), (&world.repo, &now));
        let waits = if matches!(now.stage, Stage::Over(_)) { Vec::new() } else { vec![now] };
        assert_eq!(world.stored().asks, waits);
    }
}

#[test]
fn asks_that_wait_stay_in_the_order_of_asking() {
    let mut world = World::new();
    for id in ["a-3", "a-1", "a-2"] {
        world.apply(Change::Ask(ask(id, Stage::Waiting)));
    }
    world.apply(Change::Ask(ask("a-3", Stage::Submitted(session("s-1")))));
    let ids: Vec<_> = world.stored().asks.into_iter().map(|ask| ask.id.to_string()).collect();
    assert_eq!(ids, ["a-3", "a-1", "a-2"]);
    world.apply(Change::AskGone(AskId::new("a-1")));
    assert_eq!(world.stored().asks.len(), 2);
    assert_eq!(world.store.ask(&AskId::new("a-1")).unwrap(), None);
    world.apply(Change::AskGone(AskId::new("a-1")));
    let logged = world.store.log(&world.repo, None, 10).unwrap();
    let back =
        LogWhat::TakenBack { ask: AskId::new("a-1"), asked: words::line(&ask("a-1", Stage::Waiting).text) };
    assert_eq!(logged.iter().filter(|row| row.what == back).count(), 1, "{logged:?}");
}

#[test]
fn what_is_written_late_is_logged_with_the_time_at_which_it_happened() {
    let world = World::new();
    let (at, over) = (Wall(NOW.0 - 60_000), Wall(NOW.0 - 5_000));
    world.apply(Change::Ask(Ask { at, ..ask("a-1", Stage::Waiting) }));
    world.apply(Change::Ask(Ask { at, over: Some(over), ..ask("a-1", Stage::Over(Ok("42".into()))) }));
    let times: Vec<Wall> =
        world.store.log(&world.repo, None, 10).unwrap().into_iter().map(|row| row.at).collect();
    assert_eq!(times, [at, over]);
}

#[test]
fn an_ask_is_logged_when_it_comes_and_when_it_is_over_and_only_once() {
    let world = World::new();
    let answered = Stage::Over(Ok("42".into()));
    for stage in [Stage::Waiting, Stage::Submitted(session("s-1")), answered.clone(), answered] {
        world.apply(Change::Ask(ask("a-1", stage)));
    }
    let trouble = Trouble::new(Code::Stopped, "Somebody stopped it.", ["Ask again."]);
    world.apply(Change::Ask(ask("a-2", Stage::Over(Err(trouble)))));
    let logged: Vec<_> =
        world.store.log(&world.repo, None, 10).unwrap().into_iter().map(|row| row.what).collect();
    let text = ask("a-1", Stage::Waiting).text;
    let (one, two) = (AskId::new("a-1"), AskId::new("a-2"));
    let expected = [
        LogWhat::Asked { ask: one.clone(), text: text.clone() },
        LogWhat::Answered { ask: one, text: "42".into() },
        LogWhat::Asked { ask: two.clone(), text },
        LogWhat::Failed { ask: two, code: "stopped".into(), sentence: "Somebody stopped it.".into() },
    ];
    assert_eq!(logged, expected);
}

#[test]
fn a_session_from_its_begin_to_its_end() {
    let mut world = World::new();
    let fork = Plan::Fork { conversation: ConversationId::new("c-1"), idle: Some(Duration::from_secs(9)) };
    let resume = |idle| Plan::Resume { conversation: ConversationId::new("c-1"), idle };
    let plans = reasons().into_iter().map(Plan::Fresh).chain([
        resume(None),
        resume(Some(Duration::from_secs(9))),
        fork,
    ]);
    for plan in plans {
        world.apply(Change::SessionBegins { session: session("s-1"), plan: plan.clone() });
        world.store.committed(&session("s-1"), 17).unwrap();
        world.store.committed(&session("s-1"), 4).unwrap();
        let repo = world.repo.clone();
        let row =
            SessionRow { session: session("s-1"), repo, plan, begun: NOW, confirmed: false, committed: 17 };
        assert_eq!(world.same_reopened(|store| store.sessions().unwrap()), [row]);
        world.apply(Change::SessionOver { session: session("s-1"), freed: None });
        assert_eq!(world.same_reopened(|store| store.sessions().unwrap()), []);
    }
    assert_eq!(world.stored().freed, None);
}

#[test]
fn what_the_last_end_gave_back_is_kept_and_an_older_number_is_not() {
    let mut world = World::new();
    let rss = Freed { measured: Measured::Rss, ..freed() };
    for freed in [Some(freed()), None, Some(rss)] {
        world.apply(Change::SessionBegins { session: session("s-1"), plan: first() });
        world.apply(Change::SessionOver { session: session("s-1"), freed });
        assert_eq!(world.stored().freed, freed);
    }
}

#[test]
fn what_was_freed_before_the_machine_started_anew_is_forgotten() {
    let mut world = World::new();
    let over = Change::SessionOver { session: session("s-1"), freed: Some(freed()) };
    world.store.of_boot("the first").unwrap();
    world.apply(over.clone());
    world.store.of_boot("the first").unwrap();
    assert_eq!(world.stored().freed, Some(freed()));
    world.store.of_boot("the second").unwrap();
    assert_eq!(world.stored().freed, None);
    world.apply(over);
    assert_eq!(world.stored().freed, Some(freed()));
}

#[test]
fn a_removed_repo_leaves_nothing_and_takes_nothing_more() {
    let mut world = World::new();
    let other = RepoId::new("r-2");
    world.store.add_repo(&other, "other", std::path::Path::new("/srv/other"), &claude(), NOW).unwrap();
    world.apply(Change::Current(conversation("c-1")));
    world.apply(Change::Ask(ask("a-1", Stage::Waiting)));
    world.apply(Change::SessionBegins { session: session("s-1"), plan: first() });
    world.apply(Change::Removed);
    assert_eq!(world.same_reopened(|store| store.repos().unwrap().len()), 1);
    assert_eq!(world.store.sessions().unwrap(), []);
    assert_eq!(world.store.ask(&AskId::new("a-1")).unwrap(), None);
    assert_eq!(world.store.conversations(&world.repo).unwrap(), []);
    assert_eq!(world.store.log(&world.repo, None, 10).unwrap(), []);
    world.apply(Change::Removed);
    for late in [
        Change::Pinned(true),
        Change::Intent(Intent::Open),
        Change::Ask(ask("a-2", Stage::Waiting)),
        Change::Known(conversation("c-1")),
    ] {
        assert!(world.store.apply(&world.repo, std::slice::from_ref(&late), NOW).is_err(), "{late:?}");
    }
}

#[test]
fn the_changes_of_one_event_are_on_the_disk_together_or_not_at_all() {
    let mut world = World::new();
    world.apply(Change::SessionBegins { session: session("s-1"), plan: first() });
    let confirmed = [
        Change::Continuity(resumed()),
        Change::Untold(true),
        Change::FreshNext(true),
        Change::Current(conversation("c-1")),
    ];
    let mut refused = confirmed.to_vec();
    refused.push(Change::Removed);
    refused.push(Change::Pinned(true)); // there is no such repo by now
    assert!(world.store.apply(&world.repo, &refused, NOW).is_err());
    let nothing = world.stored();
    assert_eq!((nothing.continuity, nothing.untold, nothing.fresh_next), (None, false, false));
    assert!(!world.store.sessions().unwrap()[0].confirmed);
    world.store.apply(&world.repo, &confirmed, NOW).unwrap();
    let all = world.stored();
    assert_eq!((all.continuity, all.untold, all.fresh_next), (Some(resumed()), true, true));
    assert!(world.store.sessions().unwrap()[0].confirmed);
}
