//! Following one session in a database: its newest rows, each as one record.

use super::database::Database;
use super::kept::Kept;
use super::source::{LogId, Reader};
use rusqlite::Connection;
use std::io;

/// Asks for the newest rows of a session, oldest first, each as one record: a line of JSON.
pub(super) type Ask = fn(&Connection, &str) -> rusqlite::Result<Vec<String>>;

/// The newest rows of one session.
#[derive(Debug)]
pub(super) struct Rows {
    database: Database,
    session: String,
    ask: Ask,
    last: Vec<String>,
}

impl Rows {
    /// A session that was not asked for yet.
    pub(super) fn new(log: &LogId, ask: Ask) -> Self {
        Self {
            database: Database::new(&log.root, &log.path),
            session: log.session.clone().unwrap_or_default(),
            ask,
            last: Vec::new(),
        }
    }
}

impl Reader for Rows {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        let (ask, session) = (self.ask, &self.session);
        let answer = self.database.ask(|db| ask(db, session))?;
        if let Some(records) = answer.filter(|records| *records != self.last) {
            kept.restart();
            for record in &records {
                kept.take(record);
            }
            self.last = records;
        }
        Ok(())
    }
}
