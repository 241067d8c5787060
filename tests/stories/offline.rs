//! What is missing is named, and nothing is created while it is missing.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::World;

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("our own file");
}

/// Exit 4 with this code, a sentence and a hint; and nothing was created.
fn assert_offline(world: &World, code: &str) {
    let error = world.repose(&["ask", "work", "hello"]).refused(4, code);
    assert!(error["message"].as_str().is_some_and(|message| message.len() > 20), "{error:#}");
    assert!(error["hints"].as_array().is_some_and(|hints| !hints.is_empty()), "{error:#}");
    let status = world.status("work");
    assert_eq!(status["state"], "offline", "{status:#}");
    assert_eq!(status["conversation"], serde_json::Value::Null, "{status:#}");
    assert!(world.holders().is_empty());
    assert!(world.model.requests().is_empty());
    assert!(!world.transcripts("work").exists());
}

#[test]
fn invariant_15_no_engine_on_the_path() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    let engine = std::fs::read_link(world.engine()).expect("a link to the engine");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    world.serve();
    let added = world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "claude"]);
    assert_eq!(added["repo"]["state"], "offline");
    assert_offline(&world, "engine_missing");

    std::os::unix::fs::symlink(engine, world.engine()).expect("the engine back on the path");
    assert_eq!(world.ask("MD{back}")["answer"], "back");
}

#[test]
fn invariant_15_an_engine_that_cannot_be_executed() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    std::fs::write(world.engine(), "#!/bin/sh\n").expect("a writable folder");
    mode(&world.engine(), 0o644);
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "claude"]);
    assert_offline(&world, "engine_not_executable");
}

#[test]
fn invariant_15_an_engine_that_the_system_refuses_is_told_with_the_reason() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    std::fs::write(world.engine(), "#!/opt/no/such/node\n").expect("a writable folder");
    mode(&world.engine(), 0o755);
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "claude"]);
    assert_offline(&world, "engine_not_executable");
    let error = world.repose(&["ask", "work", "hello"]).refused(4, "engine_not_executable");
    assert!(error["message"].to_string().contains("/opt/no/such/node"), "{error:#}");
    assert!(error["hints"].to_string().contains("/opt/no/such/node"), "{error:#}");
}

#[test]
fn invariant_15_the_folder_is_gone() {
    let world = World::running("");
    std::fs::remove_dir_all(world.repo("work")).expect("our own folder");
    assert_offline(&world, "folder_gone");
}

#[test]
fn invariant_15_the_folder_cannot_be_read() {
    let world = World::running("");
    // Root can read everything; a file in place of the folder is an unreadable folder for everybody.
    if rustix::process::geteuid().is_root() {
        std::fs::remove_dir_all(world.repo("work")).expect("our own folder");
        std::fs::write(world.repo("work"), "").expect("a writable folder");
    } else {
        mode(&world.repo("work"), 0o000);
    }
    assert_offline(&world, "folder_unreadable");
    if world.repo("work").is_dir() {
        mode(&world.repo("work"), 0o700);
    }
}

#[test]
fn invariant_15_nobody_is_logged_in() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    world.log_out();
    world.serve();
    let added = world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "claude"]);
    assert_eq!(added["repo"]["state"], "offline", "{added:#}");
    assert_offline(&world, "engine_logged_out");
    let report = world.repose(&["doctor"]).json.to_string();
    assert!(report.contains("engine_logged_out"), "{report}");

    world.stop_serve();
    world.log_in();
    world.serve();
    assert_eq!(world.ask("MD{logged in}")["answer"], "logged in");
}

#[test]
fn invariant_15_the_disk_is_full() {
    let mut world = World::new();
    let Some(disk) = SmallDisk::under(&world.state()) else { return };
    let folder = world.add_repo("work");
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8")]);
    assert_offline(&world, "disk_full");
    let doctor = world.repose(&["doctor"]);
    let checks = doctor.json["checks"].as_array().expect("checks").clone();
    assert!(checks.iter().any(|check| check["name"] == "disk" && check["code"] == "disk_full"), "{doctor}");
    assert_eq!(doctor.code, 4);

    disk.grow();
    assert_eq!(world.ask("MD{there is room}")["answer"], "there is room");
    world.ok(&["stop", "work"]);
    world.stop_serve();
}

/// A disk in memory with less room than an open needs.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    /// `None`, with the reason on stderr: this user may not mount anything here.
    #[expect(clippy::print_stderr, reason = "a test that can't be carried out says so")]
    fn under(folder: &Path) -> Option<Self> {
        std::fs::create_dir_all(folder).expect("a writable temp folder");
        let said = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs"])
            .arg(folder)
            .output()
            .expect("`mount` is there");
        if !said.status.success() {
            let why = String::from_utf8_lossy(&said.stderr).into_owned();
            eprintln!("NOT TRIED: no small disk can be mounted here, so a full one can't be made: {why}");
            return None;
        }
        Some(Self(folder.to_owned()))
    }

    fn grow(&self) {
        let grown = std::process::Command::new("mount")
            .args(["-o", "remount,size=400m"])
            .arg(&self.0)
            .status()
            .expect("`mount` is there");
        assert!(grown.success(), "{grown}");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A failed test may still have live programs there; the mount disappears with them.
        let _ = std::process::Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn invariant_15_no_runner() {
    let mut world = World::running("");
    world.stop_serve();
    for verb in
        [&["ask", "work", "x"][..], &["ls"], &["status", "work"], &["pause", "work"], &["open", "work"]]
    {
        let error = world.repose(verb).refused(4, "runner_not_running");
        assert!(error["hints"].to_string().contains("repose serve"), "{error:#}");
    }
    assert!(world.holders().is_empty());
}

#[test]
fn invariant_15_an_engine_that_breaks_at_start_is_quoted() {
    let world = World::running_fake("crash", "");
    let error = world.repose(&["ask", "work", "hello"]).refused(4, "engine_failed_to_start");
    assert!(error["message"].to_string().contains("the scripted engine broke at start"), "{error:#}");
    assert!(world.tree().is_empty());

    world.fake("");
    assert_eq!(world.ask("hello")["answer"], "Scripted reply to hello");
}

#[test]
fn offline_troubles_are_told_in_the_order_of_what_must_be_mended_first() {
    let world = World::running("");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    std::fs::remove_dir_all(world.repo("work")).expect("our own folder");
    assert_offline(&world, "folder_gone");
}

#[test]
fn wrong_words_are_usage() {
    let world = World::running("");
    assert_eq!(world.repose(&["no-such-verb"]).code, 2);
    assert_eq!(world.repose(&["pause"]).code, 2);
    world.repose(&["ask", "no-such-repo", "x"]).refused(3, "no_such_repo");
}

#[test]
fn an_engine_that_is_installed_later_where_only_a_new_login_looks_is_found() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    let engine = std::fs::read_link(world.engine()).expect("a link to the engine");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "claude"]);
    assert_offline(&world, "engine_missing");

    let tools = world.home().join("tools");
    std::fs::create_dir(&tools).expect("a writable home");
    std::os::unix::fs::symlink(engine, tools.join("claude")).expect("a link");
    let profile = format!("PATH=$PATH:{}\nexport PATH\n", tools.display());
    std::fs::write(world.home().join(".profile"), profile).expect("a writable home");
    world.eventually("the engine to be found", || {
        (world.repose(&["ask", "work", "hello"]).code == 0).then_some(())
    });
    let report = world.ok(&["doctor"]).to_string();
    assert!(report.contains(tools.to_str().expect("UTF-8")), "{report}");
}

#[test]
fn a_login_shell_that_gives_no_answer_is_named_and_asked_anew_once_its_files_are_mended() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    let engine = std::fs::read_link(world.engine()).expect("a link to the engine");
    std::fs::remove_file(world.engine()).expect("the engine's link");
    let tools = world.home().join("tools");
    std::fs::create_dir(&tools).expect("a writable home");
    std::os::unix::fs::symlink(engine, tools.join("claude"))
        .expect("the engine, where only the shell finds it");
    let profile = world.home().join(".profile");
    std::fs::write(&profile, "sleep 60\n").expect("a writable home");
    world.serve();
    let added = world.ok(&["add", folder.to_str().expect("UTF-8"), "--engine", "claude"]);
    assert_eq!(added["repo"]["state"], "offline");
    assert_eq!(added["repo"]["trouble"]["code"], "login_shell_unknown", "{added:#}");
    assert_offline(&world, "login_shell_unknown");
    let report = world.repose(&["doctor"]);
    let checks = report.json["checks"].as_array().expect("checks");
    let shell =
        checks.iter().find(|check| check["name"] == "login shell").unwrap_or_else(|| panic!("{report}"));
    assert_eq!(
        (&shell["level"], &shell["code"]),
        (&"warning".into(), &"login_shell_unknown".into()),
        "{report}"
    );
    assert!(
        shell["sentence"].as_str().is_some_and(|said| said.contains("/bin/sh was not done after")),
        "{report}"
    );

    std::fs::write(&profile, format!("PATH=$PATH:{}\nexport PATH\n", tools.display())).expect("our own file");
    assert_eq!(world.ask("MD{found}")["answer"], "found", "nothing was restarted");
    let report = world.ok(&["doctor"]).to_string();
    assert!(!report.contains("login shell"), "{report}");
}
