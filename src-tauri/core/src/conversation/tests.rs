use super::{Conversation, Found, OnDisk, Turns};
use crate::ids::{ConversationId, EngineName};
use crate::time::Wall;

fn begun() -> Conversation {
    Conversation::begun(ConversationId::new("talk"), EngineName::new("claude"), Some("/t.jsonl".into()))
}

#[test]
fn what_was_known_of_a_conversation_stays_where_its_file_does_not_show_it() {
    let known = Conversation {
        turns: Turns::Counted(20),
        last_turn: Some(Wall(7)),
        on_disk: OnDisk::There,
        ..begun()
    };
    let longer = Conversation { turns: Turns::Counted(21), ..known.clone() };
    let none = Conversation { on_disk: OnDisk::There, ..begun() };
    for (found, on_disk, turns) in [
        (Found::Read(longer.clone()), OnDisk::There, 21),
        (Found::Read(none.clone()), OnDisk::Blank, 20),
        (Found::Unreadable, OnDisk::Unreadable, 20),
        (Found::Nothing, OnDisk::Gone, 20),
    ] {
        let now = Conversation::looked_at(Some(known.clone()), begun(), found.clone()).expect("it was known");
        assert_eq!(
            (now.on_disk, now.turns, now.last_turn),
            (on_disk, Turns::Counted(turns), Some(Wall(7))),
            "{found:?}"
        );
        assert_eq!(now.resumable(), on_disk == OnDisk::There);
        let back = Conversation::looked_at(Some(now), begun(), Found::Read(longer.clone()));
        assert_eq!(back, Some(longer.clone()), "what is brought back is there again");
    }
    let unknown = |found| Conversation::looked_at(None, begun(), found);
    assert_eq!(unknown(Found::Nothing), None);
    assert_eq!(unknown(Found::Unreadable).map(|one| one.on_disk), Some(OnDisk::Unreadable));
    assert_eq!(unknown(Found::Read(none)).map(|one| one.on_disk), Some(OnDisk::Blank));
}
