//! What routes did and did not do, and why.

use crate::own_files;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Above this the older half of the file goes.
const FILE_MAX: u64 = 512 * 1024;

/// One entry; a contract of `madohub route log --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Version of the entry.
    pub v: u32,
    /// When, seconds since the epoch.
    pub time: f64,
    /// Name of the route.
    pub route: String,
    /// The event.
    pub seq: u64,
    /// The pane of the event.
    pub from: String,
    /// Where it went.
    pub to: String,
    /// `queued`, `delivered`, `done`, `unproved`, `refused`, `expired`, `stopped`, `failed` or
    /// `replaced`.
    pub outcome: String,
    /// Why.
    pub why: Option<String>,
}

/// The log of a server's routes, a bounded file.
#[derive(Debug, Clone)]
pub struct RouteLog(PathBuf);

impl RouteLog {
    /// The log in this file; it need not exist.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Appends entries.
    pub fn append(&self, entries: &[LogEntry]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut bytes, entry)?;
            bytes.push(b'\n');
        }
        if fs::metadata(&self.0).is_ok_and(|meta| meta.len() > FILE_MAX) {
            let kept = fs::read(&self.0)?;
            let half = kept.get(kept.len() / 2..).unwrap_or_default();
            let start = half.iter().position(|byte| *byte == b'\n').map_or(half.len(), |n| n + 1);
            let new = self.0.with_extension("log.new");
            own_files::replace(&self.0, &new, half.get(start..).unwrap_or_default())?;
        }
        OpenOptions::new().append(true).create(true).mode(0o600).open(&self.0)?.write_all(&bytes)
    }

    /// The entries, oldest first. What is none is skipped.
    pub fn read(&self) -> io::Result<Vec<LogEntry>> {
        let text = match fs::read(&self.0) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let lines = text.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

    use super::*;

    fn entry(seq: u64) -> LogEntry {
        LogEntry {
            v: 1,
            time: 1.0,
            route: "review".to_owned(),
            seq,
            from: "%3".to_owned(),
            to: "%5".to_owned(),
            outcome: "refused".to_owned(),
            why: Some("%5 waits".to_owned()),
        }
    }

    #[test]
    fn the_log_is_bounded_and_keeps_what_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let log = RouteLog::at(&path);
        assert_eq!(log.read().unwrap(), []);
        let many: Vec<LogEntry> = (0..1000).map(entry).collect();
        for _ in 0..20 {
            log.append(&many).unwrap();
            assert!(fs::metadata(&path).unwrap().len() < 2 * FILE_MAX);
        }
        let entries = log.read().unwrap();
        assert_eq!(entries.last(), Some(&entry(999)));
        fs::write(&path, b"{\"v\":1\nrubbish\n").unwrap();
        log.append(&[entry(7)]).unwrap();
        assert_eq!(log.read().unwrap()[0].seq, 7);
    }
}
