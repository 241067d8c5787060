use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Instant;

use super::{Missing, VERSION_WAIT, program, version};
use crate::env::Env;

fn script(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
}

fn env(home: &Path, path: &[&Path]) -> Env {
    let joined = std::env::join_paths(path).expect("joins");
    Env::new([("HOME", home.as_os_str().to_owned()), ("PATH", joined)])
}

#[test]
fn the_first_executable_on_the_path_is_taken() {
    let temp = tempfile::tempdir().expect("temp");
    let (a, b, c) = (temp.path().join("a"), temp.path().join("b"), temp.path().join("c"));
    fs::create_dir_all(a.join("agent")).expect("made");
    script(&b.join("agent"), "", 0o644);
    script(&c.join("agent"), "", 0o755);
    assert_eq!(program(&env(temp.path(), &[&a, &b, &c]), "agent"), Ok(c.join("agent")));
    let refused = program(&env(temp.path(), &[&a, &b]), "agent");
    assert_eq!(refused, Err(Missing::NotExecutable { path: b.join("agent") }));
    let missing = program(&env(temp.path(), &[&a]), "agent").unwrap_err();
    assert!(missing.to_string().contains(&a.display().to_string()), "{missing}");
}

#[test]
fn a_path_is_taken_as_it_is() {
    let temp = tempfile::tempdir().expect("temp");
    script(&temp.path().join("bin/agent"), "", 0o755);
    let env = env(temp.path(), &[]);
    assert_eq!(program(&env, "~/bin/agent"), Ok(temp.path().join("bin/agent")));
    assert!(matches!(program(&env, "~/bin/other"), Err(Missing::NotFound { .. })));
    assert!(matches!(program(&env, "~/bin"), Err(Missing::NotExecutable { .. })));
}

#[test]
fn no_path_at_all_finds_nothing() {
    assert!(matches!(program(&Env::default(), "agent"), Err(Missing::NotFound { .. })));
}

#[test]
fn the_version_is_what_the_first_line_says_of_it() {
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join("agent");
    script(&path, "#!/bin/sh\nprintf '\\n  1.2.3 (Agent)\\nmore\\n'\n", 0o755);
    assert_eq!(version(&path, &Env::default()).as_deref(), Some("1.2.3"));
    script(&path, "#!/bin/sh\necho agent-cli 0.171.0\n", 0o755);
    assert_eq!(version(&path, &Env::default()).as_deref(), Some("0.171.0"), "its name is no part of it");
    for (line, said) in [
        ("nightly", "nightly"),
        ("built on 2026-01-01, 10:30:00, agent v2.0.0-beta.1 (5 patches)", "v2.0.0-beta.1"),
        ("agent (1.4.2+g0ab1c2d, 2026-01-01)", "1.4.2+g0ab1c2d"),
        ("built on 2026-01-01, at noon", "built on 2026-01-01, at noon"),
        ("agent 9", "9"),
    ] {
        script(&path, &format!("#!/bin/sh\necho '{line}'\n"), 0o755);
        assert_eq!(version(&path, &Env::default()).as_deref(), Some(said), "{line}");
    }
    script(&path, "#!/bin/sh\nexit 1\n", 0o755);
    assert_eq!(version(&path, &Env::default()), None);
    assert_eq!(version(&temp.path().join("gone"), &Env::default()), None);
}

#[test]
fn a_program_that_hangs_after_its_answer_is_ended() {
    let temp = tempfile::tempdir().expect("temp");
    let path = temp.path().join("agent");
    script(&path, "#!/bin/sh\necho 9\nexec >&-\nexec sleep 600\n", 0o755);
    let began = Instant::now();
    assert_eq!(version(&path, &Env::new([("PATH", "/usr/bin:/bin")])).as_deref(), Some("9"));
    assert!(began.elapsed() < VERSION_WAIT);
}
