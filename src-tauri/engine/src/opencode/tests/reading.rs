use std::path::Path;

use repose_core::ids::{ConversationId, PromptId};
use repose_core::time::Wall;

use super::{OWN, OpenCode, SUBAGENT, kept};
use crate::Engine;
use crate::transcript::{Answer, Asked, Kind, LastTurn, Page, Place, ToolEnd};

#[test]
fn a_conversation_tells_turns_tokens_and_what_became_of_each_prompt() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (_env, path, connection) = kept(temp.path());
    let id = ConversationId::new(OWN);
    let place = Place { path: &path, id: &id };
    let listed = OpenCode.summary(place).expect("reads").expect("a conversation");
    assert_eq!(
        (listed.conversation.turns.counted(), listed.conversation.context_tokens),
        (Some(3), Some(134))
    );
    assert_eq!(
        (listed.conversation.last_turn, listed.title.as_deref()),
        (Some(Wall(60)), Some("hello there"))
    );
    let tail = OpenCode.tail(place).expect("reads");
    assert_eq!((tail.last_turn, tail.last_activity), (LastTurn::Interrupted, Some(Wall(60))));

    let failed = PromptId::new("msg_4");
    let answer = |asked| OpenCode.answer_to(place, asked).expect("reads");
    assert_eq!(answer(Asked::Text("hello there ")), Answer::Answered("Done.".into()));
    assert_eq!(answer(Asked::Prompt(&failed)), Answer::Failed("no such model".into()));
    assert_eq!(answer(Asked::Last), Answer::Interrupted);
    assert_eq!(answer(Asked::Text("never")), Answer::NotAsked);

    // Two prompts go into one turn, which goes on.
    let more = "INSERT INTO message VALUES ('msg_9a', ?1, 80, '{\"role\":\"user\"}'), ('msg_9b', ?1, 81, '{\"role\":\"user\"}')";
    connection.execute(more, [OWN]).expect("rows");
    let more = "INSERT INTO part VALUES ('prt_9a', 'msg_9a', ?1, '{\"type\":\"text\",\"text\":\"one\"}'),
        ('prt_9b', 'msg_9b', ?1, '{\"type\":\"text\",\"text\":\"two\"}')";
    connection.execute(more, [OWN]).expect("rows");
    assert_eq!((answer(Asked::Text("one")), answer(Asked::Last)), (Answer::Open, Answer::Open));
    assert_eq!(OpenCode.tail(place).expect("reads").last_turn, LastTurn::Open);
    let more = "INSERT INTO message VALUES ('msg_9c', ?1, 82, '{\"role\":\"assistant\",\"finish\":\"stop\",\"time\":{\"completed\":83}}')";
    connection.execute(more, [OWN]).expect("a row");
    assert_eq!(
        (answer(Asked::Text("one")), answer(Asked::Last)),
        (Answer::Answered(String::new()), Answer::Answered(String::new()))
    );
}

#[test]
fn its_pages_go_back_to_the_first_message_and_each_entry_keeps_its_place() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (_env, path, connection) = kept(temp.path());
    let id = ConversationId::new(OWN);
    let place = Place { path: &path, id: &id };
    let whole = OpenCode.entries(place, None, 100).expect("reads");
    assert_eq!((whole.before, whole.skipped, whole.entries.len()), (None, 0, 8), "{whole:#?}");
    let ended = |page: &Page, how: ToolEnd| {
        page.entries.iter().any(|entry| matches!(entry.kind, Kind::ToolResult { end, .. } if end == how))
    };
    assert!(ended(&whole, ToolEnd::Failed));

    let (mut paged, mut before) = (Vec::new(), None);
    loop {
        let page = OpenCode.entries(place, before, 2).expect("reads");
        paged.splice(0..0, page.entries);
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(paged, whole.entries);

    let mut error = "no";
    for (words, end) in [
        ("The user rejected permission to use this specific tool call.", ToolEnd::Denied),
        ("Tool execution aborted", ToolEnd::Interrupted),
    ] {
        let said = |words: &str| format!("\"error\":\"{words}\"");
        let other = "UPDATE part SET data = replace(data, ?1, ?2) WHERE id = 'prt_4'";
        connection.execute(other, [said(error), said(words)]).expect("a row");
        error = words;
        let page = OpenCode.entries(place, None, 100).expect("reads");
        assert!(ended(&page, end) && !ended(&page, ToolEnd::Failed), "{words}");
    }
}

#[test]
fn its_conversations_are_found_by_folder_and_a_subagents_are_none_of_them() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, path, connection) = kept(temp.path());
    let newest = OpenCode.newest(&env, Path::new("/srv/tides")).expect("reads").expect("one");
    assert_eq!(newest.conversation.id.as_str(), OWN);
    assert_eq!(OpenCode.conversations(&env, Path::new("/srv/tides")).expect("reads").len(), 1);
    assert_eq!(OpenCode.newest(&env, Path::new("/srv/other")).expect("reads"), None);
    let subagent = ConversationId::new(SUBAGENT);
    assert_eq!(OpenCode.summary(Place { path: &path, id: &subagent }).expect("reads"), None);
    assert!(OpenCode.recent_folders(&env, 9).is_empty(), "a folder that is gone is none");
    let home = temp.path().to_str().expect("UTF-8");
    connection.execute("UPDATE session SET directory = ?1", [home]).expect("a row");
    assert_eq!(OpenCode.recent_folders(&env, 9), [temp.path()]);
}

#[test]
fn reading_changes_nothing_in_its_folder_whether_somebody_has_it_open_or_not() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, path, connection) = kept(temp.path());
    let folder = path.parent().expect("a folder");
    let content = || -> Vec<(std::path::PathBuf, Vec<u8>)> {
        // What readers and writers of the log tell each other lies in memory; the file only stands for it.
        let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|file| file.path());
        let mut files: Vec<_> = files.filter(|path| !path.to_string_lossy().ends_with("-shm")).collect();
        files.sort();
        files.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect()
    };
    let read = || OpenCode.newest(&env, Path::new("/srv/tides")).expect("reads").expect("one");
    let before = content();
    assert!(before.len() == 2, "a database and its log: {before:?}");
    read();
    assert_eq!(content(), before);
    connection.execute("UPDATE session SET title = 'still writes'", []).expect("nobody locks it");

    drop(connection);
    let before = content();
    assert!(before.len() == 1, "closed, its log is gone: {before:?}");
    read();
    assert_eq!(content(), before);
    assert!(!path.with_file_name("opencode.db-shm").exists());
}
