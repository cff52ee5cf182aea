//! The first record of a log, which tells whose it is. It never changes, so it is read once.

use super::condense::{Condensed, Condenser};
use super::file;
use memchr::memchr;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Read as _, Take};
use std::path::{Path, PathBuf};

/// A first record may carry the agent's instructions; what is longer is none.
const LINE_MAX: u64 = 4 * 1024 * 1024;
/// Logs of which the head is remembered.
const HEADS_MAX: usize = 4096;

/// First records of logs.
#[derive(Debug, Default)]
pub(super) struct Heads {
    known: HashMap<PathBuf, Value>,
}

impl Heads {
    /// The first record of a log below the folder `root`, long texts cut; nothing while there is
    /// no complete one.
    pub(super) fn get(&mut self, root: &Path, path: &Path) -> Option<&Value> {
        if !self.known.contains_key(path) {
            let head = read(root, path)?;
            if self.known.len() >= HEADS_MAX {
                self.known.clear();
            }
            self.known.insert(path.to_owned(), head);
        }
        self.known.get(path)
    }
}

fn read(root: &Path, path: &Path) -> Option<Value> {
    let mut file: Take<_> = file::open(root, path).ok()?.take(LINE_MAX);
    let mut record = Condenser::default();
    let mut block = [0; 8 * 1024];
    loop {
        let count = file.read(&mut block).ok().filter(|count| *count > 0)?;
        let bytes = block.get(..count)?;
        let end = memchr(b'\n', bytes);
        record.feed(bytes.get(..end.unwrap_or(count))?);
        if end.is_some() {
            return record.finish(|condensed| match condensed {
                Condensed::Record(text) => serde_json::from_str(text).ok(),
                Condensed::Blank | Condensed::Unusable => None,
            });
        }
    }
}
