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
