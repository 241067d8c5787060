//! Asking a real bash, whatever its start-up files do.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{PATIENCE, until, written};
use repose_sys::login_env::{self, Env, LoginEnvError};

const BASH: &str = "/bin/bash";

fn own(home: &Path) -> Env {
    [("HOME", home.as_os_str()), ("PATH", "/usr/bin:/bin".as_ref())]
        .into_iter()
        .map(|(name, value)| (name.into(), value.to_owned()))
        .collect()
}

/// A home whose login shell reads `.bashrc`, as Debian's does.
fn home(bashrc: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join(".bash_profile"), ". ~/.bashrc\n").expect("written");
    std::fs::write(home.path().join(".bashrc"), bashrc).expect("written");
    home
}

fn value<'a>(env: &'a Env, name: &str) -> &'a str {
    env.get(&OsString::from(name)).and_then(|value| value.to_str()).unwrap_or("")
}

#[test]
fn a_noisy_shell_that_forks_is_understood() {
    let home = home(
        "echo 'welcome to this machine'; echo error >&2; printf '\\0\\0=\\0'\n\
         case $- in *i*) ;; *) return;; esac\n\
         [ -t 0 ] && echo terminal\n\
         (sleep 30 & echo $! > stays)\n\
         trap 'echo bye; sleep 0.01' EXIT\n\
         alias printf='echo no' env='echo no'; env() { echo no; }\n\
         export PATH=\"$HOME/.agents/bin:$PATH\" LINES_OF='one\ntwo' ASKED=$REPOSE_RESOLVING_ENVIRONMENT WHERE=$PWD\n",
    );
    let begun = Instant::now();
    let found = login_env::find_within(Path::new(BASH), &own(home.path()), PATIENCE).expect("an answer");
    let first = format!("{}/.agents/bin:", home.path().display());
    assert!(value(&found, "PATH").starts_with(&first), "{found:?}");
    assert_eq!(value(&found, "LINES_OF"), "one\ntwo");
    assert_eq!(value(&found, "ASKED"), "1");
    assert_eq!(Path::new(value(&found, "WHERE")), home.path());
    assert_eq!(value(&found, "REPOSE_SESSION"), "");
    assert_eq!(value(&found, "REPOSE_RESOLVING_ENVIRONMENT"), "");
    assert!(begun.elapsed() < PATIENCE, "what it left running is not waited for");
    let stays = written(&home.path().join("stays"));
    assert!(stays.alive(), "as after any login");
    repose_sys::end::kill_exact(stays).expect("it ends");
}

#[test]
fn a_shell_that_hangs_is_ended_with_all_it_started() {
    let home = home(
        "trap '' TERM HUP\nsetsid bash --norc -c 'echo $$ > session; exec sleep 1000' &\n\
         ( ( bash --norc -c 'echo $$ > orphan; exec sleep 1000' & ) & )\necho $$ > shell\nsleep 1000\n",
    );
    let bound = Duration::from_secs(3);
    let error = login_env::find_within(Path::new(BASH), &own(home.path()), bound).expect_err("too long");
    assert!(matches!(error, LoginEnvError::TookTooLong { bound: told, .. } if told == bound), "{error}");
    for name in ["shell", "session", "orphan"] {
        let pid = std::fs::read_to_string(home.path().join(name)).expect("it had started");
        let pid: u32 = pid.trim().parse().expect("a pid");
        assert_eq!(repose_sys::ProcessId::of(pid), None, "{name}");
    }
}

#[test]
fn a_shell_that_floods_is_ended() {
    let home = home("echo $$ > shell; exec 2>&1; yes\n");
    let error = login_env::find_within(Path::new(BASH), &own(home.path()), PATIENCE).expect_err("too much");
    assert!(matches!(error, LoginEnvError::TooMuch { .. }), "{error}");
    let pid = std::fs::read_to_string(home.path().join("shell")).expect("it had started");
    assert_eq!(repose_sys::ProcessId::of(pid.trim().parse().expect("a pid")), None);
}

#[test]
fn a_shell_that_leaves_says_so_at_once() {
    // What it leaves behind keeps its output open.
    let home = home("sleep 1000 & echo $! > stays\nexit 0\n");
    let error = login_env::find_within(Path::new(BASH), &own(home.path()), PATIENCE).expect_err("no answer");
    assert!(matches!(error, LoginEnvError::NoAnswer { .. }), "{error}");
    let stays = written(&home.path().join("stays"));
    repose_sys::end::kill_exact(stays).expect("it ends");
    until("it is gone", || (!stays.alive()).then_some(()));
}

#[test]
fn a_shell_that_is_missing_is_named() {
    let error = login_env::find(Path::new("/nowhere/zsh"), &own(Path::new("/"))).expect_err("no such shell");
    assert!(matches!(error, LoginEnvError::NotStarted { .. }));
    assert!(error.to_string().contains("/nowhere/zsh"), "{error}");
}

#[test]
fn a_plain_shell_is_asked_too() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join(".profile"), "export FROM_PROFILE=yes\n").expect("written");
    let found = login_env::find_within(Path::new("/bin/sh"), &own(home.path()), PATIENCE).expect("an answer");
    assert_eq!(value(&found, "FROM_PROFILE"), "yes");
}
