//! The events on disk: appended before anybody hears of them, so that no restart repeats one.

use super::entry::{Entry, Record};
use crate::own_files;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file is written anew, with what is still kept, when this much was appended to it.
const APPENDED_MAX: u64 = 2 * 1024 * 1024;
/// No more than this is read of a file; it is far above what is ever written.
const READ_MAX: u64 = 32 * 1024 * 1024;

/// The file with the last events.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Option<File>,
    appended: u64,
}

impl Journal {
    /// Opens the file and reads what is in it, oldest first. What cannot be read is skipped and
    /// counted: a line that was cut off when a daemon was killed, or the work of somebody else.
    pub(super) fn open(path: &Path) -> (Self, Vec<Arc<Entry>>, usize) {
        let journal = Self { path: path.to_owned(), file: None, appended: 0 };
        let (entries, skipped) = read(path).unwrap_or_default();
        (journal, entries, skipped)
    }

    /// Appends events; `kept` answers what the file needs to hold when it is written anew.
    pub(super) fn append(
        &mut self,
        entries: &[Arc<Entry>],
        kept: impl FnOnce() -> Vec<Arc<Entry>>,
    ) -> io::Result<()> {
        let Some(file) = self.file.as_mut().filter(|_| self.appended < APPENDED_MAX) else {
            let mut all = kept();
            all.extend(entries.iter().map(Arc::clone));
            return self.rewrite(&all);
        };
        let bytes = lines(entries)?;
        let appended = file.write_all(&bytes);
        self.appended += bytes.len() as u64;
        if appended.is_err() {
            // Half a line may be there now: the next one must not be glued to it.
            self.file = None;
        }
        appended
    }

    /// Writes the file so that a reader finds the old or the new one, never a half.
    fn rewrite(&mut self, entries: &[Arc<Entry>]) -> io::Result<()> {
        self.file = None;
        let new = self.path.with_extension("events.new");
        self.file = Some(own_files::replace(&self.path, &new, &lines(entries)?)?);
        self.appended = 0;
        Ok(())
    }
}

fn lines(entries: &[Arc<Entry>]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut bytes, &entry.record)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

fn read(path: &Path) -> io::Result<(Vec<Arc<Entry>>, usize)> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(READ_MAX);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(READ_MAX).read_to_end(&mut bytes)?;
    let (mut entries, mut skipped, mut last) = (Vec::new(), 0, 0);
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let record = serde_json::from_slice::<Record>(line);
        match record.and_then(Entry::new) {
            Ok(entry) if entry.event().seq > last => {
                last = entry.event().seq;
                entries.push(Arc::new(entry));
            }
            _ => skipped += 1,
        }
    }
    Ok((entries, skipped))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        reason = "a failing test may panic"
    )]

    use super::super::ring::tests::entry;
    use super::*;
    use std::fs;

    fn numbers(path: &Path) -> (Vec<u64>, usize) {
        let (_, entries, skipped) = Journal::open(path);
        (entries.iter().map(|entry| entry.event().seq).collect(), skipped)
    }

    #[test]
    fn events_are_there_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        let (mut journal, entries, _) = Journal::open(&path);
        assert!(entries.is_empty());
        journal.append(&[entry(1, "%1"), entry(2, "%1")], Vec::new).unwrap();
        journal.append(&[entry(3, "%1")], || panic!("not yet")).unwrap();
        assert_eq!(numbers(&path), (vec![1, 2, 3], 0));
    }

    #[test]
    fn a_line_that_was_cut_off_costs_itself_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        let (mut journal, ..) = Journal::open(&path);
        journal.append(&[entry(1, "%1"), entry(2, "%1")], Vec::new).unwrap();
        let whole = fs::read(&path).unwrap();
        for cut in [1, 40, whole.len() / 2 - 1] {
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let (mut later, entries, skipped) = Journal::open(&path);
            assert_eq!((entries.len(), skipped), (1 + usize::from(cut == 1), usize::from(cut > 1)));
            later.append(&[entry(3, "%1")], || entries).unwrap();
            assert_eq!(numbers(&path).0.last(), Some(&3));
            assert_eq!(numbers(&path).1, 0);
        }
    }

    #[test]
    fn rubbish_is_no_event() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        fs::write(&path, b"\xff\xfe\x00\n{}\n[]\nnull\n{\"event\":7}\n").unwrap();
        assert_eq!(numbers(&path), (vec![], 5));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let (mut journal, entries, _) = Journal::open(&path);
        assert!(entries.is_empty());
        assert!(journal.append(&[entry(1, "%1")], Vec::new).is_err());
    }

    #[test]
    fn the_file_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        let (mut journal, ..) = Journal::open(&path);
        let batch: Vec<_> = (1..=100).map(|seq| entry(seq, "%1")).collect();
        for _ in 0..300 {
            journal.append(&batch, Vec::new).unwrap();
            assert!(fs::metadata(&path).unwrap().len() < APPENDED_MAX + 100_000);
        }
    }
}
