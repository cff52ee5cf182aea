//! Copilot CLI: `session-state/<session>/events.jsonl` (seen in 1.0.102). The process that works on
//! a session holds `inuse.<pid>.hold` open beside it, and its number is in the name of
//! `inuse.<pid>.lock`. The file is written anew when a prompt is taken back.

use super::super::source::{Candidate, LogId, Source, Strength, Subject};
use super::{Homes, cut, opened};
use madohub_detect::LogDetail;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Finds Copilot's event files.
#[derive(Debug)]
pub(in crate::logs) struct Copilot {
    root: Option<PathBuf>,
}

impl Copilot {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        Self { root: homes.folder("COPILOT_HOME", ".copilot") }
    }

    /// The session that holds a lock with this process's number, for systems that do not show
    /// open files.
    fn by_lock(&self, pid: i64) -> Option<LogId> {
        let sessions = fs::read_dir(self.root.as_ref()?.join("session-state")).ok()?.flatten();
        let lock = format!("inuse.{pid}.lock");
        sessions
            .map(|session| session.path())
            .find(|path| path.join(&lock).exists())
            .map(|path| log(&path))
    }
}

impl Source for Copilot {
    fn agent(&self) -> &'static str {
        "copilot"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let found = subject.family.iter().find_map(|process| {
            let held = opened(process.pid).into_iter().find_map(|path| held(&path, process.pid));
            let log = held.or_else(|| {
                if cfg!(target_os = "linux") { None } else { self.by_lock(process.pid) }
            })?;
            let how = format!("session that process {} holds", process.pid);
            Some(Candidate::new(log, Strength::Process, how))
        });
        found.into_iter().collect()
    }

    /// An error or an abort follows the end of its last call of the model.
    fn is_provisional(&self) -> fn(&Value) -> bool {
        |record| record.get("type").and_then(Value::as_str) == Some("assistant.turn_end")
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        |record, detail| {
            let text = |path: &str| record.pointer(path).and_then(Value::as_str);
            match record.get("type").and_then(Value::as_str) {
                Some("assistant.message") => {
                    detail.last_message =
                        text("/data/content").and_then(cut).or(detail.last_message.take());
                }
                Some("session.model_change" | "session.start" | "session.resume") => {
                    let model = text("/data/newModel")
                        .or(text("/data/selectedModel"))
                        .or(text("/data/model"));
                    detail.model = model.and_then(cut).or(detail.model.take());
                }
                _ => {}
            }
        }
    }
}

/// The log of the session that this open file of a process holds. It holds the folder of its own
/// program in the same way.
fn held(open: &Path, pid: i64) -> Option<LogId> {
    let (folder, name) = (open.parent()?, open.file_name()?.to_str()?);
    let is_session = folder.parent()?.file_name()? == "session-state";
    (is_session && is_hold(name, pid)).then(|| log(folder))
}

fn is_hold(name: &str, pid: i64) -> bool {
    name == format!("inuse.{pid}.hold") || name == format!("inuse.{pid}.lock")
}

/// The log in the folder of a session, which lies in `session-state` in Copilot's own folder.
fn log(folder: &Path) -> LogId {
    let root = folder.parent().unwrap_or(folder);
    LogId::file(root, folder.join("events.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_held_and_the_program_of_the_process_is_none() {
        let session = "/home/user/.copilot/session-state/a31b";
        for (open, is_log) in [
            (format!("{session}/inuse.7.hold"), true),
            (format!("{session}/inuse.7.lock"), true),
            (format!("{session}/inuse.8.hold"), false),
            (format!("{session}/events.jsonl"), false),
            ("/home/user/.cache/copilot/pkg/linux-x64/1.0.102/inuse.7.lock".to_owned(), false),
            ("/inuse.7.lock".to_owned(), false),
        ] {
            let found = held(Path::new(&open), 7).map(|log| log.path);
            let path = is_log.then(|| Path::new(session).join("events.jsonl"));
            assert_eq!(found, path, "{open}");
        }
    }
}
