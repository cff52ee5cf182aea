//! Reading an agent's `SQLite` database beside the agent: read-only, so that neither its
//! write-ahead log nor its locks are touched, and only when it changed.

use super::file::{self, Stamp};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a locked database is waited for; after that it is asked again at the next look.
const PATIENCE: Duration = Duration::from_millis(20);

/// One database.
#[derive(Debug)]
pub(super) struct Database {
    root: PathBuf,
    path: PathBuf,
    stamp: Option<(Option<Stamp>, Option<Stamp>)>,
}

impl Database {
    /// A database in the agent's folder `root` that was not asked yet.
    pub(super) fn new(root: &Path, path: &Path) -> Self {
        Self { root: root.to_owned(), path: path.to_owned(), stamp: None }
    }

    /// Asks the database, when it changed since it was asked last. Nothing when it did not, or
    /// when it is locked: then it is asked again the next time.
    pub(super) fn ask<T>(
        &mut self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> io::Result<Option<T>> {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        let stamp = (Stamp::of(&self.path), Stamp::of(Path::new(&log)));
        if self.stamp.is_some() && self.stamp == Some(stamp) {
            return Ok(None);
        }
        match self.open()?.and_then(|connection| question(&connection)) {
            Ok(answer) => {
                self.stamp = Some(stamp);
                Ok(Some(answer))
            }
            Err(error) if is_busy(&error) => Ok(None),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn open(&self) -> io::Result<rusqlite::Result<Connection>> {
        let path = file::real_path(&self.root, &self.path)?;
        let meta = path.metadata()?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            let why = "it is no regular file of this user";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Connection::open_with_flags(uri(&path), flags).and_then(|connection| {
            connection.busy_timeout(PATIENCE)?;
            // A few pages are enough for a few rows.
            connection.pragma_update(None, "cache_size", -128)?;
            Ok(connection)
        }))
    }
}

/// The path as `SQLite`'s URI. Never `immutable`: the agent goes on writing.
fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            let _ = write!(uri, "%{byte:02x}");
        }
    }
    uri + "?mode=ro"
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let busy = [ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked];
    error.sqlite_error_code().is_some_and(|code| busy.contains(&code))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    fn count(database: &mut Database) -> Option<i64> {
        database.ask(|db| db.query_row("SELECT count(*) FROM t", [], |row| row.get(0))).unwrap()
    }

    #[test]
    fn a_database_is_read_while_the_agent_writes_and_only_when_it_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a ?#%.db");
        let agent = Connection::open(&path).unwrap();
        agent
            .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            .unwrap();
        let mut database = Database::new(folder.path(), &path);
        assert_eq!(count(&mut database), Some(1));
        assert_eq!(count(&mut database), None, "nothing changed");
        agent.execute_batch("BEGIN; INSERT INTO t VALUES(2)").unwrap();
        agent.execute_batch("INSERT INTO t VALUES(3); COMMIT").unwrap();
        assert_eq!(count(&mut database), Some(3));
        let log = folder.path().join("a ?#%.db-wal");
        assert!(log.metadata().unwrap().len() > 0, "the write-ahead log is the agent's to empty");
    }

    #[test]
    fn a_locked_database_is_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let agent = Connection::open(&path).unwrap();
        agent.execute_batch("CREATE TABLE t(x); BEGIN EXCLUSIVE; INSERT INTO t VALUES(1)").unwrap();
        let mut database = Database::new(folder.path(), &path);
        assert_eq!(count(&mut database), None, "locked");
        agent.execute_batch("COMMIT").unwrap();
        assert_eq!(count(&mut database), Some(1));
    }

    #[test]
    fn a_database_outside_of_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let path = other.path().join("a.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE t(x)").unwrap();
        let link = folder.path().join("a.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut database = Database::new(folder.path(), &link);
        assert!(database.ask(|_| Ok(())).is_err());
    }
}
