//! Amp: `amp/threads/T-<id>.json`, one object for each thread (seen in the code of 0.0.1767830505;
//! newer versions keep threads on Amp's servers and write none). A thread says which folder it was
//! begun in; the command line may name it.
//!
//! The file is written anew for every change, so all of it is read, message by message, and of
//! each of the last ones one record is made:
//!
//! ```json
//! {"type":"message","timestamp":"…","role":"assistant","state":"complete","stop":"end_turn",
//!  "error":"…","runs":["done"],"text":"…"}
//! ```
//!
//! `runs` are the states of the tool calls whose results the message carries. Messages have no
//! times; the record's is that of the file when the message was first seen. An error of the API is
//! not written down.

use super::super::file::{self, Stamp};
use super::super::kept::Kept;
use super::super::source::{Candidate, LogId, Reader, Source, Strength, Subject};
use super::{Homes, cut, is_id, written};
use madohub_detect::LogDetail;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::fs;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Messages of a thread that are looked at: the last ones of a turn.
const MESSAGES: usize = 6;
/// A longer thread is not read: nobody could hold it in a model's context.
const THREAD_MAX: u64 = 64 * 1024 * 1024;
/// Of the time at most this part is spent on reading one thread again and again.
const SHARE: u32 = 20;

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
            let head: Head = serde_json::from_reader(open(root, path).ok()?).ok()?;
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
        |record, detail| {
            if record.get("role").and_then(Value::as_str) == Some("assistant") {
                let text = record.get("text").and_then(Value::as_str).and_then(cut);
                detail.last_message = text.or(detail.last_message.take());
            }
        }
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(Thread { log: log.clone(), stamp: None, rests: None, last: Vec::new() })
    }
}

/// Reads one thread.
#[derive(Debug)]
struct Thread {
    log: LogId,
    stamp: Option<Stamp>,
    /// Until when it is left alone.
    rests: Option<Instant>,
    last: Vec<Value>,
}

impl Reader for Thread {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        let stamp = Stamp::of(&self.log.path);
        let began = Instant::now();
        if stamp == self.stamp || self.rests.is_some_and(|until| began < until) {
            return Ok(());
        }
        let file = open(&self.log.root, &self.log.path)?;
        let tail: Result<Tail, _> = serde_json::from_reader(file);
        self.rests = Some(began + (began.elapsed() * SHARE).min(Duration::from_secs(10)));
        self.stamp = stamp;
        let messages = match tail {
            Ok(tail) => tail.messages.0,
            // It is just being written; the next stamp is another one.
            Err(error) if error.is_eof() || error.is_syntax() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if self.last.iter().ne(&messages) {
            kept.restart();
            let time = stamp.and_then(|stamp| stamp.time()).map(|time| time.to_string());
            for message in &messages {
                let mut record = message.clone();
                if let Some(record) = record.as_object_mut() {
                    record.insert("timestamp".to_owned(), json!(time));
                }
                kept.take(&record.to_string());
            }
            self.last = messages.into();
        }
        Ok(())
    }
}

/// What tells where a thread was begun.
#[derive(serde::Deserialize)]
struct Head {
    #[serde(default)]
    env: Value,
}

/// The end of a thread.
#[derive(serde::Deserialize)]
struct Tail {
    #[serde(default)]
    messages: Last,
}

/// The last messages, as records. Each is forgotten before the next one is read.
#[derive(Debug, Default)]
struct Last(VecDeque<Value>);

impl<'de> Deserialize<'de> for Last {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_seq(Messages)
    }
}

struct Messages;

impl<'de> Visitor<'de> for Messages {
    type Value = Last;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Last, A::Error> {
        let mut newest = VecDeque::new();
        while let Some(message) = list.next_element::<Value>()? {
            if newest.len() == MESSAGES {
                newest.pop_front();
            }
            newest.push_back(record(&message));
        }
        Ok(Last(newest))
    }
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

fn open(root: &Path, path: &Path) -> io::Result<BufReader<io::Take<fs::File>>> {
    Ok(BufReader::new(file::open(root, path)?.take(THREAD_MAX)))
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
