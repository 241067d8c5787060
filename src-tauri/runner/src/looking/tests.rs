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
async fn what_hangs_holds_up_none_of_those_after_it() {
    let looking = Looking::default();
    let (goes_on, waits) = mpsc::channel::<()>();
    let waits = Arc::new(Mutex::new(waits));
    let looks = (0..5).map(|number| {
        let waits = Arc::clone(&waits);
        let look = move || match number {
            1 => usize::from(waits.lock().unwrap().recv().is_ok()),
            3 => panic!("a look that fails"),
            _ => number,
        };
        (RepoId::new(number.to_string()), look)
    });
    let mut seen = looking.look_each(Duration::from_millis(20), looks).await;
    seen.sort_by_key(|(repo, _)| repo.to_string());
    let seen: Vec<_> = seen.into_iter().map(|(_, seen)| seen).collect();
    assert_eq!(seen, [Some(0), None, Some(2), None, Some(4)]);
    // What failed is no look that still goes on.
    assert_eq!(looking.look(&RepoId::new("3"), LOOKS_WITHIN, || 3).await, Some(3));
    assert_eq!(looking.look(&RepoId::new("1"), LOOKS_WITHIN, || 1).await, None);
    goes_on.send(()).unwrap();
}
