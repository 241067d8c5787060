//! Resumed or fresh, and why: every reason that the real engine can produce.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;

use crate::support::{Terminal, World};

/// A window so short that a test can wait for its end.
const TINY_WINDOW: &str = "idle_after = \"1s\"\nresume_within = \"3s\"\n";

fn code(asked: &Value) -> &str {
    asked["continuity"]["code"].as_str().unwrap_or_else(|| panic!("no continuity: {asked:#}"))
}

fn sentence(asked: &Value) -> &str {
    asked["continuity"]["sentence"].as_str().unwrap_or_else(|| panic!("no continuity: {asked:#}"))
}

fn conversation(json: &Value) -> &str {
    json["repo"]["conversation"]["id"].as_str().unwrap_or_else(|| panic!("no conversation: {json:#}"))
}

fn transcript(asked: &Value) -> PathBuf {
    asked["repo"]["conversation"]["transcript"].as_str().expect("a transcript").into()
}

#[test]
fn invariant_09_older_than_the_window_an_automatic_open_is_fresh_and_resume_still_resumes() {
    let world = World::running(TINY_WINDOW);
    let first = world.ask("remember the word praline");
    let answered = Instant::now();
    world.wait_state("work", "asleep");
    world.eventually("the window to end", || (answered.elapsed().as_secs() >= 4).then_some(()));

    let second = world.ask("hello");
    assert_eq!(code(&second), "too_old");
    assert!(
        sentence(&second).starts_with("Started fresh: the previous conversation was "),
        "{}",
        sentence(&second)
    );
    assert_ne!(conversation(&second), conversation(&first));

    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(conversation(&first)), "invariant 13: {listed}");
    assert!(listed.contains(conversation(&second)), "{listed}");

    world.wait_state("work", "asleep");
    let back = world.ok(&["resume", "work", "--conversation", conversation(&first)]);
    assert_eq!(conversation(&back), conversation(&first));
    assert_eq!(back["repo"]["continuity"]["kind"], "resumed");
    world.ask("which word?");
    let sent = world.model.wait_for("the last turn", |request| request.text == "which word?");
    assert!(sent.mentions("praline"), "{sent:#?}");
}

#[test]
fn invariant_09_resume_brings_the_current_conversation_back_at_any_age() {
    let world = World::running(TINY_WINDOW);
    let first = world.ask("hello");
    let answered = Instant::now();
    world.wait_state("work", "asleep");
    world.eventually("the window to end", || (answered.elapsed().as_secs() >= 4).then_some(()));
    let back = world.ok(&["resume", "work"]);
    assert_eq!(back["repo"]["continuity"]["kind"], "resumed");
    assert_eq!(conversation(&back), conversation(&first));
}

#[test]
fn a_fresh_start_is_said_and_the_old_conversation_is_not_handed_back() {
    let world = World::running("idle_after = \"2s\"\n");
    let first = world.ask("the word nougat");
    let second = world.ok(&["ask", "work", "the word truffle", "--fresh"]);
    assert_eq!(code(&second), "asked_for");
    assert_eq!(sentence(&second), "Started fresh: you asked for a fresh start.");
    assert_ne!(conversation(&second), conversation(&first));

    world.wait_state("work", "asleep");
    let third = world.ask("three");
    assert_eq!(third["continuity"]["kind"], "resumed");
    assert_eq!(conversation(&third), conversation(&second));
    let sent = world.model.wait_for("the third turn", |request| request.text == "three");
    assert!(sent.mentions("truffle") && !sent.mentions("nougat"), "{sent:#?}");
}

#[test]
fn a_transcript_that_is_gone_is_said() {
    let world = World::running("idle_after = \"2s\"\n");
    let first = world.ask("hello");
    world.wait_state("work", "asleep");
    std::fs::remove_file(transcript(&first)).expect("the transcript is where Repose says");
    let second = world.ask("again");
    assert_eq!(code(&second), "file_gone");
    assert_ne!(conversation(&second), conversation(&first));
}

#[test]
fn a_transcript_that_is_damaged_is_told_as_that_and_nothing_is_lost_once_it_is_back() {
    let world = World::running("");
    let first = world.ask("remember the word praline");
    let (file, id) = (transcript(&first), conversation(&first));
    world.ok(&["pause", "work"]);
    let good = std::fs::read(&file).expect("the transcript is where Repose says");
    let damaged: Vec<u8> = (0..3_000_u32).map(|at| (at * at % 251) as u8).collect();
    let listed = || {
        let listed = world.ok(&["conversations", "work"]);
        let all = listed["conversations"].as_array().expect("a list").clone();
        all.into_iter().find(|one| one["id"] == id).expect("it stays listed")
    };
    std::fs::write(&file, &damaged).expect("a writable transcript");
    let error = world.repose(&["resume", "work"]).refused(3, "not_resumable");
    let told = error["message"].as_str().expect("a sentence");
    assert!(told.contains("can't be read") && told.contains(file.to_str().expect("UTF-8")), "{told}");
    assert!(error["hints"].to_string().contains("`repose fresh work`"), "{error:#}");
    assert_eq!(world.status("work")["state"], "paused", "nobody took its place");
    world.ok(&["stop", "work"]);
    let asked = world.ask("what nobody ordered starts fresh, and says why");
    assert_eq!(code(&asked), "file_unreadable");
    let lost = listed();
    assert_eq!((&lost["turns"], &lost["resumable"]), (&1.into(), &false.into()), "{lost:#}");
    assert_eq!(lost["lost"], "its file can't be read");
    world.repose(&["resume", "work", "--conversation", id]).refused(3, "not_resumable");

    std::fs::write(&file, "").expect("a writable transcript");
    let error = world.repose(&["resume", "work", "--conversation", id]).refused(3, "not_resumable");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("nothing left in it")), "{error:#}");
    assert_eq!(listed()["turns"], 1);

    std::fs::write(&file, &good).expect("a writable transcript");
    assert_eq!(listed()["lost"], Value::Null);
    let back = world.ok(&["resume", "work", "--conversation", id]);
    assert_eq!((conversation(&back), &back["repo"]["continuity"]["kind"]), (id, &"resumed".into()));
}

#[test]
fn a_conversation_whose_file_is_gone_is_listed_as_gone() {
    let world = World::running("");
    let first = world.ask("hello");
    world.ok(&["fresh", "work"]);
    std::fs::remove_file(transcript(&first)).expect("the transcript is where Repose says");
    let listed = world.ok(&["conversations", "work"]);
    let listed = listed["conversations"].as_array().expect("a list");
    let gone = listed.iter().find(|one| one["id"] == conversation(&first)).expect("it stays listed");
    assert_eq!((&gone["resumable"], &gone["turns"]), (&false.into(), &1.into()), "{gone:#}");
}

#[test]
fn a_conversation_that_cant_be_read_keeps_no_other_from_being_listed() {
    let world = World::running("");
    let first = world.ask("hello");
    world.ok(&["fresh", "work"]);
    let second = world.ask("and hello");
    let file = transcript(&first);
    std::fs::remove_file(&file).expect("the transcript is where Repose says");
    std::fs::create_dir(&file).expect("its folder");
    let listed = world.ok(&["conversations", "work"]);
    let listed = listed["conversations"].as_array().expect("a list");
    let of =
        |asked: &Value| listed.iter().find(|one| one["id"] == conversation(asked)).expect("it is listed");
    assert_eq!(
        (&of(&first)["lost"], &of(&second)["resumable"]),
        (&"its file can't be read".into(), &true.into())
    );
}

/// Claude Code writes a copy only with the first ask in it.
#[test]
fn a_copy_that_ended_before_its_first_ask_is_made_again() {
    let world = World::running("");
    let first = world.ask("remember the word praline");
    let copy = world.ok(&["fork", "work"]);
    assert_eq!(code(&copy["repo"]), "forked");
    world.ok(&["stop", "work"]);
    let second = world.ask("which word?");
    assert_eq!(code(&second), "forked", "{second:#}");
    let sent = world.model.requests().pop().expect("a request");
    assert!(sent.mentions("praline"), "{sent:#?}");
    let ids = [&first, &copy, &second].map(conversation);
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert_eq!(ids.map(|id| listed.contains(id)), [true, false, true], "{listed}");
    world.ok(&["stop", "work"]);
    assert_eq!(conversation(&world.ask("hello")), ids[2], "now it is there, and goes on");
}

#[test]
fn invariant_10_a_resume_that_the_engine_does_not_confirm_is_fresh_and_said_so() {
    let world = World::running("idle_after = \"2s\"\n");
    let first = world.ask("hello");
    world.wait_state("work", "asleep");
    // Still there, but with nothing in it that the engine would resume.
    std::fs::write(transcript(&first), "{\"type\":\"unheard-of\"}\n").expect("a writable transcript");
    let second = world.ask("again");
    assert_eq!(second["continuity"]["kind"], "fresh", "{second:#}");
    assert_ne!(code(&second), "asked_for");
}

#[test]
fn where_nothing_was_ever_asked_nothing_is_resumed() {
    let world = World::running("idle_after = \"2s\"\n");
    world.ok(&["resume", "work"]);
    world.wait_state("work", "asleep");
    let asked = world.ask("hello");
    assert!(["first", "never_got_a_turn"].contains(&code(&asked)), "{asked:#}");
}

#[test]
fn invariant_12_clear_in_the_terminal_moves_the_current_conversation() {
    let world = World::running("idle_after = \"2s\"\n");
    let first = world.ask("remember the word truffle");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("truffle");
    terminal.type_("/clear");
    terminal.wait_for_text("/clear");
    terminal.type_("\r");
    let moved = world.wait("work", "another current conversation", |status| {
        let id = status["conversation"]["id"].as_str();
        id.is_some_and(|id| id != conversation(&first))
    });
    drop(terminal);
    let second = world.ask("hello again");
    assert_eq!(second["repo"]["conversation"]["id"], moved["conversation"]["id"]);
    // The engine puts its own note of the command before the first prompt after it.
    let sent = world.model.wait_for("the turn after /clear", |request| request.text.ends_with("hello again"));
    assert!(!sent.mentions("truffle"), "{sent:#?}");

    world.wait_state("work", "asleep");
    let third = world.ask("and again");
    assert_eq!(conversation(&third), conversation(&second));
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(conversation(&first)), "invariant 13: {listed}");
}

#[test]
fn add_takes_over_what_the_engine_has_for_the_folder_and_its_age_counts() {
    let world = World::running("");
    let first = world.ask("remember");
    world.ok(&["rm", "work"]);
    let file = transcript(&first);
    age(&file, "2001-02-03");
    world.ok(&["add", world.repo("work").to_str().expect("UTF-8")]);
    assert_eq!(world.status("work")["conversation"]["id"], conversation(&first));
    let second = world.ask("hello");
    assert_eq!(code(&second), "too_old");
    assert!(sentence(&second).contains(" days old"), "{}", sentence(&second));

    world.ok(&["rm", "work"]);
    world.ok(&["add", world.repo("work").to_str().expect("UTF-8"), "--no-adopt"]);
    assert_eq!(world.status("work")["conversation"], Value::Null);
    assert_eq!(code(&world.ask("hello")), "first");
    assert!(file.exists(), "invariant 21: removing a repo touches no file of the engine's");
}

/// Moves every time in a transcript to this day.
fn age(transcript: &PathBuf, day: &str) {
    const KEY: &str = "\"timestamp\":\"";
    let text = std::fs::read_to_string(transcript).expect("a transcript");
    let mut parts = text.split(KEY);
    let mut aged = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        aged.push_str(KEY);
        aged.push_str(day);
        aged.push_str(&part[day.len()..]);
    }
    std::fs::write(transcript, aged).expect("a writable transcript");
}

/// Types one of the engine's own commands.
fn command(terminal: &Terminal, line: &str) {
    terminal.type_(line);
    terminal.wait_for_text(line);
    terminal.type_("\r");
}

#[test]
fn invariant_12_resume_compact_and_branch_in_the_terminal_move_the_current_conversation() {
    let world = World::running("");
    let id = |value: &Value| value["conversation"]["id"].as_str().expect("a conversation").to_owned();
    let alpha = id(&world.ask("remember the word marzipan")["repo"]);
    world.ok(&["fresh", "work"]);
    let beta = id(&world.ask("remember the word nougat")["repo"]);
    assert_ne!(alpha, beta);
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("remember the word nougat");

    command(&terminal, &format!("/resume {alpha}"));
    world.wait("work", "the earlier conversation", |status| id(status) == alpha);
    let told = world.ask("which word?")["continuity"].clone();
    assert_eq!((&told["kind"], &told["code"]), (&"resumed".into(), &"went_over".into()), "{told:#}");
    let sent = world.model.wait_for("the turn", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan") && !sent.mentions("nougat"), "{sent:#?}");

    command(&terminal, "/compact");
    terminal.wait_for_text("Compacted");
    let after = world.ask("MD{after it}");
    assert_eq!((&after["answer"], &after["continuity"]), (&"after it".into(), &Value::Null));
    assert_eq!(id(&world.status("work")), alpha, "a compacted conversation is the same one");

    command(&terminal, "/branch");
    let branched = world.wait("work", "the branch", |status| id(status) != alpha);
    let branch = id(&branched);
    assert_ne!(branch, beta);
    drop(terminal);
    world.wait_state("work", "ready");
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!([&alpha, &beta, &branch].iter().all(|id| listed.contains(id.as_str())), "{listed}");
    world.ok(&["pause", "work"]);
    let resumed = world.ok(&["resume", "work"]);
    assert_eq!(id(&resumed["repo"]), branch);
    assert_eq!(resumed["repo"]["continuity"]["kind"], "resumed", "{resumed:#}");
}

#[test]
fn a_pause_during_the_first_ask_of_a_copy_says_what_keeps_it_from_coming_back() {
    let world = World::running("");
    world.ask("hello");
    world.ok(&["fork", "work"]);
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{still here}"]);
    world.model.wait_held("gate");
    let error = world.repose(&["pause", "work", "--interrupt"]).refused(3, "not_resumable");
    assert!(!error["message"].to_string().contains("nothing was asked"), "{error:#}");
    world.model.release("gate");
    assert_eq!(ask.finish().ok()["answer"], "still here");
    world.ok(&["pause", "work"]);
}
