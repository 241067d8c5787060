use repose_core::signal::{Level, Said, Wait};
use repose_core::time::Wall;
use repose_sys::ProcessId;

use super::reading;
use crate::claude::fixture;
use crate::told::{Reading, Standing};

fn standing(content: &[u8]) -> Standing {
    match reading(content) {
        Reading::Level(standing) => standing,
        other @ (Reading::Torn | Reading::NotYet) => panic!("{other:?}"),
    }
}

fn level(name: &str) -> Level {
    let said = standing(&fixture::bytes(&format!("status/{name}.json"))).signal.said;
    let Said::Level(level) = said else { panic!("{said:?}") };
    level
}

#[test]
fn every_recorded_level_is_understood() {
    assert_eq!(level("idle"), Level::Idle);
    assert_eq!(level("2.1.197-idle"), Level::Idle);
    assert_eq!(level("busy"), Level::Busy);
    assert_eq!(level("shell"), Level::Shell);
    assert_eq!(level("waiting-permission"), Level::Waiting(Wait::Permission(String::new())));
    assert_eq!(level("waiting-question"), Level::Waiting(Wait::Choice(String::new())));
    assert_eq!(level("waiting-dialog"), Level::Waiting(Wait::Choice(String::new())));
    assert_eq!(reading(&fixture::bytes("status/no-status-yet.json")), Reading::NotYet);
}

#[test]
fn it_says_whose_and_since_when() {
    let standing = standing(&fixture::bytes("status/idle.json"));
    assert_eq!(standing.pid, 6026);
    assert_eq!(standing.signal.at, Wall(1_795_970_448_943));
    let id = standing.signal.conversation.clone().expect("an id");
    assert_eq!(id.as_str(), "b8d7cf12-23b6-4ac3-b478-2b38df463edd");
    if cfg!(target_os = "linux") {
        assert_eq!(standing.start, Some(110_563));
        assert!(!standing.is_of(ProcessId { pid: 6026, start: 110_564 }), "one that has its pid now");
    }
    assert!(standing.is_of(ProcessId { pid: 6026, start: 110_563 }));
    assert!(!standing.is_of(ProcessId { pid: 6027, start: 110_563 }));
}

#[test]
fn a_word_that_is_not_known_is_kept() {
    let standing = standing(br#"{"pid":1,"sessionId":"s","status":"dreaming"}"#);
    assert_eq!(standing.signal.said, Said::Level(Level::Unknown("dreaming".into())));
    assert_eq!(standing.signal.at, Wall(0));
}

#[test]
fn every_torn_read_is_known_as_one() {
    let whole = fixture::bytes("status/waiting-permission.json");
    for end in 0..whole.trim_ascii_end().len() {
        assert_eq!(reading(&whole[..end]), Reading::Torn, "cut at {end}");
    }
    // A shorter text written over a longer one, before it is cut.
    let mut over = fixture::bytes("status/idle.json");
    over.extend_from_slice(b"tedAt\":17}");
    assert_eq!(reading(&over), Reading::Torn);
    for bad in [&b"{}"[..], b"[]", b"null", br#"{"pid":-1,"sessionId":"s","status":"idle"}"#] {
        assert_eq!(reading(bad), Reading::Torn);
    }
}
