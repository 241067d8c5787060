//! Notifications, as the desktop's service gets them.

use crate::app::Desk;
use crate::screen::eventually;

#[test]
fn one_that_needs_you_is_told_once_also_over_a_restart_and_a_click_opens_it() {
    let mut desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    let note = desk.notes.titled("work needs you");
    assert_eq!(note.urgency, 2);
    assert!(note.body.contains("touch a"), "{note:?}");
    desk.end();
    asked.kill();
    desk.launch(&["--hidden"]);
    desk.panel().line("work · needs you");
    desk.ok(&["stop", "work", "--interrupt"]);
    desk.panel().line("work · asleep");
    let all = desk.notes.all();
    let others = all.iter().filter(|other| other.title == note.title && other.id != note.id);
    assert_eq!(others.count(), 0, "{all:#?}");
}

#[test]
fn allow_on_the_notification_lets_the_agent_go_on() {
    let desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    let (note, key) = eventually("a notification with Allow", || {
        let note = desk.notes.all().pop()?;
        let at = note.actions.iter().position(|label| label == "Allow")?;
        Some((note.clone(), note.actions[at - 1].clone()))
    });
    assert!(note.actions.iter().any(|label| label == "Deny"), "{note:?}");
    desk.notes.press(&note, &key);
    asked.finish().ok();
    assert!(desk.repo("work").join("a").exists());
    desk.notes.taken_back(&note);
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
    desk.ask("hello");
    let note = desk.notes.titled("work is done");
    assert_eq!(note.urgency, 1);
    desk.ok(&["pause", "work"]);
    desk.panel().line("work · paused");
    desk.ok(&["resume", "work"]);
    desk.panel().line("work · ready");
    assert_eq!(desk.notes.titles(), ["work is done"], "neither paused, nor resumed on your word, is news");
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
    eventually("the last turn to be known", || old(&desk));
    desk.stays(std::time::Duration::from_secs(3), "asleep", || desk.status("work")["state"] == "asleep");
    let answer = desk.ask("again");
    let sentence = answer["continuity"]["sentence"].as_str().expect("a statement").to_owned();
    assert!(sentence.starts_with("Started fresh"), "{sentence}");
    let note = desk.notes.titled("work started fresh");
    assert_eq!(note.body, sentence, "invariant 11: in the same words");
    assert!(!desk.notes.titles().contains(&"work is done".to_owned()), "that was switched off");
}
