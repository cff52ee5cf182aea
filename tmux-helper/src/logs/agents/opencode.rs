//! OpenCode: the database `opencode.db`, which all its processes of a user share (seen in 1.18).
//!
//! Only the tables `session`, `message` and `part` are asked, by named columns: others hold
//! tokens. Each of the last messages of a session becomes one record:
//!
//! ```json
//! {"type":"message","role":"assistant","timestamp":"…","completed":1796,"finish":"stop",
//!  "error":"APIError","error_message":"…","tool":"running","tool_error":"…","text":"…",
//!  "model":"…"}
//! ```
//!
//! `tool` and `tool_error` are state and error of the newest tool call of the message.

use super::super::database::Database;
use super::super::rows::Rows;
use super::super::source::{Candidate, LogId, Reader, Source, Strength, Subject};
use super::{Homes, opencode_files};
use jiff::Timestamp;
use madohub_detect::LogDetail;
use rusqlite::{Connection, Row};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Messages of a session that are looked at: those of the last turns.
pub(super) const MESSAGES: u32 = 8;
/// Characters of a text.
const TEXT_MAX: usize = 400;

/// So many of the newest sessions from before a process are compared with what it shows.
const EARLIER_MAX: usize = 8;

/// The last messages of a session, newest first. Ids sort by time.
const QUESTION: &str = "
SELECT json_extract(m.data, '$.role'),
       json_extract(m.data, '$.time.created'),
       json_extract(m.data, '$.time.completed'),
       json_extract(m.data, '$.finish'),
       json_extract(m.data, '$.error.name'),
       json_extract(m.data, '$.error.data.message'),
       json_extract(m.data, '$.modelID'),
       (SELECT json_extract(p.data, '$.state.status') FROM part p
         WHERE p.message_id = m.id AND json_extract(p.data, '$.type') = 'tool'
         ORDER BY p.id DESC LIMIT 1),
       (SELECT json_extract(p.data, '$.state.error') FROM part p
         WHERE p.message_id = m.id AND json_extract(p.data, '$.type') = 'tool'
         ORDER BY p.id DESC LIMIT 1),
       (SELECT json_extract(p.data, '$.text') FROM part p
         WHERE p.message_id = m.id AND json_extract(p.data, '$.type') = 'text'
         ORDER BY p.id DESC LIMIT 1)
  FROM message m WHERE m.session_id = ?1 ORDER BY m.id DESC LIMIT ?2";

/// Sessions that a person talks to.
const SESSIONS: &str = "
SELECT id, directory, time_created, time_updated FROM session
 WHERE parent_id IS NULL ORDER BY time_updated DESC LIMIT 200";

/// Finds OpenCode's sessions.
#[derive(Debug)]
pub(in crate::logs) struct OpenCode {
    root: Option<PathBuf>,
    databases: HashMap<PathBuf, (Database, Vec<Session>)>,
}

/// One session.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// Its id.
    pub(super) id: String,
    /// The folder that it works in.
    pub(super) directory: String,
    /// When it changed last, seconds since the epoch.
    pub(super) updated: f64,
}

impl OpenCode {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        let data = homes.folder("XDG_DATA_HOME", ".local/share");
        Self { root: data.map(|data| data.join("opencode")), databases: HashMap::new() }
    }

    /// All sessions that are not too old, with where they are kept. Of those in files the ones that
    /// changed since `started`, and the one with this id.
    fn sessions(&mut self, started: f64, named: Option<&str>) -> Vec<(LogId, Session)> {
        let Some(root) = self.root.clone() else { return Vec::new() };
        let files = fs::read_dir(&root).into_iter().flatten().flatten();
        let paths: Vec<PathBuf> =
            files.map(|file| file.path()).filter(|path| is_database(path)).collect();
        if paths.is_empty() {
            return opencode_files::sessions(&root, started, named);
        }
        let mut found = Vec::new();
        for path in paths {
            let fresh = || (Database::new(&root, &path), Vec::new());
            let (database, sessions) = self.databases.entry(path.clone()).or_insert_with(fresh);
            if let Ok(Some(answer)) = database.ask(ask_sessions) {
                *sessions = answer;
            }
            found.extend(sessions.iter().map(|session| {
                let id = Some(session.id.clone());
                (LogId { root: root.clone(), path: path.clone(), session: id }, session.clone())
            }));
        }
        found
    }
}

impl Source for OpenCode {
    fn agent(&self) -> &'static str {
        "opencode"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let named = subject.option(&["-s", "--session"]);
        let sessions = self.sessions(subject.started.unwrap_or(f64::INFINITY), named);
        if let Some((log, _)) = sessions.iter().find(|(_, s)| Some(s.id.as_str()) == named) {
            let how = "session that the command line names".to_owned();
            return vec![Candidate::new(log.clone(), Strength::Argv, how)];
        }
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        let here = sessions.into_iter().filter(|(_, session)| session.directory == cwd);
        let (since, before): (Vec<_>, Vec<_>) =
            here.partition(|(_, session)| session.updated >= started);
        let placed = since.into_iter().map(|(log, s)| Candidate::placed(log, s.updated));
        let mut candidates: Vec<Candidate> = placed.collect();
        if candidates.is_empty() || subject.has(&["-c", "--continue"]) {
            let left = before.into_iter().map(|(log, s)| Candidate::earlier(log, s.updated));
            candidates.extend(left.take(EARLIER_MAX));
        }
        candidates
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        |record, detail| {
            let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
            if record.get("role").and_then(Value::as_str) == Some("assistant") {
                detail.model = text("model").or(detail.model.take());
                detail.last_message = text("text").or(detail.last_message.take());
                detail.turn_ms = record.get("turn_ms").and_then(Value::as_u64);
            }
        }
    }

    fn prompt(&self) -> fn(&Value) -> Option<&str> {
        |record| {
            let text = |name: &str| record.get(name).and_then(Value::as_str);
            text("text").filter(|_| text("role") == Some("user"))
        }
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        if is_database(&log.path) {
            Box::new(Rows::new(log, ask_messages))
        } else {
            Box::new(opencode_files::Files::new(log))
        }
    }
}

fn is_database(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name.starts_with("opencode"))
        && path.extension().is_some_and(|ending| ending == "db")
}

fn ask_sessions(db: &Connection) -> rusqlite::Result<Vec<Session>> {
    let mut question = db.prepare(SESSIONS)?;
    let rows = question.query_map([], |row| {
        let updated: f64 = row.get(3)?;
        Ok(Session { id: row.get(0)?, directory: row.get(1)?, updated: updated / 1000.0 })
    })?;
    // A row of another shape is of a version that nobody has seen; the others still count.
    Ok(rows.filter_map(Result::ok).collect())
}

fn ask_messages(db: &Connection, session: &str) -> rusqlite::Result<Vec<String>> {
    let mut question = db.prepare(QUESTION)?;
    let rows = question.query_map((session, MESSAGES), record)?;
    let mut records: Vec<String> = rows.collect::<Result<_, _>>()?;
    records.reverse();
    Ok(records)
}

fn record(row: &Row<'_>) -> rusqlite::Result<String> {
    let text = |column: usize| -> rusqlite::Result<Option<String>> {
        let text: Option<String> = row.get(column)?;
        Ok(text.map(|text| text.chars().take(TEXT_MAX).collect()))
    };
    let millis = |column: usize| row.get::<_, Option<i64>>(column);
    let (created, completed) = (millis(1)?, millis(2)?);
    let time = completed.or(created).and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let took = created.zip(completed).map(|(from, to)| to - from);
    let record = json!({
        "type": "message",
        "timestamp": time.map(|time| time.to_string()),
        "role": text(0)?,
        "completed": completed,
        "finish": text(3)?,
        "error": text(4)?,
        "error_message": text(5)?,
        "model": text(6)?,
        "tool": text(7)?,
        "tool_error": text(8)?,
        "text": text(9)?,
        "turn_ms": took,
    });
    Ok(record.to_string())
}
