//! OpenCode before 1.2: `storage/session/<project>/<session>.json`, `storage/message/<session>/` and
//! `storage/part/<message>/`, one file for each session, message and part. Names sort by time.
//!
//! Newer versions copy all of it into their database and leave the files as they are, so they are
//! read only where there is no database. The records are those of the database.

use super::super::file::{self, Stamp};
use super::super::kept::Kept;
use super::super::source::{LogId, Reader};
use super::opencode::{MESSAGES, Session};
use super::{cut, is_id, stamp, written};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// A file with one message or one part is no longer than that; one with more is a tool's output,
/// which says nothing.
const FILE_MAX: u64 = 1024 * 1024;
/// Parts of a message that are looked at, the newest ones.
const PARTS: usize = 12;

/// The sessions below OpenCode's folder that changed since `started`, and the one with this id.
pub(super) fn sessions(root: &Path, started: f64, named: Option<&str>) -> Vec<(LogId, Session)> {
    let mut found = Vec::new();
    for project in files(&root.join("storage/session")) {
        for path in files(&project) {
            let is_named = named.is_some() && path.file_stem().and_then(|s| s.to_str()) == named;
            let updated = written(&path);
            if !is_named && updated < started {
                continue;
            }
            let Some(session) = object(root, &path).and_then(|o| main_session(&o, updated)) else {
                continue;
            };
            let id = Some(session.id.clone());
            found.push((LogId { root: root.to_owned(), path, session: id }, session));
        }
    }
    found
}

/// A session that a person talks to.
fn main_session(session: &Value, updated: f64) -> Option<Session> {
    if session.get("parentID").is_some_and(|parent| !parent.is_null()) {
        return None;
    }
    let text = |name: &str| session.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = text("id").filter(|id| is_id(id))?;
    Some(Session { id, directory: text("directory")?, updated })
}

/// Reads the messages of one session.
#[derive(Debug)]
pub(super) struct Files {
    root: PathBuf,
    session: String,
    /// What there was to read the last time.
    seen: Vec<(PathBuf, Option<Stamp>)>,
    last: Vec<String>,
}

impl Files {
    /// A session that nothing was read of yet.
    pub(super) fn new(log: &LogId) -> Self {
        let session = log.session.clone().unwrap_or_default();
        Self { root: log.root.clone(), session, seen: Vec::new(), last: Vec::new() }
    }

    /// The files of the last messages, each with those of its last parts.
    fn messages(&self) -> Vec<(PathBuf, Vec<PathBuf>)> {
        let storage = self.root.join("storage");
        let paths = newest(&storage.join("message").join(&self.session), MESSAGES as usize);
        let with_parts = |path: PathBuf| {
            let id = path.file_stem().and_then(|stem| stem.to_str()).filter(|id| is_id(id));
            let parts = id.map(|id| newest(&storage.join("part").join(id), PARTS));
            (path, parts.unwrap_or_default())
        };
        paths.into_iter().map(with_parts).collect()
    }
}

impl Reader for Files {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        let messages = self.messages();
        let all = messages.iter().flat_map(|(path, parts)| std::iter::once(path).chain(parts));
        let seen: Vec<_> = all.map(|path| (path.clone(), Stamp::of(path))).collect();
        if seen == self.seen {
            return Ok(());
        }
        self.seen = seen;
        let records = messages.iter().filter_map(|(path, parts)| {
            let parts: Vec<Value> = parts.iter().filter_map(|p| object(&self.root, p)).collect();
            Some(record(&object(&self.root, path)?, &parts))
        });
        let records: Vec<String> = records.collect();
        if records != self.last {
            kept.restart();
            for record in &records {
                kept.take(record);
            }
            self.last = records;
        }
        Ok(())
    }
}

fn record(message: &Value, parts: &[Value]) -> String {
    let text = |path: &str| message.pointer(path).and_then(Value::as_str);
    let millis = |path: &str| message.pointer(path).and_then(Value::as_i64);
    let part = |kind: &str| {
        let is = |part: &&Value| part.get("type").and_then(Value::as_str) == Some(kind);
        parts.iter().rev().find(is)
    };
    let of = |kind: &str, path: &str| part(kind)?.pointer(path)?.as_str();
    // The oldest versions end a turn, which is one message there, with a part that does not say how.
    let ended =
        part("step-finish").map(|end| end.get("reason").and_then(Value::as_str).unwrap_or("stop"));
    let (created, completed) = (millis("/time/created"), millis("/time/completed"));
    let record = json!({
        "type": "message",
        "timestamp": completed.or(created).and_then(stamp),
        "role": text("/role"),
        "completed": completed,
        "finish": text("/finish").or(ended),
        "error": text("/error/name"),
        "error_message": text("/error/data/message").and_then(cut),
        "model": text("/modelID"),
        "tool": of("tool", "/state/status"),
        "tool_error": of("tool", "/state/error").and_then(cut),
        "text": of("text", "/text").and_then(cut),
        "turn_ms": created.zip(completed).map(|(from, to)| to - from),
    });
    record.to_string()
}

/// The files in a folder whose names are the last ones, the very last at the end.
fn newest(folder: &Path, count: usize) -> Vec<PathBuf> {
    let mut paths = files(folder);
    paths.sort();
    let surplus = paths.len().saturating_sub(count);
    paths.split_off(surplus)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()).collect()
}

/// What a file holds; nothing while it is being written.
fn object(root: &Path, path: &Path) -> Option<Value> {
    let mut text = String::new();
    file::open(root, path).ok()?.take(FILE_MAX).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
