//! An engine of the user's own, as `[engines.NAME]` describes it.

use std::path::Path;
use std::time::Duration;

use crate::support::World;

fn table(extra: &str) -> String {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/own-engine");
    format!(
        "idle_after = \"2s\"\n[engines.helper]\ncommand = \"{}\"\nargs = [\"new\", \"{{repo}}\", \"{{conversation}}\"]\n{extra}",
        program.display()
    )
}

const RESUMES: &str = r#"resume_args = ["again", "{repo}", "{conversation}"]
transcript = "{repo}/.helper/{conversation}.txt"
ready = "* ready"
working = "* working"
"#;

fn world(extra: &str) -> World {
    World::running_with(&table(extra), "helper", "own-engine")
}

#[test]
fn with_resume_arguments_its_conversation_is_picked_up() {
    let world = world(RESUMES);
    let first = world.ask("the word marzipan");
    assert_eq!(first["continuity"]["code"], "first");
    let said = "heard 1 in all, the first was: the word marzipan";
    assert_eq!(first["answer"], said, "it hasn't asked for marks around a paste");
    world.wait_state("work", "asleep");
    assert!(world.tree().is_empty(), "{:#?}", world.tree());

    let second = world.ask("and now?");
    assert_eq!(second["continuity"]["kind"], "resumed", "{second:#}");
    assert_eq!(second["repo"]["conversation"]["id"], first["repo"]["conversation"]["id"]);
    let said = "heard 2 in all, the first was: the word marzipan";
    assert_eq!(second["answer"], said, "and nothing of the one before");
    let third = world.ask("again");
    assert_eq!(third["answer"], said.replace('2', "3"));
    // Nothing shows how many there were.
    let asleep = world.wait_state("work", "asleep");
    assert!(asleep["conversation"]["turns"].is_null(), "{asleep:#}");
    let listed = world.ok(&["conversations", "work"]);
    assert!(listed["conversations"][0]["turns"].is_null(), "{listed:#}");
    let terminal = world.terminal(&["status", "work"]);
    terminal.wait_for_text("last used");
    assert!(!terminal.screen().contains("turn"), "{}", terminal.screen());
    world.ok(&["resume", "work"]);

    world.ok(&["pause", "work"]);
    world.repose(&["ask", "work", "x"]).refused(3, "paused");
    assert_eq!(world.ok(&["resume", "work"])["repo"]["continuity"]["kind"], "resumed");
}

#[test]
fn its_title_says_that_it_works_and_holds_it() {
    let world = world(RESUMES);
    let gate = world.repo("work").join("gate");
    let ask = world.start(&["ask", "work", &format!("wait for {}", gate.display())]);
    world.wait_state("work", "working");
    world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
    world.terminal(&["ls"]).wait_for_text(", for ");
    let resumed = world.terminal(&["resume", "work"]);
    resumed.wait_for_text("work is working");
    assert!(!resumed.screen().contains("Started fresh"), "that was told: {}", resumed.screen());
    std::fs::write(&gate, "").expect("a writable repo");
    assert!(ask.finish().ok()["answer"].as_str().is_some_and(|answer| answer.contains("heard 1 in all")));
}

#[test]
fn what_it_asks_before_it_works_is_of_the_turn_and_nothing_is_carried_out_twice() {
    let world = world(&format!("{RESUMES}waiting = \"* asks\"\n"));
    let ask = world.start(&["ask", "work", "ask me first"]);
    world.wait_state("work", "waiting");
    world.stays(Duration::from_secs(7), "somebody has to answer", || {
        let status = world.status("work");
        status["state"] == "waiting" && status["queued"] == 0
    });
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Run it?");
    terminal.type_("y\r");
    let answer = ask.finish().ok()["answer"].to_string();
    assert!(answer.contains("heard 1 in all, the first was: ask me first"), "{answer}");
    let next = world.ask("next")["answer"].to_string();
    assert!(next.contains("heard 2 in all"), "it was asked once: {next}");
}

#[test]
fn one_whose_transcript_is_gone_starts_fresh() {
    let world = world(RESUMES);
    world.ask("hello");
    world.wait_state("work", "asleep");
    std::fs::remove_dir_all(world.repo("work").join(".helper")).expect("what the engine kept");
    assert_eq!(world.ask("again")["continuity"]["code"], "file_gone");
}

#[test]
fn without_resume_arguments_it_is_treated_like_the_shell() {
    let world = world("");
    let first = world.ask("hello");
    assert_eq!(first["repo"]["keeps"], "nothing");
    assert_eq!(first["continuity"]["sentence"], "Started fresh: helper keeps no conversation.");
    let error = world.repose(&["pause", "work"]).refused(3, "not_resumable");
    assert!(error["hints"].to_string().contains("stop"), "{error:#}");
    world.wait_state("work", "asleep");
    assert_eq!(world.ask("again")["continuity"]["code"], "engine_keeps_none");
}

#[test]
fn a_wrong_table_is_refused_with_its_line_and_the_last_good_one_stays() {
    let world = world(RESUMES);
    world.settings(&table("ready = \"* ready\"\n"));
    let doctor = || world.repose(&["doctor"]).json.to_string();
    world.eventually("the wrong table to be told", || doctor().contains("line 5").then_some(()));
    assert!(doctor().contains("`ready` and `working` go together"), "{}", doctor());
    world.ask("it still runs");
}

#[test]
fn one_that_is_described_and_named_at_once_is_known() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    world.serve();
    let add = ["add", folder.to_str().expect("UTF-8"), "--engine", "helper"];
    world.repose(&add).refused(2, "bad_request");
    world.settings(&table(""));
    assert_eq!(world.ok(&add)["repo"]["engine"], "helper");
}

#[test]
fn one_that_the_settings_describe_no_more_is_offline_and_its_repo_stays() {
    let mut world = world(RESUMES);
    world.ask("hello");
    world.ok(&["stop", "work"]);
    world.stop_serve();
    world.settings("");
    world.serve();
    let error = world.repose(&["ask", "work", "x"]).refused(4, "engine_missing");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("`helper`")), "{error:#}");
    assert!(error["hints"].to_string().contains("`repose engine work NAME`"), "{error:#}");
    world.wait_state("work", "offline");
}

#[test]
fn a_fork_of_one_that_makes_no_copies_is_refused_and_ends_nothing() {
    let world = world(RESUMES);
    world.ask("hello");
    let engine = world.the_engine("work");
    let error = world.repose(&["fork", "work"]).refused(3, "not_resumable");
    let words = error["message"].as_str().expect("words");
    assert!(words.contains("helper can't begin a copy of a conversation"), "{error:#}");
    assert!(engine.alive());
    world.wait_state("work", "asleep");
    world.repose(&["fork", "work"]).refused(3, "not_resumable");
    world.eventually("its holder to exit", || world.holders().is_empty().then_some(()));
    assert_eq!(world.ask("again")["continuity"]["kind"], "resumed");
}

#[test]
fn a_quiet_job_in_the_background_of_a_shell_of_ones_own_holds_it() {
    let settings = "idle_after = \"2s\"\n[engines.helper]\ncommand = \"bash\"\nargs = [\"--norc\"]\n";
    let world = World::running_with(settings, "helper", "bash");
    world.ask("sleep 987 &");
    world.wait("work", "a hold for the job", |status| status["holds"].to_string().contains("sleep 987"));
    let awake = || world.status("work")["state"] != "asleep";
    world.stays(Duration::from_secs(4), "a job runs in the background", awake);
    let error = world.repose(&["stop", "work"]).refused(3, "work_would_be_lost");
    assert!(error["message"].as_str().is_some_and(|words| words.contains("sleep 987")), "{error:#}");
    world.ask("kill %1");
    world.wait_state("work", "asleep");
}
