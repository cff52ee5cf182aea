//! Qwen Code: `projects/<folder>/chats/<session>.jsonl` (seen in 0.15 and 0.24). Newer versions
//! write `<session>.runtime.json` with the number of the process beside it; older ones tie by
//! folder and time alone.

use super::super::file;
use super::super::head::Heads;
use super::super::source::{Candidate, LogId, Source, Strength, Subject};
use super::{Homes, begun, cut, dashed, written};
use madohub_detect::LogDetail;
use serde_json::Value;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Such a file has a few hundred bytes.
const RUNTIME_MAX: u64 = 64 * 1024;

/// Finds Qwen's chats.
#[derive(Debug)]
pub(in crate::logs) struct Qwen {
    root: Option<PathBuf>,
    heads: Heads,
}

impl Qwen {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        Self { root: homes.folder("QWEN_HOME", ".qwen"), heads: Heads::default() }
    }
}

impl Source for Qwen {
    fn agent(&self) -> &'static str {
        "qwen"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let Some(root) = self.root.clone() else { return Vec::new() };
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        let chats = root.join("projects").join(dashed(cwd)).join("chats");
        let named = subject.option(&["--resume", "-r", "--session-id"]);
        let resumes = subject.has(&["--continue", "-c", "--resume", "-r"]);
        let mut found = Vec::new();
        let files = fs::read_dir(&chats).into_iter().flatten().flatten();
        for path in files.map(|file| file.path()) {
            let last = written(&path);
            if last < started || path.extension().is_none_or(|ending| ending != "jsonl") {
                continue;
            }
            let log = LogId::file(&root, &path);
            let owner = owner(&root, &path.with_extension("runtime.json"));
            if let Some(process) = subject.family.iter().find(|p| Some(p.pid) == owner) {
                let how = format!("session of process {}, by its entry", process.pid);
                return vec![Candidate::new(log, Strength::Process, how)];
            }
            if path.file_stem().and_then(|stem| stem.to_str()) == named && named.is_some() {
                let how = "session that the command line names".to_owned();
                return vec![Candidate::new(log, Strength::Argv, how)];
            }
            let Some(head) = self.heads.get(&root, &path) else { continue };
            // A session with an owner is that process's alone while it lives.
            let alive = |pid| subject.everyone.list().iter().any(|process| process.pid == pid);
            let fits = resumes || begun(head, "timestamp").is_some_and(|time| time >= started);
            if fits && !owner.is_some_and(alive) {
                found.push(Candidate::placed(log, last));
            }
        }
        found
    }

    /// An answer may be followed by the call of a tool.
    fn is_provisional(&self) -> fn(&Value) -> bool {
        |record| record.get("type").and_then(Value::as_str) == Some("assistant")
    }

    fn prompt(&self) -> fn(&Value) -> Option<&str> {
        |record| {
            let text = |path: &str| record.pointer(path).and_then(Value::as_str);
            text("/message/parts/0/text").filter(|_| text("/type") == Some("user"))
        }
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        |record, detail| {
            if record.get("type").and_then(Value::as_str) == Some("assistant") {
                let text = |path: &str| record.pointer(path).and_then(Value::as_str).and_then(cut);
                detail.model = text("/model").or(detail.model.take());
                detail.last_message = text("/message/parts/0/text").or(detail.last_message.take());
            }
        }
    }
}

/// The process that a session's entry names.
fn owner(root: &Path, entry: &Path) -> Option<i64> {
    let mut text = String::new();
    file::open(root, entry).ok()?.take(RUNTIME_MAX).read_to_string(&mut text).ok()?;
    serde_json::from_str::<Value>(&text).ok()?.get("pid")?.as_i64()
}
