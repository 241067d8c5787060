use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use repose_core::ids::RepoId;

use tokio::sync::mpsc::unbounded_channel;

use super::{LOOKS_WITHIN, Looks};

#[tokio::test]
async fn a_look_that_hangs_holds_up_nobody_and_has_no_second_one_beside_it() {
    let (all, hangs, other) = (Looks::default(), RepoId::new("hangs"), RepoId::new("other"));
    let (goes_on, waits) = mpsc::channel::<()>();
    let soon = Duration::from_millis(20);
    assert_eq!(all.look(&hangs, soon, move || waits.recv().is_ok()).await, None);
    let second = all.look(&hangs, LOOKS_WITHIN, || panic!("a second thread is held up")).await;
    assert_eq!(second, None::<()>);
    assert_eq!(all.look(&other, LOOKS_WITHIN, || 1).await, Some(1));
    goes_on.send(()).unwrap();
    let again = async {
        while all.look(&hangs, LOOKS_WITHIN, || ()).await.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), again)
        .await
        .expect("it is looked at again once it goes on");
}

#[tokio::test]
async fn what_hangs_or_fails_holds_up_none_of_those_after_it() {
    let all = Looks::default();
    let (goes_on, waits) = mpsc::channel::<()>();
    let waits = Arc::new(Mutex::new(waits));
    let looks = |numbers: std::ops::Range<usize>| {
        let waits = Arc::clone(&waits);
        numbers.map(move |number| {
            let waits = Arc::clone(&waits);
            let look = move || match number {
                1 => usize::from(waits.lock().unwrap().recv().is_ok()),
                // A fault without its backtrace, which takes a busy machine seconds to write.
                4 => std::panic::resume_unwind(Box::new("a look that fails")),
                _ => number,
            };
            (RepoId::new(number.to_string()), look)
        })
    };
    let mut seen = BTreeMap::new();
    let mut tell = |repo: RepoId, result| {
        seen.insert(repo, result);
    };
    // Long enough for a busy machine to run the two that end.
    all.look_each(Duration::from_secs(3), looks(0..3), &mut tell).await;
    all.look_each(LOOKS_WITHIN, looks(3..6), &mut tell).await;
    let seen: Vec<_> = seen.into_values().collect();
    assert_eq!(seen, [Some(0), None, Some(2), Some(3), None, Some(5)]);
    // A look that failed is over; one that hangs goes on.
    assert_eq!(all.look(&RepoId::new("4"), LOOKS_WITHIN, || 4).await, Some(4));
    assert_eq!(all.look(&RepoId::new("1"), LOOKS_WITHIN, || 1).await, None);
    goes_on.send(()).unwrap();
}

#[tokio::test]
async fn what_was_seen_is_told_while_the_next_look_still_hangs() {
    let (all, (goes_on, waits)) = (Looks::default(), mpsc::channel::<()>());
    let waits = Arc::new(Mutex::new(waits));
    let looks = (0..2).map(|number| {
        let waits = Arc::clone(&waits);
        let look = move || number == 0 || waits.lock().unwrap().recv().is_ok();
        (RepoId::new(number.to_string()), look)
    });
    let (tells, mut told) = unbounded_channel();
    let tell = |repo: RepoId, seen| tells.send((repo, seen)).unwrap();
    let looking = all.look_each(Duration::from_secs(60), looks, tell);
    let heard = async {
        assert_eq!(told.recv().await, Some((RepoId::new("0"), Some(true))));
        goes_on.send(()).unwrap();
        assert_eq!(told.recv().await, Some((RepoId::new("1"), Some(true))), "it had all the time");
    };
    tokio::join!(looking, heard);
}
