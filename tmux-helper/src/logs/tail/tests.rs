#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

use super::*;
use crate::logs::agents::{Homes, sources};
use madohub_detect::RuleSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

struct Log {
    folder: tempfile::TempDir,
    tail: Tail,
    kept: Kept,
}

impl Log {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tail = Tail::new(folder.path(), &folder.path().join("log.jsonl"));
        let sources = sources(&Homes::at(Path::new("/nowhere")));
        let copilot = sources.iter().find(|source| source.agent() == "copilot").unwrap();
        let kept = Kept::new(Arc::new(RuleSet::builtin().unwrap()), &**copilot, None);
        Self { folder, tail, kept }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log.jsonl")
    }

    fn append(&self, bytes: impl AsRef<[u8]>) {
        let mut file = OpenOptions::new().create(true).append(true).open(self.path()).unwrap();
        file.write_all(bytes.as_ref()).unwrap();
    }

    /// Numbers of the records that are kept, and how many were skipped.
    fn read(&mut self) -> (Vec<u64>, u64) {
        self.tail.read(&mut self.kept).unwrap();
        let (records, skipped) = (self.kept.records(), self.kept.skipped());
        let number = |record: &String| {
            let value: serde_json::Value = serde_json::from_str(record).unwrap();
            value["n"].as_u64().unwrap()
        };
        (records.iter().map(number).collect(), skipped)
    }
}

/// A record that says something.
fn record(n: u64) -> String {
    format!("{{\"type\":\"user.message\",\"n\":{n}}}\n")
}

#[test]
fn what_is_appended_is_read_once_it_is_complete() {
    let mut log = Log::new();
    assert!(log.tail.read(&mut log.kept).is_err(), "there is no file");
    log.append(record(1));
    assert_eq!(log.read(), (vec![1], 0));
    let next = record(2);
    let (half, rest) = next.split_at(11);
    log.append(half);
    assert_eq!(log.read(), (vec![1], 0));
    log.append(rest);
    log.append(record(3));
    assert_eq!(log.read(), (vec![1, 2, 3], 0));
    assert_eq!(log.read(), (vec![1, 2, 3], 0));
}

#[test]
fn a_file_that_shrank_or_was_replaced_is_read_anew() {
    let mut log = Log::new();
    log.append(format!("{}{}", record(1), record(2)));
    assert_eq!(log.read().0, [1, 2]);
    fs::write(log.path(), record(3)).unwrap();
    assert_eq!(log.read().0, [3], "shorter");
    fs::write(log.path(), format!("{}{}", record(4), record(5))).unwrap();
    assert_eq!(log.read().0, [4, 5], "longer, with other bytes at its beginning");
    let other = log.folder.path().join("new");
    fs::write(&other, format!("{}{}{}", record(4), record(5), record(6))).unwrap();
    fs::rename(other, log.path()).unwrap();
    assert_eq!(log.read().0, [4, 5, 6], "another file of the same name");
}

#[test]
fn a_file_that_is_gone_leaves_what_was_read() {
    let mut log = Log::new();
    log.append(record(1));
    log.read();
    fs::remove_file(log.path()).unwrap();
    assert!(log.tail.read(&mut log.kept).is_err());
    assert_eq!(log.kept.records().len(), 1);
    log.append(record(2));
    assert_eq!(log.read().0, [2]);
}

#[test]
fn what_cannot_be_read_is_counted() {
    let mut log = Log::new();
    log.append(record(1));
    log.append(b"{\"type\":\"user.message\",\n\xff\xfe\n\n{}\n[]\n7\n");
    log.append(record(2));
    assert_eq!(log.read(), (vec![1, 2], 2));
}

#[test]
fn the_end_of_a_large_file_is_enough() {
    let mut log = Log::new();
    let noise = format!("{{\"type\":\"session.info\",\"text\":\"{}\"}}\n", "x".repeat(10_000));
    let mut text = String::new();
    for n in 0..2000 {
        text += &record(n);
        text += &noise;
    }
    log.append(&text);
    let (numbers, skipped) = log.read();
    assert_eq!((numbers.last(), skipped), (Some(&1999), 0));
    assert!(numbers.len() < 30 && numbers.len() > 20, "{}", numbers.len());
}

#[test]
fn more_of_the_end_is_read_while_it_says_nothing() {
    let mut log = Log::new();
    log.append(record(1));
    log.append(record(2));
    let noise = format!("{{\"type\":\"session.info\",\"text\":\"{}\"}}\n", "x".repeat(100_000));
    log.append(noise.repeat(60));
    assert_eq!(log.read(), (vec![1, 2], 0));
}

#[test]
fn a_line_of_64_megabytes_is_read_through() {
    let mut log = Log::new();
    log.append(record(1));
    log.append(record(2));
    log.append(b"{\"type\":\"user.message\",\"text\":\"");
    for _ in 0..64 {
        log.append(vec![b'x'; 1 << 20]);
    }
    assert_eq!(log.read(), (vec![1, 2], 0));
    log.append(b"\",\"n\":3}\n");
    assert_eq!(log.read(), (vec![1, 2, 3], 0));
}
