use std::fs;
use std::path::Path;

use super::{MANAGED, login, trusts};
use crate::env::Env;
use crate::told::Login;

fn home(files: &[(&str, &str)]) -> (tempfile::TempDir, Env) {
    let temp = tempfile::tempdir().expect("temp");
    fs::create_dir(temp.path().join(".claude")).expect("made");
    for (path, content) in files {
        fs::write(temp.path().join(path), content).expect("written");
    }
    let env = Env::new([("HOME", temp.path().as_os_str())]);
    (temp, env)
}

#[test]
fn one_sign_of_a_login_is_enough() {
    let signs = [
        (".claude/settings.json", r#"{"apiKeyHelper":"/bin/key"}"#),
        (".claude/settings.json", r#"{"env":{"ANTHROPIC_AUTH_TOKEN":"x"}}"#),
        (".claude/.credentials.json", r#"{"claudeAiOauth":{"accessToken":"x"}}"#),
        (".claude.json", r#"{"oauthAccount":{"emailAddress":"x"}}"#),
        (".claude.json", r#"{"primaryApiKey":"x"}"#),
    ];
    for sign in signs {
        let (_temp, env) = home(&[sign]);
        assert_eq!(login(&env), Login::Known(true), "{sign:?}");
    }
    assert_eq!(login(&Env::new([("ANTHROPIC_API_KEY", "x")])), Login::Known(true));
}

#[test]
fn without_any_it_is_logged_out_unless_something_could_be_unseen() {
    let nothing = if cfg!(target_os = "macos") || Path::new(MANAGED).exists() {
        Login::Unknown
    } else {
        Login::Known(false)
    };
    for files in [&[][..], &[(".claude.json", "{"), (".claude/settings.json", "[]")]] {
        let (_temp, env) = home(files);
        assert_eq!(login(&env), nothing);
    }
    let (_temp, env) = home(&[(".claude/settings.json", r#"{"env":{"ANTHROPIC_BASE_URL":"http://x"}}"#)]);
    assert_eq!(login(&env), Login::Unknown);
    assert_eq!(login(&Env::default()), Login::Unknown);
}

#[test]
fn a_folder_is_trusted_by_its_own_word_or_by_one_above_it_in_the_same_work_tree() {
    let temp = tempfile::tempdir().expect("temp");
    let root = temp.path().canonicalize().expect("real");
    fs::create_dir_all(root.join("top/plain/deep")).expect("made");
    fs::create_dir_all(root.join("top/repo/.git")).expect("made");
    fs::create_dir_all(root.join("top/repo/sub")).expect("made");
    let state = serde_json::json!({"projects": {
        root.join("top").to_string_lossy(): {"hasTrustDialogAccepted": true},
        root.join("top/plain").to_string_lossy(): {"hasTrustDialogAccepted": false},
    }});
    let (_home, env) = home(&[(".claude.json", &state.to_string())]);
    assert_eq!(trusts(&env, &root.join("top")), Some(true));
    assert_eq!(trusts(&env, &root.join("top/plain/deep")), Some(true));
    assert_eq!(trusts(&env, &root.join("top/repo/sub")), Some(false));
    assert_eq!(trusts(&env, &root), Some(false));
}

#[test]
fn a_broken_state_file_says_nothing_and_a_missing_one_says_no() {
    let (_temp, env) = home(&[(".claude.json", r#"{"projects": {"/x"#)]);
    assert_eq!(trusts(&env, Path::new("/x")), None);
    let (_temp, env) = home(&[]);
    assert_eq!(trusts(&env, Path::new("/x")), Some(false));
}
