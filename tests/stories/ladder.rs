//! If a conversation can't be resumed in its place: a copy of it, or else a new one, each of them said.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::World;

fn conversation(answered: &Value) -> &str {
    answered["repo"]["conversation"]["id"].as_str().unwrap_or_else(|| panic!("no conversation: {answered:#}"))
}

fn transcript(answered: &Value) -> PathBuf {
    answered["repo"]["conversation"]["transcript"].as_str().expect("a transcript").into()
}

/// What was asked went to one engine, and no other is left.
fn one_engine(world: &World) {
    world.the_engine("work");
    assert_eq!(world.holders().len(), 1);
}

/// From now on the engine's files are elsewhere, and it finds nothing there except that its user is known.
fn move_the_engines_files(world: &World) {
    let moved = world.home().join("moved claude");
    std::fs::create_dir(&moved).expect("a new folder");
    std::fs::copy(world.home().join(".claude.json"), moved.join(".claude.json")).expect("a welcomed home");
    world.settings(&format!("[engines.claude.env]\nCLAUDE_CONFIG_DIR = \"{}\"\n", moved.display()));
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a transcript")
}

#[test]
fn a_conversation_that_the_engine_looks_for_elsewhere_goes_on_as_a_copy_and_that_is_said() {
    let mut world = World::running("");
    let first = world.ask("remember the word nougat");
    world.ok(&["stop", "work"]);
    let before = read(&transcript(&first));
    world.stop_serve();
    move_the_engines_files(&world);
    world.serve();

    let second = world.ask("which word?");
    assert_eq!(second["continuity"]["code"], "forked", "{second:#}");
    let sentence = second["continuity"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("as a copy of its own"), "{sentence}");
    assert_ne!(conversation(&second), conversation(&first));
    let sent = world.model.wait_for("the copy's turn", |request| request.text == "which word?");
    assert!(sent.mentions("nougat"), "{sent:#?}");
    assert_eq!(read(&transcript(&first)), before, "the first one stays as it is");
    assert!(transcript(&second).starts_with(world.home().join("moved claude")), "{second:#}");
    one_engine(&world);
    world.ok(&["pause", "work"]);
    let back = world.ok(&["resume", "work"]);
    assert_eq!(
        (&back["repo"]["continuity"]["code"], conversation(&back)),
        (&"resumed".into(), conversation(&second))
    );
}

#[test]
fn a_conversation_that_the_engine_takes_up_in_no_way_is_followed_by_a_new_one_and_that_is_said() {
    let world = World::running_fake("", "");
    let first = world.ask("hello");
    world.ok(&["stop", "work"]);
    world.fake("lost");
    let second = world.ask("again");
    assert_eq!(second["continuity"]["code"], "engine_lost_it", "{second:#}");
    assert_eq!(
        second["continuity"]["sentence"],
        "Started fresh: the engine doesn't know the previous conversation any more."
    );
    assert_eq!(second["answer"], "Scripted reply to again");
    assert_ne!(conversation(&second), conversation(&first));
    let listed = world.ok(&["conversations", "work"]).to_string();
    assert!(listed.contains(conversation(&first)), "invariant 13: {listed}");
    one_engine(&world);
}

#[test]
fn what_the_engine_opens_as_a_copy_alone_goes_on_as_one() {
    let world = World::running_fake("", "");
    let first = world.ask("hello");
    world.ok(&["stop", "work"]);
    world.fake("copies");
    let second = world.ask("again");
    assert_eq!(
        (&second["continuity"]["code"], &second["answer"]),
        (&"forked".into(), &"Scripted reply to again".into())
    );
    assert_ne!(conversation(&second), conversation(&first));
    one_engine(&world);
}

#[test]
fn a_conversation_that_cannot_be_taken_up_costs_the_open_one_nothing() {
    let world = World::running("");
    let old = world.ask("an old one");
    let new = world.ok(&["ask", "work", "a new one", "--fresh"]);
    std::fs::remove_file(transcript(&old)).expect("a transcript");
    let engine = world.the_engine("work");
    let refused = ["resume", "fork"].map(|verb| {
        world.repose(&[verb, "work", "--conversation", conversation(&old)]).refused(3, "not_resumable")
    });
    assert_eq!(world.the_engine("work"), engine, "{refused:#?}");
    let status = world.status("work");
    assert_eq!(
        (&status["state"], &status["conversation"]["id"]),
        (&"ready".into(), &conversation(&new).into())
    );
}
