//! Gemini CLI loses a conversation that is taken up, as it is set by default: what the bare program does, and that it can't
//! happen in a repo.

use std::path::{Path, PathBuf};

use crate::support::engines::Under;
use crate::support::{Terminal, World, gemini};

const ID: &str = "4b1c3f0e-6a2d-4c1b-9a5e-0d2f1e3c4b5a";

/// The program without Repose, and without its launcher, which would outlive its terminal by a moment.
fn bare(world: &World, args: &[&str]) -> Terminal {
    let mut env = world.env();
    env.push(("GEMINI_CLI_NO_RELAUNCH".into(), "true".into()));
    Terminal::start(&gemini::program(), args, &world.repo("work"), &env)
}

fn transcripts(world: &World) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(world.home().join(".gemini/tmp").join("work").join("chats"));
    folder.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Once this fails, the program is mended, and Repose may take its conversations up with any settings.
#[test]
fn by_default_the_bare_program_deletes_a_conversation_that_it_took_up() {
    let world = World::new();
    Under::Gemini.install(&world, world.engine().parent().expect("a folder"));
    gemini::tidies_up(&world.home());
    gemini::trust(&world.home(), &world.add_repo("work"));

    let first = bare(&world, &["--session-id", ID, "-i", "remember the word marzipan"]);
    first.wait_for_text("Reply 1 to");
    drop(first);
    let written = transcripts(&world);
    let [written] = written.as_slice() else { panic!("{written:?}") };
    // As if it had been begun in another minute: in the same one there is no second file.
    let real = written.with_file_name(format!("session-2026-01-02T03-04-{}.jsonl", &ID[..8]));
    std::fs::rename(written, &real).expect("a file of our own world");

    let again = bare(&world, &["--resume", ID]);
    again.wait_for_text("Reply 1 to");
    gemini::wait_taken_up(&world, ID);
    drop(again);
    assert_eq!((transcripts(&world).len(), real.exists()), (2, true), "a second file of the same id");

    let other = bare(&world, &[]);
    world.eventually("the loss of the conversation", || (!real.exists()).then_some(()));
    drop(other);
}

#[test]
fn a_conversation_that_was_begun_in_its_terminal_is_the_current_one_from_its_first_prompt_on() {
    let world = World::under(Under::Gemini, "");
    let first = world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Reply 1 to");
    terminal.type_("/clear");
    terminal.wait_for_text("Clear the screen");
    terminal.type_("\r");
    terminal.wait("the cleared screen", |screen| !screen.contains("Reply 1 to"));
    drop(terminal);
    let second = world.ask("MD{in a new one}");
    assert_eq!(second["answer"], "in a new one");
    let now =
        world.wait("work", "the new conversation", |status| status["conversation"]["id"] != *id(&first));
    let current = now["conversation"]["id"].as_str().expect("an id").to_owned();
    world.ok(&["pause", "work"]);
    assert_eq!(id(&world.ok(&["resume", "work"])), current);
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(id(&first)) && listed.contains(&current), "{listed}");
}

fn id(json: &serde_json::Value) -> &str {
    json["repo"]["conversation"]["id"].as_str().expect("a conversation")
}

fn transcript(json: &serde_json::Value) -> &Path {
    Path::new(json["repo"]["conversation"]["transcript"].as_str().expect("a transcript"))
}

#[test]
fn with_its_default_settings_no_conversation_is_lost_and_what_to_set_is_said() {
    const HINT: &str =
        "Set general.sessionRetention.enabled to false in ~/.gemini/settings.json, and it can be.";
    let world = World::under(Under::Gemini, "idle_after = \"2s\"\n");
    gemini::tidies_up(&world.home());
    let first = world.ask("remember the word marzipan");
    for (verb, code) in [("pause", "not_resumable"), ("fork", "not_resumable")] {
        let error = world.repose(&[verb, "work"]).refused(3, code);
        assert!(
            error["hints"].to_string().contains(HINT) || error["message"].to_string().contains(HINT),
            "{error:#}"
        );
    }
    let doctor = world.ok(&["doctor"]).to_string();
    assert!(doctor.contains("conversations work") && doctor.contains(HINT), "{doctor}");

    world.wait_state("work", "asleep");
    for args in [&["resume", "work"][..], &["resume", "work", "--conversation", id(&first)]] {
        let error = world.repose(args).refused(3, "not_resumable");
        assert!(error.to_string().contains(HINT.trim_end_matches('.')), "{error:#}");
    }
    assert!(world.holders().is_empty());
    let second = world.ask("hello again");
    assert_eq!(
        second["continuity"]["sentence"],
        format!(
            "Started fresh: Gemini CLI would delete the previous conversation if it were resumed. {HINT}"
        )
    );
    world.wait_state("work", "asleep");
    let outside = bare(&world, &["-i", "hello from outside"]);
    outside.wait_for_text("Reply 1 to");
    drop(outside);
    let third = world.ask("hello a third time");
    assert_eq!(third["continuity"]["code"], "would_be_lost");
    let kept = [&first, &second, &third];
    assert!(kept.iter().all(|turn| transcript(turn).is_file()), "{:?}", transcripts(&world));
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(kept.iter().all(|turn| listed.contains(id(turn))), "{listed}");

    world.wait_state("work", "asleep");
    gemini::welcome(&world.home());
    let back = world.ok(&["resume", "work", "--conversation", id(&first)]);
    assert_eq!((id(&back), &back["repo"]["continuity"]["kind"]), (id(&first), &"resumed".into()));
    world.ask("which word?");
    let sent = world.model.wait_for("the turn", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan"), "{sent:#?}");
    let copy = world.ok(&["fork", "work"]);
    assert_eq!(copy["repo"]["continuity"]["code"], "forked", "{copy:#}");
    assert_ne!(id(&copy), id(&first));
    world.ask("and here?");
    let sent = world.model.wait_for("the copy's turn", |request| request.text == "and here?");
    assert!(sent.mentions("marzipan"), "{sent:#?}");
}
