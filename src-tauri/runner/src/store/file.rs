//! Opening the file, checking it, and migrating it to this version.

use std::fs::{OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::error::{Fault, StoreError};

/// Each migration brings the file from the version of its index to the next. A released one is never changed.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_begin.sql"),
    include_str!("migrations/0002_opens.sql"),
    include_str!("migrations/0003_copies.sql"),
    include_str!("migrations/0004_marks.sql"),
    include_str!("migrations/0005_uncounted.sql"),
    include_str!("migrations/0006_named.sql"),
    include_str!("migrations/0007_of_all.sql"),
];

/// How long a call waits for a lock of another connection, such as somebody reading the file or a backup,
/// before it fails with [`StoreError::Locked`]. Repose's own take milliseconds.
const BUSY_WAIT: Duration = Duration::from_secs(2);

/// The bytes to which the write-ahead log is truncated once its content is in the file. Otherwise one large
/// answer would leave it large for ever.
const WAL_KEPT_BYTES: i64 = 4 << 20;

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    open_with(path, MIGRATIONS)
}

pub(super) fn open_with(path: &Path, migrations: &[&str]) -> Result<Connection, StoreError> {
    let failed = |error: io::Error| refused(path, &error);
    if is_missing(path) {
        create(path, migrations)?;
    }
    make_private(path).map_err(failed)?;
    prepare(path, migrations)
}

fn refused(path: &Path, error: &io::Error) -> StoreError {
    let path = path.to_owned();
    match error.kind() == io::ErrorKind::StorageFull {
        true => StoreError::Full { path },
        false => StoreError::Failed { path, why: error.to_string() },
    }
}

/// The device of a file, and its number there: what tells it from another file at the same path.
pub(super) fn number(path: &Path) -> io::Result<(u64, u64)> {
    let meta = path.metadata()?;
    Ok((meta.dev(), meta.ino()))
}

fn is_missing(path: &Path) -> bool {
    matches!(path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

/// Makes a new store. It is whole before it has its name, so that a file without content is never a new one.
fn create(path: &Path, migrations: &[&str]) -> Result<(), StoreError> {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let part = beside(".new");
    let failed = |error: io::Error| refused(path, &error);
    let made = (|| {
        // A write-ahead log that an earlier store left would be played into this one.
        for left in [&part, &beside("-wal"), &beside("-shm"), &beside("-journal")] {
            match std::fs::remove_file(left) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                Ok(()) | Err(_) => {}
            }
        }
        make_private(&part).map_err(failed)?;
        let fault = |error: rusqlite::Error| Fault::from(error).at(path);
        let mut connection = Connection::open_with_flags(&part, FLAGS).map_err(fault)?;
        migrate(&mut connection, migrations, 0).map_err(fault)?;
        connection.close().map_err(|(_, error)| fault(error))?;
        std::fs::rename(&part, path).map_err(failed)
    })();
    made.inspect_err(|_| {
        let _ = std::fs::remove_file(&part);
    })
}

/// Runs `PRAGMA quick_check` or `integrity_check`.
pub(super) fn sound(connection: &Connection, check: &str) -> Result<(), Fault> {
    let said: String = connection.query_row(&format!("PRAGMA {check}(1)"), [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(Fault::Unreadable(said)) }
}

/// Looks whether the file is whole, of a known version, and can be written. `false`: there is none.
pub(super) fn look(path: &Path) -> Result<bool, StoreError> {
    if is_missing(path) {
        return Ok(false);
    }
    let (mut connection, _) = connect(path, MIGRATIONS)?;
    let begun = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate);
    begun.map(|_rolled_back| true).map_err(|error| Fault::from(error).at(path))
}

/// Opens and checks the file, which isn't changed by this; returns its version too.
fn connect(path: &Path, migrations: &[&str]) -> Result<(Connection, u32), StoreError> {
    let fault = |error: rusqlite::Error| Fault::from(error).at(path);
    let connection = Connection::open_with_flags(path, FLAGS).map_err(fault)?;
    connection.busy_timeout(BUSY_WAIT).map_err(fault)?;
    let version: u32 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fault)?;
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    if version > known {
        return Err(StoreError::Newer { path: path.to_owned(), version });
    }
    sound(&connection, "quick_check").map_err(|fault| fault.at(path))?;
    if version == 0 {
        let empty = is_empty(&connection).map_err(fault)?;
        let why = if empty { "nothing is in it" } else { "it is another program's database" }.into();
        return Err(StoreError::Corrupt { path: path.to_owned(), why });
    }
    Ok((connection, version))
}

fn prepare(path: &Path, migrations: &[&str]) -> Result<Connection, StoreError> {
    let fault = |error: rusqlite::Error| Fault::from(error).at(path);
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    let (mut connection, version) = connect(path, migrations)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fault)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(fault)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(fault)?;
    connection.pragma_update(None, "journal_size_limit", WAL_KEPT_BYTES).map_err(fault)?;
    if version > 0 && version < known {
        back_up(&connection, &beside(path, known))
            .map_err(|why| StoreError::Failed { path: path.to_owned(), why })?;
    }
    migrate(&mut connection, migrations, version).map_err(fault)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection, migrations: &[&str], version: u32) -> rusqlite::Result<()> {
    for (to, sql) in (1..).zip(migrations).skip(version as usize) {
        step(connection, sql, to)?;
    }
    Ok(())
}

fn step(connection: &mut Connection, sql: &str, to: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    transaction.execute_batch(sql)?;
    transaction.pragma_update(None, "user_version", to)?;
    transaction.commit()
}

/// The path of the copy that is kept before the migration to version `to`.
fn beside(path: &Path, to: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".before-v{to}"));
    name.into()
}

/// Replaces a copy from an earlier attempt, since the file has changed since.
fn back_up(connection: &Connection, to: &Path) -> Result<(), String> {
    let copied = (|| {
        match std::fs::remove_file(to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
            Ok(()) | Err(_) => {}
        }
        make_private(to).map_err(|error| error.to_string())?;
        connection
            .backup("main", to, None::<fn(rusqlite::backup::Progress)>)
            .map_err(|error| error.to_string())
    })();
    copied.map_err(|why| format!("the copy {} couldn't be made: {why}", to.display()))
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT COUNT(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Makes sure that the file exists with mode 0600. SQLite gives its companion files the same mode.
fn make_private(path: &Path) -> io::Result<()> {
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    if file.metadata()?.permissions().mode() & 0o7777 != 0o600 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(())
}
