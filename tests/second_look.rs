//! What CI looks at once more where something failed (`.ci/second_look.sh`), with programs in the place of `make` and
//! `cargo` that note what they were called with; and what its workflows may run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// What came of a second look.
struct Look {
    /// The commands that it ran, with the pattern of stories before them.
    ran: String,
    green: bool,
}

/// Looks again at a part of the tests after this log. Each command prints `prints`, and passes.
fn again(part: &str, log: &str, prints: &str) -> Look {
    look(&format!("again {part}"), log, prints)
}

/// Runs this function after this log. Each command prints `prints`, and passes.
fn look(function: &str, log: &str, prints: &str) -> Look {
    let temp = tempfile::tempdir().expect("a temp folder");
    let at = |name: &str| temp.path().join(name);
    for name in ["make", "cargo"] {
        let script = format!(
            "#!/bin/sh\nprintf '%s\\n' \"${{STORIES:+$STORIES }}{name} $*\" >>'{}'\ncat '{}'\n",
            at("ran").display(),
            at("prints").display()
        );
        fs::write(at(name), script).expect("written");
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o755)).expect("set");
    }
    fs::write(at("prints"), prints).expect("written");
    fs::write(at("log"), log).expect("written");
    let path = format!("{}:{}", temp.path().display(), std::env::var("PATH").expect("a PATH"));
    let green = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &format!("source .ci/second_look.sh; log=$1; {function}"), "look"])
        .arg(at("log"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", path)
        .output()
        .expect("bash runs")
        .status
        .success();
    Look { ran: fs::read_to_string(at("ran")).unwrap_or_default(), green }
}

/// What the real runner of the page's stories says of this file.
fn node(file: &Path) -> String {
    let run =
        Command::new("node").args(["--test", "--test-reporter=tap"]).arg(file).output().expect("node runs");
    assert!(!run.status.success(), "it was to fail");
    String::from_utf8(run.stdout).expect("UTF-8")
}

#[test]
fn the_stories_that_failed_run_again_and_none_else() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let file = temp.path().join("a.test.mjs");
    let fails = r"test('fails (#1) a\\b', () => { throw new Error('no') })";
    fs::write(&file, format!("import {{ test }} from 'node:test'\ntest('fine', () => {{}})\n{fails}\n"))
        .expect("written");
    let log = node(&file);
    let look = again("e2e", &log, "# pass 1\n");
    assert_eq!((look.ran.as_str(), look.green), ("^(fails \\(#1\\) a\\\\b)$ make e2e\n", true), "{log}");
    let look = again("e2e", &log, "# pass 0\n# skipped 9\n");
    assert!(!look.green, "a look that saw nothing");
}

#[test]
fn a_file_of_stories_that_broke_as_a_whole_is_no_storys_name() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let file = temp.path().join("b.test.mjs");
    fs::write(&file, "import './not-there.mjs'\n").expect("written");
    let look = again("e2e", &node(&file), "# pass 0\n");
    assert_eq!(look.ran, "make e2e\n", "all of them");
}

#[test]
fn the_tests_that_failed_run_again_and_must_have_run() {
    let log =
        "test a::b ... ok\ntest a::c ... FAILED\ntest a::d - should panic ... FAILED\ntest a::c ... FAILED\n";
    let ran = "test result: ok. 1 passed; 0 failed;\ntest result: ok. 1 passed; 0 failed;\n";
    let look = again("rust", log, ran);
    assert_eq!(look.ran, "cargo test --locked --workspace -- --exact a::c a::d\n");
    assert!(look.green);
    assert_eq!(again("app", log, ran).ran, "make app ONLY=--exact a::c a::d\n");
    assert!(!again("rust", log, "test result: ok. 1 passed; 0 failed;\n").green, "one of two");
}

#[test]
fn what_names_no_test_runs_again_as_a_whole() {
    let ended =
        |how: &str| format!("test a::c ... FAILED\n  process didn't exit successfully: `target/x` ({how})\n");
    let compile = "error: could not compile\n".to_owned();
    for log in [compile, ended("signal: 6, SIGABRT"), ended("exit status: 2")] {
        assert_eq!(again("app", &log, "").ran, "make app\n", "{log}");
    }
    assert_eq!(again("app", &ended("exit status: 101"), "").ran, "make app ONLY=--exact a::c\n");
}

#[test]
fn the_parts_after_the_one_that_failed_run_too() {
    let failed = "test a::c ... FAILED\n";
    let log = |said: &str| format!("\n== make rust\n{said}");
    let go_on = |log: &str| look("go_on \"$(last_part)\"", log, "test result: ok. 1 passed; 0 failed;\n").ran;
    let rust = "cargo test --locked --workspace -- --exact a::c\n";
    assert_eq!(go_on(&log(failed)), format!("{rust}make e2e\nmake app\n"));
    assert_eq!(go_on(&format!("{}\n== make e2e\nnode: not found\n", log(""))), "make e2e\nmake app\n");
    let app = format!("{}\n== make e2e\n\n== make app\n{failed}", log(""));
    assert_eq!(go_on(&app), "make app ONLY=--exact a::c\n");
    assert_eq!(go_on("setup: no cargo\n"), "make test\n", "before the first part");
}

/// A tag can be moved to other code; a hash can't. What a job may do is granted to that job alone.
#[test]
fn workflows_run_only_what_is_pinned_and_grant_nothing_to_all_jobs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let mut used = 0;
    for entry in fs::read_dir(folder).expect("workflows") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("UTF-8");
        assert!(text.lines().any(|line| line == "permissions: {}"), "{}", path.display());
        for action in
            text.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("uses:"))
        {
            let hash = action
                .split('#')
                .next()
                .and_then(|action| action.trim().split_once('@'))
                .map(|(_, hash)| hash);
            let pinned = |hash: &str| hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(hash.is_some_and(pinned), "{} uses {action}", path.display());
            used += 1;
        }
    }
    assert!(used > 0, "no workflow uses an action");
}
