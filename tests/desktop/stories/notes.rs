//! Notifications, as received by the desktop's service.

use std::time::{Duration, Instant};

use crate::app::Desk;
use crate::bus::{Note, Notifications};
use crate::support::http::Console;

/// How long to look for a notification that must not appear.
const STAYS: Duration = Duration::from_secs(2);

#[test]
fn one_that_needs_you_has_buttons_that_work_also_after_a_restart() {
    let mut desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    let note = answerable(&desk, 0);
    assert_eq!((note.title.as_str(), note.urgency), ("work needs you", 2));
    assert!(note.body.contains("touch a"), "{note:?}");
    let before = desk.notes.all().len();
    desk.end();
    asked.kill();
    desk.notes.taken_back(&note);

    desk.launch(&["--hidden"]);
    let again = answerable(&desk, before);
    assert_eq!((&again.title, &again.body), (&note.title, &note.body));
    desk.notes.press_button(&again, "Allow");
    desk.eventually("what was allowed to be done", || desk.repo("work").join("a").exists().then_some(()));
    desk.notes.taken_back(&again);
}

#[test]
fn one_of_an_app_that_was_lost_is_replaced_and_one_that_was_put_away_is_not_told_again() {
    let mut desk = Desk::running("");
    desk.turn("hello");
    let done = desk.notes.titled("work is done");
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    let note = answerable(&desk, 0);
    let before = desk.notes.all().len();
    stored(&desk, &note);
    desk.lose();
    asked.kill();
    desk.launch(&["--hidden"]);
    let again = answerable(&desk, before);
    assert_eq!(again.id, note.id, "there is one at a time");
    desk.notes.dismiss(&again);
    // What it hears next, and can still do for the app before that.
    desk.notes.press(&done, "default");
    desk.screen.window("Repose");
    desk.end();

    let told = |desk: &Desk| desk.notes.titles().into_iter().filter(|title| *title == note.title).count();
    let before = told(&desk);
    desk.launch(&["--hidden"]);
    desk.panel().line("work · needs you");
    desk.stays(STAYS, "not told", || told(&desk) == before);
    desk.ok(&["stop", "work", "--interrupt"]);
}

/// Waits until the store has that this one can be seen: of one that an app was killed over before that, the next knows
/// no number, and takes it for told and put away.
fn stored(desk: &Desk, note: &Note) {
    let store = rusqlite::Connection::open(desk.state().join("state.db")).expect("a store");
    desk.eventually("the notification in the store", || {
        let standing = "SELECT value FROM value WHERE key = 'desktop.standing'";
        let text: String = store.query_row(standing, [], |row| row.get(0)).ok()?;
        text.contains(&format!(" {} waits ", note.id)).then_some(())
    });
}

#[test]
fn allow_and_deny_on_the_notification_are_the_agents_answer() {
    let desk = Desk::running("");
    for (answer, file) in [("Deny", "a"), ("Allow", "b")] {
        let before = desk.notes.all().len();
        let asked = desk.start(&["ask", "work", &format!("RUN{{touch {file}}}")]);
        let note = answerable(&desk, before);
        desk.notes.press_button(&note, answer);
        asked.finish();
        assert_eq!(desk.repo("work").join(file).exists(), answer == "Allow", "{answer}");
        desk.notes.taken_back(&note);
    }
}

#[test]
fn a_command_that_isnt_told_whole_is_opened_rather_than_allowed() {
    let desk = Desk::running("");
    let asked = desk.start(&["ask", "work", &format!("RUN{{touch a{}; touch tail}}", " b".repeat(60))]);
    let note = desk.eventually("a notification with Deny", || {
        desk.notes.all().into_iter().find(|note| note.actions.iter().any(|action| action == "Deny"))
    });
    assert!(!note.actions.iter().any(|action| action == "Allow"), "{note:?}");
    assert!(note.body.ends_with("…` (59 more characters)."), "{note:?}");
    desk.notes.press_button(&note, "Open");
    desk.screen.shows("work");
    assert!(!desk.repo("work").join("tail").exists());
    desk.notes.press_button(&note, "Deny");
    asked.finish();
    desk.notes.taken_back(&note);
}

#[test]
fn the_parts_of_a_question_are_told_in_one_place_and_not_again_to_whoever_put_them_away() {
    let desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "CHOICE{**Which** colours?|Red|Blue;How many?|One|Two}"]);
    let says = |words: &str| {
        desk.eventually(&format!("a notification with {words:?}"), || {
            desk.notes.all().into_iter().rfind(|note| note.body.contains(words))
        })
    };
    let first = says("Which colours? (1 of 2)");
    answer(&desk, "0");
    let second = says("How many? (2 of 2)");
    assert_eq!((second.id, &second.title), (first.id, &first.title), "in the place of the first");
    desk.notes.dismiss(&second);
    stored_gone(&desk, &second);
    let before = desk.notes.all().len();
    answer(&desk, "back");
    desk.eventually("the first part again", || {
        let status = desk.ok(&["status", "work"]);
        status["decision"]["title"].as_str().is_some_and(|title| title.contains("(1 of 2)")).then_some(())
    });
    desk.stays(STAYS, "not told", || desk.notes.all().len() == before);
    desk.ok(&["stop", "work", "--interrupt"]);
    asked.kill();
}

#[test]
fn a_button_that_is_pressed_as_its_notification_is_replaced_does_what_it_said() {
    let desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "BG{sleep 600} RUN{touch a}"]);
    answerable(&desk, 0);
    let before = desk.notes.all().len();
    desk.panel().click("work · needs you", Some("Pause"));
    let refused = answerable(&desk, before);
    let labels: Vec<_> = refused.actions.iter().skip(1).step_by(2).map(String::as_str).collect();
    assert_eq!(labels, ["Open", "Allow", "Deny", "Pause anyway"], "{refused:?}");
    desk.notes.press_before_replaced("Pause anyway");
    answer(&desk, "allow");
    desk.panel().line("work · paused");
    asked.kill();
}

/// Gives this answer to what the agent waits for, as in the page.
fn answer(desk: &Desk, choice: &str) {
    let status = desk.ok(&["status", "work"]);
    let (id, decision) = (&status["id"], &status["decision"]["id"]);
    let path = format!("/api/repos/{}/answer", id.as_str().expect("an id"));
    let answered =
        Console::of(desk).post(&path, &serde_json::json!({ "decision": decision, "choice": choice }));
    assert_eq!(answered.status, 200, "{answered:?}");
}

/// Waits until the store has that this one can't be seen any more.
fn stored_gone(desk: &Desk, note: &Note) {
    let store = rusqlite::Connection::open(desk.state().join("state.db")).expect("a store");
    desk.eventually("the notification to be gone from the store", || {
        let standing = "SELECT value FROM value WHERE key = 'desktop.standing'";
        let text: String = store.query_row(standing, [], |row| row.get(0)).ok()?;
        (!text.contains(&format!(" {} waits ", note.id))).then_some(())
    });
}

/// Waits for one with Allow and Deny, after the first `before`.
fn answerable(desk: &Desk, before: usize) -> Note {
    desk.eventually("a notification with Allow and Deny", || {
        let has = |note: &Note, label: &str| note.actions.iter().any(|action| action == label);
        desk.notes.all().into_iter().skip(before).find(|note| has(note, "Allow") && has(note, "Deny"))
    })
}

#[test]
fn a_click_on_a_notification_opens_that_repo_and_its_end_takes_it_back() {
    let desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    let note = desk.notes.titled("work needs you");
    assert_eq!(note.actions.first().map(String::as_str), Some("default"));
    desk.notes.press(&note, "default");
    desk.screen.window("Repose");
    asked.kill();
    desk.ok(&["stop", "work", "--interrupt"]);
    desk.notes.taken_back(&note);
}

#[test]
fn a_finished_turn_is_told_and_a_paused_repo_is_not() {
    let desk = Desk::running("");
    desk.turn("hello");
    let note = desk.notes.titled("work is done");
    assert_eq!(note.urgency, 1);
    assert!(note.body.starts_with("It worked for "), "{note:?}");
    desk.ok(&["pause", "work"]);
    desk.panel().line("work · paused");
    desk.ok(&["resume", "work"]);
    desk.panel().line("work · ready");
    assert_eq!(desk.notes.titles(), ["work is done"], "neither paused, nor resumed on your word, is news");
}

#[test]
fn an_answer_that_somebody_waited_for_is_no_news_to_them() {
    let desk = Desk::running("");
    desk.ask("hello");
    assert_eq!(desk.repose(&["ask", "work", "FAIL{400}"]).code, 6);
    desk.panel().line("work · ready");
    desk.stays(STAYS, "not told", || desk.notes.titles().is_empty());
    let asked = desk.start(&["ask", "work", "HOLD{turn}"]);
    desk.model.wait_held("turn");
    asked.kill();
    desk.model.release("turn");
    desk.notes.titled("work is done");
}

#[test]
fn a_reap_and_a_fresh_start_are_told_and_each_kind_can_be_switched_off() {
    let desk = Desk::running("idle_after = \"1s\"\nresume_within = \"2s\"\n[notify]\nfinished = false\n");
    desk.ask("hello");
    let note = desk.notes.titled("work was let go");
    assert!(note.body.contains("Freed ") && note.body.contains("conversation is kept"), "{note:?}");
    assert_eq!(note.urgency, 0);
    desk.panel().line("work · asleep · freed");
    let old = |world: &Desk| {
        let last = world.status("work")["conversation"]["last_activity"].clone();
        (!last.is_null()).then_some(last)
    };
    desk.eventually("the last turn to be known", || old(&desk));
    desk.stays(Duration::from_secs(3), "asleep", || desk.status("work")["state"] == "asleep");
    let answer = desk.ask("again");
    let sentence = answer["continuity"]["sentence"].as_str().expect("a statement").to_owned();
    assert!(sentence.starts_with("Started fresh"), "{sentence}");
    let note = desk.notes.titled("work has a new conversation");
    assert!(note.body.starts_with(&sentence), "invariant 11: in the same words: {note:?}");
    assert!(note.body.contains("One older than 2 s comes back only on your word"), "{note:?}");
    assert!(!desk.notes.titles().contains(&"work is done".to_owned()), "that was switched off");
}

#[test]
fn a_turn_that_fails_is_told_with_the_reason_and_broken_settings_while_no_window_is_open() {
    let desk = Desk::running("");
    desk.turn("FAIL{400}");
    let note = desk.notes.titled("work stopped without an answer");
    assert!(note.body.contains("asked for"), "{note:?}");
    desk.settings("idle_after = \n");
    let note = desk.eventually("a notification on the settings", || {
        desk.notes.all().into_iter().find(|note| note.body.contains("config.toml"))
    });
    desk.settings("");
    desk.notes.taken_back(&note);
}

#[test]
fn a_turn_that_ends_before_your_eyes_is_not_told() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    desk.add();
    let window = desk.screen.window("Repose");
    desk.screen.front(&window);
    desk.turn("hello");
    desk.panel().line("work · ready");
    desk.stays(STAYS, "not told", || desk.notes.all().is_empty());
    desk.screen.minimise(&window);
    desk.turn("again");
    desk.notes.titled("work is done");
}

#[test]
fn a_turn_that_ends_after_the_window_was_closed_is_told() {
    told_without_the_window(|desk, window| desk.screen.close(window));
}

#[test]
fn a_turn_that_ends_after_the_window_was_lost_is_told() {
    // Its page can't say any more that nobody uses it.
    told_without_the_window(|desk, _| desk.the_window().kill());
}

/// A turn ends after somebody used its page in a window that `goes`.
fn told_without_the_window(goes: impl Fn(&Desk, &str)) {
    let mut desk = Desk::new("[notify]\ntrouble = false\n");
    desk.launch(&[]);
    desk.add();
    desk.panel().click("work · asleep", Some("Open"));
    let window = desk.screen.shows("work");
    desk.turn("HOLD{turn}");
    desk.model.wait_held("turn");
    let used = || {
        let status = desk.status("work");
        status["holds"].as_array().is_some_and(|holds| holds.iter().any(|hold| hold["kind"] == "client"))
    };
    desk.eventually("a key in the page to be use", || {
        desk.screen.press(&window, "Shift_L");
        used().then_some(())
    });
    goes(&desk, &window);
    desk.no_window();
    let gone = Instant::now();
    desk.eventually("nobody to use it", || (!used()).then_some(()));
    assert!(gone.elapsed() < Duration::from_secs(30), "{:?}", gone.elapsed());
    desk.model.release("turn");
    desk.notes.titled("work is done");
}

#[test]
fn an_agent_that_ends_by_itself_is_told_and_a_click_opens_its_repo() {
    let desk = Desk::running("");
    desk.ask("hello");
    desk.the_engine("work").kill();
    let note = desk.notes.titled("work's agent ended");
    assert!(note.body.starts_with("Its conversation is kept."), "{note:?}");
    desk.notes.press(&note, "default");
    desk.screen.window("Repose");
}

#[test]
fn what_happened_while_no_app_ran_is_told_once() {
    let mut desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "HOLD{turn} MD{in the meantime}"]);
    desk.model.wait_held("turn");
    desk.panel().line("work · working");
    desk.end();
    asked.kill();
    desk.model.release("turn");
    let transcripts = desk.transcripts("work");
    desk.eventually("the turn to end without an app", || {
        let files = std::fs::read_dir(&transcripts).ok()?;
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok());
        let answered = |line: &str| line.contains("in the meantime") && line.contains("\"assistant\"");
        texts.any(|text| text.lines().any(answered)).then_some(())
    });
    assert_eq!(desk.notes.titles(), [""; 0]);
    desk.launch(&["--hidden"]);
    desk.notes.titled("work is done");
    desk.end();

    desk.the_engine("work").kill();
    desk.eventually("its keeper's end", || desk.holders().is_empty().then_some(()));
    desk.launch(&["--hidden"]);
    desk.notes.titled("work's agent ended");
    desk.end();
    desk.launch(&["--hidden"]);
    desk.panel().line("work · asleep");
    let told = || desk.notes.titles() == ["work is done", "work's agent ended"];
    desk.stays(STAYS, "each told once", told);
}

#[test]
fn a_click_opens_the_repo_of_its_notification_in_a_new_window_and_in_one_that_is_there() {
    let desk = Desk::running("");
    let other = desk.add_repo("other");
    desk.ok(&["add", other.to_str().expect("UTF-8")]);
    let note = |repo: &str| {
        desk.ok(&["ask", repo, "hello", "--no-wait"]);
        desk.notes.titled(&format!("{repo} is done"))
    };
    for (repo, note) in [("work", note("work")), ("other", note("other"))].into_iter().rev() {
        desk.notes.press(&note, "default");
        desk.screen.shows(repo);
        desk.the_window();
    }
}

#[test]
fn what_no_service_took_is_told_by_the_next_one() {
    let mut desk = Desk::running("");
    desk.notes.leave();
    desk.turn("hello");
    desk.logged("a notification was not shown");
    assert_eq!(desk.notes.titles(), [""; 0]);
    desk.notes.come();
    desk.notes.titled("work is done");

    desk.notes.leave();
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    desk.panel().line("work · needs you");
    desk.logged("key=\"waits");
    desk.end();
    asked.kill();
    desk.notes.come();
    desk.launch(&["--hidden"]);
    let note = answerable(&desk, 0);
    assert_eq!(note.title, "work needs you", "also by the next app, where it is so still");
    desk.ok(&["stop", "work", "--interrupt"]);
}

#[test]
fn what_still_needs_you_is_told_to_a_service_that_takes_the_place_of_another() {
    let mut desk = Desk::running("");
    desk.turn("hello");
    desk.notes.titled("work is done");
    desk.turn("RUN{touch a}");
    answerable(&desk, 0);
    desk.notes.leave();
    desk.notes = Notifications::start(&desk.screen.bus);
    let note = answerable(&desk, 0);
    assert_eq!(desk.notes.titles(), ["work needs you"], "what asks for nobody isn't repeated");
    desk.notes.press_button(&note, "Allow");
    desk.eventually("what was allowed to be done", || desk.repo("work").join("a").exists().then_some(()));
    desk.notes.taken_back(&note);
}

#[test]
fn a_service_that_is_stuck_keeps_nothing_else_waiting() {
    let mut desk = Desk::running("");
    let panel = desk.panel();
    desk.turn("hello");
    desk.notes.titled("work is done");
    desk.notes.stick();
    desk.turn("HOLD{turn}");
    panel.line("work · working");
    desk.model.wait_held("turn");
    desk.model.release("turn");
    desk.wait_state("work", "ready");
    let over = Instant::now();
    panel.line("work · ready");
    assert!(over.elapsed() < Duration::from_secs(1), "{:?}", over.elapsed());
    desk.end();
}
