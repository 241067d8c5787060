use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use repose_core::ids::RepoId;

use super::{LOOKS_WITHIN, Looking};

#[tokio::test]
async fn a_look_that_hangs_holds_up_nobody_and_has_no_second_one_beside_it() {
    let (looking, hangs, other) = (Looking::default(), RepoId::new("hangs"), RepoId::new("other"));
    let (goes_on, waits) = mpsc::channel::<()>();
    let soon = Duration::from_millis(20);
    assert_eq!(looking.look(&hangs, soon, move || waits.recv().is_ok()).await, None);
    let second = looking.look(&hangs, LOOKS_WITHIN, || panic!("a second thread is held up")).await;
    assert_eq!(second, None::<()>);
    assert_eq!(looking.look(&other, LOOKS_WITHIN, || 1).await, Some(1));
    goes_on.send(()).unwrap();
    let again = async {
        while looking.look(&hangs, LOOKS_WITHIN, || ()).await.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), again)
        .await
        .expect("it is looked at again once it goes on");
}

#[tokio::test]
async fn what_hangs_or_fails_holds_up_none_of_those_after_it() {
    let looking = Looking::default();
    let (goes_on, waits) = mpsc::channel::<()>();
    let waits = Arc::new(Mutex::new(waits));
    let looks = |numbers: std::ops::Range<usize>| {
        let waits = Arc::clone(&waits);
        numbers.map(move |number| {
            let waits = Arc::clone(&waits);
            let look = move || match number {
                1 => usize::from(waits.lock().unwrap().recv().is_ok()),
                4 => panic!("a look that fails"),
                _ => number,
            };
            (RepoId::new(number.to_string()), look)
        })
    };
    let seen = |mut seen: Vec<(RepoId, Option<usize>)>| -> Vec<_> {
        seen.sort_by_key(|(repo, _)| repo.to_string());
        seen.into_iter().map(|(_, seen)| seen).collect()
    };
    let one_hangs = looking.look_each(Duration::from_millis(500), looks(0..3)).await;
    assert_eq!(seen(one_hangs), [Some(0), None, Some(2)]);
    let one_fails = looking.look_each(LOOKS_WITHIN, looks(3..6)).await;
    assert_eq!(seen(one_fails), [Some(3), None, Some(5)]);
    // A look that failed is over; one that hangs goes on.
    assert_eq!(looking.look(&RepoId::new("4"), LOOKS_WITHIN, || 4).await, Some(4));
    assert_eq!(looking.look(&RepoId::new("1"), LOOKS_WITHIN, || 1).await, None);
    goes_on.send(()).unwrap();
}
