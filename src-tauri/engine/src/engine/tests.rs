use super::{LevelBy, built_in, find};
use crate::ask::UnfitText;

#[test]
fn every_engine_is_found_by_its_own_name_and_by_no_other() {
    for engine in built_in() {
        let all = built_in();
        let same: Vec<_> = all.iter().filter(|other| other.name() == engine.name()).collect();
        assert_eq!(same.len(), 1, "{}", engine.name());
        assert_eq!(
            find(engine.name()).map(|found| found.title().to_owned()),
            Some(engine.title().to_owned())
        );
    }
    assert!(find("no-such-engine").is_none());
}

#[test]
fn what_an_engine_says_of_itself_holds_together() {
    for engine in built_in() {
        let described = engine.described();
        assert_eq!(described.name.as_str(), engine.name());
        assert_eq!(described.keeps_conversations, engine.keeps_conversations());
        // A conversation that can be pinned is one that is kept.
        assert!(engine.new_conversation().is_none() || engine.keeps_conversations());
        let levels = engine.level_file(&crate::Env::new([("HOME", "/home/me")]), 1).is_some();
        assert_eq!(levels, engine.speaks().level == LevelBy::File);
        assert!(!engine.interrupt().is_empty() && !engine.end_within().is_zero());
    }
}

#[test]
fn no_engine_is_sent_what_a_terminal_takes_for_keys() {
    for engine in built_in() {
        assert!(matches!(engine.keys("x\u{1b}[201~\r"), Err(UnfitText::Control { .. })), "{}", engine.name());
        assert_eq!(engine.keys(" \n"), Err(UnfitText::Empty));
        let keys = engine.keys("a\r\nb").expect("fits");
        assert_eq!((keys.paste, keys.submit), (b"\x1b[200~a\nb\x1b[201~".to_vec(), b"\r".to_vec()));
    }
}
