//! What the page needs of the API beyond what the command line asks for.

use serde_json::{Value, json};

use crate::support::http::{Answer, Console, Events};
use crate::support::{Terminal, World, claude};

/// The repo of a world that runs.
const REPO: &str = "work";

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

    // Open in a terminal: the offer says so, and so does the repo once it is added.
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

/// What the engine waits for in `work`, once it can be answered.
fn decision(world: &World) -> Value {
    world.wait("work", "a decision", |repo| repo["decision"].is_object())["decision"].clone()
}

/// The address of something of the one repo that these stories have.
fn of_the_repo(what: &str) -> String {
    format!("/api/repos/{REPO}/{what}")
}

fn answer(console: &Console, decision: &Value, choice: &str) -> Answer {
    let body = json!({ "decision": decision["id"], "choice": choice });
    console.post(&of_the_repo("answer"), &body)
}

/// An answer in words of the user's own.
fn say(console: &Console, decision: &Value, words: &str) -> Answer {
    let body = json!({ "decision": decision["id"], "choice": "words", "words": words });
    console.post(&of_the_repo("answer"), &body)
}

/// What is asked after this.
fn next(world: &World, decision: &Value) -> Value {
    let next = world.wait("work", "what is asked next", |repo| {
        repo["decision"].is_object() && repo["decision"]["id"] != decision["id"]
    });
    next["decision"].clone()
}

/// Reads on until the turn is over, which mustn't look so before.
fn goes_on_to_its_end(events: &mut Events) {
    let mut states: Vec<String> = Vec::new();
    loop {
        let line = events.wait_for(|line| line.contains("\"kind\":\"repo\""));
        let told: Value = serde_json::from_str(line.trim_start_matches("data:")).expect("a change");
        states.extend(told["repo"]["state"].as_str().map(str::to_owned));
        if told["repo"]["state"] == "ready" && told["repo"]["asks"] == json!([]) {
            break;
        }
    }
    let mut rest = states.iter().skip_while(|state| *state != "ready");
    assert!(rest.all(|state| state == "ready"), "the turn went on: {states:?}");
}

#[test]
fn a_permission_is_answered_without_the_terminal_and_only_once() {
    let world = World::running("");
    let console = Console::of(&world);
    let asking = world.start(&["ask", "work", "RUN{touch allowed}"]);
    let asked = decision(&world);
    assert_eq!(
        (&asked["kind"], &asked["detail"]),
        (&json!("permission"), &json!("touch allowed")),
        "{asked:#}"
    );
    let choices: Vec<_> = asked["choices"].as_array().expect("choices").iter().map(|c| &c["id"]).collect();
    assert_eq!(choices, ["allow", "deny"]);
    assert!(!world.repo("work").join("allowed").exists(), "nothing runs before it is answered");
    assert_eq!(answer(&console, &asked, "no such choice").status, 400);
    let stranger = json!({ "id": "another", "choices": [] });
    let refused = answer(&console, &stranger, "allow");
    assert_eq!(
        (refused.status, &refused.json["error"]["code"]),
        (409, &json!("decision_over")),
        "{refused:#?}"
    );
    let mut events = console.events();
    let allowed = answer(&console, &asked, "allow");
    assert_eq!(allowed.status, 200, "{allowed:#?}");
    asking.finish().ok();
    assert!(world.repo("work").join("allowed").is_file(), "what was allowed runs");
    goes_on_to_its_end(&mut events);
    let late = answer(&console, &asked, "deny");
    assert_eq!((late.status, &late.json["error"]["code"]), (409, &json!("decision_over")), "{late:#?}");

    let asking = world.start(&["ask", "work", "RUN{touch denied}"]);
    let asked = decision(&world);
    assert_eq!(answer(&console, &asked, "deny").status, 200);
    asking.finish().ok();
    assert!(!world.repo("work").join("denied").exists(), "what was denied doesn't run");
    assert!(world.status("work")["decision"].is_null());
}

#[test]
fn a_choice_is_answered_without_the_terminal() {
    let world = World::running("");
    let console = Console::of(&world);
    let asking = world.start(&["ask", "work", "CHOICE{Which colour?|Red|Blue}"]);
    let asked = decision(&world);
    assert_eq!((&asked["kind"], &asked["title"]), (&json!("choice"), &json!("Which colour?")), "{asked:#}");
    let blue = &asked["choices"][1];
    assert_eq!((&blue["label"], &blue["description"]), (&json!("Blue"), &json!("as it says")), "{asked:#}");
    let mut events = console.events();
    assert_eq!(answer(&console, &asked, "1").status, 200);
    asking.finish().ok();
    goes_on_to_its_end(&mut events);
    let page = console.get(&of_the_repo("conversation")).json;
    assert!(page.to_string().contains("\\\"Which colour?\\\"=\\\"Blue\\\""), "{page:#}");
}

#[test]
fn questions_are_answered_one_after_another_without_the_terminal() {
    let world = World::running("");
    let console = Console::of(&world);
    let asking = world.start(&["ask", "work", "CHOICE{Which colours?*|Red|Blue|Green;How many?|One|Two}"]);
    let mut asked = decision(&world);
    for (title, choice) in [
        ("Which colours? (1 of 2)", "2"),
        ("Which colours? (1 of 2)", "0"),
        ("Which colours? (1 of 2)", "all"),
        ("How many? (2 of 2)", "1"),
    ] {
        assert_eq!(asked["title"], title, "{asked:#}");
        let answered = answer(&console, &asked, choice);
        assert_eq!(answered.status, 200, "{:#}", answered.json);
        let late = answer(&console, &asked, choice);
        assert_eq!((late.status, &late.json["error"]["code"]), (409, &json!("decision_over")), "{late:#?}");
        asked = match choice {
            "1" => Value::Null,
            _ => next(&world, &asked),
        };
    }
    asking.finish().ok();
    let page = console.get(&of_the_repo("conversation")).json.to_string();
    assert!(page.contains("\\\"Which colours?\\\"=\\\"Green, Red\\\""), "{page}");
    assert!(page.contains("\\\"How many?\\\"=\\\"Two\\\""), "{page}");
    let log = world.ok(&["log", "work"]);
    let waited: Vec<_> =
        log["entries"].as_array().expect("a log").iter().filter(|row| row["kind"] == "waited").collect();
    let once = [
        "Waited for the choice \"Which colours? (1 of 2)\".",
        "Waited for the choice \"How many? (2 of 2)\".",
    ];
    assert_eq!(waited.iter().map(|row| &row["text"]).collect::<Vec<_>>(), once, "each once: {log:#}");
}

#[test]
fn questions_are_answered_in_the_users_own_words_and_answers_taken_back() {
    let world = World::running("");
    let console = Console::of(&world);
    let asking =
        world.start(&["ask", "work", "CHOICE{Which colours?*|Red|Blue;How many?|One|Two;And now?|Go|Stop}"]);
    let first = decision(&world);
    let words = first["choices"].as_array().expect("choices").iter().find(|choice| choice["kind"] == "words");
    assert_eq!(words.map(|words| &words["id"]), Some(&json!("words")), "{first:#}");
    for (unfit, status, code) in [
        (" \n", 400, "bad_request"),
        ("sea\u{1b}[2Jgreen", 409, "unfit_text"),
        (&"x".repeat(16 * 1024 + 1), 409, "unfit_text"),
    ] {
        let refused = say(&console, &first, unfit);
        assert_eq!((refused.status, &refused.json["error"]["code"]), (status, &json!(code)), "{refused:#?}");
    }
    assert_eq!(say(&console, &first, "sea green, \"dark\"").status, 200);
    let more = next(&world, &first);
    assert_eq!(answer(&console, &more, "1").status, 200);
    let all = next(&world, &more);
    assert_eq!(answer(&console, &all, "all").status, 200);
    let many = next(&world, &all);
    assert_eq!(say(&console, &many, "a dozen").status, 200);

    // Nothing has reached the program yet: both of the last answers are taken back.
    let last = next(&world, &many);
    assert_eq!(last["title"], "And now? (3 of 3)");
    // Who asks meanwhile learns what is missing, also behind another ask.
    let waits = ["one", "other"].map(|text| world.ok(&["ask", "work", text, "--no-wait"]));
    let asks = world.status("work")["asks"].clone();
    for waiting in asks.as_array().expect("asks").iter().filter(|ask| ask["stage"] == "waiting") {
        let why = waiting["reason"].as_str().expect("a reason");
        assert!(why.contains("waits for") && why.contains("And now?"), "{waiting:#} of {waits:#?}");
    }
    assert_eq!(answer(&console, &last, "back").status, 200);
    let again = next(&world, &last);
    assert_eq!(again["title"], many["title"]);
    assert_eq!(answer(&console, &again, "0").status, 200);
    let last = next(&world, &again);
    assert_eq!(say(&console, &last, "ask Ida").status, 200);
    asking.finish().ok();
    let log = world.ok(&["log", "work"])["entries"].as_array().expect("entries").clone();
    let told =
        log.iter().filter(|entry| entry["kind"] == "decided").filter_map(|entry| entry["text"].as_str());
    let told: Vec<&str> = told.collect();
    assert_eq!(told.len(), 6, "a step back decides nothing: {told:#?}");
    assert!(told.last().is_some_and(|last| last.contains("ask Ida")), "{told:#?}");
    let page = console.get(&of_the_repo("conversation")).json;
    let replies =
        page["entries"].as_array().expect("entries").iter().find_map(|entry| entry["answers"].as_array());
    for (question, answer) in
        [("Which colours?", "Blue, sea green, \"dark\""), ("How many?", "One"), ("And now?", "ask Ida")]
    {
        let reply = json!({ "question": question, "answer": answer });
        assert!(replies.is_some_and(|replies| replies.contains(&reply)), "{question}: {page:#}");
    }
}

#[test]
fn a_decision_made_in_the_terminal_meanwhile_is_over() {
    let world = World::running("");
    let console = Console::of(&world);
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("\u{276f}");
    let asking = world.start(&["ask", "work", "RUN{touch by-hand}"]);
    let asked = decision(&world);
    terminal.answer("Do you want to proceed?", "\r");
    asking.finish().ok();
    assert!(world.repo("work").join("by-hand").is_file());
    let late = answer(&console, &asked, "deny");
    assert_eq!((late.status, &late.json["error"]["code"]), (409, &json!("decision_over")), "{late:#?}");
    assert!(world.status("work")["decision"].is_null());
    world.eventually("no hook that waits for what is decided", || {
        let waits = world.tree().iter().any(|process| process.command.ends_with(" hook decide"));
        (!waits).then_some(())
    });
}

#[test]
fn a_repo_that_is_open_elsewhere_opens_as_soon_as_it_is_free() {
    let world = World::running("");
    let console = Console::of(&world);
    let conversation = world.ask("hello")["repo"]["conversation"]["id"].as_str().expect("an id").to_owned();
    world.ok(&["stop", "work"]);
    let args = ["--resume", conversation.as_str()];
    let outside = Terminal::start(&claude::program(), &args, &world.repo("work"), &world.env());
    outside.wait_for_text("\u{276f}");
    let waits = console.post(&of_the_repo("ensure"), &json!({ "when_free": true }));
    assert_eq!((waits.status, &waits.json["repo"]["opens_when_free"]), (202, &json!(true)), "{waits:#?}");
    assert_eq!(waits.json["repo"]["owner"]["pid"], outside.pid());
    assert!(world.holders().is_empty(), "two programs never write one conversation");
    drop(outside);
    let ready = world.wait_state("work", "ready");
    assert_eq!(
        (&ready["conversation"]["id"], &ready["opens_when_free"]),
        (&json!(conversation), &json!(false))
    );
    assert_eq!(ready["continuity"]["kind"], "resumed");
}

#[test]
fn a_conversation_that_is_open_elsewhere_goes_on_here_as_a_copy() {
    let world = World::running("");
    let console = Console::of(&world);
    let original =
        world.ask("the word is heron")["repo"]["conversation"]["id"].as_str().expect("an id").to_owned();
    world.ok(&["stop", "work"]);
    let args = ["--resume", original.as_str()];
    let outside = Terminal::start(&claude::program(), &args, &world.repo("work"), &world.env());
    outside.wait_for_text("\u{276f}");
    world.repose(&["ask", "work", "x"]).refused(3, "owned_elsewhere");
    let transcript = world.transcripts("work").join(format!("{original}.jsonl"));
    let before = std::fs::read(&transcript).expect("the original");

    let forked = console.post(&of_the_repo("fork"), &json!({}));
    assert_eq!(
        (forked.status, &forked.json["repo"]["continuity"]["code"]),
        (200, &json!("forked")),
        "{forked:#?}"
    );
    let answered = world.ask("which word?");
    let copy = answered["repo"]["conversation"]["id"].as_str().expect("an id");
    assert_ne!(copy, original);
    assert!(world.model.wait_for("the copy's question", |r| r.text == "which word?").mentions("heron"));
    assert_eq!(std::fs::read(&transcript).expect("the original"), before, "the other one stays as it is");
    drop(outside);
}

#[test]
fn each_open_stands_in_its_place_in_the_conversation_it_opened() {
    let world = World::running("");
    let console = Console::of(&world);
    world.ask("hello");
    world.ok(&["pause", "work"]);
    world.ok(&["resume", "work"]);
    world.ask("and again");
    let old = world.status("work")["conversation"]["id"].as_str().expect("an id").to_owned();
    let shape = |path: &str| -> Vec<String> {
        let page = console.get(path).json;
        let entries = page["entries"].as_array().unwrap_or_else(|| panic!("no page: {page:#}")).iter();
        let told = entries.filter_map(|entry| match entry["kind"].as_str()? {
            "continuity" => entry["continuity"]["code"].as_str(),
            "user" => entry["text"]["shown"].as_str(),
            _ => None,
        });
        told.map(str::to_owned).collect()
    };
    let whole = ["first", "hello", "resumed", "and again"];
    assert_eq!(shape(&of_the_repo("conversation")), whole);
    world.ok(&["fresh", "work"]);
    assert_eq!(shape(&of_the_repo("conversation")), ["asked_for"]);
    let earlier = of_the_repo(&format!("conversation?conversation={old}"));
    assert_eq!(shape(&earlier), whole, "another conversation's opens aren't its");
    let mut pages = Vec::new();
    let mut before = String::new();
    loop {
        let path = format!("{earlier}&limit=1{before}");
        pages.splice(0..0, shape(&path));
        match console.get(&path).json["before"].as_u64() {
            Some(at) => before = format!("&before={at}"),
            None => break,
        }
    }
    assert_eq!(pages, whole, "page by page each stands once");
}
