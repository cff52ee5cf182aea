//! Gemini CLI: `tmp/<project>/chats/session-<minute>-<id>.jsonl` (seen in 0.61). The folder of a
//! project says in `.project_root` which one it is; older ones are named by the SHA-256 of its path,
//! and hold sessions as one object each, `session-*.json`. Nothing ties a file to a process but folder
//! and time; its beginning tells when the session began.

use super::super::head::Heads;
use super::super::messages::{self, Messages};
use super::super::source::{Candidate, LogId, Reader, Source, Subject};
use super::super::tail::Tail;
use super::{Homes, begun, cut, written};
use madohub_detect::LogDetail;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;
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
    /// What sessions that are one object say of themselves.
    objects: HashMap<PathBuf, Value>,
}

impl Gemini {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        Self {
            root: homes.below("GEMINI_CLI_HOME", ".gemini"),
            heads: Heads::default(),
            projects: HashMap::new(),
            objects: HashMap::new(),
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
        let named = root.join("tmp").join(hashed(cwd));
        own.map(|(folder, _)| folder).chain([&named]).map(|folder| folder.join("chats")).collect()
    }

    /// What a session says of itself at its beginning.
    fn head(&mut self, root: &Path, path: &Path) -> Option<Value> {
        if !is_object(path) {
            return self.heads.get(root, path).cloned();
        }
        if !self.objects.contains_key(path) {
            let head: Head = messages::head(root, path)?;
            let head = json!({"startTime": head.start_time, "kind": head.kind});
            self.objects.insert(path.to_owned(), head);
        }
        self.objects.get(path).cloned()
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
                let is_log = path.extension().is_some_and(|e| e == "jsonl" || e == "json");
                if last < started || !is_log {
                    continue;
                }
                let Some(head) = self.head(&root, &path) else { continue };
                let is_main = head.get("kind").and_then(Value::as_str).is_none_or(|k| k == "main");
                let age = begun(&head, "startTime").map(|time| time - started);
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

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        if is_object(&log.path) {
            Box::new(Messages::new(log, Value::clone))
        } else {
            Box::new(Tail::new(&log.root, &log.path))
        }
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

/// The beginning of a session that is one object.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    start_time: Option<String>,
    kind: Option<String>,
}

fn is_object(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "json")
}

/// The name that older versions gave to the folder of a project.
fn hashed(project: &str) -> String {
    let mut name = String::new();
    for byte in Sha256::digest(project) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// The project that a folder is about.
fn project(folder: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(folder.join(".project_root")).ok()?.take(PATH_MAX).read_to_string(&mut text).ok()?;
    Some(text.trim_end().to_owned())
}
