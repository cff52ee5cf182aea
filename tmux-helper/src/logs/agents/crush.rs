//! Crush: the database `.crush/crush.db` of a project, which lies in the project or above (read in
//! the sources of 0.9x; `--data-dir` names another folder). The process that works there holds it
//! open, and newer versions lock it and write their number into `crush.lock`.
//!
//! Only the tables `sessions` and `messages` are asked, by named columns. Each of the last
//! messages of a session becomes one record:
//!
//! ```json
//! {"type":"message","timestamp":"…","role":"assistant","finish":"end_turn","message":"…",
//!  "details":"…","text":"…","result":"…","summary":false,"model":"…"}
//! ```
//!
//! `finish` is missing while the message grows; `result` is what a tool answered.

use super::super::database::Database;
use super::super::file;
use super::super::rows::Rows;
use super::super::source::{Candidate, LogId, Reader, Source, Strength, Subject};
use super::{cut, opened, stamp, written};
use madohub_detect::LogDetail;
use rusqlite::{Connection, Row};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const DATABASE: &str = "crush.db";
/// Such a file has a few hundred bytes.
const LOCK_MAX: u64 = 64 * 1024;
/// A lock is written this long after the start of its process at the earliest, in seconds.
const SLACK: f64 = 1.0;
/// Messages of a session that are looked at: the last ones of a turn.
const MESSAGES: u32 = 6;

/// The last messages of a session, oldest first: in the order in which they were written, which an
/// index knows. Their times stand behind texts that may be long, and are of whole seconds.
const QUESTION: &str = "
SELECT m.role, m.model, m.created_at, m.updated_at, m.is_summary_message,
       max(CASE p.value ->> '$.type' WHEN 'finish' THEN p.value ->> '$.data.reason' END),
       max(CASE p.value ->> '$.type' WHEN 'finish' THEN p.value ->> '$.data.message' END),
       max(CASE p.value ->> '$.type' WHEN 'finish' THEN p.value ->> '$.data.details' END),
       max(CASE p.value ->> '$.type' WHEN 'text' THEN substr(p.value ->> '$.data.text', 1, 400) END),
       max(CASE p.value ->> '$.type' WHEN 'tool_result'
                THEN substr(p.value ->> '$.data.content', 1, 400) END)
  FROM (SELECT rowid AS n, role, model, created_at, updated_at, is_summary_message,
               CAST(parts AS TEXT) AS parts
          FROM messages WHERE session_id = ?1
         ORDER BY rowid DESC LIMIT ?2) m
  LEFT JOIN json_each(CASE WHEN json_valid(m.parts) THEN m.parts ELSE '[]' END) p
    ON p.type = 'object'
 GROUP BY m.n ORDER BY m.n";

/// Sessions that a person talks to.
const SESSIONS: &str = "
SELECT id, updated_at FROM sessions
 WHERE parent_session_id IS NULL ORDER BY updated_at DESC LIMIT 50";

/// Finds Crush's sessions.
#[derive(Debug, Default)]
pub(in crate::logs) struct Crush {
    /// Of each folder the sessions, with the second in which they changed last; the newest first.
    folders: HashMap<PathBuf, (Database, Vec<(String, f64)>)>,
}

impl Crush {
    fn sessions(&mut self, folder: &Path) -> Vec<(LogId, f64)> {
        let path = folder.join(DATABASE);
        let fresh = || (Database::new(folder, &path), Vec::new());
        let (database, sessions) = self.folders.entry(folder.to_owned()).or_insert_with(fresh);
        if let Ok(Some(answer)) = database.ask(ask_sessions) {
            *sessions = answer;
        }
        let log = |(id, updated): &(String, f64)| {
            let session = Some(id.clone());
            (LogId { root: folder.to_owned(), path: path.clone(), session }, *updated)
        };
        sessions.iter().map(log).collect()
    }
}

impl Source for Crush {
    fn agent(&self) -> &'static str {
        "crush"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let (Some(started), Some(folder)) = (subject.started, folder(subject)) else {
            return Vec::new();
        };
        let sessions = self.sessions(&folder);
        let named = subject.option(&["-s", "--session"]);
        // Times are whole seconds.
        let live: Vec<&(LogId, f64)> =
            sessions.iter().filter(|(_, updated)| *updated >= started.floor()).collect();
        let holder = owner(&folder, started)
            .and_then(|pid| subject.family.iter().find(|process| process.pid == pid));
        if let (Some(holder), Some((log, _))) = (holder, live.first()) {
            let how = format!("newest session of the folder that process {} locked", holder.pid);
            return vec![Candidate::new(log.clone(), Strength::Process, how)];
        }
        let is_named = |log: &LogId| named.is_some() && log.session.as_deref() == named;
        if let Some((log, _)) = sessions.iter().find(|(log, _)| is_named(log)) {
            let how = "session that the command line names".to_owned();
            return vec![Candidate::new(log.clone(), Strength::Argv, how)];
        }
        live.into_iter().map(|(log, at)| Candidate::placed(log.clone(), *at)).collect()
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        |record, detail| {
            let text = |name: &str| record.get(name).and_then(Value::as_str).and_then(cut);
            if record.get("role").and_then(Value::as_str) == Some("assistant") {
                detail.model = text("model").or(detail.model.take());
                detail.last_message = text("text").or(detail.last_message.take());
            }
        }
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(Rows::new(log, ask_messages))
    }
}

/// The folder with the data of the project that a process works on.
fn folder(subject: &Subject<'_>) -> Option<PathBuf> {
    let files = subject.family.iter().flat_map(|process| opened(process.pid));
    let held = files.into_iter().find(|path| path.file_name().is_some_and(|n| n == DATABASE));
    if let Some(path) = held {
        return path.parent().map(Path::to_owned);
    }
    let cwd = Path::new(subject.process.cwd.as_deref()?);
    let named = subject.option(&["-D", "--data-dir"]).map(|folder| cwd.join(folder));
    let usual = || {
        let mut above = cwd.ancestors().map(|folder| folder.join(".crush"));
        above.find(|folder| folder.join(DATABASE).is_file())
    };
    named.or_else(usual)
}

/// The process that locked the folder, as it says there. Nothing deletes the file, so one that is
/// older than the process in question is of an earlier one with the same number.
fn owner(folder: &Path, started: f64) -> Option<i64> {
    let path = folder.join("crush.lock");
    if written(&path) < started - SLACK {
        return None;
    }
    let mut text = String::new();
    file::open(folder, &path).ok()?.take(LOCK_MAX).read_to_string(&mut text).ok()?;
    serde_json::from_str::<Value>(&text).ok()?.get("pid")?.as_i64()
}

fn ask_sessions(db: &Connection) -> rusqlite::Result<Vec<(String, f64)>> {
    let mut question = db.prepare(SESSIONS)?;
    let rows = question.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // A row of another shape is of a version that nobody has seen; the others still count.
    Ok(rows.filter_map(Result::ok).collect())
}

fn ask_messages(db: &Connection, session: &str) -> rusqlite::Result<Vec<String>> {
    let mut question = db.prepare(QUESTION)?;
    question.query_map((session, MESSAGES), record)?.collect()
}

fn record(row: &Row<'_>) -> rusqlite::Result<String> {
    let text = |column: usize| row.get::<_, Option<String>>(column);
    let (created, updated): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
    let record = json!({
        "type": "message",
        "timestamp": updated.or(created).and_then(stamp),
        "role": text(0)?,
        "model": text(1)?,
        "summary": row.get::<_, Option<i64>>(4)?.unwrap_or_default() != 0,
        "finish": text(5)?,
        "message": text(6)?,
        "details": text(7)?,
        "text": text(8)?,
        "result": text(9)?,
    });
    Ok(record.to_string())
}
