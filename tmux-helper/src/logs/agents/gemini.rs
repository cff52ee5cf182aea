//! Gemini CLI: `tmp/<project>/chats/session-<minute>-<id>.jsonl` (seen in 0.61). The folder of a
//! project says in `.project_root` which one it is. Nothing ties a file to a process but folder
//! and time; the first record tells when the session began.

use super::super::head::Heads;
use super::super::source::{Candidate, LogId, Source, Subject};
use super::{Homes, begun, cut, written};
use madohub_detect::LogDetail;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A session that began within so many seconds of a process's start is its first one.
const AT_START: f64 = 10.0;
/// A path has no more bytes.
const PATH_MAX: u64 = 4096;

/// Finds Gemini's chats.
#[derive(Debug)]
pub(in crate::logs) struct Gemini {
    root: Option<PathBuf>,
    heads: Heads,
    /// Which folder a project has.
    projects: HashMap<PathBuf, String>,
}

impl Gemini {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        Self {
            root: homes.below("GEMINI_CLI_HOME", ".gemini"),
            heads: Heads::default(),
            projects: HashMap::new(),
        }
    }

    /// The folders of a project's chats.
    fn chats(&mut self, root: &Path, cwd: &str) -> Vec<PathBuf> {
        let folders = fs::read_dir(root.join("tmp")).into_iter().flatten().flatten();
        for folder in folders.map(|folder| folder.path()) {
            if !self.projects.contains_key(&folder)
                && let Some(project) = project(&folder)
            {
                self.projects.insert(folder, project);
            }
        }
        let own = self.projects.iter().filter(|(_, project)| *project == cwd);
        own.map(|(folder, _)| folder.join("chats")).collect()
    }
}

impl Source for Gemini {
    fn agent(&self) -> &'static str {
        "gemini"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let Some(root) = self.root.clone() else { return Vec::new() };
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        let resumes = subject.has(&["-r", "--resume"]);
        let mut found = Vec::new();
        for chats in self.chats(&root, cwd) {
            let files = fs::read_dir(chats).into_iter().flatten().flatten();
            for path in files.map(|file| file.path()) {
                let last = written(&path);
                // Old ones are not even opened.
                if last < started || path.extension().is_none_or(|ending| ending != "jsonl") {
                    continue;
                }
                let Some(head) = self.heads.get(&root, &path) else { continue };
                let is_main = head.get("kind").and_then(Value::as_str).is_none_or(|k| k == "main");
                let age = begun(head, "startTime").map(|time| time - started);
                let log = LogId::file(&root, path);
                match age {
                    _ if !is_main => {}
                    Some(age) if (0.0..=AT_START).contains(&age) => {
                        found.push(Candidate::at_start(log, last));
                    }
                    Some(age) if age > 0.0 || resumes => found.push(Candidate::placed(log, last)),
                    _ => {}
                }
            }
        }
        found
    }

    /// An answer may be followed by the call of a tool.
    fn is_provisional(&self) -> fn(&Value) -> bool {
        |record| record.get("type").and_then(Value::as_str) == Some("gemini")
    }

    /// A text, or a list of parts.
    fn prompt(&self) -> fn(&Value) -> Option<&str> {
        |record| {
            let text = |path: &str| record.pointer(path).and_then(Value::as_str);
            let prompt = text("/content").or_else(|| text("/content/0/text"));
            prompt.filter(|_| text("/type") == Some("user"))
        }
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        |record, detail| {
            if record.get("type").and_then(Value::as_str) == Some("gemini") {
                let text = |name: &str| record.get(name).and_then(Value::as_str).and_then(cut);
                detail.model = text("model").or(detail.model.take());
                detail.last_message = text("content").or(detail.last_message.take());
            }
        }
    }
}

/// The project that a folder is about.
fn project(folder: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(folder.join(".project_root")).ok()?.take(PATH_MAX).read_to_string(&mut text).ok()?;
    Some(text.trim_end().to_owned())
}
