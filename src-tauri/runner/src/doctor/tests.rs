use std::fs;
use std::os::unix::fs::PermissionsExt;

use repose_sys::lock;

use repose_engine::told::{Login, Version};

use super::{Health, look_at_engine, look_at_folders, look_at_unused_store};
use crate::engines::EngineFound;
use crate::home::Home;
use crate::store::Store;

#[test]
fn a_file_in_the_place_of_the_folder_is_what_is_wrong() {
    let temp = tempfile::tempdir().expect("temp");
    let file = temp.path().join("home");
    assert_eq!(look_at_folders(&Home::under(file.clone())), None, "one that isn't there is made");
    assert_eq!(look_at_folders(&Home::under(temp.path().to_owned())), None);
    fs::write(&file, "").expect("written");
    for home in [file.clone(), file.join("deeper")] {
        let wrong = look_at_folders(&Home::under(home)).expect("no folder can be there");
        assert_eq!((wrong.name.as_str(), wrong.health), ("folders", Health::Error));
        assert!(wrong.sentence.starts_with(&format!("{} is no folder", file.display())), "{wrong:?}");
    }
}

#[test]
fn a_program_that_is_too_busy_for_its_version_is_there_all_the_same() {
    let found = |version| EngineFound {
        name: "gemini".into(),
        title: "Gemini CLI".into(),
        keeps_conversations: true,
        program: Some("/bin/gemini".into()),
        version,
        login: Login::NotNeeded,
        cannot: Vec::new(),
        trouble: None,
    };
    for (version, said) in [
        (Version::Told("0.61.0".into()), "Gemini CLI 0.61.0 at /bin/gemini."),
        (Version::Untold, "Gemini CLI (it didn't tell its version) at /bin/gemini."),
        (Version::NotAsked, "Gemini CLI at /bin/gemini."),
    ] {
        let check = look_at_engine(&found(version), true);
        assert_eq!((check.health, check.sentence.as_str()), (Health::Ok, said));
    }
}

#[test]
fn a_folder_in_which_nothing_can_be_kept_is_what_is_wrong() {
    let temp = tempfile::tempdir().expect("temp");
    let folder = temp.path().join("kept");
    fs::create_dir(&folder).expect("a folder");
    let root = rustix::process::geteuid().is_root();
    let (home, words) = if root {
        // To root every folder is open, but not every one is its own.
        std::os::unix::fs::chown(&folder, Some(1), None).expect("root may");
        (folder.clone(), "belongs to user 1")
    } else {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).expect("our own folder");
        assert_eq!(look_at_folders(&Home::under(folder.clone())), None, "a start opens its own again");
        (folder.join("state"), "can't write in")
    };
    let wrong = look_at_folders(&Home::under(home)).expect("nothing can be kept there");
    assert_eq!(wrong.health, Health::Error);
    assert!(wrong.sentence.contains(words), "{wrong:?}");
}

#[test]
fn without_a_runner_the_store_and_its_lock_are_looked_at_and_left_alone() {
    let temp = tempfile::tempdir().expect("temp");
    let home = Home::under(temp.path().to_owned());
    let looked = |health: Health, words: &str| {
        let before = fs::read(home.store()).ok();
        let check = look_at_unused_store(&home);
        assert_eq!((check.name.as_str(), check.health), ("store", health), "{check:?}");
        assert!(check.sentence.contains(words), "{check:?}");
        assert_eq!(fs::read(home.store()).ok(), before, "{words}");
    };
    looked(Health::Ok, "There is no");
    assert!(!home.lock().exists());
    drop(Store::open(&home.store()).expect("a new store"));
    looked(Health::Ok, "is whole");

    let other = rusqlite::Connection::open(home.store()).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else has it");
    looked(Health::Error, "locked");
    other.execute_batch("ROLLBACK").expect("it was begun");
    drop(other);

    let lock = lock::exclusive(&home.lock()).expect("free");
    looked(Health::Error, &format!("is held by process {}", std::process::id()));
    drop(lock);
    looked(Health::Ok, "is whole");
    fs::write(home.store(), "no database at all, but long enough to be looked at").expect("our own");
    looked(Health::Error, "damaged");
}
