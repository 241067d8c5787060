//! The file: its versions, and what can be wrong with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use repose_core::ask::Stage;
use repose_core::ids::RepoId;
use repose_core::repo::Change;
use repose_core::trouble::Code;
use rusqlite::Connection;

use super::{NOW, World, ask};
use crate::store::file::{MIGRATIONS, open_with};
use crate::store::{LogWhat, Store, StoreError};

const ONE: &str = "CREATE TABLE thing (name TEXT NOT NULL) STRICT; INSERT INTO thing VALUES ('a');";
const TWO: &str = "ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 7;";
const BROKEN: &str = "ALTER TABLE thing ADD COLUMN more TEXT; ALTER TABLE nothing ADD COLUMN more TEXT;";

fn version(path: &Path) -> u32 {
    Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn the_files_are_their_owners_alone() {
    let world = World::new();
    world.store.check().unwrap();
    for file in fs::read_dir(world.folder.path()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, 0o600, "{:?}", file.path());
    }
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o644)).unwrap();
    Store::open(&world.path()).unwrap();
    assert_eq!(fs::metadata(world.path()).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn an_older_file_is_copied_and_then_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let copy = folder.path().join("state.db.before-v2");
    drop(open_with(&path, &[ONE]).unwrap());
    assert!(!copy.exists(), "a new file has nothing to copy");
    let connection = open_with(&path, &[ONE, TWO]).unwrap();
    let thing: (String, i64) = connection
        .query_row("SELECT name, size FROM thing", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(thing, ("a".into(), 7));
    assert_eq!((version(&path), version(&copy)), (2, 1));
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o7777, 0o600);
    fs::remove_file(&copy).unwrap();
    drop(open_with(&path, &[ONE, TWO]).unwrap());
    assert!(!copy.exists(), "it is up to date");
}

#[test]
fn a_log_from_before_there_were_rows_of_all_repos_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let before = open_with(&path, &MIGRATIONS[..6]).unwrap();
    before
        .execute_batch(
            r#"INSERT INTO repo (id, name, path, engine, added) VALUES ('r', 'work', X'2f78', 'claude', 1);
               INSERT INTO log (id, repo, at, what) VALUES (7, 'r', 1, '{"what":"resumed"}');"#,
        )
        .unwrap();
    drop(before);
    let (store, repo) = (Store::open(&path).unwrap(), RepoId::new("r"));
    store.set_gate(true, NOW).unwrap();
    store.note(&repo, &LogWhat::Interrupted { asked: None }, NOW).unwrap();
    let rows: Vec<_> =
        store.latest(9).unwrap().into_iter().map(|of| (of.row.id, of.repo.is_some())).collect();
    assert_eq!(rows, [(9, true), (8, false), (7, true)]);
    assert_eq!(store.log(&repo, None, 9).unwrap().len(), 2);
    store.apply(&repo, &[Change::Removed], NOW).unwrap();
    assert_eq!(store.latest(9).unwrap().len(), 1, "what was ordered for all stays");
}

#[test]
fn a_step_that_fails_leaves_the_version_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    drop(open_with(&path, &[ONE]).unwrap());
    let failed = open_with(&path, &[ONE, TWO, BROKEN]);
    assert!(matches!(failed, Err(StoreError::Failed { .. })), "{failed:?}");
    assert_eq!(version(&path), 2);
    let connection = open_with(&path, &[ONE, TWO, "SELECT 1 WHERE 0;"]).unwrap();
    let columns: i64 = connection
        .query_row("SELECT COUNT(*) FROM pragma_table_info('thing')", [], |row| row.get(0))
        .unwrap();
    assert_eq!(columns, 2, "nothing of the failed step is there");
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let world = World::new();
    world.store.with(|connection| Ok(connection.pragma_update(None, "user_version", 99)?)).unwrap();
    let newer = Store::open(&world.path()).unwrap_err();
    assert_eq!(newer, StoreError::Newer { path: world.path(), version: 99 });
    assert_eq!(newer.trouble().code, Code::StoreFailed);
}

#[test]
fn what_is_no_store_is_called_damaged_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    fs::write(&path, "Dear diary, ".repeat(1_000)).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Corrupt { .. })));
    assert_eq!(fs::read(&path).unwrap(), before);

    fs::write(&path, "").unwrap();
    assert!(matches!(Store::look(&path), Err(StoreError::Corrupt { .. })));
    assert!(matches!(Store::open(&path), Err(StoreError::Corrupt { .. })), "no new one is empty");
    assert_eq!(fs::read(&path).unwrap(), b"");

    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Corrupt { .. })));
}

#[test]
fn a_new_file_that_could_not_be_made_whole_leaves_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    assert!(open_with(&path, &[ONE, BROKEN]).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(
        version(&{
            drop(open_with(&path, &[ONE, TWO]).unwrap());
            path
        }),
        2
    );
}

#[test]
fn what_was_left_of_a_store_that_was_moved_away_does_not_come_into_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let lost = open_with(&at("lost.db"), &[ONE]).unwrap();
    lost.execute("INSERT INTO thing VALUES ('of the lost one')", []).unwrap();
    assert!(fs::metadata(at("lost.db-wal")).unwrap().len() > 0);
    fs::copy(at("lost.db-wal"), at("state.db-wal")).unwrap();
    let anew = open_with(&at("state.db"), &[ONE]).unwrap();
    let things: u32 = anew.query_row("SELECT count(*) FROM thing", [], |row| row.get(0)).unwrap();
    assert_eq!(things, 1);
}

#[test]
fn a_damaged_file_is_noticed_when_it_is_opened() {
    let world = World::new();
    for number in 0..50 {
        world.apply(Change::Ask(ask(&number.to_string(), Stage::Waiting)));
    }
    let path = world.path();
    let World { folder, store, .. } = world;
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 8 * 4_096, "the log was not folded into the file");
    // The pages after the first hold the tables; their heads are written over.
    for page in bytes.chunks_mut(4_096).skip(1) {
        page[..16].fill(0xaa);
    }
    fs::write(&path, &bytes).unwrap();
    let damaged = Store::open(&path).map(drop).unwrap_err();
    assert!(matches!(&damaged, StoreError::Corrupt { why, .. } if !why.is_empty()), "{damaged:?}");
    drop(folder);
}

#[test]
fn a_value_that_nobody_wrote_is_called_damaged() {
    let world = World::new();
    let change = |sql: &str| world.store.with(|connection| Ok(connection.execute_batch(sql)?)).unwrap();
    change("UPDATE repo SET continuity = '{\"outcome\": \"odd\"}'");
    let odd = world.store.repos().unwrap_err();
    assert!(matches!(odd, StoreError::Corrupt { .. }), "{odd:?}");
    assert_eq!(world.store.check().unwrap_err(), odd);
}

#[test]
fn a_file_that_another_keeps_to_itself_is_called_locked() {
    let world = World::new();
    let other = Connection::open(world.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let locked = world.store.set_value("port", "1").unwrap_err();
    assert_eq!(locked, StoreError::Locked { path: world.path() });
    assert_eq!(locked.trouble().code, Code::StoreFailed);
    other.execute_batch("ROLLBACK").unwrap();
    world.store.set_value("port", "1").unwrap();
}

#[test]
fn without_room_a_change_is_refused_whole_and_what_was_there_stays() {
    let mut world = World::new();
    world.apply(Change::Ask(ask("a-1", Stage::Waiting)));
    let pages: i64 = world
        .store
        .with(|connection| Ok(connection.pragma_query_value(None, "page_count", |row| row.get(0))?))
        .unwrap();
    world.store.with(|connection| Ok(connection.pragma_update(None, "max_page_count", pages)?)).unwrap();
    let before = world.store.repos().unwrap();
    let mut large = ask("a-2", Stage::Waiting);
    large.text = "x".repeat(1 << 20);
    let full = world.store.apply(&world.repo, &[Change::Ask(large)], NOW).unwrap_err();
    assert_eq!(full, StoreError::Full { path: world.path() });
    let trouble = full.trouble();
    assert_eq!(trouble.code, Code::DiskFull);
    assert!(trouble.sentence.ends_with("nothing was changed."), "{trouble:?}");
    assert_eq!(trouble.hints, ["Free some and try again."]);
    assert_eq!(world.store.repos().unwrap(), before);
    world.apply(Change::Pinned(true));
    assert!(world.stored().pinned);
}

#[test]
fn a_folder_that_is_not_there_is_said_so() {
    let failed = Store::open(Path::new("/nowhere/at/all/state.db")).map(drop).unwrap_err();
    assert!(matches!(&failed, StoreError::Failed { why, .. } if why.contains("No such file")), "{failed:?}");
}
