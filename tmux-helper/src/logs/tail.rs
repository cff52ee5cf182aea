//! Following a file of JSON Lines from its end.
//!
//! A file is opened only when its size, its times or its inode changed, and read from where the
//! last reading ended. What was read of an unfinished line is kept. A file that shrank, was
//! replaced, or holds other bytes before that place than it did is read anew.

use super::condense::{Condensed, Condenser};
use super::file::{Changed, Followed};
use super::kept::Kept;
use memchr::memchr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Bytes read at a time.
const BLOCK: usize = 64 * 1024;
/// How much of the end of a file is read first; more only while that says too little.
const WINDOW: u64 = 256 * 1024;
/// How much of the end of a file is read at most: the longest record, and what stands around it.
const WINDOW_MAX: u64 = 96 * 1024 * 1024;
/// Bytes before the place of the last reading that must be what they were.
const SEAM: usize = 64;

/// One file, followed.
#[derive(Debug)]
pub(super) struct Tail {
    followed: Followed,
    /// Where the next reading begins.
    offset: u64,
    /// The bytes right before that.
    seam: Vec<u8>,
    record: Condenser,
    /// The bytes up to the next line end belong to a line whose beginning was not read.
    headless: bool,
}

impl Tail {
    /// A file that nothing was read of yet, below the agent's folder `root`.
    pub(super) fn new(root: &Path, path: &Path) -> Self {
        Self {
            followed: Followed::new(root, path),
            offset: 0,
            seam: Vec::new(),
            record: Condenser::default(),
            headless: false,
        }
    }

    /// Reads what is new. Costs one `stat` when nothing is.
    pub(super) fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        let Some(Changed { mut file, stamp, has_grown }) = self.followed.changed(self.offset)?
        else {
            return Ok(());
        };
        if has_grown && self.is_seam_whole(&file)? {
            self.read_from(&mut file, self.offset, stamp.size, kept)?;
        } else {
            self.read_end(&mut file, stamp.size, kept)?;
        }
        self.followed.seen(stamp);
        Ok(())
    }

    /// Whether the bytes before the last place are still what was read there.
    fn is_seam_whole(&self, file: &File) -> io::Result<bool> {
        let mut found = [0; SEAM];
        let Some(found) = found.get_mut(..self.seam.len()) else { return Ok(false) };
        file.read_exact_at(found, self.offset - self.seam.len() as u64)?;
        Ok(found == self.seam)
    }

    /// Begins anew: as much of the end as says something.
    fn read_end(&mut self, file: &mut File, size: u64, kept: &mut Kept) -> io::Result<()> {
        let mut window = WINDOW;
        loop {
            kept.restart();
            self.record.reset();
            let start = size.saturating_sub(window);
            self.headless = start > 0;
            self.read_from(file, start, size, kept)?;
            if start == 0 || kept.is_enough() || window >= WINDOW_MAX {
                return Ok(());
            }
            window = (window * 8).min(WINDOW_MAX);
        }
    }

    /// Reads from `start` to `end`.
    fn read_from(
        &mut self,
        file: &mut File,
        start: u64,
        end: u64,
        kept: &mut Kept,
    ) -> io::Result<()> {
        file.seek(SeekFrom::Start(start))?;
        self.offset = start;
        if start == 0 {
            self.seam.clear();
        }
        let mut block = vec![0; BLOCK];
        let mut left = end - start;
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            let room = block.get_mut(..wanted).unwrap_or_default();
            let count = match file.read(room) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let bytes = block.get(..count).unwrap_or_default();
            self.take(bytes, kept);
            self.offset += count as u64;
            left -= count as u64;
            self.seam.extend_from_slice(bytes.get(count.saturating_sub(SEAM)..).unwrap_or(bytes));
            let surplus = self.seam.len().saturating_sub(SEAM);
            self.seam.drain(..surplus);
        }
        Ok(())
    }

    fn take(&mut self, mut bytes: &[u8], kept: &mut Kept) {
        while let Some(end) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if std::mem::take(&mut self.headless) {
                continue;
            }
            self.record.feed(line);
            self.record.finish(|condensed| match condensed {
                Condensed::Blank => {}
                Condensed::Record(record) => kept.take(record),
                Condensed::Unusable => kept.skip(),
            });
        }
        if !self.headless {
            self.record.feed(bytes);
        }
    }
}

#[cfg(test)]
mod tests;
