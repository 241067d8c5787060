//! By default Gemini CLI deletes a conversation that is resumed: what the bare program does, and that it
//! can't happen in a repo.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::engines::Under;
use crate::support::{Terminal, World, gemini, patience};

const ID: &str = "4b1c3f0e-6a2d-4c1b-9a5e-0d2f1e3c4b5a";

/// Open conversations are found on the whole machine, so each story has its own.
const HERE: &str = "5c1c3f0e-6a2d-4c1b-9a5e-0d2f1e3c4b5b";
const ELSEWHERE: &str = "6d1c3f0e-6a2d-4c1b-9a5e-0d2f1e3c4b5c";

/// The program without Repose and without its launcher, which would outlive its terminal by a moment.
fn bare(world: &World, args: &[&str]) -> Terminal {
    let mut env = world.env();
    env.push(("GEMINI_CLI_NO_RELAUNCH".into(), "true".into()));
    Terminal::start(&gemini::program(), args, &world.repo("work"), &env)
}

fn transcripts(world: &World) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(world.home().join(".gemini/tmp").join("work").join("chats"));
    folder.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Once this fails, the program is fixed, and Repose may resume its conversations with any settings.
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

fn id(json: &Value) -> &str {
    json["repo"]["conversation"]["id"].as_str().expect("a conversation")
}

fn transcript(json: &Value) -> &Path {
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
    let shown = world.wait("work", "what becomes of it", |status| status["keeps"] == "listed");
    // The hint that it would give deletes the conversation.
    assert_eq!(
        (&shown["resume_command"], &shown["picked_up_until"]),
        (&Value::Null, &Value::Null),
        "{shown:#}"
    );
    let doctor = world.ok(&["doctor"]).to_string();
    assert!(doctor.contains("conversations work") && doctor.contains(HINT), "{doctor}");

    world.wait_state("work", "asleep");
    for args in [&["resume", "work"][..], &["resume", "work", "--conversation", id(&first)]] {
        let error = world.repose(args).refused(3, "not_resumable");
        assert!(error.to_string().contains(HINT.trim_end_matches('.')), "{error:#}");
    }
    world.eventually("its holder to exit", || world.holders().is_empty().then_some(()));
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

/// Closes the bare program's terminal, and waits until it is gone, since it has the conversation open until
/// then.
fn close(world: &World, terminal: Terminal) {
    drop(terminal);
    let gone = || !world.processes().iter().any(|process| process.command.contains("gemini.js"));
    world.eventually("the bare program to be gone", || gone().then_some(()));
}

/// A conversation from another minute than the next one: in the same minute there is no second file.
fn had_before(world: &World, id: &str) -> PathBuf {
    let first = bare(world, &["--session-id", id, "-i", "remember the word marzipan"]);
    first.wait_for_text("Reply 1 to");
    close(world, first);
    let written = transcripts(world);
    let [written] = written.as_slice() else { panic!("{written:?}") };
    let real = written.with_file_name(format!("session-2026-01-02T03-04-{}.jsonl", &id[..8]));
    std::fs::rename(written, &real).expect("a file of our own world");
    real
}

fn new_world() -> World {
    let mut world = World::new();
    Under::Gemini.install(&world, world.engine().parent().expect("a folder"));
    world.settings("idle_after = \"2s\"\n");
    gemini::trust(&world.home(), &world.add_repo("work"));
    world.serve();
    world
}

fn add(world: &World) -> Value {
    world.ok(&["add", world.repo("work").to_str().expect("UTF-8"), "--engine", "gemini"])
}

/// Every open is refused while the program would delete it.
fn nothing_is_started_that_deletes(world: &World, wanted: &str, real: &Path) {
    for args in [&["ask", "work", "hello"][..], &["fresh", "work"], &["resume", "work"]] {
        let error = world.repose(args).refused(4, "would_delete");
        let hint = "Set general.sessionRetention.enabled to false in ~/.gemini/settings.json";
        assert!(error["hints"].to_string().contains(hint), "{error:#}");
        assert!(error["message"].as_str().is_some_and(|words| words.contains(wanted)), "{error:#}");
    }
    assert_eq!((world.holders().len(), real.exists()), (0, true));
    world.wait_state("work", "offline");
}

#[test]
fn a_start_that_would_delete_what_was_taken_up_here_is_refused() {
    let world = new_world();
    let real = had_before(&world, HERE);
    add(&world);
    assert_eq!(world.ask("and the word almond")["continuity"]["kind"], "resumed");
    world.wait_state("work", "asleep");
    assert_eq!((transcripts(&world).len(), real.exists()), (2, true), "a second file of the same id");
    gemini::tidies_up(&world.home());
    nothing_is_started_that_deletes(&world, HERE, &real);
    gemini::welcome(&world.home());
    let back = world.ask("which word?");
    assert_eq!((id(&back), &back["continuity"]["kind"]), (HERE, &"resumed".into()), "{back:#}");
    let sent = world.model.wait_for("the turn", |request| request.text == "which word?");
    assert!(sent.mentions("marzipan"), "{sent:#?}");
}

#[test]
fn a_start_that_would_delete_what_its_user_took_up_elsewhere_is_refused() {
    let world = new_world();
    let real = had_before(&world, ELSEWHERE);
    gemini::tidies_up(&world.home());
    let again = bare(&world, &["--resume", ELSEWHERE]);
    again.wait_for_text("Reply 1 to");
    gemini::wait_taken_up(&world, ELSEWHERE);
    close(&world, again);
    assert_eq!((transcripts(&world).len(), real.exists()), (2, true), "a second file of the same id");
    let added = add(&world);
    assert_eq!((id(&added), &added["repo"]["keeps"]), (ELSEWHERE, &"listed".into()), "{added:#}");
    nothing_is_started_that_deletes(&world, ELSEWHERE, &real);
}

/// Waits for a minute that lasts long enough for what follows.
fn in_one_minute(world: &World) {
    world.eventually("a new minute", || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
        (now.as_secs() % 60 < 30).then_some(())
    });
}

#[test]
fn one_that_is_ended_before_it_has_read_its_history_loses_nothing() {
    let world = World::under(Under::Gemini, "");
    in_one_minute(&world);
    let first = world.ask("remember the word marzipan");
    world.ok(&["stop", "work"]);
    let read = || std::fs::read_to_string(transcript(&first)).expect("the transcript stays");
    let written = |mark: &str| read().matches(mark).count();
    // It has begun to write the file, and doesn't know its content yet: a moment that may be missed.
    let resumes = (0..5).find_map(|_| {
        let (begun, has_read) = (written("\"startTime\""), written("{\"$set\":{\"sessionId\""));
        let resumes = world.start(&["resume", "work"]);
        let engine = world.the_engine("work");
        patience::closely("the second process to write", || (written("\"startTime\"") > begun).then_some(()));
        engine.signal(Signal::STOP);
        if written("{\"$set\":{\"sessionId\"") == has_read {
            return Some(resumes);
        }
        engine.signal(Signal::CONT);
        resumes.finish().ok();
        world.ok(&["stop", "work"]);
        None
    });
    let resumes = resumes.expect("it was never caught before it had read its history");
    world.ok(&["stop", "work", "--interrupt"]);
    drop(resumes.finish());
    assert!(read().contains("marzipan"), "{:?}", transcripts(&world));
    let listed = world.ok(&["conversations", "work"])["conversations"].clone();
    let kept = listed.as_array().expect("a list").iter().find(|one| one["id"] == id(&first));
    assert!(kept.is_some_and(|kept| kept["turns"] == 1), "{listed:#}");
}

#[test]
fn a_command_of_the_users_own_in_its_terminal_is_no_turn() {
    let world = World::under(Under::Gemini, "");
    world.ask("hello");
    let last = world.status("work")["last"].clone();
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Reply 1 to");
    std::fs::write(world.repo("work").join("almonds"), "").expect("a writable repo");
    terminal.type_("!");
    terminal.wait("its shell mode", |screen| !screen.contains("Type your message"));
    terminal.type_("ls");
    terminal.wait_for_text("ls");
    // An Enter right after a key is a line break there.
    world.stays(Duration::from_millis(500), "typed", || terminal.screen().contains("ls"));
    terminal.type_("\r");
    terminal.wait_for_text("almonds");
    world.wait_state("work", "ready");
    let unchanged = || {
        let status = world.status("work");
        status["last"] == last && !status["holds"].to_string().contains("typing")
    };
    world.stays(Duration::from_secs(6), "nothing was asked", unchanged);
    drop(terminal);
    // It still takes commands for its shell.
    assert_eq!(world.ask("MD{and now}")["answer"], "and now");
    assert_eq!(world.status("work")["conversation"]["turns"], 2, "no prompt but the two");
}

#[test]
fn the_list_that_esc_twice_opens_is_left_before_an_ask_is_typed() {
    let world = World::under(Under::Gemini, "");
    world.ask("hello");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Type your message");
    terminal.type_("\x1b[27u\x1b[27u");
    terminal.wait_for_text("Use Enter to select a message");
    assert_eq!(world.ask("MD{exact}")["answer"], "exact");
    assert_eq!(world.status("work")["conversation"]["turns"], 2, "nothing was chosen in the list");
    world.model.wait_for("the ask as it was asked", |request| request.text == "MD{exact}");
}

#[test]
fn what_it_asks_about_a_loop_is_waited_for_and_nothing_is_typed_into_it() {
    let world = World::under(Under::Gemini, "");
    let again = "the tide comes in and the tide goes out and ".repeat(40);
    let ask = world.start(&["ask", "work", &format!("MD{{{again}}}")]);
    let waiting = world.wait_state("work", "waiting");
    assert!(waiting["holds"].to_string().contains("looking for loops"), "{waiting:#}");
    let next = world.start(&["ask", "work", "next"]);
    world.repose(&["pause", "work"]).refused(3, "work_would_be_lost");
    let terminal = world.terminal(&["open", "work"]);
    terminal.answer("Keep loop detection enabled", "\r");
    ask.finish().refused(6, "turn_interrupted");
    let answer = next.finish().ok()["answer"].to_string();
    assert!(answer.contains("'next'"), "its own answer: {answer}");
}

#[test]
fn what_it_asks_about_files_outside_is_waited_for_and_nothing_is_typed_into_it() {
    const DIALOG: &str = "Do you want to allow this read?";
    let world = World::under(Under::Gemini, "");
    let outside = world.home().join("a-file-outside-the-workspace.txt");
    std::fs::write(&outside, "marzipan\n").expect("a writable home");
    let was_read = || world.model.requests().iter().any(|request| request.mentions("marzipan"));
    world.ask("next");
    let text = format!("look at @{}", outside.display());
    let ask = world.start(&["ask", "work", &text]);
    let waiting = world.wait_state("work", "waiting");
    assert!(waiting["holds"].to_string().contains("read files outside"), "{waiting:#}");
    let next = world.start(&["ask", "work", "next"]);
    // Longer than it takes until Enter is sent again.
    world.stays(Duration::from_secs(5), "it waits, and nothing is read", || {
        world.status("work")["state"] == "waiting" && !was_read()
    });
    world.repose(&["pause", "work"]).refused(3, "work_would_be_lost");
    let terminal = world.terminal(&["open", "work"]);
    terminal.answer(DIALOG, "\r");
    let answer = ask.finish().ok()["answer"].to_string();
    assert!(answer.contains("Reply 2 to") && was_read(), "{answer}");
    let answer = next.finish().ok()["answer"].to_string();
    assert!(answer.contains("Reply 3 to 'next'"), "its own answer, and no earlier one: {answer}");

    // What was allowed once isn't asked again.
    let other = world.home().join("another-file-outside-the-workspace.txt");
    std::fs::write(&other, "almond\n").expect("a writable home");
    let ask = world.start(&["ask", "work", &format!("look at @{}", other.display())]);
    world.wait_state("work", "waiting");
    terminal.answer(DIALOG, "2");
    let answer = ask.finish().ok()["answer"].to_string();
    assert!(answer.contains("Reply 4 to 'look at"), "{answer}");
    assert!(!world.model.requests().iter().any(|request| request.mentions("almond")));
}

#[test]
fn a_menu_that_somebody_left_open_is_left_before_an_ask_is_typed() {
    let world = World::under(Under::Gemini, "");
    world.ask("hello");
    let settings = || std::fs::read(world.home().join(".gemini/settings.json")).expect("its settings");
    let before = settings();
    let terminal = world.terminal(&["open", "work"]);
    for (menu, shows) in [
        ("/theme", "Select Theme"),
        ("/model", "Select Model"),
        ("/settings", "Search to filter"),
        ("/resume", "Resume: Enter"),
    ] {
        terminal.wait_for_text("Type your message");
        terminal.type_(menu);
        terminal.wait_for_text(menu);
        // An Enter right after a key is a line break there.
        world.stays(Duration::from_millis(500), "typed", || terminal.screen().contains(menu));
        terminal.type_("\r");
        terminal.wait_for_text(shows);
        let text = format!("MD{{after {menu}}}");
        assert_eq!(world.ask(&text)["answer"], format!("after {menu}"));
        world.model.wait_for("the ask as it was asked", |request| request.text == text);
    }
    assert_eq!(settings(), before, "nothing was chosen in a menu");
    assert_eq!(world.status("work")["conversation"]["turns"], 5);
}
