use repose_core::repo::State;

use super::{Look, of_all};

#[test]
fn what_prevented_an_open_is_no_news_to_a_repo_that_was_opened_or_paused_meanwhile() {
    use State::{Asleep, Offline, Opening, Paused, Ready, Waiting, Working};
    for now in [Opening, Ready, Working, Waiting, Paused] {
        assert!(!Look::stands(Asleep, now) && !Look::stands(Offline, now), "{now:?}");
    }
    for (then, now) in [(Asleep, Asleep), (Asleep, Offline), (Offline, Asleep), (Ready, Working)] {
        assert!(Look::stands(then, now), "{then:?}, {now:?}");
    }
    for over in [Ready, Asleep, Offline] {
        assert!(!Look::stands(Opening, over), "{over:?}: the open has told it");
    }
    assert_eq!(Look::at(Opening), Look::Kept);
    assert!(!Look::stands(Working, Asleep), "a folder that is there says nothing of the engine");
}

#[test]
fn live_repos_are_checked_between_two_checks_of_all() {
    let all: Vec<u64> = (1..=13).filter(|check| of_all(*check)).collect();
    assert_eq!(all, [1, 7, 13], "the others are of live repos alone");
}
