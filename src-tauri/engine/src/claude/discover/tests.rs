use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{conversations, moved, newest, recent_folders};
use crate::claude::files;
use crate::env::Env;

struct Home {
    temp: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { temp: tempfile::tempdir().expect("temp") }
    }

    fn env(&self) -> Env {
        Env::new([("HOME", self.temp.path().as_os_str())])
    }

    fn folder(&self, name: &str) -> PathBuf {
        let folder = self.temp.path().canonicalize().expect("real").join(name);
        fs::create_dir_all(&folder).expect("made");
        folder
    }

    /// A conversation that ended `minute` minutes after the epoch.
    fn conversation(&self, folder: &Path, id: u32, minute: u64, turns: usize) -> String {
        let id = format!("00000000-0000-4000-8000-{id:012}");
        let kept = files::transcripts(&self.env(), folder).expect("a folder");
        fs::create_dir_all(&kept).expect("made");
        let path = kept.join(format!("{id}.jsonl"));
        let line = serde_json::json!({
            "parentUuid": null, "isSidechain": false, "type": "user", "message": {"content": format!("ask {id}")},
            "timestamp": format!("1970-01-01T00:{minute:02}:00.000Z"), "cwd": folder, "sessionId": id,
        });
        let head = format!("{{\"type\":\"mode\",\"sessionId\":\"{id}\"}}\n");
        let first = serde_json::json!({"type": "system", "cwd": folder, "sessionId": id});
        fs::write(&path, format!("{head}{first}\n{}", format!("{line}\n").repeat(turns))).expect("written");
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(60 * minute);
        let file = File::options().write(true).open(&path).expect("opens");
        file.set_times(FileTimes::new().set_modified(then)).expect("set");
        id
    }
}

#[test]
fn the_conversations_of_a_folder_are_listed_newest_first() {
    let home = Home::new();
    let repo = home.folder("my.repo");
    assert_eq!(conversations(&home.env(), &repo).expect("reads"), []);
    let old = home.conversation(&repo, 1, 10, 2);
    let new = home.conversation(&repo, 2, 20, 1);
    let empty = home.conversation(&repo, 3, 30, 0);
    let listed = conversations(&home.env(), &repo).expect("reads");
    let ids: Vec<&str> = listed.iter().map(|listed| listed.conversation.id.as_str()).collect();
    assert_eq!(ids, [&new, &old, &empty]);
    assert_eq!(
        (listed[1].conversation.turns.counted(), listed[1].title.clone()),
        (Some(2), Some(format!("ask {old}")))
    );
    let newest = newest(&home.env(), &repo).expect("reads").expect("one");
    assert_eq!(newest.conversation.id.as_str(), new);
}

#[test]
fn a_folder_of_the_same_name_that_is_gone_may_have_become_this_one() {
    let home = Home::new();
    let (old, other, there) =
        (home.folder("a/my repo"), home.folder("a/your repo"), home.folder("b/my repo"));
    let id = home.conversation(&old, 1, 10, 1);
    home.conversation(&old, 2, 20, 0);
    home.conversation(&other, 3, 30, 1);
    let of_the_other = home.conversation(&there, 4, 40, 1);
    fs::create_dir(home.folder("c").join("my repo")).expect("made");
    let new = home.folder("c/my repo");
    assert_eq!(moved(&home.env(), &new).expect("reads"), [], "nothing is gone");
    fs::remove_dir(&old).and_then(|()| fs::remove_dir(&other)).expect("removed");
    let found = moved(&home.env(), &new).expect("reads");
    let ids = found.iter().map(|moved| (moved.from.as_path(), moved.listed.conversation.id.as_str()));
    assert_eq!(ids.collect::<Vec<_>>(), [(old.as_path(), id.as_str())]);
    fs::remove_dir(&there).expect("removed");
    let found = moved(&home.env(), &new).expect("reads");
    assert_eq!(found[0].listed.conversation.id.as_str(), of_the_other, "the newest first");
}

#[test]
fn folders_that_share_a_place_do_not_share_conversations() {
    let home = Home::new();
    let (dot, dash) = (home.folder("my.repo"), home.folder("my-repo"));
    let of_dot = home.conversation(&dot, 1, 10, 1);
    home.conversation(&dash, 2, 20, 1);
    assert_eq!(files::transcripts(&home.env(), &dot), files::transcripts(&home.env(), &dash));
    let listed = conversations(&home.env(), &dot).expect("reads");
    assert_eq!(listed.len(), 1);
    assert_eq!(newest(&home.env(), &dot).expect("reads").expect("one").conversation.id.as_str(), of_dot);
}

#[test]
fn a_link_to_a_folder_has_the_folders_conversations() {
    let home = Home::new();
    let repo = home.folder("repo");
    let id = home.conversation(&repo, 1, 10, 1);
    let link = home.temp.path().join("link");
    std::os::unix::fs::symlink(&repo, &link).expect("linked");
    assert_eq!(newest(&home.env(), &link).expect("reads").expect("one").conversation.id.as_str(), id);
}

#[test]
fn what_is_no_transcript_is_passed_over() {
    let home = Home::new();
    let repo = home.folder("repo");
    let kept = files::transcripts(&home.env(), &repo).expect("a folder");
    fs::create_dir_all(kept.join("memory")).expect("made");
    fs::write(kept.join("agent-1.jsonl"), "{}").expect("written");
    fs::write(kept.join("00000000-0000-4000-8000-000000000009.jsonl"), "\u{0}garbage").expect("written");
    assert_eq!(conversations(&home.env(), &repo).expect("reads"), []);
    assert_eq!(newest(&home.env(), &repo).expect("reads"), None);
}

#[test]
fn recent_folders_exist_and_come_by_use() {
    let home = Home::new();
    let (a, b, c) = (home.folder("a"), home.folder("b"), home.folder("c"));
    let (gone, trusted, left) = (home.folder("gone"), home.folder("trusted"), home.folder("left"));
    home.conversation(&a, 1, 10, 1);
    home.conversation(&b, 2, 20, 1);
    home.conversation(&gone, 3, 30, 1);
    fs::remove_dir(&gone).expect("removed");
    let was = |sent: u64| serde_json::json!({"hasTrustDialogAccepted": true, "lastTotalInputTokens": sent});
    let state = serde_json::json!({"projects": {
        c.to_string_lossy(): was(7), a.to_string_lossy(): was(7), "/no/such": was(7),
        trusted.to_string_lossy(): {"hasTrustDialogAccepted": true}, left.to_string_lossy(): was(0),
    }});
    fs::write(home.temp.path().join(".claude.json"), state.to_string()).expect("written");
    assert_eq!(recent_folders(&home.env(), 9), [b.clone(), a, c]);
    assert_eq!(recent_folders(&home.env(), 1), [b]);
    fs::write(home.temp.path().join(".claude.json"), "{broken").expect("written");
    assert_eq!(recent_folders(&home.env(), 9).len(), 2);
    assert_eq!(recent_folders(&Env::default(), 9), Vec::<PathBuf>::new());
}
