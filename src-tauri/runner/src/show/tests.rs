use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use repose_core::trouble::Code;
use repose_engine::Env;

use super::{Place, show};

fn script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn the_chosen_editor_gets_the_folder() {
    let temp = tempfile::tempdir().expect("temp");
    let folder = temp.path().join("my repo");
    fs::create_dir(&folder).expect("made");
    script(&temp.path().join("edit"), "printf %s \"$1\" >\"$0.shown\"");
    let env = Env::new([("PATH", temp.path())]);
    show(Place::Editor, &folder, &env, Some("edit")).expect("shown");
    let shown = fs::read_to_string(temp.path().join("edit.shown")).expect("it ran");
    assert_eq!(Path::new(&shown), folder);
}

#[test]
fn a_known_editor_is_found_where_there_is_a_desktop() {
    let temp = tempfile::tempdir().expect("temp");
    script(&temp.path().join("zed"), ":");
    let env = |desktop: &str| Env::new([("PATH", temp.path().as_os_str()), ("DISPLAY", desktop.as_ref())]);
    show(Place::Editor, temp.path(), &env(":0"), None).expect("shown");
    if !cfg!(target_os = "macos") {
        let trouble = show(Place::Editor, temp.path(), &env(""), None).expect_err("nowhere");
        assert!(trouble.sentence.contains("without a desktop"), "{}", trouble.sentence);
    }
}

#[test]
fn what_shows_nothing_is_said() {
    let temp = tempfile::tempdir().expect("temp");
    script(&temp.path().join("broken"), "exit 3");
    let env = Env::new([("PATH", temp.path().as_os_str()), ("DISPLAY", ":0".as_ref())]);
    let said = |place, editor| {
        let trouble = show(place, temp.path(), &env, editor).expect_err("nothing shown");
        assert_eq!(trouble.code, Code::NotShown);
        trouble.sentence
    };
    assert!(said(Place::Editor, Some("broken")).contains("exit status: 3"));
    assert!(said(Place::Editor, Some("none")).contains("`none`"));
    assert!(said(Place::Editor, None).contains("code, cursor"));
    assert!(said(Place::Files, None).contains("wasn't found"));
}
