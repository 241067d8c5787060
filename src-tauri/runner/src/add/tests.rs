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
