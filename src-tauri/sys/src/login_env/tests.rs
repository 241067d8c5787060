//! Tests that need no shell: finding its name, reading its answer, merging.

use std::path::{Path, PathBuf};

use super::{Env, login_shell, merge, shell, shell_in_passwd};

fn env(pairs: &[(&str, &str)]) -> Env {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn own_environment_goes_first_and_gaps_are_filled() {
    let own = env(&[("PATH", "/own:/usr/bin:/bin"), ("LANG", "C"), ("EMPTY", "")]);
    let login = env(&[
        ("PATH", "/home/u/.local/bin:/bin::/opt/x"),
        ("LANG", "de_DE"),
        ("EMPTY", "x"),
        ("EDITOR", "vi"),
        ("SHLVL", "2"),
        ("PWD", "/tmp"),
        ("TERM", "dumb"),
        ("REPOSE_SESSION", "login-1"),
    ]);
    let want = env(&[
        ("PATH", "/own:/usr/bin:/bin:/home/u/.local/bin:/opt/x"),
        ("LANG", "C"),
        ("EMPTY", ""),
        ("EDITOR", "vi"),
    ]);
    assert_eq!(merge(&own, &login), want);
}

#[test]
fn a_path_that_is_not_set_is_the_logins() {
    let login = env(&[("PATH", "/a:/b")]);
    assert_eq!(merge(&env(&[]), &login), login);
    assert_eq!(merge(&env(&[("PATH", "")]), &login), login);
}

#[test]
fn a_path_that_is_part_of_the_logins_takes_the_logins_order() {
    let path = |own, login| {
        let merged = merge(&env(&[("PATH", own)]), &env(&[("PATH", login)]));
        merged.into_values().next().expect("a PATH").into_string().expect("UTF-8")
    };
    let login = "/home/u/.local/bin:/usr/local/bin::/usr/bin:/bin";
    let all = "/home/u/.local/bin:/usr/local/bin:/usr/bin:/bin";
    assert_eq!(path("/usr/bin:/bin", login), all, "what a desktop gives its programs");
    assert_eq!(path("/bin:/usr/bin", login), all);
    assert_eq!(path("/usr/bin:/own:/bin", login), "/usr/bin:/own:/bin:/home/u/.local/bin:/usr/local/bin");
    assert_eq!(path("/usr/bin::/bin", login), "/usr/bin::/bin:/home/u/.local/bin:/usr/local/bin");
}

#[test]
fn merging_twice_changes_nothing() {
    let own = env(&[("PATH", "/usr/bin:/bin:/usr/bin")]);
    let login = env(&[("PATH", "/c:/c:/bin"), ("A", "1")]);
    let once = merge(&own, &login);
    assert_eq!(once, env(&[("PATH", "/usr/bin:/bin:/usr/bin:/c"), ("A", "1")]));
    assert_eq!(merge(&once, &login), once);
}

#[test]
fn an_answer_is_found_in_noise() {
    let output = b"hello\nprintf repose-begin-t; A=9\0\x1b[0mrepose-begin-t\0A=1\0B=x=y\nz\0=no\0no\0REPOSE_SESSION=m\0repose-end-t\0bye A=2\0";
    assert_eq!(shell::parse(output, "t"), Some(env(&[("A", "1"), ("B", "x=y\nz")])));
}

#[test]
fn half_an_answer_is_none() {
    assert_eq!(shell::parse(b"repose-begin-t\0A=1\0", "t"), None);
    assert_eq!(shell::parse(b"repose-begin-other\0A=1\0repose-end-other\0", "t"), None);
    assert_eq!(shell::parse(b"", "t"), None);
}

#[test]
fn the_shell_is_named_by_the_environment_or_by_passwd() {
    assert_eq!(login_shell(&env(&[("SHELL", "/opt/fish")])), Path::new("/opt/fish"));
    assert!(login_shell(&env(&[("SHELL", "fish")])).is_absolute());
    assert!(login_shell(&env(&[])).is_absolute());
    let passwd = "root:x:0:0:root:/root:/bin/bash\nu:x:1000:1000::/home/u:/usr/bin/zsh\nn:x:1001:1001::/:\n";
    assert_eq!(shell_in_passwd(passwd, 1000), Some(PathBuf::from("/usr/bin/zsh")));
    assert_eq!(shell_in_passwd(passwd, 1001), None);
    assert_eq!(shell_in_passwd(passwd, 7), None);
}
