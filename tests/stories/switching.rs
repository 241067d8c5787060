//! A repo changes to another engine, and back: each keeps its own conversation.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::World;
use crate::support::engines::Under;
use crate::support::http::Console;

const PICKED_UP: &str = "Picked up this repo's previous conversation";

#[test]
fn each_engine_keeps_its_own_conversation_of_the_repo() {
    let world = World::under(Under::Codex, "");
    let first = world.ask("remember the word marzipan");
    let switched = world.ok(&["engine", "work", "claude"]);
    assert_eq!(
        (&switched["repo"]["engine"], &switched["repo"]["state"]),
        (&"claude".into(), &"asleep".into())
    );
    assert!(world.tree().is_empty(), "{:#?}", world.tree());
    for of_codex in ["conversation", "continuity", "freed_bytes", "picked_up_until", "resume_command"] {
        assert!(switched["repo"][of_codex].is_null(), "{of_codex}: {switched:#}");
    }
    let log = world.ok(&["log", "work"]);
    let row = &log["entries"].as_array().expect("entries").last().expect("one")["text"];
    assert_eq!(*row, "Changed to the engine claude.");

    let second = world.ask("remember the word nougat");
    assert_eq!(second["continuity"]["code"], "engine_switched");
    assert_eq!(second["continuity"]["sentence"], "Started fresh: the previous conversation was with Codex.");

    world.ok(&["engine", "work", "codex"]);
    let third = world.ask("which word?");
    assert!(
        third["continuity"]["sentence"].as_str().is_some_and(|told| told.starts_with(PICKED_UP)),
        "{third:#}"
    );
    assert_eq!(third["repo"]["conversation"]["id"], first["repo"]["conversation"]["id"]);
    let sent = world.model.wait_for("the turn", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan") && !sent.mentions("nougat"), "{sent:#?}");

    world.ok(&["engine", "work", "claude"]);
    let fourth = world.ask("and here?");
    assert_eq!(fourth["repo"]["conversation"]["id"], second["repo"]["conversation"]["id"]);

    let listed = world.ok(&["conversations", "work"])["conversations"].clone();
    let rows: Vec<_> = listed.as_array().expect("a list").iter().collect();
    let of = |engine: &str| *rows.iter().find(|row| row["engine"] == engine).expect("one with each");
    assert_eq!(
        (rows.len(), &of("claude")["current"], &of("codex")["current"]),
        (2, &true.into(), &false.into())
    );
    assert_eq!(of("codex")["title"], "remember the word marzipan", "{listed:#}");
    assert!(of("codex")["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{listed:#}");
    let its = of("codex")["id"].as_str().expect("an id");
    for verb in ["resume", "fork"] {
        let refused = world.repose(&[verb, "work", "--conversation", its]).refused(3, "not_resumable");
        assert!(refused["hints"].to_string().contains("`repose engine work codex`"), "{refused:#}");
    }
}

/// Between every two neighbours, in both directions.
#[test]
fn each_engine_opens_after_each_other_and_finds_its_own_conversation_again() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    let bin = world.engine();
    let (claude, codex, gemini, opencode) = (Under::Claude, Under::Codex, Under::Gemini, Under::OpenCode);
    for engine in [claude, codex, gemini, opencode] {
        engine.install(&world, bin.parent().expect("a folder"));
        engine.trust(&world, &folder);
    }
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", claude.name()]);
    let mut kept: BTreeMap<&str, Value> = BTreeMap::new();
    for engine in [claude, codex, gemini, opencode, claude, opencode, gemini, codex, claude] {
        let name = engine.name();
        world.ok(&["engine", "work", name]);
        let said = world.ask(&format!("MD{{{name} speaks}}"));
        assert_eq!(said["answer"], format!("{name} speaks"));
        let (told, conversation) = (&said["continuity"], &said["repo"]["conversation"]["id"]);
        match kept.insert(name, conversation.clone()) {
            Some(before) => {
                assert_eq!((&told["kind"], conversation), (&"resumed".into(), &before), "{said:#}")
            }
            None => assert_eq!(told["kind"], "fresh", "{said:#}"),
        }
    }
    let repo = world.status("work");
    let console = Console::of(&world);
    for (name, conversation) in kept {
        let (repo, id) = (repo["id"].as_str().expect("an id"), conversation.as_str().expect("an id"));
        let page = console.get(&format!("/api/repos/{repo}/conversation?conversation={id}"));
        assert!(page.json.to_string().contains(&format!("{name} speaks")), "{name}: {page:#?}");
    }
}

#[test]
fn invariant_05_an_engine_switch_that_would_lose_work_is_refused() {
    let mut world = World::under(Under::Codex, "");
    let ask = world.start(&["ask", "work", "HOLD{gate} hello"]);
    world.model.wait_held("gate");
    world.wait_state("work", "working");
    let refused = world.repose(&["engine", "work", "shell"]).refused(3, "work_would_be_lost");
    assert!(refused["hints"].to_string().contains("`repose engine --interrupt work shell`"), "{refused:#}");
    world.repose(&["engine", "work", "no-such"]).refused(2, "bad_request");
    world.model.release("gate");
    ask.finish().ok();

    world.ok(&["pause", "work"]);
    let paused = world.repose(&["engine", "work", "shell"]).refused(3, "paused");
    assert!(paused["hints"].to_string().contains("`repose stop work`"), "{paused:#}");
    world.ok(&["stop", "work"]);
    world.ok(&["engine", "work", "shell"]);
    world.stop_serve();
    world.serve();
    assert_eq!(world.status("work")["engine"], "shell", "it is on disk");
    assert_eq!(world.ask("true")["continuity"]["code"], "engine_keeps_none");
}

#[test]
fn a_live_engine_is_not_ended_for_one_that_could_not_be_opened() {
    let mut world = World::running("");
    world.ask("hello");
    let engine = world.the_engine("work");
    world.stop_serve();
    world.settings("[engines.mine]\ncommand = \"no-such-program\"\n");
    world.serve();
    world.repose(&["engine", "work", "mine"]).refused(4, "engine_missing");
    assert_eq!(world.the_engine("work"), engine);
    assert_eq!(world.status("work")["engine"], "claude");
}

#[test]
fn without_a_word_a_repo_gets_the_engine_that_was_used_last_in_its_folder() {
    let world = World::under(Under::Codex, "");
    world.ask("hello");
    world.ok(&["rm", "work"]);
    let added = world.ok(&["add", world.repo("work").to_str().expect("UTF-8")]);
    assert_eq!(added["repo"]["engine"], "codex");
    let other = world.add_repo("other");
    let added = world.ok(&["add", other.to_str().expect("UTF-8")]);
    assert_eq!(added["repo"]["engine"], "claude", "nothing was used there: the first that is installed");

    let world = World::under(Under::Shell, "");
    std::fs::remove_file(world.engine()).expect("an engine on the path");
    let other = world.add_repo("other");
    let added = world.ok(&["add", other.to_str().expect("UTF-8")]);
    assert_eq!(added["repo"]["engine"], "shell", "no agent is installed");
}

#[test]
fn the_doctor_lists_every_engine_and_how_to_install_those_that_are_missing() {
    let world = World::under(Under::Codex, "");
    std::fs::remove_file(world.engine()).expect("an engine on the path");
    let report = world.repose(&["doctor"]).json;
    let check = |name: &str| {
        let checks = report["checks"].as_array().expect("checks");
        checks
            .iter()
            .find(|check| check["name"] == name)
            .unwrap_or_else(|| panic!("{name}: {report:#}"))
            .clone()
    };
    let codex = check("engine codex");
    assert!(codex["sentence"].as_str().is_some_and(|words| words.contains("0.171.0")), "{codex:#}");
    let claude = check("engine claude");
    assert!(claude["hints"].to_string().contains("npm install -g @anthropic-ai/claude-code"), "{claude:#}");
    check("engine shell");
}
