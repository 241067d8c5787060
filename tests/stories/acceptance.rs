//! What every engine must do: the same stories, run on each of the real programs.
//!
//! If an engine can't do something, the story says so for it, and so does the table in the docs.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ends_of_turns::{
    a_permission_is_waited_for_and_what_is_denied_is_not_done,
    a_turn_that_is_interrupted_or_fails_is_told_and_the_next_is_answered,
};
use super::own_files::the_users_own_hooks_run_and_their_settings_stay;
use crate::support::World;
use crate::support::engines::Under;
use crate::support::processes::Process;

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
    a_turn_that_is_interrupted_or_fails_is_told_and_the_next_is_answered,
    an_earlier_prompt_in_its_line_is_not_sent_with_an_ask,
    a_text_arrives_as_it_is_whatever_its_last_word_could_be_completed_to,
    a_text_in_any_script_arrives_however_it_is_drawn,
    a_permission_is_waited_for_and_what_is_denied_is_not_done,
    a_folder_that_it_does_not_know_waits_for_the_users_word,
    what_it_leaves_running_holds_it,
    a_killed_runner_loses_no_answer,
    an_engine_or_a_holder_that_is_killed_in_mid_turn_loses_no_conversation,
    a_conversation_that_is_open_elsewhere_is_not_opened,
    a_conversation_that_is_gone_or_unknown_is_said,
    one_that_is_begun_in_its_terminal_is_followed,
    the_users_own_hooks_run_and_their_settings_stay,
];

fn code(asked: &Value) -> &str {
    asked["continuity"]["code"].as_str().unwrap_or_else(|| panic!("no continuity: {asked:#}"))
}

fn conversation(json: &Value) -> &str {
    json["repo"]["conversation"]["id"].as_str().unwrap_or_else(|| panic!("no conversation: {json:#}"))
}

/// The shell's own form of what the others say with a model: an echo.
pub(super) fn says(under: Under, words: &str) -> String {
    if under == Under::Shell { format!("echo '{words}'") } else { words.to_owned() }
}

fn picks_up_after_it_was_let_go(under: Under) {
    let world = World::under(under, "idle_after = \"3s\"\n");
    let first = world.ask(&says(under, "remember the word marzipan"));
    let engine = world.the_engine("work");
    // Lines as another system ends them, and characters that show nothing.
    let same = world.ask(&says(under, "still\r\nthere,\ror\u{200b} \u{feff}not?"));
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

    let fresh = world.ok(&["fresh", "work"]);
    // A program may be at work for a moment as it begins; its end is refused then.
    let third = world.eventually("the fresh ask", || {
        let asked = world.repose(&["ask", "work", "hello again", "--fresh"]);
        (asked.json["error"]["code"] != "work_would_be_lost").then(|| asked.ok())
    });
    for told in [&fresh["repo"], &third] {
        assert_eq!(told["continuity"]["sentence"], "Started fresh: you asked for a fresh start.", "{told:#}");
    }
    let sent = world.model.wait_for("the fresh turn", |request| request.text == "hello again");
    assert!(!sent.mentions("praline"), "{sent:#?}");
    let listed = world.ok(&["conversations", "work"]).to_string();
    let ids = [&first, &second, &third].map(conversation);
    assert!(ids.iter().all(|id| listed.contains(id)) && ids[2] != ids[0] && ids[2] != ids[1], "{listed}");
}

fn pause_keeps_the_conversation_and_refuses_until_resume(under: Under) {
    let world = World::under(under, "");
    world.ok(&["resume", "work"]);
    let refused = || {
        let error = world.repose(&["pause", "work"]).refused(3, "not_resumable");
        assert!(error["hints"].to_string().contains("stop"), "{error:#}");
    };
    // Nothing was asked yet: there is nothing to come back to.
    refused();
    let first = world.ask(&says(under, "hello"));
    let tree = world.tree();
    assert_eq!(tree.first(), Some(&world.the_engine("work")), "{tree:#?}");
    if !under.keeps_conversations() {
        refused();
        assert!(tree.iter().all(|process| process.alive()));
        return;
    }
    let paused = world.ok(&["pause", "work"]);
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    assert!(world.tree().is_empty() && paused["freed_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    world.repose(&["ask", "work", "x"]).refused(3, "paused");
    let mut terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("repose resume work");
    assert_eq!(terminal.wait_ended(), 3);
    let back = world.ok(&["resume", "work"]);
    assert_eq!(
        (conversation(&back), &back["repo"]["continuity"]["kind"]),
        (conversation(&first), &"resumed".into())
    );
    world.ask("again");
}

fn an_earlier_prompt_in_its_line_is_not_sent_with_an_ask(under: Under) {
    let world = World::under(under, "");
    world.ask(&says(under, "MD{earlier}"));
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("MD{earlier}");
    // A terminal's own line has no earlier ones: the keys stand there.
    let brought = if under == Under::Shell { "^[[A" } else { "MD{earlier}" };
    let before = terminal.screen().matches(brought).count();
    terminal.type_("\x1b[A");
    terminal.wait("it to stand in the line", |screen| screen.matches(brought).count() > before);
    terminal.type_("\x1b[H");
    let holds = world.status("work")["holds"].to_string();
    assert!(!holds.contains("typing"), "nobody typed it: {holds}");
    let asked = world.ask(&says(under, "MD{alone}"));
    let answer = asked["answer"].as_str().expect("an answer");
    assert!(answer.contains("alone") && !answer.contains("not found"), "{asked:#}");
    if under != Under::Shell {
        world.model.wait_for("the ask alone", |request| request.text.trim() == "MD{alone}");
    }
}

fn a_text_arrives_as_it_is_whatever_its_last_word_could_be_completed_to(under: Under) {
    if under == Under::Shell {
        return; // It completes nothing on Enter.
    }
    let world = World::under(under, "");
    let repo = world.repo("work");
    std::fs::create_dir(repo.join("src")).expect("a writable repo");
    std::fs::write(repo.join("src/main.rs"), "fn main() {}\n").expect("a writable repo");
    std::fs::write(repo.join("notes.md"), "salt\n").expect("a writable repo");
    let inside = [
        "explain @src/main.rs",
        "what is in @notes.md",
        "list @src/",
        "@notes.md",
        "and src/",
        "C:\\",
        "a@b",
    ];
    // Gemini CLI asks first.
    let outside = if under == Under::Gemini { &[][..] } else { &["look at @/etc/hosts", "list @/etc/"] };
    for text in inside.iter().chain(outside) {
        world.ask(text);
        // Gemini CLI says so of a folder; some send a file's content with it, in further lines.
        let whole = format!("{text}**");
        let said = |line: &str| line.trim() == *text || line.trim() == whole;
        world.model.wait_for(text, |request| {
            request.messages.iter().any(|(role, sent)| role == "user" && sent.lines().any(said))
        });
    }
}

fn a_text_in_any_script_arrives_however_it_is_drawn(under: Under) {
    let world = World::under(under, "");
    for text in [
        "\u{e14}\u{e39}\u{e17}\u{e35}\u{e48}\u{e19}\u{e49}\u{e33}\u{e02}\u{e36}\u{e49}\u{e19}",
        "\u{179f}\u{17bd}\u{179f}\u{17d2}\u{178f}\u{17b8}\u{1796}\u{17b7}\u{1797}\u{1796}\u{179b}\u{17c4}\u{1780}",
        "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{926}\u{941}\u{928}\u{93f}\u{92f}\u{93e}",
        "\u{645}\u{64e}\u{631}\u{62d}\u{628}\u{64b}\u{627} \u{628}\u{627}\u{644}\u{639}\u{627}\u{644}\u{645}",
        "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
        "cafe\u{301}",
        "\u{5e9}\u{5b8}\u{5c1}\u{5dc}\u{5d5}\u{5b9}\u{5dd}",
        "vi\u{1ec7}t \u{ff21}\u{ff22} \u{fb01}n \u{2460} \u{b2}",
        "\u{1f44d}\u{1f3fd} \u{1f1eb}\u{1f1f7}",
        "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{1f680}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f} 1\u{fe0f}\u{20e3}",
        "what is in\n\u{251c}\u{2500}\u{2500} src\n\u{2502}   \u{2514}\u{2500}\u{2500} main.rs\n\u{2514}\u{2500}\u{2500} notes.md",
        "a\tb",
        "\u{251c}\u{2500}\u{2500}",
        "?",
        "!!",
        "*",
        ">",
        "\u{2026}",
        "\u{1f914}",
    ] {
        let asked = world.ask(&says(under, text));
        if under == Under::Shell {
            // It is read from the screen, where a tab is space.
            assert_eq!(asked["answer"], text.replace('\t', "       "));
            continue;
        }
        let composed = match text {
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}" => "\u{d55c}\u{ae00}",
            "cafe\u{301}" => "caf\u{e9}",
            "a\tb" => "a    b",
            _ => text,
        };
        let sent = if under == Under::Claude { composed } else { text };
        world.model.wait_for(sent, |request| {
            request.messages.iter().any(|(role, all)| role == "user" && all.contains(sent))
        });
    }
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
    let left = commands(&world, "sleep 987");
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

fn an_engine_or_a_holder_that_is_killed_in_mid_turn_loses_no_conversation(under: Under) {
    let world = World::under(under, "");
    let first = world.ask(&says(under, "remember the word nougat"));
    std::fs::write(world.repo("work").join("notes"), "").expect("a writable repo");
    let text = if under == Under::Shell { "tail -f notes" } else { "RUN{tail -f notes} please" };
    for (number, who) in ["the engine", "the holder"].into_iter().enumerate() {
        let ask = world.start(&["ask", "work", text]);
        world.eventually("its command", || (!commands(&world, "tail -f notes").is_empty()).then_some(()));
        world.wait_state("work", "working");
        let tree = world.tree();
        let killed = if who == "the engine" { world.engines("work") } else { world.holders() };
        killed.iter().for_each(Process::kill);
        let error = ask.finish().refused(6, "engine_ended");
        assert!(error["message"].as_str().is_some_and(|told| told.contains("ended before")), "{error:#}");
        world.wait_state("work", "asleep");
        assert!(tree.iter().all(|process| !process.alive()), "{who}: {tree:#?}");
        let left = commands(&world, "tail -f notes");
        assert!(left.is_empty(), "{who}: {left:#?}");
        // A holder tells its end before it exits.
        world.eventually("its holder to exit", || world.holders().is_empty().then_some(()));

        let next = format!("after {who} was killed");
        let asked = world.ask(&says(under, &next));
        let log = world.ok(&["log", "work"]);
        let ends = |kind: &str| {
            let entries = log["entries"].as_array().expect("entries");
            entries.iter().filter(|entry| entry["kind"] == kind).count()
        };
        assert_eq!((ends("failed"), ends("answered")), (number + 1, number + 2), "each told once: {log:#}");
        if under.keeps_conversations() {
            assert_eq!((code(&asked), conversation(&asked)), ("resumed", conversation(&first)));
            let sent = world.model.wait_for("the turn", |request| request.prompt == next);
            assert!(sent.mentions("nougat"), "{sent:#?}");
        } else {
            assert_eq!(code(&asked), "engine_keeps_none");
        }
    }
}

fn one_that_is_begun_in_its_terminal_is_followed(under: Under) {
    if !under.keeps_conversations() {
        return; // It has none.
    }
    let world = World::under(under, "");
    let first = world.ask("remember the word truffle");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Reply 1 to");
    under.begins_another(&terminal);
    terminal.wait("nothing of the earlier one", |screen| !screen.contains("Reply 1 to"));
    drop(terminal);
    let second = world.ask("hello again");
    // The program may put its own note of the command before the prompt.
    let sent = world.model.wait_for("the turn after it", |request| request.prompt.ends_with("hello again"));
    assert!(!sent.mentions("truffle"), "{sent:#?}");
    let earlier = conversation(&first);
    world.wait("work", "the new conversation", |status| status["conversation"]["id"] != *earlier);
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(earlier), "{listed}");
    // Whoever asked didn't type that command.
    let told = &second["continuity"];
    assert_eq!((&told["kind"], &told["code"]), (&"fresh".into(), &"went_over".into()), "{second:#}");
    assert_eq!(world.ask("and again")["continuity"], serde_json::Value::Null, "it is told once");
}

/// The processes of a world that run this command, and not those that only name it.
fn commands(world: &World, command: &str) -> Vec<Process> {
    world.processes().into_iter().filter(|process| process.command == command).collect()
}

fn a_conversation_that_is_open_elsewhere_is_not_opened(under: Under) {
    if !under.keeps_conversations() {
        return; // There is nothing that two could write.
    }
    let world = World::under(under, "");
    let first = world.ask("remember the word marzipan");
    // First while it is live here.
    let terminal = match under.locks_out() {
        Some(locked_out) => {
            let terminal = under.tries_outside(&world, conversation(&first));
            terminal.wait_for_text(locked_out);
            world.ask("and on it goes");
            drop(terminal);
            world.ok(&["stop", "work"]);
            under.outside(&world, conversation(&first))
        }
        None => {
            let terminal = under.outside(&world, conversation(&first));
            world.wait("work", "the trouble", |status| status["trouble"]["code"] == "owned_elsewhere");
            world.repose(&["ask", "work", "x"]).refused(3, "owned_elsewhere");
            world.ok(&["stop", "work"]);
            terminal
        }
    };
    for verb in [&["ask", "work", "x"][..], &["resume", "work"]] {
        let error = world.repose(verb).refused(3, "owned_elsewhere");
        let message = error["message"].as_str().expect("a sentence");
        assert!(message.contains(&terminal.pid().to_string()), "{message}");
    }
    assert!(world.holders().is_empty());

    // A copy goes on meanwhile.
    let copy = world.ok(&["fork", "work"]);
    assert_eq!(code(&copy["repo"]), "forked", "{copy:#}");
    let asked = world.ask("which word?");
    assert!(conversation(&asked) == conversation(&copy) && conversation(&copy) != conversation(&first));
    let sent = world.model.wait_for("the turn in the copy", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan"), "{sent:#?}");
    drop(terminal);
    let back = world.ok(&["resume", "work", "--conversation", conversation(&first)]);
    assert_eq!((code(&back["repo"]), conversation(&back)), ("resumed", conversation(&first)));
}

fn a_conversation_that_is_gone_or_unknown_is_said(under: Under) {
    if !under.keeps_conversations() {
        return; // It has none to lose.
    }
    let world = World::under(under, "");
    let first = world.ask("hello");
    let engine = world.the_engine("work");
    let error =
        world.repose(&["resume", "work", "--conversation", "nonsense"]).refused(3, "no_such_conversation");
    assert!(error["message"].as_str().is_some_and(|told| told.contains("nonsense")), "{error:#}");
    assert_eq!(
        (world.the_engine("work"), &world.status("work")["conversation"]["id"]),
        (engine, &conversation(&first).into())
    );
    world.ok(&["stop", "work"]);
    let lose = |asked: &Value| {
        let transcript = asked["repo"]["conversation"]["transcript"].as_str().expect("a transcript");
        under.lose(Path::new(transcript), conversation(asked));
    };
    lose(&first);
    let second = world.ask("again");
    assert_eq!(code(&second), "file_gone");
    assert_ne!(conversation(&second), conversation(&first));

    // It goes while the program starts, which then refuses it by itself.
    world.ok(&["stop", "work"]);
    let [begun, gate] = under.starts_late(&world, conversation(&second));
    let ask = world.start(&["ask", "work", "and once more"]);
    world.eventually("the program's start", || begun.exists().then_some(()));
    lose(&second);
    std::fs::remove_file(gate).expect("a file of our own");
    let third = ask.finish().ok();
    assert_eq!(code(&third), "file_gone");
    assert_ne!(conversation(&third), conversation(&second));
    let asked = world.model.requests().iter().filter(|request| request.prompt == "and once more").count();
    assert_eq!(asked, 1, "it is asked once");
}
