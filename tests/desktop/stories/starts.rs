//! Starts of the app: the first, the second, in the place of a `repose serve`, and without a display.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::app::{Desk, window_program};
use crate::screen::eventually;

#[test]
fn a_second_start_shows_the_window_of_the_first() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    let window = desk.screen.window("Repose");
    desk.screen.picture("window-first-run");
    desk.screen.close(&window);
    desk.no_window();
    let note = desk.notes.titled("Repose goes on without its window");
    assert!(note.body.contains("in the panel"), "{note:?}");

    assert!(desk.second_start(&[]).success());
    let window = desk.screen.window("Repose");
    assert!(desk.second_start(&[]).success(), "and a third");
    assert_eq!(desk.screen.windows("Repose"), std::slice::from_ref(&window), "there is one window");
    desk.screen.close(&window);
    desk.no_window();
    assert!(desk.second_start(&["--hidden"]).success(), "as at login");
    assert!(desk.windows().is_empty());
    assert_eq!(desk.notes.titles(), ["Repose goes on without its window"], "it is said once");
    desk.panel().activate();
    desk.screen.window("Repose");
    assert_eq!(desk.ok(&["status"])["runner"]["pid"], desk.app_pid());
}

#[test]
fn invariant_17_the_window_and_the_app_end_no_agent() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    desk.add();
    desk.ask("hello");
    let engine = desk.the_engine("work");
    let window = desk.screen.window("Repose");
    desk.screen.close(&window);
    desk.no_window();
    assert!(engine.alive());
    desk.end();
    assert!(engine.alive());
    desk.launch(&["--hidden"]);
    assert_eq!(desk.the_engine("work"), engine);
    desk.panel().line("work · ready");
}

#[test]
fn a_running_serve_hands_over_and_the_agents_dont_notice() {
    let mut desk = Desk::new("");
    desk.serve();
    desk.add();
    let first = desk.ask("hello");
    let engine = desk.the_engine("work");
    desk.launch(&["--hidden"]);
    assert_eq!(desk.the_engine("work"), engine);
    desk.panel().line("work · ready");
    let second = desk.ask("again");
    assert_eq!(first["repo"]["conversation"]["id"], second["repo"]["conversation"]["id"]);
    assert_eq!(desk.the_engine("work"), engine, "and the ask opened no other one");
    desk.stop_serve();
}

#[test]
fn a_serve_that_stays_keeps_its_place_and_is_shown_in_a_window() {
    let mut desk = Desk::new("");
    desk.serve_with(&["--stay"]);
    desk.serve();
    let serve = desk.serve_pid();
    let mut app = desk.spawn(&[]);
    let window = desk.screen.window("Repose");
    assert_eq!(desk.ok(&["status"])["runner"]["pid"], serve);
    desk.screen.close(&window);
    let ended = eventually("the window's end to be the app's", || app.try_wait().expect("our own child"));
    assert!(ended.success());
    desk.no_window();
    desk.stop_serve();
}

#[test]
fn without_a_display_it_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_repose-desktop")).env_clear().output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("there is no display here") && said.contains("`repose serve`"), "{said}");

    let window =
        Command::new(window_program()).args(["http://127.0.0.1:1/"]).env_clear().output().expect("it starts");
    assert_eq!(window.status.code(), Some(1));
    let said = String::from_utf8_lossy(&window.stderr);
    assert!(said.contains("there is no display here"), "{said}");
}

#[test]
fn an_app_from_a_menu_finds_the_engine_that_only_the_login_shell_knows() {
    let mut desk = Desk::new("");
    let bin = desk.engine().parent().expect("a folder").display().to_string();
    let profile = desk.home().join(".profile");
    std::fs::write(profile, format!("PATH=/usr/bin:/bin:{bin}\nexport PATH\n")).expect("a home");
    desk.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    desk.launch(&["--hidden"]);
    desk.add();
    assert_eq!(desk.ask("hello")["repo"]["state"], "ready");
}

#[test]
fn without_the_windows_program_the_browser_is_the_window_and_quit_asks_in_a_notification() {
    let mut desk = Desk::new("");
    desk.windowless = true;
    let opened = desk.home().join("opened");
    let opener = desk.engine().with_file_name("xdg-open");
    std::fs::write(&opener, format!("#!/bin/sh\necho \"$1\" >>{}\n", opened.display())).expect("a script");
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).expect("a script of ours");
    desk.launch(&["--hidden"]);
    desk.add();
    desk.ask("hello");
    let engine = desk.the_engine("work");
    desk.panel().line("work · ready");
    desk.panel().click("work · ready", Some("Open"));
    let link = eventually("the browser to be opened", || {
        let text = std::fs::read_to_string(&opened).ok()?;
        text.lines().next().map(str::to_owned)
    });
    let id = desk.status("work")["id"].as_str().expect("an id").to_owned();
    assert!(link.contains("/login?code=") && link.ends_with(&format!("#/repo/{id}")), "{link}");

    desk.panel().click("Quit…", None);
    let note = desk.notes.titled("1 repo is open, and idle.");
    let labels: Vec<_> = note.actions.iter().skip(1).step_by(2).cloned().collect();
    assert_eq!(labels, ["Open", "Leave it running", "Stop it and quit"]);
    desk.notes.press(&note, &note.actions[2]);
    desk.ends();
    assert!(engine.alive(), "left running");
}
