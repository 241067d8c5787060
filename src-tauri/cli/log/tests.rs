use super::{FILE_MAX, Rotating};

#[test]
fn the_two_files_stay_below_twice_the_limit_and_the_latest_lines_are_there() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let path = folder.path().join("repose.log");
    let line = [b'x'; 1024];
    let mut log = Rotating::open(path.clone()).expect("a writable folder");
    for _ in 0..3 * FILE_MAX / line.len() as u64 {
        log.write_all(&line).expect("a writable file");
    }
    log.write_all(b"the last").expect("a writable file");
    let size = |name: &str| std::fs::metadata(folder.path().join(name)).expect("a file").len();
    assert!(size("repose.log") <= FILE_MAX && size("repose.log.1") <= FILE_MAX);
    assert!(std::fs::read(&path).expect("a file").ends_with(b"the last"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);

    let size = size("repose.log");
    drop(log);
    assert_eq!(Rotating::open(path).expect("the same file").written, size);
}
