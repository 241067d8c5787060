//! Adding a folder.

use std::path::Path;

use crate::support::World;

#[test]
fn a_folder_that_holds_nearly_everything_is_added_only_on_a_second_word() {
    let mut world = World::new();
    world.serve();
    let home = world.home().to_str().expect("UTF-8").to_owned();
    let repos = || world.ok(&["ls"])["repos"].as_array().expect("repos").len();
    for (folder, what) in [("/", "the whole machine"), (&home, "a whole home folder")] {
        let error = world.repose(&["add", folder]).refused(2, "bad_request");
        assert!(error["message"].to_string().contains(what), "{error:#}");
        assert!(error["hints"].to_string().contains("`--yes`"), "{error:#}");
    }
    for (answer, code, added) in [("\r", 3, 0), ("n\r", 3, 0), ("y\r", 0, 1)] {
        let mut terminal = world.terminal(&["add", &home]);
        terminal.wait_for_text("Add it? [y/N]");
        terminal.type_(answer);
        assert_eq!(terminal.wait_ended(), code, "{}", terminal.screen());
        assert_eq!(repos(), added, "{answer:?}");
    }
    world.ok(&["rm", &home]);
    world.ok(&["add", &home, "--yes"]);
    assert_eq!(repos(), 1);
}

#[test]
fn a_path_means_the_repo_that_is_there_and_a_mistyped_one_none() {
    let mut world = World::new();
    world.serve();
    let work = world.add_untrusted_repo("work");
    let repos = work.parent().expect("a folder").to_owned();
    let deep = work.join("src/deep");
    std::fs::create_dir_all(&deep).expect("a writable repo");
    std::fs::create_dir(repos.join("beside")).expect("a writable folder");
    world.ok(&["add", work.to_str().expect("UTF-8"), "--engine", "shell"]);
    let name = |folder: &Path, path: &str| world.repose_in(folder, &["status", path]).ok()["name"].clone();
    let nowhere = |folder: &Path, verb: &str, path: &str| {
        let error = world.repose_in(folder, &[verb, path]).refused(3, "no_such_repo");
        let meant = repos.join("typo").to_string_lossy().into_owned();
        assert!(path != "../typo" || error["message"].to_string().contains(&meant), "{error:#}");
    };
    for path in [".", "..", "../..", "../../../work"] {
        assert_eq!(name(&deep, path), "work", "{path}");
    }
    // The words of an order don't reach the repo around a path that leads nowhere, or out of it.
    for path in ["../typo", "./typo", "../beside"] {
        for verb in ["status", "stop", "rm"] {
            nowhere(&work, verb, path);
        }
    }
    // The folder moves, and a link takes its place.
    let real = repos.join("real");
    std::fs::rename(&work, &real).expect("a folder that can be moved");
    std::os::unix::fs::symlink(&real, &work).expect("a link");
    for (folder, path) in [(&work, "."), (&real, "."), (&repos, "./work"), (&repos, "./real/src")] {
        assert_eq!(name(folder, path), "work", "{path} in {}", folder.display());
    }
}
