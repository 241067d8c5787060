use std::time::Duration;

use super::{Policy, Unfit};

#[test]
fn invariant_09_idle_after_is_always_shorter_than_the_window() {
    let policy = Policy::default();
    assert_eq!(policy.checked(), Ok(policy));
    let equal = Policy { idle_after: policy.resume_within, ..policy };
    assert_eq!(equal.checked(), Err(Unfit::IdleNotShorter(equal)));
    let longer = Policy { idle_after: policy.resume_within + Duration::from_secs(1), ..policy };
    assert_eq!(longer.checked(), Err(Unfit::IdleNotShorter(longer)));
    let just = Policy { idle_after: policy.resume_within - Duration::from_millis(1), ..policy };
    assert_eq!(just.checked(), Ok(just));
}

#[test]
fn numbers_that_make_no_sense_are_refused_with_what_to_write() {
    let policy = Policy::default();
    let short = Policy { idle_after: Duration::from_millis(999), ..policy };
    let none = Policy { stall_after: Duration::ZERO, ..policy };
    for (unfit, named) in [(short, "`idle_after`"), (none, "`stall_after`")] {
        let refused = unfit.checked().unwrap_err().sentence();
        assert!(refused.contains(named), "{refused}");
    }
}
