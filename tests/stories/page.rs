//! What the page needs of the API beyond what the command line asks for.

use serde_json::json;

use crate::support::http::Console;
use crate::support::{Terminal, World, claude};

#[test]
fn folders_in_which_the_engine_was_used_are_offered_and_say_where_they_are_open() {
    let mut world = World::new();
    for name in ["early", "late", "gone"] {
        world.add_repo(name);
    }
    for name in ["early", "gone", "late"] {
        let args = ["-p", "hello from before"];
        let mut before = Terminal::start(&claude::program(), &args, &world.repo(name), &world.env());
        assert_eq!(before.wait_ended(), 0, "{}", before.screen());
    }
    std::fs::remove_dir_all(world.repo("gone")).expect("our own folder");
    world.serve();
    let console = Console::of(&world);
    let folders = console.get("/api/folders").json["folders"].clone();
    let names: Vec<&str> =
        folders.as_array().expect("folders").iter().filter_map(|f| f["name"].as_str()).collect();
    assert_eq!(names, ["late", "early"], "newest first, and only what is there: {folders:#}");
    let late = &folders[0];
    assert_eq!((&late["engine"], &late["added"]), (&json!("claude"), &json!(false)), "{late:#}");
    assert_eq!((&late["title"], &late["conversation"]["turns"]), (&json!("hello from before"), &json!(1)));

    // Open in a terminal: the offer says so, and so does the repo as soon as it is added.
    let conversation = late["conversation"]["id"].as_str().expect("an id").to_owned();
    let args = ["--resume", conversation.as_str()];
    let outside = Terminal::start(&claude::program(), &args, &world.repo("late"), &world.env());
    outside.wait_for_text("\u{276f}");
    let pid = json!(outside.pid());
    let offered = console.get("/api/folders").json["folders"][0].clone();
    assert_eq!(offered["owner"]["pid"], pid, "{offered:#}");
    let added = console.post("/api/repos", &json!({ "path": offered["path"] })).json;
    assert_eq!(added["repo"]["conversation"]["id"], conversation, "{added:#}");
    assert_eq!(added["repo"]["owner"]["pid"], pid, "{added:#}");
    assert!(added["repo"]["owner"]["terminal"].as_str().is_some_and(|name| name.starts_with("/dev/pts/")));
    assert_eq!(console.get("/api/folders").json["folders"][0]["added"], true);
    let command = added["repo"]["resume_command"].as_str().expect("a command");
    assert!(command.ends_with(&format!("claude --resume {conversation}")), "{command}");
    drop(outside);
    world.wait("late", "nobody else", |repo| repo["owner"].is_null());
    assert!(world.holders().is_empty(), "looking opens nothing");
}

#[test]
fn a_repo_says_what_waits_and_what_happened_and_its_growth_is_told() {
    let world = World::running("");
    let console = Console::of(&world);
    let mut events = console.events();
    let first = world.ask("hello");
    assert_eq!(first["repo"]["last"]["code"], "answered", "{:#}", first["repo"]["last"]);
    let conversation = first["repo"]["conversation"]["id"].as_str().expect("an id").to_owned();
    let grown = format!("\"conversation\":\"{conversation}\"");
    events.wait_for(|line| line.contains("\"kind\":\"grew\"") && line.contains(&grown));

    world.ok(&["ask", "work", "HOLD{gate}", "--no-wait"]);
    world.model.wait_held("gate");
    world.ok(&["ask", "work", "and then this", "--no-wait"]);
    let busy = world.wait("work", "an ask that waits", |repo| repo["queued"] == 1);
    let asks = busy["asks"].as_array().expect("asks");
    assert_eq!(asks.iter().map(|ask| &ask["stage"]).collect::<Vec<_>>(), ["taken", "waiting"], "{busy:#}");
    assert_eq!(asks[1]["text"], "and then this");
    assert!(asks[1]["reason"].as_str().is_some_and(|why| why.contains("before it")), "{:#}", asks[1]);
    assert!(busy["since"].is_string(), "{busy:#}");
    world.model.release("gate");
    world.wait("work", "everything answered", |repo| repo["asks"] == json!([]) && repo["state"] == "ready");

    assert_eq!(world.ok(&["ls"])["totals"]["gate"], false);
    world.ok(&["pause", "--all"]);
    let all = world.ok(&["ls"]);
    assert_eq!(
        (&all["totals"]["gate"], &all["repos"][0]["last"]["code"]),
        (&json!(true), &json!("paused")),
        "{all:#}"
    );
    world.ok(&["resume", "--all"]);
    assert_eq!(world.ok(&["ls"])["totals"]["gate"], false);
}
