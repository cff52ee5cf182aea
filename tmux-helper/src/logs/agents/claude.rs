//! Claude Code: `projects/<folder>/<session>.jsonl`, appended to and not held open (seen in
//! 1.0.128 to 2.1.332).
//!
//! The registry entry of a process names its session, also after `/clear` and `/resume`. Without
//! one (before 2.1.139) the command line may. Logs of subagents lie in a folder of the session
//! and are no candidates.

use super::super::source::{Candidate, LogId, Source, Strength, Subject};
use super::{Homes, is_id, opened};
use std::fs;
use std::path::{Path, PathBuf};

/// Claude Code cuts longer folder names and adds a hash.
const FOLDER_MAX: usize = 200;

/// Finds Claude Code's transcripts.
#[derive(Debug)]
pub(in crate::logs) struct Claude {
    root: Option<PathBuf>,
}

impl Claude {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        Self { root: homes.folder("CLAUDE_CONFIG_DIR", ".claude") }
    }

    /// The log of a session that a process works on in `cwd`.
    fn log(&self, session: &str, cwd: Option<&str>) -> Option<LogId> {
        let root = self.root.as_ref()?;
        if !is_id(session) {
            return None;
        }
        let projects = root.join("projects");
        let name = format!("{session}.jsonl");
        let usual = cwd.map(|cwd| projects.join(folder(cwd)).join(&name));
        // A session may have begun in another folder, and folders can be named by a setting.
        let path = usual.filter(|path| path.is_file()).or_else(|| {
            let folders = fs::read_dir(&projects).ok()?.flatten();
            folders.map(|folder| folder.path().join(&name)).find(|path| path.is_file())
        })?;
        Some(LogId::file(root, path))
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
        let how = "session that the command line names".to_owned();
        log.map(|log| Candidate::new(log, Strength::Argv, how)).into_iter().collect()
    }
}

/// The name that Claude Code gives to the folder of a project: every UTF-16 unit that is no ASCII
/// letter or digit is a dash.
fn folder(cwd: &str) -> PathBuf {
    let name: String = cwd
        .encode_utf16()
        .map(|unit| {
            char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric).unwrap_or('-')
        })
        .take(FOLDER_MAX)
        .collect();
    Path::new(&name).to_owned()
}
