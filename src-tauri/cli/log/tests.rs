use super::{FILE_MAX, Rotating};

#[test]
fn the_two_files_stay_below_twice_the_limit_and_the_latest_lines_are_there() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let home = repose_runner::Home::under(folder.path().to_owned());
    home.create().expect("a writable folder");
    let (path, put_aside) = (home.log(), home.log_put_aside());
    let line = [b'x'; 1024];
    let mut log = Rotating::open(path.clone(), put_aside.clone()).expect("a writable folder");
    for _ in 0..3 * FILE_MAX / line.len() as u64 {
        log.write_all(&line).expect("a writable file");
    }
    log.write_all(b"the last").expect("a writable file");
    let size = |path: &std::path::Path| std::fs::metadata(path).expect("a file").len();
    assert!(size(&path) <= FILE_MAX && size(&put_aside) <= FILE_MAX);
    assert!(std::fs::read(&path).expect("a file").ends_with(b"the last"));
    assert_eq!(std::fs::read_dir(home.logs()).expect("a folder").count(), 2);

    let size = size(&path);
    drop(log);
    assert_eq!(Rotating::open(path, put_aside).expect("the same file").written, size);
}
