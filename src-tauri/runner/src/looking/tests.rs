use std::sync::mpsc;
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
