//! Starts of the app: the first, the second, in place of a `repose serve`, and without a display.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::app::{Desk, terminate, window_program};
use crate::bus::Panel;

/// How long to watch for something that must not happen: a start takes a fraction of it.
const STAYS: Duration = Duration::from_secs(2);

#[test]
fn a_second_start_shows_the_window_of_the_first() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    let window = desk.screen.window("Repose");
    desk.screen.close(&window);
    desk.no_window();
    let note = desk.notes.titled("Repose goes on without its window");
    assert!(note.body.contains("in the panel"), "{note:?}");

    assert!(desk.second_start(&[]).success());
    assert_eq!(desk.said(), "Repose runs already, and shows its window.\n");
    let window = desk.screen.window("Repose");
    assert!(desk.second_start(&[]).success(), "and a third");
    let one =
        || desk.windows().len() == 1 && desk.screen.windows("Repose").iter().all(|seen| *seen == window);
    desk.stays(STAYS, "there is one window", one);
    desk.screen.close(&window);
    desk.no_window();
    assert!(desk.second_start(&["--hidden"]).success(), "as at login");
    desk.stays(STAYS, "there is none", || desk.windows().is_empty());
    assert_eq!(desk.notes.titles(), ["Repose goes on without its window"], "it is said once");
    desk.panel().activate();
    desk.screen.window("Repose");
    assert_eq!(desk.ok(&["status"])["runner"]["pid"], desk.app_pid());
}

#[test]
fn a_start_right_after_quit_has_the_place_of_the_one_that_ends() {
    let mut desk = Desk::new("");
    desk.launch(&["--hidden"]);
    for _ in 0..3 {
        desk.panel().click("Quit…", None);
        desk.replace(&["--hidden"]);
    }
    desk.panel().click("Quit…", None);
    desk.replace(&[]);
    desk.screen.window("Repose");
}

#[test]
fn one_that_has_the_place_and_no_ear_is_waited_for() {
    let mut desk = Desk::new("");
    let place = repose_sys::lock::exclusive(&desk.state().join("lock")).expect("nobody has it yet");
    let mut app = desk.spawn(&["--hidden"]);
    desk.logged("another Repose runs");
    drop(place);
    desk.wait_for_runner(app.id());
    terminate(app.id());
    assert!(app.wait().expect("our own child").success());
}

#[test]
fn one_that_is_stuck_is_named_and_nothing_is_started_beside_it() {
    let mut desk = Desk::new("");
    let _place = repose_sys::lock::exclusive(&desk.state().join("lock")).expect("nobody has it yet");
    let _deaf =
        std::os::unix::net::UnixListener::bind(repose_hold::socket_path(&desk.state())).expect("a socket");
    let mut app = desk.spawn(&[]);
    // Nobody reads the output of an app from a menu.
    let dialog = desk.screen.window("Repose");
    desk.screen.picture("not-started");
    desk.screen.press(&dialog, "Return");
    let ended = desk.eventually("its end", || app.try_wait().expect("our own child"));
    assert_eq!(ended.code(), Some(1));
    let said = desk.said();
    let me = format!("process {}", std::process::id());
    assert!(
        said.contains(&me) && said.contains("doesn't answer") && said.contains("`repose doctor`"),
        "{said}"
    );
}

#[test]
fn a_wish_for_the_window_outlives_one_that_ends_unheard() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    desk.logged("the window is there number=1");
    let deaf = desk.the_window();
    desk.freeze(&deaf);
    assert!(desk.second_start(&[]).success());
    deaf.kill();
    desk.eventually("another window", || (desk.the_window() != deaf).then_some(()));
    desk.screen.window("Repose");
    let told = desk.notes.titles();
    assert!(told.is_empty(), "nobody closed it, and it is there: {told:?}");

    desk.logged("the window is there number=2");
    desk.the_window().kill();
    let note = desk.notes.titled("The window could not stay open");
    assert!(note.body.contains("`repose console`"), "{note:?}");
}

#[test]
fn a_window_that_hangs_is_replaced_and_goes_with_the_app() {
    let mut desk = Desk::running("");
    desk.panel().line("work · asleep");
    desk.panel().click("work · asleep", Some("Open"));
    desk.screen.shows("work");
    let hung = desk.the_window();
    desk.freeze(&hung);
    assert!(desk.second_start(&[]).success());
    desk.eventually("another window", || (!hung.alive() && desk.the_window() != hung).then_some(()));
    desk.screen.window("Repose");
    let hung = desk.the_window();
    desk.freeze(&hung);
    desk.panel().click("Quit…", None);
    desk.ends();
    assert!(!hung.alive(), "it went with the app");
}

#[test]
fn a_window_that_cant_run_is_the_browser_and_its_dialog_a_notification() {
    let mut desk = Desk::new("");
    desk.no_webkit();
    desk.browser();
    desk.launch(&[]);
    assert!(desk.link(0).contains("/login?code="), "{}", desk.link(0));
    desk.add();
    desk.ask("hello");
    let engine = desk.the_engine("work");
    desk.panel().line("work · ready");
    desk.panel().click("work · ready", Some("Open"));
    let id = desk.status("work")["id"].as_str().expect("an id").to_owned();
    assert!(desk.link(1).ends_with(&format!("#/repo/{id}")), "{}", desk.link(1));

    desk.panel().click("Quit…", None);
    let note = desk.notes.titled("1 repo is open, and idle.");
    desk.notes.dismiss(&note);
    // Without notifications, nobody can be asked either.
    desk.notes.leave();
    desk.panel().click("Quit…", None);
    desk.ends();
    assert!(engine.alive(), "left running");
}

#[test]
fn the_desktop_knows_the_window_and_the_dialog_by_the_name_in_the_entry() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    desk.add();
    let window = desk.screen.window("Repose");
    assert!(desk.screen.class(&window).contains("\"repose-desktop\""), "{}", desk.screen.class(&window));
    desk.ask("hello");
    desk.panel().line("work · ready");
    desk.panel().click("Quit…", None);
    let dialog = desk.screen.window("Quit Repose");
    assert!(desk.screen.class(&dialog).contains("\"repose-desktop\""), "{}", desk.screen.class(&dialog));
    desk.screen.press(&dialog, "Escape");
}

#[test]
fn what_somebody_sets_about_drawing_reaches_the_window_and_its_page() {
    let mut desk = Desk::new("");
    // WebKit's own switches, for machines on which a window stays empty.
    let switches = ["WEBKIT_DISABLE_DMABUF_RENDERER=1", "WEBKIT_DISABLE_COMPOSITING_MODE=1"];
    let set = switches.iter().filter_map(|switch| switch.split_once('='));
    desk.env = set.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    desk.launch(&[]);
    desk.add();
    desk.panel().click("work · asleep", Some("Open"));
    desk.screen.shows("work");
    for process in [desk.the_window(), desk.the_page()] {
        let env = std::fs::read(format!("/proc/{}/environ", process.pid)).expect("our own child");
        let has = |switch: &str| env.split(|byte| *byte == 0).any(|set| set == switch.as_bytes());
        assert!(switches.iter().all(|switch| has(switch)), "{process:?}");
    }
}

#[test]
fn a_window_by_hand_ends_with_ctrl_q_and_says_nothing() {
    let mut desk = Desk::running("");
    let link = desk.ok(&["console", "--print"])["link"].as_str().expect("a link").to_owned();
    let mut alone = desk.spawn(&["--window", &link]);
    let window = desk.screen.window("Repose");
    desk.screen.front(&window);
    // Even on a layout without a Latin letter on that key.
    desk.screen.layouts("ru,us");
    const Q: &str = "24"; // where Q is on a keyboard of any layout, as X numbers keys
    desk.screen.press(&window, &format!("ctrl+{Q}"));
    let ended = desk.eventually("the window's end", || alone.try_wait().expect("our own child"));
    assert!(ended.success(), "{ended}");
    assert_eq!(desk.said(), "");
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
fn status_and_doctor_speak_of_the_app_and_a_second_serve_names_it() {
    let mut desk = Desk::without_panel("");
    desk.launch(&["--hidden"]);
    assert_eq!(desk.ok(&["status"])["runner"]["app"], true);
    let error = desk.repose(&["serve"]).refused(3, "runner_elsewhere");
    let named = format!("The Repose app runs already (process {})", desk.app_pid());
    assert!(error["message"].to_string().contains(&named), "{error:#}");

    let found = || {
        let report = desk.repose(&["doctor"]).json;
        let checks = report["checks"].as_array().expect("checks").clone();
        let of_app = checks.into_iter().filter_map(|check| {
            let name = check["name"].as_str()?.strip_prefix("app ")?.to_owned();
            Some((name, check["level"] == "ok"))
        });
        of_app.collect::<Vec<_>>()
    };
    let all = |tray, notes| {
        let lines = [("window", true), ("session bus", true), ("tray", tray), ("notifications", notes)];
        lines.map(|(name, ok)| (name.to_owned(), ok))
    };
    assert_eq!(found(), all(false, true));
    desk.notes.leave();
    assert_eq!(found(), all(false, false));
    desk.notes.come();
    let _panel = Panel::start(&desk.screen.bus);
    desk.eventually("the panel to be found", || (found() == all(true, true)).then_some(()));
}

#[test]
fn two_apps_are_told_apart_by_where_their_state_is() {
    let mut desk = Desk::new("");
    desk.launch(&[]);
    desk.add();
    let state = desk.state().display().to_string();
    desk.screen.window(&format!("Repose \\({state}\\)"));
    desk.panel().line("work · asleep");
    desk.panel().click("work · asleep", Some("Open"));
    desk.screen.shows("work");
    desk.screen.window(&format!("Repose \\({state}\\)"));
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
    desk.screen.minimise(&window);
    assert!(desk.second_start(&[]).success(), "it shows the window of the first");
    assert_eq!(desk.screen.window("Repose"), window);
    desk.the_window();
    let logins = std::fs::read_to_string(desk.state().join("logins")).unwrap_or_default();
    assert_eq!(logins, "", "a window's login isn't kept");
    desk.screen.close(&window);
    let ended =
        desk.eventually("the window's end to be the app's", || app.try_wait().expect("our own child"));
    assert!(ended.success());
    desk.no_window();
    desk.stop_serve();
}

#[test]
fn without_the_windows_program_a_serve_that_stays_is_shown_in_the_browser() {
    let mut desk = Desk::new("");
    desk.windowless = true;
    desk.serve_with(&["--stay"]);
    desk.serve();
    desk.no_browser();
    assert!(!desk.second_start(&[]).success(), "there is no browser either");
    assert!(desk.said().contains("`repose console --print`"), "{}", desk.said());
    desk.browser();
    assert!(desk.second_start(&[]).success());
    assert!(desk.link(0).contains("/login?code="), "{}", desk.link(0));
    desk.stop_serve();
}

#[test]
fn make_run_starts_the_app_where_there_is_a_display_and_else_serve() {
    let desk = Desk::new("");
    let tree = built_tree(&desk);
    let no_display = vec![("DISPLAY".to_owned(), String::new())];
    for (program, env) in [("repose-desktop", desk.screen.env()), ("repose", no_display)] {
        let said = make_run(&desk, &tree, env).expect("it starts");
        assert!(said.contains("Repose is running now:") && said.contains("repose console"), "{said}");
        let pid = desk.ok(&["status"])["runner"]["pid"].as_i64().expect("a pid");
        let all = desk.processes();
        let runner = all.iter().find(|process| i64::from(process.pid) == pid).expect("a runner");
        assert!(runner.program.ends_with(program), "{runner:?}");
        desk.end_runner(runner);
    }
}

#[test]
fn make_run_beside_a_serve_speaks_of_the_app_and_not_of_the_serve() {
    let mut desk = Desk::new("");
    let tree = built_tree(&desk);
    desk.serve();
    let serve = desk.serve_pid();
    let said = make_run(&desk, &tree, desk.screen.env()).expect("the app takes over");
    assert!(said.contains("Repose is running now:"), "{said}");
    desk.serve_ends();
    let pid = desk.ok(&["status"])["runner"]["pid"].as_i64().expect("a pid");
    assert_ne!(pid, i64::from(serve));
    let said = make_run(&desk, &tree, desk.screen.env()).expect("it runs already");
    assert!(said.contains("Repose is running already, and shows itself:"), "{said}");
    let all = desk.processes();
    let app = all.iter().find(|process| i64::from(process.pid) == pid).expect("the app");
    desk.end_runner(app);

    // An app that can't start, while a `serve` answers.
    let built = window_program();
    std::fs::remove_file(tree.join("target/release")).expect("our own link");
    std::fs::create_dir(tree.join("target/release")).expect("a writable home");
    std::os::unix::fs::symlink(built.with_file_name("repose"), tree.join("target/release/repose"))
        .expect("a link");
    desk.script(&tree.join("target/release/repose-desktop"), "echo 'it lacks a library' >&2; exit 127");
    desk.serve();
    let why = make_run(&desk, &tree, desk.screen.env()).expect_err("nothing was started");
    assert!(why.contains("Repose did not start.") && why.contains("it lacks a library"), "{why}");
    desk.stop_serve();
}

/// The output of `make run`, or why it failed.
fn make_run(desk: &Desk, tree: &Path, env: Vec<(String, String)>) -> Result<String, String> {
    let ran = Command::new("scripts/run.sh")
        .current_dir(tree)
        .env_clear()
        .envs(desk.env())
        .envs(env)
        .output()
        .expect("a script");
    let (said, why) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    if ran.status.success() { Ok(said.into_owned()) } else { Err(format!("{said}{why}")) }
}

/// A folder like this one in which everything is built: `cargo` and the set-up have nothing to do.
fn built_tree(desk: &Desk) -> PathBuf {
    let tree = desk.home().join("tree");
    std::fs::create_dir_all(tree.join("target")).expect("a writable home");
    std::fs::create_dir_all(tree.join("scripts")).expect("a writable home");
    let run = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/run.sh");
    std::fs::copy(run, tree.join("scripts/run.sh")).expect("a copy");
    let built = window_program();
    std::os::unix::fs::symlink(built.parent().expect("a folder"), tree.join("target/release"))
        .expect("a link");
    desk.script(&tree.join("scripts/setup.sh"), "exit 0");
    desk.script(&desk.engine().with_file_name("cargo"), "exit 0");
    tree
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
    desk.browser();
    desk.launch(&["--hidden"]);
    desk.add();
    desk.ask("hello");
    let engine = desk.the_engine("work");
    desk.panel().line("work · ready");
    desk.panel().click("work · ready", Some("Open"));
    let link = desk.link(0);
    let id = desk.status("work")["id"].as_str().expect("an id").to_owned();
    assert!(link.contains("/login?code=") && link.ends_with(&format!("#/repo/{id}")), "{link}");

    desk.panel().click("Quit…", None);
    let note = desk.notes.titled("1 repo is open, and idle.");
    let labels: Vec<_> = note.actions.iter().skip(1).step_by(2).cloned().collect();
    assert_eq!(labels, ["Open", "Quit and leave it running", "Stop it and quit"]);
    desk.notes.press(&note, &note.actions[2]);
    desk.ends();
    assert!(engine.alive(), "left running");
}

#[test]
fn with_neither_a_panel_nor_notifications_a_word_at_closing_says_how_it_goes_on() {
    let mut desk = Desk::without_panel("");
    desk.notes.leave();
    desk.launch(&[]);
    let window = desk.screen.window("Repose");
    let first = desk.the_window();
    desk.screen.close(&window);
    desk.eventually("a dialog", || (!first.alive() && desk.the_window() != first).then_some(()));
    let word = desk.screen.window("Repose");
    desk.screen.picture("closed-without-icon");
    desk.screen.press(&word, "Return");
    desk.no_window();
    assert!(desk.second_start(&[]).success());
    let window = desk.screen.window("Repose");
    desk.screen.close(&window);
    desk.no_window();
    desk.stays(STAYS, "it is said once", || desk.windows().is_empty());
}
