//! The tray, over D-Bus as a panel reads it.

use std::time::{Duration, Instant};

use crate::app::Desk;
use crate::bus::Panel;

/// How long to look for a notification that must not appear.
const STAYS: Duration = Duration::from_secs(2);

/// How long the tray may lag behind, on a busy machine.
const FOLLOWS: Duration = Duration::from_secs(1);

#[test]
fn pause_in_the_tray_ends_the_tree_and_the_header_says_what_was_freed() {
    let desk = Desk::running("");
    let panel = desk.panel();
    panel.line("No agent is live");
    desk.ask("hello");
    panel.line("1 live, using");
    let row = panel.line("work · ready · ");
    assert!(row.label.ends_with(" MB"), "{row:?}");
    desk.screen.picture("tray-idle");

    let tree = desk.tree();
    panel.click("work · ready", Some("Pause"));
    panel.line("work · paused · freed ");
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    assert!(desk.holders().is_empty());
    let freed = desk.status("work")["freed_bytes"].as_u64().expect("a number");
    panel.line(&format!("Freed {} · no agent is live", repose_core::words::bytes(freed)));

    panel.click("work · paused", Some("Resume"));
    panel.line("work · ready · ");
    assert_eq!(desk.status("work")["continuity"]["kind"], "resumed");
    assert!(desk.windows().is_empty(), "none of this needs a window");
}

#[test]
fn it_follows_within_a_second_and_changes_nothing_without_a_change() {
    let desk = Desk::running("");
    let panel = desk.panel();
    desk.ask("hello");
    panel.line("work · ready");
    let held = desk.start(&["ask", "work", "HOLD{turn}"]);
    desk.model.wait_for("the turn", |request| request.text == "HOLD{turn}");
    panel.line("work · working");
    desk.model.release("turn");
    held.finish().ok();
    desk.wait_state("work", "ready");
    let seen = Instant::now();
    panel.line("work · ready");
    assert!(seen.elapsed() < FOLLOWS, "{:?}", seen.elapsed());
    desk.ok(&["pause", "work"]);
    panel.line("work · paused · freed ");
    panel.line("Freed ");
    let before = panel.layout().expect("a menu");
    desk.stays(Duration::from_secs(5), "the menu as it is", || panel.layout().as_ref() == Some(&before));
}

#[test]
fn pause_all_closes_the_gate_and_resume_all_opens_it() {
    let desk = Desk::running("");
    let panel = desk.panel();
    desk.ask("hello");
    panel.click("Pause all", None);
    panel.line("work · paused · freed ");
    panel.line("Nothing that sleeps opens until Resume all");
    assert!(desk.tree().is_empty());
    for name in ["other", "third"] {
        let other = desk.add_repo(name);
        desk.ok(&["add", other.to_str().expect("UTF-8")]);
        desk.repose(&["ask", name, "x"]).refused(3, "paused");
    }
    panel.click("third · asleep", Some("Resume"));
    panel.line("third · ready");
    panel.line("Nothing that sleeps opens until Resume all");
    panel.click("Resume all", None);
    panel.line("work · asleep");
    desk.ok(&["ask", "other", "x"]);
    let lines: Vec<_> = panel.menu().into_iter().map(|entry| entry.label).collect();
    assert!(!lines.iter().any(|line| line.starts_with("Nothing that sleeps")), "{lines:?}");
}

#[test]
fn interrupt_ends_the_turn_and_the_icon_asks_for_attention_while_somebody_is_needed() {
    let desk = Desk::running("");
    let panel = desk.panel();
    let asked = desk.start(&["ask", "work", "SLOW{120}"]);
    panel.line("work · working");
    panel.click("work · working", Some("Interrupt"));
    assert_eq!(asked.finish().code, 6);
    panel.line("work · ready");
    assert_eq!(panel.status(), "Active");
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    panel.line("work · needs you");
    desk.eventually("the icon to ask for attention", || (panel.status() == "NeedsAttention").then_some(()));
    asked.kill();
    desk.ok(&["stop", "work", "--interrupt"]);
    panel.line("work · asleep");
}

#[test]
fn the_icon_differs_between_calm_at_work_needed_all_paused_and_trouble() {
    let desk = Desk::running("");
    let panel = desk.panel();
    let mut seen = vec![panel.icon()];
    let mut another = |why: &str| {
        let new = || Some(panel.icon()).filter(|icon| !icon.is_empty() && !seen.contains(icon));
        let icon = desk.eventually(why, new);
        seen.push(icon);
    };
    let asked = desk.start(&["ask", "work", "SLOW{120}"]);
    another("the icon of one at work");
    desk.ok(&["interrupt", "work"]);
    assert_eq!(asked.finish().code, 6);
    let asked = desk.start(&["ask", "work", "RUN{touch a}"]);
    another("the icon of one that needs somebody");
    asked.kill();
    desk.ok(&["stop", "work", "--interrupt"]);
    desk.ok(&["pause", "--all"]);
    another("the icon of all paused");
    desk.ok(&["resume", "--all"]);
    std::fs::rename(desk.repo("work"), desk.home().join("away")).expect("our own folder");
    desk.repose(&["ask", "work", "hello"]).refused(4, "folder_gone");
    another("the icon of trouble");
}

#[test]
fn a_refused_pause_is_told_with_a_way_on() {
    let desk = Desk::running("");
    let panel = desk.panel();
    desk.ask("hello");
    let asked = desk.start(&["ask", "work", "HOLD{turn}"]);
    desk.model.wait_for("the turn", |request| request.text == "HOLD{turn}");
    panel.line("work · working");
    panel.click("work · working", Some("Pause"));
    let note = desk.notes.titled("work: work would be lost");
    assert!(note.body.contains("a turn in progress"), "{note:?}");
    assert_eq!(note.actions.last().map(String::as_str), Some("Pause anyway"));
    assert_eq!(desk.status("work")["state"], "working", "it was left alone");
    desk.notes.press_button(&note, "Pause anyway");
    panel.line("work · paused");
    desk.notes.taken_back(&note);
    desk.model.release("turn");
    assert_eq!(asked.finish().code, 6);
}

#[test]
fn pause_anyway_cuts_off_what_it_named_and_no_more() {
    let desk = Desk::running("");
    let panel = desk.panel();
    desk.ask("hello");
    let first = desk.start(&["ask", "work", "HOLD{one}"]);
    desk.model.wait_held("one");
    panel.click("work · working", Some("Pause"));
    let note = desk.notes.titled("work: work would be lost");
    desk.model.release("one");
    first.finish().ok();
    desk.notes.taken_back(&note);

    let second = desk.start(&["ask", "work", "HOLD{two}"]);
    desk.model.wait_held("two");
    panel.click("work · working", Some("Pause"));
    let note = desk.eventually("a note of that turn", || {
        let notes = desk.notes.all();
        notes.into_iter().rfind(|one| one.title == note.title && one.id != note.id)
    });
    let third = desk.start(&["ask", "work", "hello again"]);
    desk.eventually("the ask that waits", || (desk.status("work")["queued"] == 1).then_some(()));
    desk.notes.press_button(&note, "Pause anyway");
    let more = desk.eventually("a note of both asks", || {
        desk.notes.all().into_iter().find(|note| note.body.contains("unsent ask"))
    });
    assert_eq!(desk.status("work")["state"], "working", "it was left alone");
    desk.notes.press_button(&more, "Pause anyway");
    panel.line("work · paused");
    assert_eq!((second.finish().code, third.finish().code), (6, 3));
}

#[test]
fn a_repo_that_cant_open_when_it_is_needed_is_trouble() {
    let desk = Desk::running("");
    let panel = desk.panel();
    panel.line("work · asleep");
    let (folder, away) = (desk.repo("work"), desk.home().join("away"));
    std::fs::rename(&folder, &away).expect("our own folder");
    desk.eventually("the folder to be missed", || (desk.status("work")["state"] == "offline").then_some(()));
    panel.line("work · offline: folder gone");
    desk.stays(STAYS, "nobody needs it", || desk.notes.titles().is_empty());
    for _ in 0..2 {
        desk.repose(&["ask", "work", "hello"]).refused(4, "folder_gone");
    }
    let note = desk.notes.titled("work: folder gone");
    assert_eq!(note.urgency, 2);
    desk.eventually("the tip to name it", || (panel.tip() == "work: folder gone").then_some(()));
    assert_eq!(desk.notes.titles(), ["work: folder gone"], "it is told once");
    std::fs::rename(&away, &folder).expect("our own folder");
    desk.ask("hello");
    desk.eventually("the tip to be as before", || panel.tip().starts_with("1 live").then_some(()));
}

#[test]
fn start_at_login_is_off_until_it_is_asked_for() {
    let desk = Desk::running("");
    let panel = desk.panel();
    let entry = desk.home().join(".config/autostart/repose.desktop");
    assert!(!panel.line("Start at login").on && !entry.exists());
    panel.click("Start at login", None);
    desk.eventually("the switch to be on", || panel.line("Start at login").on.then_some(()));
    let text = std::fs::read_to_string(&entry).expect("an entry");
    assert!(text.contains("repose-desktop\" --hidden"), "{text}");
    panel.click("Start at login", None);
    desk.eventually("the switch to be off", || (!panel.line("Start at login").on).then_some(()));
    assert!(!entry.exists());
}

#[test]
fn start_at_login_is_shown_as_it_is_whoever_changed_it() {
    let desk = Desk::running("");
    let panel = desk.panel();
    let entry = desk.home().join(".config/autostart/repose.desktop");
    panel.click("Start at login", None);
    desk.eventually("the switch to be on", || panel.line("Start at login").on.then_some(()));
    let on = std::fs::read_to_string(&entry).expect("an entry");
    let opened = || {
        panel.open_menu();
        panel.line("Start at login").on
    };
    for off in ["Hidden=true", "X-GNOME-Autostart-enabled=false"] {
        std::fs::write(&entry, format!("{on}{off}\n")).expect("our own file");
        assert!(!opened(), "{off}");
        std::fs::write(&entry, &on).expect("our own file");
        assert!(opened());
    }
    std::fs::remove_file(&entry).expect("our own file");
    assert!(!opened(), "it is gone");
    panel.click("Start at login", None);
    desk.eventually("an entry", || entry.exists().then_some(()));
}

#[test]
fn a_panel_that_comes_later_gets_the_icon_and_one_that_goes_takes_nothing_along() {
    let mut desk = Desk::without_panel("");
    desk.launch(&["--hidden"]);
    desk.add();
    let note = desk.notes.titled("Repose has no icon on this desktop");
    assert!(note.body.contains("Its window is the way in"), "{note:?}");
    desk.screen.window("Repose");
    desk.panel = Some(Panel::start(&desk.screen.bus));
    desk.panel().line("work · asleep");
    desk.notes.taken_back(&note);
    desk.panel = None;
    desk.ask("hello");
    desk.panel = Some(Panel::start(&desk.screen.bus));
    desk.panel().line("work · ready");
    assert_eq!(desk.panel().icons(), 1);
}

#[test]
fn a_panel_that_is_gone_for_good_is_told_once_and_opens_no_window() {
    let mut desk = Desk::running("");
    desk.panel().line("work · asleep");
    desk.panel = None;
    let note = desk.notes.titled("Repose has no icon on this desktop");
    assert!(note.body.contains("Its window is the way in"), "{note:?}");
    assert!(desk.windows().is_empty());
    desk.panel = Some(Panel::start(&desk.screen.bus));
    desk.panel().line("work · asleep");
    assert_eq!(desk.notes.titles().len(), 1);
}

#[test]
fn open_in_browser_needs_no_window_and_says_so_where_there_is_no_browser() {
    let desk = Desk::running("");
    desk.no_browser();
    desk.panel().click("Open in browser", None);
    let note = desk.notes.titled("No browser was opened");
    assert!(note.body.contains("`repose console --print`"), "{note:?}");
    desk.browser();
    desk.panel().click("Open in browser", None);
    assert!(desk.link(0).contains("/login?code="), "{}", desk.link(0));
    assert!(desk.windows().is_empty());
}

#[test]
fn a_panel_that_is_stuck_keeps_neither_the_window_nor_the_end_waiting() {
    let mut desk = Desk::without_panel("");
    desk.panel = Some(Panel::that_never_answers(&desk.screen.bus));
    desk.launch(&[]);
    let window = desk.screen.window("Repose");
    desk.add();
    desk.notes.titled("Repose has no icon on this desktop");
    desk.panel = None;
    desk.panel = Some(Panel::start(&desk.screen.bus));
    desk.panel().line("work · asleep");
    desk.screen.press(&window, "ctrl+q");
    desk.ends();
}

#[test]
fn a_panel_that_refuses_is_asked_again() {
    let mut desk = Desk::without_panel("");
    desk.panel = Some(Panel::that_refuses(&desk.screen.bus, 2));
    desk.launch(&["--hidden"]);
    desk.add();
    desk.panel().line("work · asleep");
    assert_eq!(desk.panel().icons(), 1);
}

#[test]
fn a_click_on_a_menu_that_was_drawn_before_hits_no_other_repo() {
    let desk = Desk::running("");
    let other = desk.add_repo("other");
    desk.ok(&["add", other.to_str().expect("UTF-8")]);
    desk.ask("hello");
    desk.ok(&["ask", "other", "hello"]);
    let panel = desk.panel();
    panel.line("other · ready");
    let drawn = panel.line("work · ready").below.into_iter().find(|entry| entry.label == "Pause");
    let asked = desk.start(&["ask", "other", "RUN{touch a}"]);
    panel.line("other · needs you");
    let drawn = drawn.expect("a line");
    let hit = panel.click_on(drawn.id);
    assert!(hit.is_err(), "no line has that number any more");
    desk.stays(Duration::from_secs(1), "the other one waits", || desk.status("other")["state"] == "waiting");
    assert_eq!(desk.status("work")["state"], "ready");
    panel.click("work · ready", Some("Pause"));
    panel.line("work · paused");
    asked.kill();
    desk.ok(&["stop", "other", "--interrupt"]);
}

#[test]
fn one_that_keeps_no_conversation_has_stop_where_others_have_pause() {
    let desk = Desk::running("");
    desk.ok(&["add", desk.add_repo("sh").to_str().expect("UTF-8"), "--engine", "shell"]);
    desk.ok(&["ask", "sh", "echo hello"]);
    let panel = desk.panel();
    let row = panel.line("sh · ready");
    assert!(row.below.iter().all(|entry| entry.label != "Pause"), "{row:?}");
    panel.click("sh · ready", Some("Stop"));
    panel.line("sh · asleep");
    let asked = desk.start(&["ask", "sh", "sleep 600"]);
    panel.line("sh · working");
    panel.click("sh · working", Some("Stop"));
    let note = desk.notes.titled("sh: work would be lost");
    desk.notes.press_button(&note, "Stop anyway");
    panel.line("sh · asleep");
    assert_eq!(asked.finish().code, 6);
}

#[test]
fn a_refused_pause_is_told_in_a_dialog_where_no_service_can_tell_it() {
    let desk = Desk::running("");
    desk.notes.leave();
    let panel = desk.panel();
    let asked = desk.start(&["ask", "work", "HOLD{turn}"]);
    desk.model.wait_held("turn");
    panel.line("work · working");
    for _ in 0..2 {
        panel.click("work · working", Some("Pause"));
    }
    let dialog = desk.screen.window("Repose");
    desk.screen.picture("refused");
    desk.screen.press(&dialog, "Escape");
    desk.screen.no_window("Repose");
    assert_eq!(desk.status("work")["state"], "working", "it was left alone");
    panel.click("work · working", Some("Pause"));
    let dialog = desk.screen.window("Repose");
    desk.screen.press(&dialog, "Tab");
    desk.screen.press(&dialog, "Return");
    panel.line("work · paused");
    desk.screen.no_window("Repose");
    desk.model.release("turn");
    assert_eq!(asked.finish().code, 6);
}

#[test]
fn what_several_refuse_to_pause_is_one_notification() {
    let desk = Desk::running("");
    let panel = desk.panel();
    desk.ok(&["add", desk.add_repo("other").to_str().expect("UTF-8")]);
    let asked = ["work", "other"].map(|repo| {
        desk.ok(&["ask", repo, "hello"]); // a pause without a conversation is refused for another reason
        let asked = desk.start(&["ask", repo, &format!("HOLD{{{repo}}}")]);
        desk.model.wait_held(repo);
        panel.line(&format!("{repo} · working"));
        asked
    });
    panel.click("Pause all", None);
    let note = desk.notes.titled("2 repos are at work, and stay");
    for repo in ["work: ", "other: "] {
        assert!(note.body.lines().any(|line| line.starts_with(repo) && line.contains("a turn")), "{note:?}");
    }
    assert_eq!(desk.notes.titles().len(), 1);
    desk.notes.press_button(&note, "Pause anyway");
    panel.line("work · paused");
    panel.line("other · paused");
    desk.notes.taken_back(&note);
    for asked in asked {
        assert_eq!(asked.finish().code, 6);
    }
}
