//! Amp: `amp/threads/T-<id>.json`, one object for each thread (seen in the code of 0.0.1767830505;
//! newer versions keep threads on Amp's servers and write none). A thread says which folder it was
//! begun in; the command line may name it.
//!
//! Of each of its last messages one record is made:
//!
//! ```json
//! {"type":"message","timestamp":"…","role":"assistant","state":"complete","stop":"end_turn",
//!  "error":"…","runs":["done"],"text":"…"}
//! ```
//!
//! `runs` are the states of the tool calls whose results the message carries. Messages have no
//! times; the record's is that of the file when the message was first seen. An error of the API is
//! not written down.

use super::super::messages::{self, Messages};
use super::super::source::{Candidate, LogId, Reader, Source, Strength, Subject};
use super::{Homes, cut, is_id, said, written};
use madohub_detect::LogDetail;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Finds Amp's threads.
#[derive(Debug)]
pub(in crate::logs) struct Amp {
    root: Option<PathBuf>,
    /// The folder that a thread was begun in.
    folders: HashMap<PathBuf, String>,
}

impl Amp {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        let data = homes.folder("XDG_DATA_HOME", ".local/share");
        Self { root: data.map(|data| data.join("amp/threads")), folders: HashMap::new() }
    }

    fn folder(&mut self, root: &Path, path: &Path) -> Option<&str> {
        if !self.folders.contains_key(path) {
            let head: Head = messages::head(root, path)?;
            let uri = head.env.pointer("/initial/trees/0/uri").and_then(Value::as_str);
            self.folders.insert(path.to_owned(), uri.and_then(path_of).unwrap_or_default());
        }
        self.folders.get(path).map(String::as_str)
    }
}

impl Source for Amp {
    fn agent(&self) -> &'static str {
        "amp"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let Some(root) = self.root.clone() else { return Vec::new() };
        let mut words = subject.process.argv.iter().skip(1);
        if let Some(thread) = words.find(|word| word.starts_with("T-") && is_id(word)) {
            let path = root.join(format!("{thread}.json"));
            let log = path.is_file().then(|| LogId::file(&root, &path));
            let how = "thread that the command line names".to_owned();
            return log.map(|log| Candidate::new(log, Strength::Argv, how)).into_iter().collect();
        }
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        let files = fs::read_dir(&root).into_iter().flatten().flatten().map(|file| file.path());
        let mut found = Vec::new();
        for path in files.filter(|path| is_thread(path)) {
            let last = written(&path);
            if last >= started && self.folder(&root, &path) == Some(cwd) {
                found.push(Candidate::placed(LogId::file(&root, path), last));
            }
        }
        found
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        said
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(Messages::new(log, record))
    }
}

/// What tells where a thread was begun.
#[derive(serde::Deserialize)]
struct Head {
    #[serde(default)]
    env: Value,
}

fn record(message: &Value) -> Value {
    let text = |path: &str| message.pointer(path).and_then(Value::as_str);
    let parts = message.get("content").and_then(Value::as_array).map(Vec::as_slice);
    let parts = parts.unwrap_or_default();
    let is = |part: &&Value, kind: &str| part.get("type").and_then(Value::as_str) == Some(kind);
    let words = parts.iter().rev().find(|part| is(part, "text"));
    let runs: Vec<&str> = parts
        .iter()
        .filter(|part| is(part, "tool_result"))
        .filter_map(|part| part.pointer("/run/status")?.as_str())
        .collect();
    json!({
        "type": "message",
        "role": text("/role"),
        "state": text("/state/type"),
        "stop": text("/state/stopReason"),
        "error": text("/state/error/message"),
        "runs": runs,
        "text": words.and_then(|part| part.get("text")?.as_str()).and_then(cut),
    })
}

fn is_thread(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("T-"))
        && path.extension().is_some_and(|ending| ending == "json")
}

/// The path in a `file:` URI; only paths that are text are compared.
fn path_of(uri: &str) -> Option<String> {
    let mut bytes = uri.strip_prefix("file://")?.bytes();
    let mut path = Vec::new();
    while let Some(byte) = bytes.next() {
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        path.push(match byte {
            b'%' => u8::try_from(digit()? * 16 + digit()?).ok()?,
            _ => byte,
        });
    }
    String::from_utf8(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_from_their_addresses() {
        for (uri, path) in [
            ("file:///home/me/a%20b/%C3%A4", Some("/home/me/a b/ä")),
            ("file:///a%2", None),
            ("file:///a%ff", None),
            ("https://example.org/a", None),
        ] {
            assert_eq!(path_of(uri).as_deref(), path, "{uri}");
        }
    }
}
