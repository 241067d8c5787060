use std::collections::BTreeSet;

use super::{Code, Kind};

#[test]
fn codes_are_unique_and_found_by_name() {
    let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(names.len(), Code::ALL.len());
    let titles: BTreeSet<_> = Code::ALL.iter().map(|code| code.title()).collect();
    assert_eq!(titles.len(), Code::ALL.len());
    for code in Code::ALL {
        assert_eq!(Code::from_name(code.as_str()), Some(*code));
    }
    assert_eq!(Code::from_name("no_such_code"), None);
}

#[test]
fn every_kind_of_answer_is_used() {
    for kind in [Kind::Fault, Kind::Usage, Kind::Refused, Kind::Offline, Kind::TimedOut, Kind::TurnFailed] {
        assert!(Code::ALL.iter().any(|code| code.kind() == kind), "{kind:?}");
    }
}
