//! What every engine must do: the same stories, told to each of the real programs.
//!
//! Where an engine can't do something, the story says so for it, and the docs have the same in their table.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::World;
use crate::support::engines::Under;

/// Every story on every engine, each a test of its own: `acceptance::codex::…`.
macro_rules! stories {
    ($($story:ident),* $(,)?) => {
        stories!(@ claude, Under::Claude, $($story),*);
        stories!(@ codex, Under::Codex, $($story),*);
        stories!(@ opencode, Under::OpenCode, $($story),*);
        stories!(@ gemini, Under::Gemini, $($story),*);
        stories!(@ shell, Under::Shell, $($story),*);
    };
    (@ $engine:ident, $under:expr, $($story:ident),*) => {
        mod $engine {
            use crate::support::engines::Under;
            $(
                #[test]
                fn $story() {
                    super::$story($under);
                }
            )*
        }
    };
}

stories![
    picks_up_after_it_was_let_go,
    older_than_the_window_is_fresh_until_it_is_asked_for,
    pause_keeps_the_conversation_and_refuses_until_resume,
    pause_before_a_turn_is_refused,
    a_turn_is_interrupted_and_the_next_is_answered,
    a_failed_turn_is_told,
    a_permission_is_waited_for,
    a_folder_that_it_does_not_know_waits_for_the_users_word,
    what_it_leaves_running_holds_it,
    a_killed_runner_loses_no_answer,
    a_killed_holder_or_engine_loses_no_conversation,
    a_conversation_that_is_open_elsewhere_is_not_opened,
    a_conversation_that_is_gone_is_said,
    the_users_own_hooks_run_and_their_settings_stay,
];

fn code(asked: &Value) -> &str {
    asked["continuity"]["code"].as_str().unwrap_or_else(|| panic!("no continuity: {asked:#}"))
}

fn conversation(json: &Value) -> &str {
    json["repo"]["conversation"]["id"].as_str().unwrap_or_else(|| panic!("no conversation: {json:#}"))
}

/// A shell's own words for what the others say with a model: an echo.
fn says(under: Under, words: &str) -> String {
    if under == Under::Shell { format!("echo '{words}'") } else { words.to_owned() }
}

fn picks_up_after_it_was_let_go(under: Under) {
    let world = World::under(under, "idle_after = \"3s\"\n");
    let first = world.ask(&says(under, "remember the word marzipan"));
    let engine = world.the_engine("work");
    let same = world.ask(&says(under, "still there?"));
    assert_eq!(same["continuity"], Value::Null, "told once: {same:#}");
    assert_eq!(world.the_engine("work"), engine);
    let asleep = world.wait_state("work", "asleep");
    assert!(!engine.alive() && world.tree().is_empty(), "{:#?}", world.tree());
    assert!(asleep["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{asleep:#}");

    let back = world.ask(&says(under, "which word?"));
    if !under.keeps_conversations() {
        assert_eq!((code(&first), code(&back)), ("engine_keeps_none", "engine_keeps_none"));
        return;
    }
    assert_eq!((code(&first), code(&back)), ("first", "resumed"));
    assert_eq!(conversation(&back), conversation(&first));
    assert_eq!(back["repo"]["conversation"]["turns"], 3, "{back:#}");
    assert!(back["repo"]["conversation"]["context_tokens"].as_u64().is_some_and(|tokens| tokens > 0));
    let sent = world.model.wait_for("the third turn", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan"), "the model never got the earlier turn: {sent:#?}");
    let log = world.ok(&["log", "work"]).to_string();
    assert!(log.contains("which word?"), "{log}");
}

fn older_than_the_window_is_fresh_until_it_is_asked_for(under: Under) {
    if !under.keeps_conversations() {
        return picks_up_after_it_was_let_go(under);
    }
    let world = World::under(under, "idle_after = \"1s\"\nresume_within = \"4s\"\n");
    let first = world.ask("remember the word praline");
    let answered = Instant::now();
    world.wait_state("work", "asleep");
    world.eventually("the window to end", || (answered.elapsed().as_secs() >= 5).then_some(()));
    let second = world.ask("hello");
    assert_eq!(code(&second), "too_old");
    assert_ne!(conversation(&second), conversation(&first));

    world.wait_state("work", "asleep");
    let back = world.ok(&["resume", "work", "--conversation", conversation(&first)]);
    assert_eq!(
        (conversation(&back), &back["repo"]["continuity"]["kind"]),
        (conversation(&first), &"resumed".into())
    );
    world.ask("which word?");
    let sent = world.model.wait_for("the last turn", |request| request.text == "which word?");
    assert!(sent.mentions("praline"), "{sent:#?}");
}

fn pause_keeps_the_conversation_and_refuses_until_resume(under: Under) {
    let world = World::under(under, "");
    let first = world.ask(&says(under, "hello"));
    let tree = world.tree();
    if !under.keeps_conversations() {
        let error = world.repose(&["pause", "work"]).refused(3, "not_resumable");
        assert!(error["hints"].to_string().contains("stop"), "{error:#}");
        assert!(tree.iter().all(|process| process.alive()));
        return;
    }
    let paused = world.ok(&["pause", "work"]);
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    assert!(world.tree().is_empty() && paused["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    world.repose(&["ask", "work", "x"]).refused(3, "paused");
    world.repose(&["open", "work"]).refused(3, "paused");
    let back = world.ok(&["resume", "work"]);
    assert_eq!(
        (conversation(&back), &back["repo"]["continuity"]["kind"]),
        (conversation(&first), &"resumed".into())
    );
    world.ask("again");
}

fn pause_before_a_turn_is_refused(under: Under) {
    let world = World::under(under, "");
    world.ok(&["resume", "work"]);
    let engine = world.the_engine("work");
    let error = world.repose(&["pause", "work"]).refused(3, "not_resumable");
    assert!(error["hints"].to_string().contains("stop"), "{error:#}");
    assert!(engine.alive());
}

fn a_turn_is_interrupted_and_the_next_is_answered(under: Under) {
    let world = World::under(under, "");
    world.ask(&says(under, "hello"));
    let text = if under == Under::Shell { "sleep 987" } else { "HOLD{never} hello" };
    let ask = world.start(&["ask", "work", text]);
    if under != Under::Shell {
        world.model.wait_held("never");
    }
    world.wait_state("work", "working");
    world
        .repose(&["pause", "work"])
        .refused(3, if under == Under::Shell { "not_resumable" } else { "work_would_be_lost" });
    world.ok(&["interrupt", "work"]);
    if under == Under::Shell {
        // It says nothing of how a job ended: the answer is what the screen shows.
        ask.finish().ok();
    } else {
        ask.finish().refused(6, "turn_interrupted");
    }
    world.wait_state("work", "ready");
    world.ask(&says(under, "and now?"));
}

fn a_failed_turn_is_told(under: Under) {
    let world = World::under(under, "");
    if under == Under::Shell {
        let failed = world.ask("no-such-command-here");
        assert!(failed["answer"].as_str().is_some_and(|answer| answer.contains("not found")), "{failed:#}");
        return;
    }
    let error = world.repose(&["ask", "work", "FAIL{400} now"]).refused(6, "turn_failed");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("asked for")), "{error:#}");
}

fn a_permission_is_waited_for(under: Under) {
    let world = World::under(under, "");
    if under == Under::Shell {
        return; // It never asks.
    }
    let (dialog, yes) = under.asks_permission();
    world.ask("hello");
    let ask = world.start(&["ask", "work", "RUN{touch made-by-tool} please"]);
    world.wait_state("work", "waiting");
    // A hook says it before the engine shows it: a look in between finds a turn in progress.
    world.eventually("the permission among what would be lost", || {
        let error = world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
        error["message"].as_str().is_some_and(|words| words.contains("permission")).then_some(())
    });
    let terminal = world.terminal(&["open", "work"]);
    terminal.answer(dialog, yes);
    drop(terminal);
    ask.finish().ok();
    assert!(world.repo("work").join("made-by-tool").exists());
}

fn a_folder_that_it_does_not_know_waits_for_the_users_word(under: Under) {
    if under == Under::Shell {
        return; // It never asks.
    }
    let world = World::under(under, "");
    let folder = world.add_untrusted_repo("new");
    world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", under.name()]);
    let ask = world.start(&["ask", "new", "MD{trusted now}"]);
    // OpenCode never asks.
    if !under.asks_trust().is_empty() {
        let waiting = world.wait_state("new", "waiting");
        assert!(waiting["holds"].to_string().contains("trust"), "{waiting:#}");
        let terminal = world.terminal(&["open", "new"]);
        for (dialog, yes) in under.asks_trust() {
            terminal.answer(dialog, yes);
        }
    }
    assert_eq!(ask.finish().ok()["answer"], "trusted now");
}

fn what_it_leaves_running_holds_it(under: Under) {
    let world = World::under(under, "idle_after = \"2s\"\n");
    let text = if under == Under::Shell { "sleep 987 &" } else { "BG{sleep 987} please" };
    world.ask(text);
    world.wait("work", "a hold for it", |status| status["holds"].to_string().contains("sleep 987"));
    world.stays(Duration::from_secs(4), "it left something running", || {
        world.status("work")["state"] != "asleep"
    });
    let error = world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("sleep 987")), "{error:#}");
    world.ok(&["stop", "work", "--interrupt"]);
    assert!(world.tree().is_empty(), "{:#?}", world.tree());
    let left: Vec<_> =
        world.processes().into_iter().filter(|process| process.command.contains("sleep 987")).collect();
    assert!(left.is_empty(), "{left:#?}");
}

fn a_killed_runner_loses_no_answer(under: Under) {
    let mut world = World::under(under, "");
    world.ask(&says(under, "hello"));
    let engine = world.the_engine("work");
    let gate = world.repo("work").join("gate");
    let text = if under == Under::Shell {
        format!("while ! test -e {}; do sleep 0.1; done; echo late", gate.display())
    } else {
        "HOLD{gate} MD{late}".into()
    };
    let ask = world.start(&["ask", "work", &text]);
    world.wait_state("work", "working");
    world.kill_serve();
    ask.kill();
    world.serve();
    world.wait_state("work", "working");
    if under == Under::Shell {
        std::fs::write(&gate, "").expect("a writable repo");
    } else {
        world.model.wait_held("gate");
        world.model.release("gate");
    }
    world.wait_answered("work", "late");
    world.wait_state("work", "ready");
    assert_eq!(world.the_engine("work"), engine, "nothing was started anew");
}

fn a_killed_holder_or_engine_loses_no_conversation(under: Under) {
    let world = World::under(under, "");
    let first = world.ask(&says(under, "remember the word nougat"));
    let again = |text: &str| {
        let asked = world.ask(&says(under, text));
        if under.keeps_conversations() {
            assert_eq!((code(&asked), conversation(&asked)), ("resumed", conversation(&first)));
            let sent = world.model.wait_for("the turn", |request| request.text == text);
            assert!(sent.mentions("nougat"), "{sent:#?}");
        } else {
            assert_eq!(code(&asked), "engine_keeps_none");
        }
    };
    let engine = world.the_engine("work");
    engine.kill();
    world.wait("work", "its end", |status| status["state"] == "asleep");
    again("after the engine was killed");

    let (engine, tree) = (world.the_engine("work"), world.tree());
    world.holders().iter().for_each(|holder| holder.kill());
    world.wait("work", "its end", |status| status["state"] == "asleep");
    assert!(!engine.alive() && tree.iter().all(|process| !process.alive()), "{tree:#?}");
    again("after the holder was killed");
}

fn a_conversation_that_is_open_elsewhere_is_not_opened(under: Under) {
    if !under.keeps_conversations() {
        return; // There is nothing that two could write.
    }
    let world = World::under(under, "");
    let first = world.ask("hello");
    world.ok(&["stop", "work"]);
    let terminal = under.outside(&world, conversation(&first));
    for verb in [&["ask", "work", "x"][..], &["resume", "work"]] {
        let error = world.repose(verb).refused(3, "owned_elsewhere");
        let message = error["message"].as_str().expect("a sentence");
        assert!(message.contains(&terminal.pid().to_string()), "{message}");
    }
    assert!(world.holders().is_empty());
    drop(terminal);
    assert_eq!(code(&world.ask("again")), "resumed");
}

fn a_conversation_that_is_gone_is_said(under: Under) {
    if !under.keeps_conversations() {
        return; // It has none to lose.
    }
    let world = World::under(under, "");
    let first = world.ask("hello");
    world.ok(&["stop", "work"]);
    let transcript: PathBuf =
        first["repo"]["conversation"]["transcript"].as_str().expect("a transcript").into();
    under.lose(&transcript, conversation(&first));
    let second = world.ask("again");
    assert_eq!(code(&second), "file_gone");
    assert_ne!(conversation(&second), conversation(&first));
}

fn the_users_own_hooks_run_and_their_settings_stay(under: Under) {
    if under == Under::Shell {
        return; // It has no hooks.
    }
    let world = World::under(under, "");
    let told = world.home().join("told");
    let settings = under.own_hook(&world, &told);
    let before = std::fs::read_to_string(&settings).expect("the user's settings");
    world.ask("hello");
    world.eventually("the user's own hook", || told.exists().then_some(()));
    world.ok(&["stop", "work"]);
    // Programs add notes of their own to it.
    let after = std::fs::read_to_string(&settings).expect("the user's settings");
    assert!(after.starts_with(&before) && !after.contains("/programs/"), "{after}");
}
