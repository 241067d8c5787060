use std::path::Path;

use super::{encoded, transcripts};
use crate::env::Env;

// The names on the right were made by Claude Code 2.1.332.
#[test]
fn a_folder_of_transcripts_is_named_as_the_program_names_it() {
    assert_eq!(encoded("/tmp/lab/f/real-dir"), "-tmp-lab-f-real-dir");
    assert_eq!(encoded("/tmp/lab/f/ünïcode 日本 😀x"), "-tmp-lab-f--n-code------x");
    let path = format!("/tmp/lab/f/{}/{}", "long".repeat(40), "deep".repeat(30));
    let name = format!("-tmp-lab-f-{}-{}-7pezgl", "long".repeat(40), "deep".repeat(7));
    assert_eq!(encoded(&path), name);
}

#[test]
fn links_are_resolved_and_the_config_folder_can_be_moved() {
    let temp = tempfile::tempdir().expect("temp");
    let root = temp.path().canonicalize().expect("real");
    std::fs::create_dir(root.join("real")).expect("made");
    std::os::unix::fs::symlink(root.join("real"), root.join("link.dir")).expect("linked");
    let env = Env::new([("HOME", "/home/me"), ("CLAUDE_CONFIG_DIR", "/elsewhere")]);
    let through_link = transcripts(&env, &root.join("link.dir"));
    assert_eq!(through_link, transcripts(&env, &root.join("real")));
    assert!(through_link.is_some_and(|path| path.starts_with("/elsewhere/projects")));
    let env = Env::new([("HOME", "/home/me")]);
    let gone = transcripts(&env, Path::new("/no/such.folder"));
    assert_eq!(gone.as_deref(), Some(Path::new("/home/me/.claude/projects/-no-such-folder")));
    assert_eq!(transcripts(&Env::default(), Path::new("/x")), None);
}
