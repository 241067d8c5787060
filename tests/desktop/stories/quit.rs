//! Quit, which says what is running.

use crate::app::Desk;

#[test]
fn without_a_live_agent_there_is_nothing_to_ask() {
    let mut desk = Desk::running("");
    desk.panel().click("Quit…", None);
    desk.ends();
    assert_eq!(desk.repose(&["status"]).code, 4);
}

#[test]
fn ctrl_q_asks_and_what_was_left_running_runs_on() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    desk.add();
    desk.ask("hello");
    let engine = desk.the_engine("work");
    let window = desk.screen.window("Repose");
    desk.screen.press(&window, "ctrl+q");
    let dialog = desk.screen.window("Quit Repose");
    desk.screen.picture("quit");
    let asks: Vec<_> = desk.windows().into_iter().map(|process| process.command).collect();
    assert!(asks.iter().any(|line| line.ends_with("--ask")), "what it says is no argument: {asks:?}");
    desk.screen.press(&dialog, "Escape");
    desk.screen.no_window("Quit Repose");
    assert_eq!(desk.ok(&["status"])["runner"]["pid"], desk.app_pid(), "cancelled");

    desk.panel().click("Quit…", None);
    let dialog = desk.screen.window("Quit Repose");
    desk.screen.press(&dialog, "Return");
    desk.ends();
    desk.no_window();
    assert!(engine.alive(), "left running");
    desk.launch(&["--hidden"]);
    assert_eq!(desk.the_engine("work"), engine);
}

#[test]
fn stop_them_and_quit_ends_every_tree() {
    let mut desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "HOLD{turn}"]);
    desk.model.wait_for("the turn", |request| request.text == "HOLD{turn}");
    desk.panel().line("work · working");
    let tree = desk.tree();
    desk.panel().click("Quit…", None);
    let dialog = desk.screen.window("Quit Repose");
    desk.screen.press(&dialog, "Tab");
    desk.screen.press(&dialog, "Return");
    desk.ends();
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    asked.kill();
    desk.model.release("turn");
}

#[test]
fn work_that_comes_up_while_the_dialog_asks_is_not_cut_off() {
    let mut desk = Desk::running("");
    let first = desk.start(&["ask", "work", "HOLD{one}"]);
    desk.model.wait_held("one");
    desk.panel().line("work · working");
    desk.panel().click("Quit…", None);
    let dialog = desk.screen.window("Quit Repose");
    desk.model.release("one");
    first.finish().ok();
    let second = desk.start(&["ask", "work", "HOLD{two}"]);
    desk.model.wait_held("two");
    let stop = |dialog: &str| {
        desk.screen.press(dialog, "Tab");
        desk.screen.press(dialog, "Return");
    };
    let asks = desk.the_window();
    stop(&dialog);
    desk.eventually("another question", || (!asks.alive() && desk.the_window() != asks).then_some(()));
    let again = desk.screen.window("Quit Repose");
    assert_eq!(desk.status("work")["state"], "working", "it was left alone");
    stop(&again);
    desk.ends();
    second.kill();
    desk.model.release("two");
}

#[test]
fn what_is_paused_while_the_dialog_asks_stays_paused() {
    let mut desk = Desk::running("");
    let other = desk.add_repo("other");
    desk.ok(&["add", other.to_str().expect("UTF-8")]);
    for repo in ["work", "other"] {
        desk.ok(&["ask", repo, "hello"]);
        desk.panel().line(&format!("{repo} · ready"));
    }
    desk.panel().click("Quit…", None);
    let dialog = desk.screen.window("Quit Repose");
    desk.ok(&["pause", "work"]);
    desk.panel().line("work · paused");
    desk.screen.press(&dialog, "Tab");
    desk.screen.press(&dialog, "Return");
    desk.ends();
    desk.launch(&["--hidden"]);
    assert_eq!(desk.status("work")["state"], "paused");
    assert_eq!(desk.status("other")["state"], "asleep");
}

#[test]
fn quit_again_brings_its_dialog_to_the_front() {
    let mut desk = Desk::running("");
    desk.ask("hello");
    desk.panel().click("Quit…", None);
    let dialog = desk.screen.window("Quit Repose");
    desk.screen.minimise(&dialog);
    desk.screen.no_window("Quit Repose");
    desk.panel().click("Quit…", None);
    assert_eq!(desk.screen.window("Quit Repose"), dialog);
    desk.screen.press(&dialog, "Return");
    desk.ends();
}

#[test]
fn your_own_word_is_no_news() {
    let mut desk = Desk::running("");
    let asked = desk.start(&["ask", "work", "HOLD{one}"]);
    desk.panel().line("work · working");
    desk.panel().click("work · working", Some("Interrupt"));
    assert_eq!(asked.finish().code, 6);
    desk.model.release("one");
    desk.panel().line("work · ready");
    let asked = desk.start(&["ask", "work", "HOLD{two}"]);
    desk.model.wait_held("two");
    desk.ok(&["stop", "work", "--interrupt"]);
    asked.finish();
    desk.model.release("two");
    let asked = desk.start(&["ask", "work", "HOLD{three}"]);
    desk.model.wait_held("three");
    desk.panel().line("work · working");
    desk.panel().click("Quit…", None);
    let dialog = desk.screen.window("Quit Repose");
    desk.screen.press(&dialog, "Tab");
    desk.screen.press(&dialog, "Return");
    desk.ends();
    asked.kill();
    desk.model.release("three");
    assert_eq!(desk.notes.titles(), [""; 0], "an interrupt, a stop, and a stop by Quit");
}
