use super::{branch, name};
use repose_core::trouble::Code;
use std::fs;
use std::path::Path;

#[test]
fn a_branch_is_read_off_a_repository_a_worktree_and_a_bare_commit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |part: &str| folder.path().join(part);
    assert_eq!(branch(folder.path()), None);
    fs::create_dir_all(at(".git/worktrees/side")).unwrap();
    fs::write(at(".git/HEAD"), "ref: refs/heads/feature/tides\n").unwrap();
    assert_eq!(branch(folder.path()).as_deref(), Some("feature/tides"));
    fs::write(at(".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
    assert_eq!(branch(folder.path()).as_deref(), Some("01234567"));
    fs::create_dir(at("side")).unwrap();
    fs::write(at(".git/worktrees/side/HEAD"), "ref: refs/heads/side\n").unwrap();
    fs::write(at("side/.git"), format!("gitdir: {}\n", at(".git/worktrees/side").display())).unwrap();
    assert_eq!(branch(&at("side")).as_deref(), Some("side"));
}

#[test]
fn what_is_no_short_file_is_no_branch_and_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let git = folder.path().join(".git");
    fs::create_dir(&git).unwrap();
    let made = std::process::Command::new("mkfifo").arg(git.join("HEAD")).status().unwrap();
    assert!(made.success());
    let (tell, told) = std::sync::mpsc::channel();
    let path = folder.path().to_owned();
    std::thread::spawn(move || tell.send(branch(&path)));
    assert_eq!(told.recv_timeout(std::time::Duration::from_secs(30)), Ok(None), "a pipe");
    fs::remove_file(git.join("HEAD")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", git.join("HEAD")).unwrap();
    assert_eq!(branch(folder.path()), None);
    fs::remove_dir_all(&git).unwrap();
    fs::write(&git, format!("gitdir: {}", "/x".repeat(10_000))).unwrap();
    assert_eq!(branch(folder.path()), None);
}

#[test]
fn a_name_is_one_short_line_that_is_no_path() {
    for bad in ["", ".", "-a", "a/b", " a", "a\nb", &"x".repeat(61)] {
        assert_eq!(
            name(Some(bad), Path::new("/srv/harbour"), &[]).unwrap_err().code,
            Code::BadRequest,
            "{bad:?}"
        );
    }
    assert_eq!(name(Some("Grüße 2"), Path::new("/srv/harbour"), &[]).unwrap(), "Grüße 2");
    assert_eq!(name(None, Path::new("/srv/harbour"), &[]).unwrap(), "harbour");
    assert_eq!(name(None, Path::new("/srv/--dash-"), &[]).unwrap(), "dash-");
    assert_eq!(name(None, Path::new("/"), &[]).unwrap(), "root");
}
