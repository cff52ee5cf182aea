//! Goose: the database `sessions/sessions.db`, which all its processes of a user share (read in the
//! sources of 1.1x; before that there were files, which are not read).
//!
//! Only the tables `sessions` and `messages` are asked, by named columns. Each of the last
//! messages of a session becomes one record:
//!
//! ```json
//! {"type":"message","timestamp":"…","role":"assistant","text":"…","tool":"request"}
//! ```
//!
//! `tool` is `request` or `response` where a message calls a tool or brings its result. A request
//! to the model that failed leaves no message in most versions.

use super::super::database::Database;
use super::super::rows::Rows;
use super::super::source::{Candidate, LogId, Reader, Source, Strength, Subject};
use super::{Homes, said, stamp};
use madohub_detect::LogDetail;
use rusqlite::{Connection, Row};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Messages of a session that are looked at: the last ones of a turn.
const MESSAGES: u32 = 6;

/// A session that was begun within so many seconds of a process's start is its first one.
const AT_START: f64 = 5.0;

/// The last messages of a session, oldest first.
const QUESTION: &str = "
SELECT m.role, m.created_timestamp,
       max(CASE p.value ->> '$.type' WHEN 'text' THEN substr(p.value ->> '$.text', 1, 400) END),
       max(p.value ->> '$.type' = 'toolRequest'),
       max(p.value ->> '$.type' = 'toolResponse')
  FROM (SELECT id AS n, role, created_timestamp, content_json FROM messages
         WHERE session_id = ?1 ORDER BY id DESC LIMIT ?2) m
  LEFT JOIN json_each(CASE WHEN json_valid(m.content_json) THEN m.content_json ELSE '[]' END) p
    ON p.type = 'object'
 GROUP BY m.n ORDER BY m.n";

/// Sessions that a person talks to.
const SESSIONS: &str = "
SELECT id, name, working_dir, CAST(strftime('%s', created_at) AS INTEGER),
       CAST(strftime('%s', updated_at) AS INTEGER) FROM sessions
 WHERE session_type = 'user' ORDER BY updated_at DESC LIMIT 200";

/// Finds Goose's sessions.
#[derive(Debug)]
pub(in crate::logs) struct Goose {
    root: Option<PathBuf>,
    database: Option<Database>,
    sessions: Vec<Session>,
}

/// One session.
#[derive(Debug)]
struct Session {
    id: String,
    name: Option<String>,
    folder: String,
    /// The second in which it was begun, since the epoch.
    created: f64,
    /// The second in which it changed last, since the epoch.
    updated: f64,
}

impl Goose {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        let named = homes.named("GOOSE_PATH_ROOT").map(|root| root.join("data/sessions"));
        let usual = || Some(homes.folder("XDG_DATA_HOME", ".local/share")?.join("goose/sessions"));
        let root = named.or_else(usual);
        let database = root.as_ref().map(|root| Database::new(root, &root.join("sessions.db")));
        Self { root, database, sessions: Vec::new() }
    }

    fn log(&self, session: &Session) -> Option<LogId> {
        let root = self.root.clone()?;
        let path = root.join("sessions.db");
        Some(LogId { root, path, session: Some(session.id.clone()) })
    }
}

impl Source for Goose {
    fn agent(&self) -> &'static str {
        "goose"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        if let Some(Ok(Some(sessions))) = self.database.as_mut().map(|db| db.ask(ask_sessions)) {
            self.sessions = sessions;
        }
        let id = subject.option(&["--session-id"]);
        let name = subject.option(&["-n", "--name"]);
        let named = self.sessions.iter().find(|session| {
            id == Some(session.id.as_str()) || (name.is_some() && session.name.as_deref() == name)
        });
        if let Some(log) = named.and_then(|session| self.log(session)) {
            let how = "session that the command line names".to_owned();
            return vec![Candidate::new(log, Strength::Argv, how)];
        }
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        // Times are whole seconds.
        let since = started.floor();
        let here = self.sessions.iter().filter(|s| s.folder == cwd && s.updated >= since);
        here.filter_map(|session| {
            let log = self.log(session)?;
            let is_first = (0.0..=AT_START).contains(&(session.created - since));
            let as_which = if is_first { Candidate::at_start } else { Candidate::placed };
            Some(as_which(log, session.updated))
        })
        .collect()
    }

    /// Words before the call of a tool are a message of their own, written right before it.
    fn is_provisional(&self) -> fn(&Value) -> bool {
        |record| record.get("role").and_then(Value::as_str) == Some("assistant")
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        said
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(Rows::new(log, ask_messages))
    }
}

fn ask_sessions(db: &Connection) -> rusqlite::Result<Vec<Session>> {
    let mut question = db.prepare(SESSIONS)?;
    let rows = question.query_map([], |row| {
        Ok(Session {
            id: row.get(0)?,
            name: row.get(1)?,
            folder: row.get(2)?,
            created: row.get(3)?,
            updated: row.get(4)?,
        })
    })?;
    // A row of another shape is of a version that nobody has seen; the others still count.
    Ok(rows.filter_map(Result::ok).collect())
}

fn ask_messages(db: &Connection, session: &str) -> rusqlite::Result<Vec<String>> {
    let mut question = db.prepare(QUESTION)?;
    question.query_map((session, MESSAGES), record)?.collect()
}

fn record(row: &Row<'_>) -> rusqlite::Result<String> {
    let has = |column: usize| -> rusqlite::Result<bool> {
        Ok(row.get::<_, Option<i64>>(column)?.unwrap_or_default() != 0)
    };
    let (request, response) = (has(3)?, has(4)?);
    let tool = if request { Some("request") } else { response.then_some("response") };
    let record = json!({
        "type": "message",
        "timestamp": row.get::<_, Option<i64>>(1)?.and_then(stamp),
        "role": row.get::<_, Option<String>>(0)?,
        "text": row.get::<_, Option<String>>(2)?,
        "tool": tool,
    });
    Ok(record.to_string())
}
