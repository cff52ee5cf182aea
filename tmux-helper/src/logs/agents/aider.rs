//! Aider: `.aider.chat.history.md` at the top of the repository, else in the folder that it works in
//! (seen in 0.86). It is Markdown, appended to by every Aider that runs there. Each line that is
//! not the model's becomes one record:
//!
//! ```json
//! {"type":"note","text":"litellm.BadRequestError: …","timestamp":"…"}
//! ```
//!
//! `type` is `start` for the first line of a process, `prompt` for what the person typed, `note` for
//! what Aider said itself. Lines have no times; the record's is that of the file when the line was
//! read. How a turn ended well is not written: after an answer Aider may go on by itself.

use super::super::file::{Changed, Followed, Stamp};
use super::super::kept::Kept;
use super::super::source::{Candidate, LogId, Reader, Source, Subject};
use super::{cut, written};
use serde_json::{Value, json};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

const HISTORY: &str = ".aider.chat.history.md";
/// How much of the end of a history is read at once.
const WINDOW: u64 = 256 * 1024;
/// What a line begins with, and what it is then.
const MARKS: [(&str, &str); 3] =
    [("# aider chat started at ", "start"), ("#### ", "prompt"), ("> ", "note")];

/// Finds Aider's histories.
#[derive(Debug)]
pub(in crate::logs) struct Aider;

impl Source for Aider {
    fn agent(&self) -> &'static str {
        "aider"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        let cwd = Path::new(cwd);
        let top = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(cwd);
        let named = subject.option(&["--chat-history-file"]).map(|path| cwd.join(path));
        let path = named.unwrap_or_else(|| top.join(HISTORY));
        let last = written(&path);
        let Some(root) = path.parent().filter(|_| last >= started) else { return Vec::new() };
        vec![Candidate::placed(LogId::file(root, &path), last)]
    }

    /// A request that is tried again says so in the next line.
    fn is_provisional(&self) -> fn(&Value) -> bool {
        |record| {
            let text = record.get("text").and_then(Value::as_str);
            text.is_some_and(|text| text.starts_with("litellm."))
        }
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(History { followed: Followed::new(&log.root, &log.path), offset: 0 })
    }
}

/// Reads one history.
#[derive(Debug)]
struct History {
    followed: Followed,
    /// Where the first line begins that is not read yet.
    offset: u64,
}

impl Reader for History {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        let Some(Changed { mut file, stamp, has_grown }) = self.followed.changed(self.offset)?
        else {
            return Ok(());
        };
        if !has_grown {
            kept.restart();
            self.offset = 0;
        }
        let start = self.offset.max(stamp.size.saturating_sub(WINDOW));
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(stamp.size - start).read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines = bytes.get(..end).unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
        // Whether the first one is whole is not known when lines were left out.
        for line in lines.skip(usize::from(start > self.offset)) {
            if let Some(record) = record(&String::from_utf8_lossy(line), stamp) {
                kept.take(&record);
            }
        }
        self.offset = start + end as u64;
        self.followed.seen(stamp);
        Ok(())
    }
}

fn record(line: &str, stamp: Stamp) -> Option<String> {
    let (mark, kind) = MARKS.iter().find(|(mark, _)| line.starts_with(mark))?;
    let time = stamp.time()?.to_string();
    let text = cut(line.strip_prefix(mark)?.trim());
    Some(json!({"type": kind, "text": text, "timestamp": time}).to_string())
}
