use std::process::Command;

use proptest::prelude::*;
use repose_core::ids::AskId;
use repose_core::session::Fact;

use super::*;

fn told(number: usize, size: usize) -> Entry {
    Entry::Fact(Fact::NotTaken { ask: AskId::new(format!("{number}-{}", "x".repeat(size))) })
}

fn numbers(entries: &[Numbered]) -> Vec<u64> {
    entries.iter().map(|entry| entry.seq).collect()
}

#[test]
fn entries_are_numbered_and_survive_their_writer() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    for number in 0..3 {
        journal.append(told(number, 1), Wall(5)).1.unwrap();
    }
    drop(journal);
    let mut journal = Journal::open(dir.path()).unwrap();
    journal.append(told(3, 1), Wall(6)).1.unwrap();
    let Since::Entries(entries) = read(dir.path(), 2).unwrap() else { panic!("no gap") };
    assert_eq!(numbers(&entries), [3, 4]);
    assert_eq!(entries[1].entry, told(3, 1));
}

#[test]
fn only_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    drop(Journal::open(dir.path()).unwrap());
    let mode = std::fs::metadata(dir.path().join("journal")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_long_one_is_cut_to_its_newest_half_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    let size = 64 * 1024;
    let many = usize::try_from(BYTES_MAX).unwrap() / size + 1;
    for number in 0..many {
        journal.append(told(number, size), Wall(0)).1.unwrap();
    }
    let Since::Gap(rest) = journal.since(0).unwrap() else { panic!("the oldest are gone") };
    assert_eq!(rest.last().unwrap().seq, many as u64);
    let oldest = rest.first().unwrap().seq;
    assert!(
        matches!(journal.since(oldest - 1).unwrap(), Since::Entries(entries) if entries.len() == rest.len())
    );
    assert!(matches!(journal.since(many as u64).unwrap(), Since::Entries(entries) if entries.is_empty()));
}

#[test]
fn a_line_that_was_cut_off_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    journal.append(told(0, 1), Wall(0)).1.unwrap();
    std::fs::OpenOptions::new()
        .append(true)
        .open(dir.path().join("journal"))
        .unwrap()
        .write_all(b"{\"seq\":2,\"at")
        .unwrap();
    let Since::Entries(entries) = read(dir.path(), 0).unwrap() else { panic!("no gap") };
    assert_eq!(numbers(&entries), [1]);
}

/// A journal on a disk that is full: the shell bounds the size of files, and this test is run anew within
/// that.
fn on_a_full_disk(test: &str, folder: &Path) {
    let bounded = "trap '' XFSZ; ulimit -f 4; exec \"$0\" --exact --nocapture \"$1\"";
    let ran = Command::new("/bin/sh")
        .args(["-c", bounded])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("journal::tests::{test}"))
        .env_clear()
        .env(FULL, folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

const FULL: &str = "FULL_DISK";

#[test]
fn what_could_not_be_written_spoils_nothing_and_is_a_gap() {
    let Some(full) = std::env::var_os(FULL) else {
        let dir = tempfile::tempdir().unwrap();
        on_a_full_disk("what_could_not_be_written_spoils_nothing_and_is_a_gap", dir.path());
        return;
    };
    let dir = Path::new(&full);
    let mut journal = Journal::open(dir).unwrap();
    journal.append(told(1, 10), Wall(0)).1.unwrap();
    let before = std::fs::read(dir.join("journal")).unwrap();
    journal.append(told(2, 8 * 1024), Wall(0)).1.unwrap_err();
    assert_eq!(std::fs::read(dir.join("journal")).unwrap(), before, "no half line stays");
    // Nothing is there after it, and still it is missed.
    assert!(matches!(journal.since(1).unwrap(), Since::Gap(rest) if rest.is_empty()));
    assert!(matches!(journal.since(2).unwrap(), Since::Entries(rest) if rest.is_empty()));
    journal.append(told(3, 10), Wall(0)).1.unwrap();
    for whole in [journal.since(0).unwrap(), read(dir, 0).unwrap()] {
        let Since::Gap(rest) = whole else { panic!("the second is missing") };
        assert_eq!(numbers(&rest), [1, 3]);
    }
    assert!(matches!(journal.since(1).unwrap(), Since::Gap(rest) if numbers(&rest) == [3]));
    assert!(matches!(journal.since(2).unwrap(), Since::Entries(rest) if numbers(&rest) == [3]));
}

#[test]
fn nothing_is_glued_to_half_a_line_that_was_there() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("journal"), b"{\"seq\":1,\"at").unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    journal.append(told(0, 1), Wall(0)).1.unwrap();
    let Since::Entries(entries) = read(dir.path(), 0).unwrap() else { panic!("no gap") };
    assert_eq!(numbers(&entries), [1]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_harmed_one_is_read_as_far_as_it_is_good_and_goes_on(
        at in any::<prop::sample::Index>(), junk in prop::collection::vec(any::<u8>(), 0..30), gone in 0..80_usize
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        for number in 0..5 {
            journal.append(told(number, 10), Wall(5)).1.unwrap();
        }
        drop(journal);
        let path = dir.path().join("journal");
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes.splice(at..(at + gone).min(bytes.len()), junk);
        bytes.push(b'\n');
        std::fs::write(&path, bytes).unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        let (new, written) = journal.append(told(9, 1), Wall(6));
        written.unwrap();
        let (Since::Entries(entries) | Since::Gap(entries)) = read(dir.path(), 0).unwrap();
        prop_assert_eq!(entries.last(), Some(&new));
    }
}
