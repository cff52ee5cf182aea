//! Claude Code: `projects/<folder>/<session>.jsonl`, appended to and not held open (seen in
//! 1.0.128 to 2.1.332).
//!
//! The registry entry of a process names its session, also after `/clear` and `/resume`. Without
//! one (before 2.1.139) the command line may. Logs of subagents lie in a folder of the session; they
//! are no candidates, and are counted.

mod subagents;

use super::super::head::Heads;
use super::super::source::{Candidate, LogId, Reader, Source, Strength, Subject};
use super::{Homes, begun, cut, dashed, is_id, opened, written};
use madohub_detect::LogDetail;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use subagents::Transcript;

/// Claude Code cuts longer folder names and adds a hash.
const FOLDER_MAX: usize = 200;

/// Finds Claude Code's transcripts.
#[derive(Debug)]
pub(in crate::logs) struct Claude {
    root: Option<PathBuf>,
    heads: Heads,
}

impl Claude {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        Self { root: homes.folder("CLAUDE_CONFIG_DIR", ".claude"), heads: Heads::default() }
    }

    /// The log of a session that a process works on in `cwd`.
    fn log(&self, session: &str, cwd: Option<&str>) -> Option<LogId> {
        let root = self.root.as_ref()?;
        if !is_id(session) {
            return None;
        }
        let projects = root.join("projects");
        let name = format!("{session}.jsonl");
        let usual = cwd.and_then(folder).map(|folder| projects.join(folder).join(&name));
        // A session may have begun in another folder, and folders can be named by a setting.
        let path = usual.filter(|path| path.is_file()).or_else(|| {
            let folders = fs::read_dir(&projects).ok()?.flatten();
            folders.map(|folder| folder.path().join(&name)).find(|path| path.is_file())
        })?;
        Some(LogId::file(root, path))
    }

    /// Transcripts in the process's folder that were begun since it started; older ones too where
    /// it goes on with one.
    fn by_place(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let (Some(root), Some(started)) = (self.root.clone(), subject.started) else {
            return Vec::new();
        };
        let Some(folder) = subject.process.cwd.as_deref().and_then(folder) else {
            return Vec::new();
        };
        let resumes = subject.has(&["-c", "--continue", "-r", "--resume"]);
        let files =
            fs::read_dir(root.join("projects").join(folder)).into_iter().flatten().flatten();
        let mut found = Vec::new();
        for path in files.map(|file| file.path()) {
            let last = written(&path);
            // Before 2.1 subagents had their transcripts in the same folder.
            let is_main = path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| !name.starts_with("agent-"))
                && path.extension().is_some_and(|ending| ending == "jsonl");
            if last < started || !is_main {
                continue;
            }
            let head = self.heads.get(&root, &path);
            // The first lines may have no time; then the file's own says enough for one that is
            // not resumed.
            let fits = head.is_some_and(|head| {
                resumes || begun(head, "timestamp").is_none_or(|time| time >= started)
            });
            if fits {
                found.push(Candidate::placed(LogId::file(&root, path), last));
            }
        }
        found
    }

    /// The session whose folder for running shells the process holds open.
    fn session_by_tasks(subject: &Subject<'_>) -> Option<String> {
        opened(subject.process.pid).into_iter().find_map(|path| {
            let is_tasks = path.file_name().is_some_and(|name| name == "tasks")
                && path
                    .components()
                    .any(|part| part.as_os_str().to_string_lossy().starts_with("claude-"));
            let session = path.parent().filter(|_| is_tasks)?.file_name()?.to_str()?;
            is_id(session).then(|| session.to_owned())
        })
    }
}

impl Source for Claude {
    fn agent(&self) -> &'static str {
        "claude"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let cwd = subject.process.cwd.as_deref();
        if let Some(entry) = subject.registry {
            let session = entry.session_id.as_deref();
            let log = session.and_then(|id| self.log(id, entry.cwd.as_deref().or(cwd)));
            let how = format!("session of process {}, by its entry", subject.process.pid);
            return log
                .map(|log| Candidate::new(log, Strength::Process, how))
                .into_iter()
                .collect();
        }
        if let Some(log) = Self::session_by_tasks(subject).and_then(|id| self.log(&id, cwd)) {
            let how = format!("session of process {}, by an open folder", subject.process.pid);
            return vec![Candidate::new(log, Strength::Process, how)];
        }
        let session = subject.option(&["--resume", "-r", "--session-id"]);
        let log = session.and_then(|id| self.log(id, cwd));
        if let Some(log) = log {
            let how = "session that the command line names".to_owned();
            return vec![Candidate::new(log, Strength::Argv, how)];
        }
        self.by_place(subject)
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        detail
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(Transcript::new(log))
    }

    fn prompt(&self) -> fn(&Value) -> Option<&str> {
        |record| {
            let text = |path: &str| record.pointer(path).and_then(Value::as_str);
            let foreign = |flag: &str| record.get(flag) == Some(&Value::Bool(true));
            let is_prompt = text("/type") == Some("user");
            let typed = is_prompt && !foreign("isSidechain") && !foreign("isMeta");
            text("/message/content").or_else(|| text("/message/content/0/text")).filter(|_| typed)
        }
    }
}

fn detail(record: &Value, detail: &mut LogDetail) {
    let text = |path: &str| record.pointer(path).and_then(Value::as_str);
    if record.get("isSidechain") == Some(&Value::Bool(true)) {
        return;
    }
    match (text("/type"), text("/subtype")) {
        (Some("assistant"), _) => {
            let model = text("/message/model").filter(|model| *model != "<synthetic>");
            detail.model = model.and_then(cut).or(detail.model.take());
            let content = record.pointer("/message/content").and_then(Value::as_array);
            let said =
                content.into_iter().flatten().rev().find_map(|part| part.get("text")?.as_str());
            detail.last_message = said.and_then(cut).or(detail.last_message.take());
            detail.retry = None;
        }
        (Some("system"), Some("turn_duration")) => {
            detail.turn_ms = record.get("durationMs").and_then(Value::as_u64);
        }
        (Some("system"), Some("api_error")) => {
            let attempt = record.get("retryAttempt").and_then(Value::as_u64);
            detail.retry = attempt.and_then(|attempt| u32::try_from(attempt).ok());
        }
        (Some("user"), _) => detail.retry = None,
        _ => {}
    }
}

/// The folder of a project; nothing where its name is cut and hashed.
fn folder(cwd: &str) -> Option<String> {
    Some(dashed(cwd)).filter(|name| name.len() <= FOLDER_MAX)
}
