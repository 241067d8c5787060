use std::fs;

use super::Programs;

#[test]
fn a_copy_that_a_power_cut_left_empty_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original");
    fs::write(&original, "a program").unwrap();
    let programs = |name: &str| Programs::new(folder.path().join(name), original.clone());
    let made = programs("programs").current().unwrap();
    assert_eq!(fs::read(&made.path).unwrap(), b"a program");
    fs::write(&made.path, "").unwrap();
    assert_eq!(programs("programs").current().unwrap(), made);
    assert_eq!(fs::read(&made.path).unwrap(), b"a program");

    let same = programs("programs");
    same.current().unwrap();
    fs::write(&made.path, "").unwrap();
    same.current().unwrap();
    assert_eq!(fs::read(&made.path).unwrap(), b"a program", "in one life too");
}

#[test]
fn a_copy_that_could_not_be_finished_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original");
    fs::write(&original, "a program").unwrap();
    let programs = |name: &str| Programs::new(folder.path().join(name), original.clone());
    let build = programs("elsewhere").current().unwrap().build;
    let taken = folder.path().join("programs").join(build);
    fs::create_dir_all(taken.join("repose")).unwrap();
    assert!(programs("programs").current().is_err(), "a folder has its name");
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 1, "the folder alone");
}
