//! How a turn without a last message ended: `thread_history_*.sqlite` (seen in 0.150 to 0.171).
//!
//! A rollout leaves that open: `task_complete` without a message and without an error is a turn that
//! said nothing, as after `/compact`, and was once written for failed ones too. The database has a row
//! for every turn; of that one it is made a record:
//!
//! ```json
//! {"type":"thread_turn","timestamp":"…","turn_id":"…","status":"completed"}
//! ```

use super::super::super::database::Database;
use super::super::super::kept::Kept;
use super::super::super::source::{LogId, Reader};
use super::super::super::tail::Tail;
use super::{thread_of, written};
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const STATUS: &str = "SELECT status FROM thread_turns WHERE thread_id = ?1 AND turn_id = ?2";

/// A rollout, and what the database adds to it.
#[derive(Debug)]
pub(super) struct Rollout {
    tail: Tail,
    log: LogId,
    question: Option<Question>,
}

/// What the database is asked, until it has an answer.
#[derive(Debug)]
struct Question {
    turn: String,
    path: PathBuf,
    database: Database,
    status: Option<String>,
}

impl Rollout {
    /// A rollout of which nothing was read yet.
    pub(super) fn new(log: &LogId) -> Self {
        let tail = Tail::new(&log.root, &log.path);
        Self { tail, log: log.clone(), question: None }
    }

    /// How a turn ended.
    fn status(&mut self, turn: &str) -> Option<String> {
        let thread = thread_of(&self.log)?.to_owned();
        let folder = folder(&self.log.path)?;
        let path = newest(folder)?;
        let same = |asked: &Question| asked.turn == turn && asked.path == path;
        if !self.question.as_ref().is_some_and(same) {
            let database = Database::new(folder, &path);
            let turn = turn.to_owned();
            self.question = Some(Question { turn, path, database, status: None });
        }
        let question = self.question.as_mut()?;
        let ask = |db: &Connection| {
            db.query_row(STATUS, (&thread, turn), |row| row.get::<_, String>(0)).optional()
        };
        // Another shape of the table is one that nobody has seen.
        if let Ok(Some(status)) = question.database.ask(ask) {
            question.status = status.filter(|status| status != "inProgress");
        }
        question.status.clone()
    }
}

impl Reader for Rollout {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        self.tail.read(kept)?;
        let Some((turn, time)) = kept.newest().and_then(open_end) else { return Ok(()) };
        if let Some(status) = self.status(&turn) {
            let record = json!({
                "type": "thread_turn", "timestamp": time, "turn_id": turn, "status": status,
            });
            kept.take(&record.to_string());
        }
        Ok(())
    }
}

/// Turn and time of a record that ends a turn without a word on how.
fn open_end(record: &str) -> Option<(String, Value)> {
    // Most records are others, and need not be parsed.
    if !record.contains("_complete\"") {
        return None;
    }
    let record: Value = serde_json::from_str(record).ok()?;
    let payload = record.get("payload")?;
    let ends = matches!(payload.get("type")?.as_str()?, "task_complete" | "turn_complete");
    let is_null = |name: &str| payload.get(name).is_none_or(Value::is_null);
    let open = ends && is_null("last_agent_message") && is_null("error");
    let turn = payload.get("turn_id")?.as_str().filter(|_| open)?;
    Some((turn.to_owned(), record.get("timestamp").cloned().unwrap_or_default()))
}

/// Codex's folder: the one above `sessions`.
fn folder(rollout: &Path) -> Option<&Path> {
    let sessions = rollout.ancestors().find(|folder| {
        folder.file_name().is_some_and(|n| n == "sessions" || n == "archived_sessions")
    });
    sessions?.parent()
}

/// The database; the number in its name is that of its schema.
fn newest(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten().map(|file| file.path());
    let histories = files.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix("thread_history_")
            .and_then(|rest| rest.strip_suffix(".sqlite"))
            .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
    });
    histories.max_by(|a, b| written(a).total_cmp(&written(b)))
}
