use super::*;

#[test]
fn what_is_spooled_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    spool(dir.path(), &frame(HOOK, 7, b"{\"a\":1}")).unwrap();
    spool(dir.path(), &frame(HOOK, 8, b"")).unwrap();
    assert_eq!(spooled(dir.path()).unwrap(), [(Wall(7), b"{\"a\":1}".to_vec()), (Wall(8), Vec::new())]);
}

#[test]
fn a_holder_takes_each_spooled_event_once_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(take_spooled(dir.path()), (Vec::new(), false));
    spool(dir.path(), &frame(HOOK, 8, b"second")).unwrap();
    let late = OpenOptions::new().append(true).open(dir.path().join(SPOOL)).unwrap();
    assert_eq!(take_spooled(dir.path()), (Vec::new(), true));
    // A hook that had it open before it was put aside.
    (&late).write_all(&frame(HOOK, 7, b"first")).unwrap();
    spool(dir.path(), &frame(HOOK, 9, b"third")).unwrap();
    let (events, more) = take_spooled(dir.path());
    assert_eq!(events, [(Wall(7), b"first".to_vec()), (Wall(8), b"second".to_vec())]);
    assert!(more);
    assert_eq!(take_spooled(dir.path()), (vec![(Wall(9), b"third".to_vec())], false));
    assert_eq!(take_spooled(dir.path()), (Vec::new(), false));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_a_dead_holder_put_aside_is_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    spool(dir.path(), &frame(HOOK, 1, b"a")).unwrap();
    take_spooled(dir.path());
    spool(dir.path(), &frame(HOOK, 2, b"b")).unwrap();
    assert_eq!(spooled(dir.path()).unwrap(), [(Wall(1), b"a".to_vec()), (Wall(2), b"b".to_vec())]);
}

#[test]
fn no_spool_is_an_empty_one() {
    let dir = tempfile::tempdir().unwrap();
    assert!(spooled(dir.path()).unwrap().is_empty());
}

#[test]
fn a_spool_that_is_full_takes_no_more_and_one_that_was_cut_off_is_read_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let large = vec![b'x'; usize::try_from(SPOOL_MAX).unwrap() - 100];
    spool(dir.path(), &frame(HOOK, 1, &large)).unwrap();
    spool(dir.path(), &frame(HOOK, 2, &large)).unwrap();
    let file = OpenOptions::new().append(true).open(dir.path().join("spool")).unwrap();
    assert_eq!(spooled(dir.path()).unwrap().len(), 1);
    spool(dir.path(), &frame(HOOK, 3, b"short")).unwrap();
    assert_eq!(spooled(dir.path()).unwrap().len(), 2);
    file.set_len(file.metadata().unwrap().len() - 2).unwrap();
    assert_eq!(spooled(dir.path()).unwrap().len(), 1);
}
