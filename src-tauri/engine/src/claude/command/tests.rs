use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use repose_core::ids::ConversationId;
use serde_json::Value;

use super::{check_args, locate, plan, platforms};
use crate::env::Env;
use crate::launch::{Open, Order};

fn file(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, content).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
}

fn args(open: Open<'_>, extra: &[String], hook: &str) -> Vec<String> {
    let order = Order {
        program: Path::new("/bin/claude"),
        open,
        env: &Env::default(),
        folder: Path::new("/r"),
        session_dir: Path::new("/s"),
        extra_args: extra,
        hook: Path::new(hook),
    };
    plan(&order).args.into_iter().map(|arg| arg.into_string().expect("text")).collect()
}

#[test]
fn a_fresh_one_pins_its_id_and_a_resumed_one_names_it_and_never_both() {
    let id = ConversationId::new("6f0c");
    let fresh = args(Open::Fresh { id: Some(&id) }, &["--model".into(), "opus".into()], "/r");
    assert_eq!(fresh[..2], ["--session-id", "6f0c"]);
    assert_eq!(fresh[fresh.len() - 2..], ["--model", "opus"]);
    assert!(!fresh.iter().any(|arg| arg == "--resume"));
    let resumed = args(Open::Resume { id: &id }, &[], "/r");
    assert_eq!(resumed[..2], ["--resume", "6f0c"]);
    assert!(!resumed.iter().any(|arg| arg == "--session-id" || arg.contains("dangerous")));
}

#[test]
fn a_fork_names_what_it_copies_and_what_it_shall_be() {
    let (old, new) = (ConversationId::new("old"), ConversationId::new("new"));
    let fork = args(Open::Fork { from: &old, transcript: None, id: Some(&new) }, &[], "/r");
    assert_eq!(fork[..5], ["--resume", "old", "--fork-session", "--session-id", "new"]);
    let path = Path::new("/p/old.jsonl");
    let fork = args(Open::Fork { from: &old, transcript: Some(path), id: Some(&new) }, &[], "/r");
    assert_eq!(fork[..2], ["--resume", "/p/old.jsonl"]);
}

#[test]
fn the_hook_is_one_word_for_a_shell_whatever_its_path() {
    let args = args(Open::Fresh { id: None }, &[], "/opt/it's \"my app\"/$x/repose");
    let settings: Value = serde_json::from_str(&args[1]).expect("JSON");
    for event in
        ["SessionStart", "SessionEnd", "UserPromptSubmit", "Stop", "StopFailure", "PermissionRequest"]
    {
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().expect("a command");
        let word = if event == "PermissionRequest" { " decide" } else { "" };
        assert_eq!(command, format!(r#"'/opt/it'\''s "my app"/$x/repose' hook{word}"#));
    }
}

#[test]
fn what_marks_a_child_of_another_one_is_taken_out() {
    let order = Order {
        env: &Env::default(),
        folder: Path::new("/r"),
        session_dir: Path::new("/s"),
        program: Path::new("/c"),
        open: Open::Fresh { id: None },
        extra_args: &[],
        hook: Path::new("/r"),
    };
    let removed = plan(&order).env_remove;
    for name in
        ["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"]
    {
        assert!(removed.iter().any(|removed| removed == name), "{name}");
    }
    assert!(!removed.iter().any(|removed| removed == "CLAUDE_CONFIG_DIR" || removed == "ANTHROPIC_API_KEY"));
}

#[test]
fn arguments_that_contradict_ours_are_refused_by_name() {
    let check = |args: &[&str]| check_args(&args.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(check(&["--permission-mode", "default", "--dangerously-skip-permissions"]).is_ok());
    for bad in ["--resume", "-c", "--session-id=x", "--settings={}", "--print"] {
        let error = check(&["--model", "opus", bad]).expect_err(bad).to_string();
        assert!(error.contains(bad), "{error}");
    }
}

#[test]
fn the_native_program_is_started_and_not_the_launcher_script() {
    let temp = tempfile::tempdir().expect("temp");
    let root = temp.path().canonicalize().expect("real");
    let modules = root.join("lib/node_modules/@anthropic-ai");
    let launcher = modules.join("claude-code/cli-wrapper.cjs");
    let native = modules.join(format!("claude-code-{}/claude", platforms()[0]));
    file(&launcher, b"#!/usr/bin/env node\n");
    file(&native, b"\x7fELF....");
    fs::create_dir(root.join("bin")).expect("made");
    std::os::unix::fs::symlink(&launcher, root.join("bin/claude")).expect("linked");
    let env = Env::new([("PATH", root.join("bin"))]);
    let program = locate(&env, None).expect("found");
    assert_eq!((program.found, program.exec), (root.join("bin/claude"), native.clone()));
    // After the post-install step the launcher is the native program.
    file(&launcher, b"\x7fELF....");
    assert_eq!(locate(&env, None).expect("found").exec, root.join("bin/claude"));
    // Without the platform's package there is only the launcher.
    file(&launcher, b"#!/usr/bin/env node\n");
    fs::remove_file(native).expect("removed");
    assert_eq!(locate(&env, None).expect("found").exec, root.join("bin/claude"));
}

#[test]
fn a_wrapper_of_the_users_own_is_started_as_it_is() {
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join("my-claude");
    file(&path, b"#!/bin/sh\nexec claude \"$@\"\n");
    let found = locate(&Env::default(), path.to_str()).expect("found");
    assert_eq!(found.exec, path);
}

#[test]
fn it_is_found_where_its_installer_puts_it() {
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join(".local/bin/claude");
    file(&path, b"\x7fELF");
    let env = Env::new([("HOME", temp.path().as_os_str()), ("PATH", "/no/where".as_ref())]);
    assert_eq!(locate(&env, None).map(|program| program.exec), Ok(path));
    assert!(locate(&env, Some("claude")).is_err());
    assert!(locate(&Env::new([("PATH", PathBuf::from("/no/where"))]), None).is_err());
}

#[test]
fn what_is_typed_to_go_on_in_a_shell_is_one_word_for_the_folder() {
    let command = super::resume(Path::new("/home/u/it's here"), &ConversationId::new("c1"));
    assert_eq!(command.as_deref(), Some(r"cd '/home/u/it'\''s here' && claude --resume c1"));
}
