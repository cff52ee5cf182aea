//! The subagents of a session of Claude Code: `<session>/subagents/agent-<id>.jsonl` beside its
//! transcript (seen in 2.1.332). They say nothing about the session's own state; those that work are
//! counted.

use super::super::super::file::{self, Stamp};
use super::super::super::kept::Kept;
use super::super::super::source::{LogId, Reader};
use super::super::super::tail::Tail;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// A subagent that wrote nothing for so many seconds has been ended from outside: nothing is
/// written then.
const SILENT_MAX: f64 = 300.0;
/// Subagents that are looked at, those that were written last.
const FILES_MAX: usize = 64;
/// The last record stands in so many bytes at the end.
const END: u64 = 64 * 1024;

/// A transcript, and those of its subagents.
#[derive(Debug)]
pub(super) struct Transcript {
    main: Tail,
    root: PathBuf,
    folder: PathBuf,
    listed: Option<Stamp>,
    /// By file, how it was when it was read, and whether its subagent was at work then.
    files: HashMap<PathBuf, Option<(Stamp, bool)>>,
}

impl Transcript {
    /// A transcript of which nothing was read yet.
    pub(super) fn new(log: &LogId) -> Self {
        Self {
            main: Tail::new(&log.root, &log.path),
            root: log.root.clone(),
            folder: log.path.with_extension("").join("subagents"),
            listed: None,
            files: HashMap::new(),
        }
    }

    /// How many subagents are at work. `now` is in seconds since the epoch.
    fn at_work(&mut self, now: f64) -> u32 {
        self.list();
        let mut count = 0;
        for (path, known) in &mut self.files {
            let Some(stamp) = Stamp::of(path) else { continue };
            let age = now - stamp.modified();
            if age > SILENT_MAX {
                continue;
            }
            if known.is_none_or(|(then, _)| then != stamp) {
                *known = Some((stamp, works(&self.root, path)));
            }
            count += u32::from(known.is_some_and(|(_, works)| works));
        }
        count
    }

    /// Lists the folder anew when anything came in.
    fn list(&mut self) {
        let stamp = Stamp::of(&self.folder);
        if stamp == self.listed {
            return;
        }
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut paths: Vec<(PathBuf, f64)> = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .filter_map(|path| Some((path.clone(), Stamp::of(&path)?.modified())))
            .collect();
        paths.sort_by(|a, b| b.1.total_cmp(&a.1));
        paths.truncate(FILES_MAX);
        let mut before = std::mem::take(&mut self.files);
        self.files = paths
            .into_iter()
            .map(|(path, _)| {
                let known = before.remove(&path).flatten();
                (path, known)
            })
            .collect();
        self.listed = stamp;
    }
}

impl Reader for Transcript {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        self.main.read(kept)?;
        let now = Timestamp::now().as_duration().as_secs_f64();
        kept.set_background(self.at_work(now));
        Ok(())
    }
}

/// Whether the last record of a subagent leaves its turn open.
fn works(root: &Path, path: &Path) -> bool {
    last(root, path).is_some_and(|record| {
        let text = |path: &str| record.pointer(path).and_then(Value::as_str);
        let ended = matches!(text("/message/stop_reason"), Some("end_turn" | "stop_sequence"));
        let failed = record.get("isApiErrorMessage") == Some(&Value::Bool(true));
        let stopped = text("/message/content/0/text")
            .is_some_and(|text| text.starts_with("[Request interrupted"));
        !(ended || failed || stopped)
    })
}

/// The last record of a file that is a message.
fn last(root: &Path, path: &Path) -> Option<Value> {
    let mut file = file::open(root, path).ok()?;
    let start = file.metadata().ok()?.len().saturating_sub(END);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes).ok()?;
    let mut lines = bytes.split(|byte| *byte == b'\n').rev();
    lines.find_map(|line| {
        let record: Value = serde_json::from_slice(line).ok()?;
        let kind = record.get("type")?.as_str()?;
        matches!(kind, "user" | "assistant").then_some(record)
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    const ASKS: &str = r#"{"type":"user","isSidechain":true,"message":{"content":"Look around"}}"#;
    const CALLS: &str = r#"{"type":"assistant","isSidechain":true,"message":{"stop_reason":"tool_use","content":[{"type":"tool_use","name":"Read"}]}}"#;
    const ENDS: &str = r#"{"type":"assistant","isSidechain":true,"message":{"stop_reason":"end_turn","content":[{"type":"text","text":"ok"}]}}"#;
    const FAILS: &str = r#"{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error"}]}}"#;
    const NOISE: &str = r#"{"type":"attachment","attachment":{}}"#;

    #[test]
    fn those_at_work_are_counted() {
        let home = tempfile::tempdir().unwrap();
        let main = home.path().join("projects/-w/s.jsonl");
        let folder = home.path().join("projects/-w/s/subagents");
        let write = |name: &str, lines: &[&str]| {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), lines.join("\n") + "\n").unwrap();
        };
        let mut transcript = Transcript::new(&LogId::file(home.path(), &main));
        let now = || Timestamp::now().as_duration().as_secs_f64();
        assert_eq!(transcript.at_work(now()), 0, "no subagents");
        write("agent-1.jsonl", &[ASKS]);
        write("agent-2.jsonl", &[ASKS, CALLS, NOISE]);
        write("agent-3.jsonl", &[ASKS, CALLS, ENDS, NOISE]);
        write("agent-4.jsonl", &[ASKS, FAILS]);
        write("agent-5.meta.json", &["{}"]);
        assert_eq!(transcript.at_work(now()), 2);
        write("agent-1.jsonl", &[ASKS, ENDS]);
        assert_eq!(transcript.at_work(now()), 1);
        assert_eq!(transcript.at_work(now() + SILENT_MAX + 1.0), 0, "it was ended from outside");
    }
}
