use std::fs::File;
use std::process::Command;

use super::{LockError, patiently};

#[test]
fn what_a_dead_holder_left_to_its_child_is_waited_for_and_a_living_holder_is_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("lock");
    let mut dead = Command::new("true").spawn().expect("it starts");
    dead.wait().expect("its status");
    // As in a child that was forked while the lock was held, and hasn't executed another program yet.
    let mut inherited = Some(File::create(&path).expect("the lock's file"));
    inherited.as_ref().expect("open").lock().expect("free");
    std::fs::write(&path, dead.id().to_string()).expect("the dead pid");
    let held = patiently(&path, || false).expect_err("not free yet");
    assert!(matches!(held, LockError::Held { pid: Some(pid), .. } if pid == dead.id()), "{held}");
    let mut waits = 0;
    let got = patiently(&path, || {
        waits += 1;
        drop(inherited.take());
        true
    });
    let _mine = got.expect("free once the child has let go of it");
    assert_eq!(waits, 1);
    patiently(&path, || panic!("a holder that lives isn't waited for")).expect_err("held");
}
